package eval

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// only lets one policy succeed.
func only(policy string) runnerFunc {
	return func(_ context.Context, t Trial) (Result, error) {
		if t.Policy == policy {
			return outcome(t, truth(true, true), 3), nil
		}
		return Result{Termination: Timeout, Verdict: truth(false, false, NoAttempt)}, nil
	}
}

// Eight wins in a row reach 2/alpha = 40; the block is finished, no further one is
// begun, and the result is the same whichever of the two is the better one.
func TestStopRuleEndsTheStudy(t *testing.T) {
	for _, better := range []string{"policy0", "policy1"} {
		s := sampleStudy(2, 3, 20)
		s.Stop = &StopRule{Test: PairedTest, Alpha: 0.05, Between: [2]string{"policy0", "policy1"}}
		require.NoError(t, s.Validate())
		l, _ := openSample(t, s)
		require.NoError(t, Run(t.Context(), s, l, only(better), nil))
		p, err := l.Progress(s)
		require.NoError(t, err)
		require.Nil(t, p.Next)
		require.True(t, p.Evidence.Stopped)
		require.LessOrEqual(t, p.Evidence.P, 0.05)
		require.Equal(t, 3*p.Evidence.Pairs, p.Done, "whole blocks, the third policy too")
		require.Equal(t, 8, p.Evidence.Pairs)

		results, err := l.Results()
		require.NoError(t, err)
		require.Equal(t, p.Evidence, s.Evidence(results), "the report sees what the run saw")
		if better == "policy0" {
			require.Greater(t, p.Evidence.EA, 40.0)
		} else {
			require.Greater(t, p.Evidence.EB, 40.0)
		}
		a, err := Analyse(s, results, nil)
		require.NoError(t, err)
		require.Contains(t, a.Warnings[0], "stopped by its rule after 8 pairs: 24 of at most 120 trials")
		require.NoError(t, l.Conclude(s, "ann"), "what the rule spared is not missing")
	}
}

// Without a difference nothing stops, a trial that waits for its verdict halts the
// evidence but not the study, and an amendment is looked at anew.
func TestStopRuleGoesByWhatIsKnown(t *testing.T) {
	s := sampleStudy(1, 2, 12)
	s.Stop = &StopRule{Test: UnpairedTest, Alpha: 0.05, Between: [2]string{"policy1", "policy0"}}
	l, _ := openSample(t, s)
	unjudged := ""
	require.NoError(t, Run(t.Context(), s, l, runnerFunc(func(ctx context.Context, tr Trial) (Result, error) {
		r, err := succeed(ctx, tr)
		if tr.Order == 4 {
			r.Verdict, unjudged = nil, tr.ID
		}
		return r, err
	}), nil))
	p, err := l.Progress(s)
	require.NoError(t, err)
	require.Equal(t, 24, p.Done)
	require.Equal(t, 2, p.Evidence.Pairs, "the third pair is not known")
	require.False(t, p.Evidence.Stopped)
	require.ErrorContains(t, l.Conclude(s, "ann"), "1 unlabelled ("+unjudged)

	require.NoError(t, l.Judge(unjudged, truth(true, true)))
	p, err = l.Progress(s)
	require.NoError(t, err)
	require.Equal(t, 12, p.Evidence.Pairs)
	require.False(t, p.Evidence.Stopped)
	require.InDelta(t, 1, p.Evidence.P, 0)
}

func TestStopRuleSkipsBlocksThatAreGivenUp(t *testing.T) {
	s := sampleStudy(1, 2, 4)
	s.Stop = &StopRule{Test: PairedTest, Alpha: 0.05, Between: [2]string{"policy0", "policy1"}}
	l, _ := openSample(t, s)
	require.NoError(t, Run(t.Context(), s, l, runnerFunc(func(ctx context.Context, tr Trial) (Result, error) {
		if tr.Order == 2 {
			return Result{Termination: Invalid, Note: "the banana rolled off"}, nil
		}
		return succeed(ctx, tr)
	}), nil))
	p, err := l.Progress(s)
	require.NoError(t, err)
	require.Equal(t, 1, p.GivenUp)
	require.Equal(t, 3, p.Evidence.Pairs)
	results, err := l.Results()
	require.NoError(t, err)
	require.Equal(t, p.Evidence, s.Evidence(results))
}

func TestStopRuleValidate(t *testing.T) {
	for want, spoil := range map[string]func(*StopRule){
		"stop.test is":                 func(r *StopRule) { r.Test = "t" },
		"stop.alpha is 0":              func(r *StopRule) { r.Alpha = 0 },
		`stop.between: "expert" is no`: func(r *StopRule) { r.Between[0] = "expert" },
		"stop.between names one":       func(r *StopRule) { r.Between[0] = "policy1" },
		`primary is "psr", must be sr`: nil,
	} {
		s := sampleStudy(1, 2, 1)
		s.Stop = &StopRule{Test: PairedTest, Alpha: 0.05, Between: [2]string{"policy0", "policy1"}}
		if spoil == nil {
			s.Primary = "psr"
		} else {
			spoil(s.Stop)
		}
		require.ErrorContains(t, s.Validate(), want)
	}
}
