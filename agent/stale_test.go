package agent

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
)

// camera is an observer whose picture is too old in [from, to).
type camera struct{ from, to time.Duration }

func (c *camera) Observe(now time.Duration, _ *twinrig.Observation) error {
	if now >= c.from && now < c.to {
		return errors.New("webcam: newest frame is 400ms old")
	}
	return nil
}

// What a policy is late with, and what it cannot be shown, is the guard's to tell, as
// long as it lasts: the arm holds, and goes on afterwards.
func TestStalePolicyAndCameraAreTold(t *testing.T) {
	for _, c := range []struct {
		name      string
		camera    camera
		inference time.Duration
		want      twinrig.Intervention
		held      bool // from the beginning
	}{
		{"all in time", camera{}, 50 * ms, 0, false},
		{"slow policy", camera{}, 700 * ms, twinrig.StalePolicy, false},
		// first the answer is late, then it is known why
		{"camera stops", camera{1000 * ms, 2200 * ms}, 50 * ms, twinrig.StaleCamera | twinrig.StalePolicy, false},
		{"no picture yet", camera{0, 300 * ms}, 50 * ms, twinrig.StaleCamera, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := policy.DefaultConfig()
			cfg.MaxRefused = 1000
			b, err := policy.NewBroker(context.Background(), cfg, policy.Deps{
				Policy: &pusher{dx: 0.002}, Kin: bench{}, Observer: &c.camera,
				Executor: policy.NewInline(after(c.inference)),
			})
			require.NoError(t, err)
			defer b.Close()
			l := newLoop(t, newArm(twinrig.ModePosition), twinrig.ModePosition)
			ticks(l, 1)
			l.SetSource(NewFollow(b, l.cfg.Motion))
			told := 0
			before := l.report.Sent.Joints[0]
			for k := range 900 { // 3 s
				r := l.Tick(l.Due())
				require.Zero(t, r.Guard&^c.want)
				if r.Guard != 0 {
					told++
				}
				if k == 60 && c.held {
					require.Equal(t, c.want, r.Guard)
					require.InDelta(t, before, r.Sent.Joints[0], 1e-12)
				}
			}
			require.Equal(t, c.want != 0, told > 0)
			require.Less(t, told, 700, "and not for ever")
			require.Greater(t, l.report.Sent.Joints[0], before+0.01, "it went on")
			for i, n := range l.Guard().Counts() {
				require.Equal(t, c.want&(1<<i) != 0, n > 0)
			}
			if c.want != twinrig.StalePolicy { // that one comes back with each answer
				require.Zero(t, l.report.Guard, "it is over")
			}
		})
	}
}
