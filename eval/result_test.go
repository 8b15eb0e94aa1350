package eval

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

func ptr[T any](v T) *T { return &v }

// truth is a verdict by the virtual world.
func truth(success, partial bool, labels ...Label) *Verdict {
	return &Verdict{Success: success, Partial: partial, Labels: labels, Source: "virtual world's truth"}
}

func TestResultValidate(t *testing.T) {
	good := func() *Result {
		return &Result{
			Trial: Trial{ID: "t", Timeout: 20}, Termination: Success, Start: 3, End: 23,
			TSuccess: ptr(12.5), Verdict: truth(true, true),
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(*Result)
		want  string // empty: still valid
	}{
		{"good", func(*Result) {}, ""},
		{"success at the time-out's own tick", func(r *Result) { r.TSuccess = ptr(20.0) }, ""},
		{"that tick a little late", func(r *Result) { r.TSuccess = ptr(20.05) }, ""},
		{"success after the time-out", func(r *Result) { r.TSuccess = ptr(20.3) }, "after the time-out"},
		{"unknown termination", func(r *Result) { r.Termination = "tired" }, `termination "tired"`},
		{"end before start", func(r *Result) { r.End = 2 }, "before start_s"},
		{"success with a failure label", func(r *Result) { r.Verdict = truth(true, true, Dropped) }, `failure label "dropped"`},
		{"success with a recovered error", func(r *Result) { r.Recovered = []Label{Dropped} }, ""},
		{"failure with a recovered error", func(r *Result) {
			r.Verdict, r.Recovered = truth(false, true, Dropped), []Label{Dropped}
		}, "recovered_errors on a failure"},
		{"unknown label", func(r *Result) { r.Verdict = truth(false, false, "shy") }, `label "shy" is unknown`},
		{"label twice", func(r *Result) { r.Verdict = truth(false, false, Dropped, Dropped) }, "is there twice"},
		{"nobody's verdict", func(r *Result) { r.Verdict.Source = "" }, "verdict without its source"},
		{"invalid with a verdict", func(r *Result) { r.Termination = Invalid }, "does not count"},
		{"not judged yet", func(r *Result) { r.Verdict = nil }, ""},
		{"failure without a label", func(r *Result) { r.Verdict = truth(false, false) }, ""},
	} {
		r := good()
		c.spoil(r)
		if c.want == "" {
			require.NoError(t, r.Validate(), c.name)
		} else {
			require.ErrorContains(t, r.Validate(), c.want, c.name)
		}
	}
}

func TestSuccessAtTheStartIsNoTrial(t *testing.T) {
	r := Result{Termination: Success, TSuccess: ptr(0.0), Verdict: truth(true, false)}
	r.settle()
	require.Equal(t, Invalid, r.Termination)
	require.Nil(t, r.Verdict)
	require.NotEmpty(t, r.Note)

	r = Result{Termination: Success, TSuccess: ptr(0.2), Verdict: truth(true, false)}
	r.settle()
	require.Equal(t, Success, r.Termination)
}

func TestWhichTerminationsCount(t *testing.T) {
	for termination, counts := range map[Termination]bool{
		Success: true, Timeout: true, OperatorStop: true, EStop: true, HardwareFault: false, Invalid: false,
	} {
		require.Equal(t, counts, termination.Counted(), termination)
		require.NoError(t, termination.validate())
	}
}

func TestGapOf(t *testing.T) {
	require.Nil(t, GapOf(nil))
	gaps := make([]twinrig.Gap, 101)
	for i := range gaps {
		sign := float64(1 - 2*(i%2))
		gaps[i] = twinrig.Gap{
			Stamp: 5*time.Second + time.Duration(i)*200*time.Millisecond, Step: i,
			Joints:      twinrig.Joints{1, 2, 3, 4, 5, 6}.Scale(sign * 0.01),
			Velocity:    twinrig.Joints{6, 5, 4, 3, 2, 1}.Scale(sign * 0.1),
			Translation: float64(i) / 1000 / 4, // 0 to 25 mm
			Rotation:    math.Pi / 90, Grip: twinrig.Grip(sign * 0.5),
		}
	}
	g := GapOf(gaps)
	require.Equal(t, 101, g.Steps)
	require.InDelta(t, math.Sqrt(100*201/6.0)/4, g.EERMSMM, 1e-9)
	require.InDelta(t, 23.75, g.EEP95MM, 1e-9)
	require.InDelta(t, 25, g.EEMaxMM, 1e-9)
	require.InDelta(t, 2, g.EERotRMSDeg, 1e-9)
	require.InDelta(t, 22, g.GripRMSMM, 1e-9)
	require.InDeltaSlice(t, []float64{.01, .02, .03, .04, .05, .06}, g.JointRMS[:], 1e-12)
	require.InDeltaSlice(t, []float64{.6, .5, .4, .3, .2, .1}, g.JointVelRMS[:], 1e-12)
	require.InDelta(t, 81*0.2, *g.Divergence, 1e-9, "the first step beyond 20 mm")
	require.Nil(t, GapOf(gaps[:81]).Divergence, "20 mm is not yet beyond 20 mm")
}
