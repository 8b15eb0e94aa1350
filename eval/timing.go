package eval

import (
	"slices"

	"twinrig/eval/stats"
)

// Loop is how well the control loop kept its time in a trial, and how fast the policy
// answered.
type Loop struct {
	Ticks     int     `json:"ticks"`
	Hz        float64 `json:"hz"`
	LateP50US float64 `json:"late_p50_us"`
	LateP99US float64 `json:"late_p99_us"`
	Misses    int     `json:"misses"`
	// Late is the histogram of how late the ticks began, bins without one left out.
	Late []LateBin `json:"late,omitempty"`
	// Inference is nil where the policy never was asked.
	Inference *Inference `json:"inference,omitempty"`
}

// LateBin counts ticks that were at most so late, and later than the bin before has.
type LateBin struct {
	UpToUS float64 `json:"up_to_us"`
	Ticks  int     `json:"ticks"`
}

// Inference is how a policy's answers came in one trial.
type Inference struct {
	Asked    int `json:"asked"`
	Accepted int `json:"accepted"`
	// Refused counts the other answers by reason.
	Refused map[string]int `json:"refused,omitempty"`
	// WarmUpMS is the first answer's latency, which may have loaded a model;
	// LatenciesMS are all others'.
	WarmUpMS    float64   `json:"warm_up_ms"`
	LatenciesMS []float64 `json:"latencies_ms,omitempty"`
	// IdleS is how long the arm stood for want of an answer, over how many gaps.
	IdleS float64 `json:"idle_s"`
	Gaps  int     `json:"gaps"`
	// Unreachable counts actions that the arm could not follow.
	Unreachable int `json:"unreachable"`
	// Seams counts answers that took over from others before those were used up,
	// SeamMaxRad is the farthest that a joint's goal went in such a step.
	Seams      int     `json:"seams,omitempty"`
	SeamMaxRad float64 `json:"seam_max_rad,omitempty"`
}

// LoopPool is how well the loop kept its time over several trials.
type LoopPool struct {
	Trials, Ticks, Misses int
	// Hz weighs each trial by its ticks. LateP50US is the median trial's
	// median, LateP99US the worst trial's 99th percentile.
	Hz, LateP50US, LateP99US float64
	// Late is the histogram of all trials' ticks.
	Late []LateBin
}

func poolLoops(results []Result) LoopPool {
	var p LoopPool
	var p50 []float64
	var time float64
	bins := map[float64]int{}
	for i := range results {
		l := results[i].Loop
		if l == nil {
			continue
		}
		p.Trials++
		p.Ticks += l.Ticks
		p.Misses += l.Misses
		p50 = append(p50, l.LateP50US)
		p.LateP99US = max(p.LateP99US, l.LateP99US)
		if l.Hz > 0 {
			time += float64(l.Ticks) / l.Hz
		}
		for _, b := range l.Late {
			bins[b.UpToUS] += b.Ticks
		}
	}
	p.LateP50US, _ = stats.Percentile(p50, 0.5)
	if time > 0 {
		p.Hz = float64(p.Ticks) / time
	}
	for upTo, n := range bins {
		p.Late = append(p.Late, LateBin{upTo, n})
	}
	slices.SortFunc(p.Late, func(a, b LateBin) int { return int(a.UpToUS - b.UpToUS) })
	return p
}

// InferencePool is how one policy's answers came over all its attempts.
type InferencePool struct {
	Policy          string
	Trials          int
	Asked, Accepted int
	// Refused counts the other answers by reason, in the reasons' order.
	Refused []RefusedCount
	// P50MS to P99MS are of all latencies but the first of each trial, N of them;
	// WarmUpMS is the longest first one.
	P50MS, P95MS, P99MS, WarmUpMS float64
	N                             int
	// IdleS is how long the arm stood for want of answers, in all trials.
	IdleS      float64
	SeamMaxRad float64
}

// RefusedCount is how many answers were refused for a reason.
type RefusedCount struct {
	Reason string
	N      int
}

// poolInference pools the attempts of each policy, in the study's order; policies that
// nobody asked are left out.
func poolInference(s *Study, results []Result) []InferencePool {
	var all []InferencePool
	for _, policy := range s.Policies {
		p := InferencePool{Policy: policy.Name}
		var latencies []float64
		refused := map[string]int{}
		for i := range results {
			r := &results[i]
			if r.Trial.Policy != policy.Name || r.Loop == nil || r.Loop.Inference == nil {
				continue
			}
			in := r.Loop.Inference
			p.Trials++
			p.Asked += in.Asked
			p.Accepted += in.Accepted
			p.IdleS += in.IdleS
			p.WarmUpMS = max(p.WarmUpMS, in.WarmUpMS)
			p.SeamMaxRad = max(p.SeamMaxRad, in.SeamMaxRad)
			latencies = append(latencies, in.LatenciesMS...)
			for reason, n := range in.Refused {
				refused[reason] += n
			}
		}
		if p.Trials == 0 {
			continue
		}
		p.N = len(latencies)
		p.P50MS, _ = stats.Percentile(latencies, 0.5)
		p.P95MS, _ = stats.Percentile(latencies, 0.95)
		p.P99MS, _ = stats.Percentile(latencies, 0.99)
		for reason, n := range refused {
			p.Refused = append(p.Refused, RefusedCount{reason, n})
		}
		slices.SortFunc(p.Refused, func(a, b RefusedCount) int { return b.N - a.N })
		all = append(all, p)
	}
	return all
}
