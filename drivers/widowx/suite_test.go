package widowx_test

import (
	"testing"
	"time"

	"twinrig"
	"twinrig/drivers/armtest"
)

// The whole contract, in both modes, on emulated servos.
func TestSuite(t *testing.T) {
	for _, mode := range []twinrig.Mode{twinrig.ModePosition, twinrig.ModeTorque} {
		t.Run(mode.String(), func(t *testing.T) {
			armtest.Suite(t, func(t *testing.T) armtest.Fixture {
				r := opened(t, defaults(mode))
				return armtest.Fixture{
					Arm:         r.arm,
					Mode:        mode,
					Now:         r.clock.Now,
					Advance:     r.advance,
					Period:      2 * time.Millisecond,
					Limits:      r.arm.PositionLimits(),
					EffortLimit: r.arm.EffortLimit(),
					Gains: twinrig.Gains{
						Kp: twinrig.Joints{20, 20, 20, 20, 20},
						Kd: twinrig.Joints{0.8, 0.8, 0.8, 0.8, 0.8},
					},
					Tolerance: 0.01,
				}
			})
		})
	}
}
