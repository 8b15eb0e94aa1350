package eval

import (
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/eval/stats"
)

// outcome is a trial that ended with the given verdict; time is for successes.
func outcome(tr Trial, v *Verdict, time float64) Result {
	r := Result{Trial: tr, Termination: Timeout, End: tr.Timeout, Verdict: v}
	r.Provenance.ConfigSHA256 = tr.ConfigSHA256
	if v != nil && v.Success {
		r.Termination, r.TSuccess = Success, ptr(time)
	}
	return r
}

func TestEdgeCases(t *testing.T) {
	ok, bothLabels := truth(true, true), truth(false, false, MissedGrasp, WrongObject)
	for _, c := range []struct {
		name     string
		verdicts []*Verdict
		want     []string // PSR, SR, DFR, SFR, TF
		interval string   // of SR
	}{
		{"no trials", nil, []string{"-", "-", "-", "-", "-"}, "-"},
		{"0 of 10", repeat(truth(false, false, NoAttempt), 10), []string{"0.0", "0.0", "1.0", "0.0", "-"}, "[0.0000, 0.2775]"},
		{"10 of 10", repeat(ok, 10), []string{"1.0", "1.0", "0.0", "0.0", "5.5 ± 2.9"}, "[0.7225, 1.0000]"},
		{"one success", append(repeat(bothLabels, 3), ok), []string{"0.2", "0.2", "0.8", "0.8", "4.0"}, "[0.0456, 0.6994]"},
		{"all failures with both labels", repeat(bothLabels, 4), []string{"0.0", "0.0", "1.0", "1.0", "-"}, "[0.0000, 0.4899]"},
	} {
		s := sampleStudy(1, 1, max(1, len(c.verdicts)))
		var results []Result
		for i, v := range c.verdicts {
			results = append(results, outcome(s.Plan()[i], v, float64(i+1)))
		}
		a, err := Analyse(s, results, nil)
		require.NoError(t, err, c.name)
		for _, cell := range []Cell{a.Cells[0], a.Pooled[0]} {
			require.Equal(t, c.want, []string{
				FormatRate(cell.PSR, 1), FormatRate(cell.SR, 1), FormatRate(cell.DFR, 1),
				FormatRate(cell.SFR, 1), FormatMoments(cell.TF),
			}, c.name)
			require.Equal(t, c.interval, FormatInterval(cell.SR, 4), c.name)
		}
	}
}

func repeat(v *Verdict, n int) []*Verdict {
	vs := make([]*Verdict, n)
	for i := range vs {
		vs[i] = v
	}
	return vs
}

func TestUnlabelledBlocksTheReport(t *testing.T) {
	s := sampleStudy(1, 1, 3)
	plan := s.Plan()
	results := []Result{
		outcome(plan[0], nil, 0),
		outcome(plan[1], truth(false, true), 0),
		outcome(plan[2], truth(true, true), 4),
	}
	_, err := Analyse(s, results, nil)
	var unlabelled *UnlabelledError
	require.ErrorAs(t, err, &unlabelled)
	require.Equal(t, []string{plan[0].ID, plan[1].ID}, unlabelled.Trials)
	require.ErrorContains(t, err, "2 unlabelled ("+plan[0].ID)

	// A trial that does not count needs no label.
	results[0].Termination = HardwareFault
	results[1].Verdict = truth(false, true, Unfinished)
	a, err := Analyse(s, results, nil)
	require.NoError(t, err)
	require.Len(t, a.Excluded, 1)
	require.Equal(t, 2, a.Pooled[0].N())
}

func TestWarnings(t *testing.T) {
	s := sampleStudy(2, 1, 2)
	plan := s.Plan()
	results := make([]Result, 0, 5)
	for _, tr := range plan[:3] {
		results = append(results, outcome(tr, truth(true, false), 3)) // a push onto a flat napkin
	}
	results[0].Unstable = true
	results[1].TSuccess = nil
	results[2].Provenance.ConfigSHA256 = "other"
	for attempt := range 3 {
		tr := s.trial(3, attempt, attempt, s.order()[3])
		results = append(results, Result{Trial: tr, Termination: Invalid})
	}
	a, err := Analyse(s, results, nil)
	require.NoError(t, err)
	require.False(t, a.Balanced)
	require.Equal(t, 3, a.Pooled[0].SR.K, "a success that was lost again counts")
	require.Equal(t, 2, a.Pooled[0].TF.N)
	text := ""
	for _, w := range a.Warnings {
		text += w + "\n"
	}
	for _, want := range []string{
		"1 of 4 trials have no result", "pooled rates and scene means differ",
		"more successes (2) than grasp-and-lifts (0)", "1 successes were lost again",
		"1 successes have no time", "1 trials were run with another configuration",
		"was given up after 3 invalid attempts",
	} {
		require.Contains(t, text, want)
	}
}

