package main

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"

	"twinrig"
	"twinrig/agent/telemetry/metrics"
	"twinrig/agent/telemetry/mqtt"
)

// staleTick is how old the newest tick may be: the slowest loop has 20 a second.
const staleTick = time.Second

// watch is what programs may see of a cell.
type watch struct {
	cell *cell
	loop *metrics.Loop
	tell *mqtt.Publisher
	say  func(string)
	// study is how far the study is, nil without one.
	study atomic.Pointer[metrics.Study]
}

// health is the answer of /healthz.
type health struct {
	// Status is "ok", "fault", "halted", or "stalled" for a loop that does not
	// tick.
	Status string `json:"status"`
	Rig    string `json:"rig"`
	// Fault is why, for a person.
	Fault     string  `json:"fault,omitempty"`
	TickAge   float64 `json:"tick_age_s"`
	Connected bool    `json:"mqtt_connected"`
}

func (w *watch) health() health {
	var r twinrig.Report
	w.cell.runner.Latest(&r)
	h := health{
		Status: "ok", Rig: w.cell.cfg.Name, Connected: w.tell.Stats().Connected,
		TickAge: (w.cell.clock() - r.Now).Seconds(),
	}
	err := w.cell.runner.Fault()
	if err != nil {
		h.Status, h.Fault = "fault", err.Error()
	}
	if halted(err) {
		h.Status = "halted"
	}
	if h.TickAge > staleTick.Seconds() {
		h.Status = "stalled"
	}
	return h
}

// mux answers /healthz, /metrics and, to those with the token, /api/halt.
func (w *watch) mux(s *server) (*http.ServeMux, error) {
	scrape, err := w.metrics().Handler()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", scrape)
	mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) {
		h := w.health()
		code := http.StatusOK
		if h.Status != "ok" {
			code = http.StatusServiceUnavailable
		}
		answer(rw, code, h)
	})
	mux.HandleFunc("POST /api/halt", s.withToken(func(rw http.ResponseWriter, _ *http.Request) {
		err := w.cell.runner.HaltNow()
		audit(w.tell, w.cell.clock(), w.say, "the token's holder", "halt", "torque is off", err)
		if err != nil {
			answer(rw, http.StatusInternalServerError, map[string]string{"error": err.Error()})
			return
		}
		answer(rw, http.StatusOK, map[string]string{"done": "torque is off"})
	}))
	return mux, nil
}

func answer(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // who asked may have gone
}

// metrics is the cell as Prometheus sees it.
func (w *watch) metrics() *metrics.Rig {
	r := w.cell.runner
	return &metrics.Rig{
		Name: w.cell.cfg.Name, Loop: w.loop, Newest: r.Latest,
		Interventions: func() map[string]uint64 {
			counts := map[string]uint64{}
			for i, n := range r.Interventions() {
				counts[twinrig.Intervention(1 << i).Names()[0]] = n
			}
			return counts
		},
		Faulty:       func() bool { return r.Fault() != nil },
		Transactions: func() uint64 { return w.cell.bus.Stats().Transactions },
		BusErrors: func() map[string]uint64 {
			s := w.cell.bus.Stats()
			return map[string]uint64{
				"timeout": s.Timeouts, "checksum": s.Checksum, "resync": s.Resyncs,
				"retry": s.Retries, "refused": s.Refused, "late": s.Late,
			}
		},
		Streams: func() []metrics.Stream {
			s := w.tell.Stats()
			all := []metrics.Stream{{Name: "trial", Published: s.Messages, Dropped: s.Dropped, Waiting: s.Waiting}}
			for _, s := range w.tell.Streams() {
				all = append(all, metrics.Stream{Name: s.Topic, Published: s.Published, Dropped: s.Dropped, Waiting: s.Waiting})
			}
			return all
		},
		Connected: func() bool { return w.tell.Stats().Connected },
		Study: func() (metrics.Study, bool) {
			if s := w.study.Load(); s != nil {
				return *s, true
			}
			return metrics.Study{}, false
		},
	}
}

// serve begins to answer at address.
func (w *watch) serve(address string, closing *closers) (*server, error) {
	dir, err := stateDir()
	if err != nil {
		return nil, err
	}
	s, err := listen(address, dir, "token-"+w.cell.cfg.Name, w.mux)
	if err != nil {
		return nil, err
	}
	closing.add(s.close)
	return s, nil
}
