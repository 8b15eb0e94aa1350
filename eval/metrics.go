package eval

import "twinrig/eval/stats"

// Cell is the five metrics of one policy, over one scene or all of them.
type Cell struct {
	// Scene is empty where all trials are pooled.
	Scene, Policy string
	// PSR is the share of trials in which the target object was grasped and
	// lifted at any time, SR of those in which the task was done before the
	// time-out.
	PSR, SR stats.Rate
	// DFR and SFR are the shares of trials that failed with an error of
	// execution and with one of understanding. A failure may have both, so
	// DFR + SFR >= 1 - SR.
	DFR, SFR stats.Rate
	// TF is the time from the first action to the success, in s, over the
	// successes.
	TF stats.Moments
}

// N is the number of trials counted.
func (c *Cell) N() int { return c.SR.N }

// measure computes the metrics of labelled results that count.
func measure(scene, policy string, results []*Result) Cell {
	c := Cell{Scene: scene, Policy: policy}
	var times []float64
	for _, r := range results {
		v := r.Verdict
		c.PSR.Count(v.Partial)
		c.SR.Count(v.Success)
		c.DFR.Count(!v.Success && v.has(false))
		c.SFR.Count(!v.Success && v.has(true))
		if v.Success && r.TSuccess != nil {
			times = append(times, *r.TSuccess)
		}
	}
	c.TF = stats.Describe(times)
	return c
}

// SceneMean is the mean of one policy's scene rates, for studies in which not
// every scene has equally many trials. Scenes without trials are left out.
type SceneMean struct {
	Policy            string
	Scenes            int
	PSR, SR, DFR, SFR float64
}

func sceneMean(policy string, cells []Cell) SceneMean {
	m := SceneMean{Policy: policy}
	for i := range cells {
		c := &cells[i]
		sr, ok := c.SR.Value()
		if c.Policy != policy || !ok {
			continue
		}
		psr, _ := c.PSR.Value()
		dfr, _ := c.DFR.Value()
		sfr, _ := c.SFR.Value()
		m.Scenes++
		m.PSR, m.SR, m.DFR, m.SFR = m.PSR+psr, m.SR+sr, m.DFR+dfr, m.SFR+sfr
	}
	if n := float64(m.Scenes); n > 0 {
		m.PSR, m.SR, m.DFR, m.SFR = m.PSR/n, m.SR/n, m.DFR/n, m.SFR/n
	}
	return m
}
