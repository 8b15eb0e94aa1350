package metrics

import (
	"math"
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"twinrig"
)

// Rig is what there is to look at. Its functions are called at each scrape, from
// any goroutine; those that are nil leave their metrics out.
type Rig struct {
	Name string
	Loop *Loop
	// Newest copies the newest report.
	Newest func(*twinrig.Report)
	// Interventions counts what the guard did, by the word for it.
	Interventions func() map[string]uint64
	// Faulty tells whether the loop has a fault.
	Faulty func() bool
	// Transactions counts the bus's, and BusErrors what went wrong, by kind.
	Transactions func() uint64
	BusErrors    func() map[string]uint64
	// Streams are the telemetry's.
	Streams   func() []Stream
	Connected func() bool
	// Study tells how far the study is; ok is false without one.
	Study func() (s Study, ok bool)
}

// Stream counts the messages of one stream of the telemetry.
type Stream struct {
	Name               string
	Published, Dropped uint64
	// Waiting is how many are queued.
	Waiting int
}

// Study is how far a study is, in trials that count.
type Study struct {
	Name        string
	Done, Total int
}

// Handler answers Prometheus' scrapes.
func (r *Rig) Handler() (http.Handler, error) {
	reg := prometheus.NewRegistry()
	mine := prometheus.WrapRegistererWith(prometheus.Labels{"rig": r.Name}, reg)
	all := []prometheus.Collector{(*collector)(r)}
	if r.Loop != nil {
		all = append(all, r.Loop.late)
	}
	for _, c := range all {
		if err := mine.Register(c); err != nil {
			return nil, err
		}
	}
	for _, c := range []prometheus.Collector{
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{MaxRequestsInFlight: 4}), nil
}

// collector makes the metrics at a scrape.
type collector Rig

func metric(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("twinrig_"+name, help, labels, nil)
}

// servoLabels name a servo; shadow is the second one of an axis.
var servoLabels = []string{"id", "axis", "shadow"}

// The metrics beside the loop's lateness.
var (
	ticks         = metric("loop_ticks_total", "Ticks of the control loop.")
	misses        = metric("loop_misses_total", "Ticks whose reading or writing failed.")
	fault         = metric("fault", "1 while the loop has a fault.")
	interventions = metric("guard_interventions_total", "Ticks in which the guard clipped or refused.", "reason")
	transactions  = metric("bus_transactions_total", "Instructions sent to the servos, retries included.")
	busErrors     = metric("bus_errors_total", "What went wrong on the bus.", "kind")
	temperature   = metric("servo_temperature_celsius", "Temperature that a servo reports.", servoLabels...)
	voltage       = metric("servo_voltage_volts", "Supply that a servo reports.", servoLabels...)
	current       = metric("servo_current_amperes", "Current that a servo measures.", servoLabels...)
	load          = metric("servo_load_ratio", "Output of a servo that measures no current.", servoLabels...)
	hardwareError = metric("servo_hardware_error", "Register 70 of a servo, 0 is none.", servoLabels...)
	torqueOn      = metric("servo_torque_on", "1 while a servo has torque.", servoLabels...)
	silent        = metric("servo_silent", "1 for a servo that stopped answering.", servoLabels...)
	missed        = metric("servo_missed_total", "Readings of a servo that did not come.", servoLabels...)
	retries       = metric("servo_retries_total", "Readings of a servo that came only when asked for again.", servoLabels...)
	published     = metric("telemetry_messages_total", "Messages that the broker has, or that went out to it.", "stream")
	dropped       = metric("telemetry_dropped_total", "Messages dropped: the network did not take them.", "stream")
	waiting       = metric("telemetry_waiting", "Messages that wait for the network.", "stream")
	connected     = metric("telemetry_connected", "1 while there is a connection to the MQTT broker.")
	studyDone     = metric("study_trials_done", "Trials of the study that count.", "study")
	studyTotal    = metric("study_trials_wanted", "Trials that the study wants.", "study")
)

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		ticks, misses, fault, interventions, transactions, busErrors, temperature, voltage, current, load,
		hardwareError, torqueOn, silent, missed, retries, published, dropped, waiting, connected, studyDone, studyTotal,
	} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	o := out(ch)
	if c.Newest != nil {
		var r twinrig.Report
		c.Newest(&r)
		o.count(ticks, r.Tick+1)
		o.count(misses, r.Misses)
		for i := range r.State.Servos[:r.State.NumServos] {
			o.servo(&r.State.Servos[i])
		}
	}
	if c.Faulty != nil {
		o.flag(fault, c.Faulty())
	}
	if c.Interventions != nil {
		for reason, n := range c.Interventions() {
			o.count(interventions, n, reason)
		}
	}
	if c.Transactions != nil {
		o.count(transactions, c.Transactions())
	}
	if c.BusErrors != nil {
		for kind, n := range c.BusErrors() {
			o.count(busErrors, n, kind)
		}
	}
	if c.Streams != nil {
		for _, s := range c.Streams() {
			o.count(published, s.Published, s.Name)
			o.count(dropped, s.Dropped, s.Name)
			o.gauge(waiting, float64(s.Waiting), s.Name)
		}
	}
	if c.Connected != nil {
		o.flag(connected, c.Connected())
	}
	if c.Study != nil {
		if s, ok := c.Study(); ok {
			o.gauge(studyDone, float64(s.Done), s.Name)
			o.gauge(studyTotal, float64(s.Total), s.Name)
		}
	}
}

// out takes metrics.
type out chan<- prometheus.Metric

func (o out) count(d *prometheus.Desc, n uint64, labels ...string) {
	o <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
}

// gauge leaves out what is not a number.
func (o out) gauge(d *prometheus.Desc, v float64, labels ...string) {
	if !math.IsNaN(v) {
		o <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
}

func (o out) flag(d *prometheus.Desc, yes bool, labels ...string) {
	v := 0.0
	if yes {
		v = 1
	}
	o.gauge(d, v, labels...)
}

func (o out) servo(h *twinrig.ServoHealth) {
	who := []string{strconv.Itoa(int(h.ID)), twinrig.AxisNames[h.Axis], strconv.FormatBool(h.Shadow)}
	o.gauge(temperature, h.TemperatureC, who...)
	o.gauge(voltage, h.VoltageV, who...)
	o.gauge(current, h.CurrentA, who...)
	o.gauge(load, h.Load, who...)
	o.gauge(hardwareError, float64(h.HardwareError), who...)
	o.flag(torqueOn, h.TorqueOn, who...)
	o.flag(silent, h.Silent, who...)
	o.count(missed, h.Missed, who...)
	o.count(retries, h.Retries, who...)
}
