package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"twinrig"
)

// Loop counts the ticks of a control loop by how late they began. It is a sink
// of the loop: Put waits for nobody and allocates nothing.
type Loop struct{ late prometheus.Histogram }

// NewLoop begins to count.
func NewLoop() *Loop {
	return &Loop{prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "twinrig_loop_lateness_seconds",
		Help: "How long after its due time a tick of the control loop began.",
		Buckets: []float64{
			10e-6, 20e-6, 50e-6, 100e-6, 200e-6, 500e-6, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 100e-3,
		},
	})}
}

// Put counts a tick.
func (l *Loop) Put(r *twinrig.Report) { l.late.Observe(r.Late.Seconds()) }