func TestUnequalScenes(t *testing.T) {
	s := sampleStudy(2, 1, 4)
	var results []Result
	for _, tr := range s.Plan() {
		switch {
		case tr.Scene == "scene0":
			results = append(results, outcome(tr, truth(true, true), 2))
		case tr.PlacementID == 0: // one trial only
			results = append(results, outcome(tr, truth(false, false, Dropped), 0))
		}
	}
	a, err := Analyse(s, results, nil)
	require.NoError(t, err)
	require.False(t, a.Balanced)
	require.Equal(t, "0.800", FormatRate(a.Pooled[0].SR, 3))
	require.InDelta(t, 0.5, a.SceneMeans[0].SR, 1e-12)
	require.InDelta(t, 0.5, a.SceneMeans[0].DFR, 1e-12)
}

func TestPooledGapAndAgreement(t *testing.T) {
	s := sampleStudy(1, 1, 3)
	plan := s.Plan()
	results := []Result{
		outcome(plan[0], truth(true, true), 2),
		outcome(plan[1], truth(false, true, Dropped), 0),
		outcome(plan[2], truth(true, true), 9),
	}
	results[0].Gap = &Gap{Steps: 1, EERMSMM: 7, EERotRMSDeg: 1, JointRMS: twinrig.Joints{6, 0, 0, 0, 0, 0}, EEMaxMM: 7}
	results[1].Gap = &Gap{Steps: 3, EERMSMM: 1, EERotRMSDeg: 3, GripRMSMM: 2, EEMaxMM: 1.5, Divergence: ptr(4.0)}
	results[0].Mirror, results[1].Mirror = &Mirror{Success: true}, &Mirror{Success: true}
	results[0].Loop = &Loop{Ticks: 100, Hz: 100, LateP50US: 10, LateP99US: 900, Misses: 1}
	results[2].Loop = &Loop{Ticks: 100, Hz: 50, LateP50US: 30, LateP99US: 500, Misses: 2}

	a, err := Analyse(s, results, nil)
	require.NoError(t, err)
	g := a.Gap
	require.Equal(t, []int{2, 4}, []int{g.Trials, g.Steps})
	require.InDelta(t, 3.605551, g.EERMSMM, 1e-6)     // sqrt((49+3)/4)
	require.InDelta(t, 2.645751, g.EERotRMSDeg, 1e-6) // sqrt((1+27)/4)
	require.InDelta(t, 3, g.JointRMS[0], 1e-12)
	require.InDelta(t, 1.224745, g.AllJointsRMS, 1e-6) // sqrt(36/24)
	require.InDelta(t, 7, g.EEMaxMM, 0)
	require.Equal(t, stats.Rate{K: 1, N: 2}, g.Diverged)
	require.InDelta(t, 4, *g.FirstDivergence, 0)
	require.Nil(t, g.EEP95MM, "unknown without the curves")
	require.Equal(t, stats.Agreement{Both: 1, OnlySim: 1}, a.Agreement)
	require.Equal(t, LoopPool{Trials: 2, Ticks: 200, Misses: 3, Hz: 200 / 3.0, LateP50US: 20, LateP99US: 900}, a.Loop)

	curves := []Curve{
		{Trial: plan[0].ID, T: []float64{0}, EEMM: []float64{7}},
		{Trial: plan[1].ID, T: []float64{0, 1, 2}, EEMM: []float64{0.5, 1, 1.5}},
	}
	a, err = Analyse(s, results, curves)
	require.NoError(t, err)
	require.InDelta(t, 1.5+0.85*5.5, *a.Gap.EEP95MM, 1e-12)
	a, err = Analyse(s, results, curves[:1])
	require.NoError(t, err)
	require.Nil(t, a.Gap.EEP95MM, "one curve is missing")
	results[0].Gap.EE, results[1].Gap.EE = Histogram{}, Histogram{}
	for i, mm := range []float64{7, 0.5, 1, 1.5} {
		results[min(i, 1)].Gap.EE.Add(mm)
	}
	a, err = Analyse(s, results, nil)
	require.NoError(t, err)
	require.InEpsilon(t, 1.5, *a.Gap.EEP95MM, 0.005, "the lower of its two neighbours, by the histograms")
	results[1].Gap.EE = nil
	a, err = Analyse(s, results, nil)
	require.NoError(t, err)
	require.Nil(t, a.Gap.EEP95MM, "one histogram is missing")
	_, err = Analyse(s, results, []Curve{{Trial: plan[0].ID, T: []float64{0, 1}, EEMM: []float64{7}}})
	require.ErrorContains(t, err, "2 times for 1 values")
}

func TestUnlabelledErrorIsShort(t *testing.T) {
	var err error = &UnlabelledError{Trials: []string{"a", "b", "c", "d", "e", "f", "g"}}
	require.EqualError(t, err, "eval: 7 unlabelled (a, b, c, d, e and 2 more): label them before reporting")
}
