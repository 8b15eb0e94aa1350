package widowx_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/widowx"
)

// One dead servo ages its own axis and no other, is left out of the reading
// before long, and comes back when it answers again.
func TestADeadServoAgesItsAxisAlone(t *testing.T) {
	for _, fast := range []bool{false, true} {
		s := defaults(twinrig.ModePosition)
		s.cfg.FastSync = fast
		r := enabled(t, s)
		stay := r.stay()
		silent := func(yes bool) { r.servo(3, func(s *servotest.Servo) { s.SetSilent(yes) }) }
		died := r.clock.Now()
		silent(true)
		var state twinrig.State
		for n := range 30 {
			var err error
			state, err = r.cycles(1, stay)
			require.NoError(t, err)
			for axis, age := range state.Age {
				// Those behind it on the bus may miss the first cycle, in which
				// there is no time to ask again.
				if axis != twinrig.Shoulder && n > 0 {
					require.Zero(t, age, "%s fast %v", twinrig.AxisNames[axis], fast)
				}
			}
			require.InDelta(t, startPose[twinrig.Shoulder], state.Measured[twinrig.Shoulder], 0.01)
		}
		require.InDelta(t, (state.Stamp - died).Seconds(), state.Age[twinrig.Shoulder].Seconds(), 0.02)
		st := r.arm.Status()
		require.True(t, st.Servos[2].Silent)
		require.Equal(t, fast, st.FastSync, "without the dead servo the reading is as it was")
		require.Contains(t, st.Notes, "id 3 does not answer: reading the others without it")
		before := r.bus.Stats().Timeouts
		_, err := r.cycles(8, stay)
		require.NoError(t, err)
		require.LessOrEqual(t, r.bus.Stats().Timeouts-before, uint64(2), "only a look at its health waits for it")

		silent(false)
		state, err = r.cycles(200, stay)
		require.NoError(t, err)
		require.Zero(t, state.Age)
		require.False(t, r.arm.Status().Servos[2].Silent)
	}
}

func TestNobodyAnswers(t *testing.T) {
	r := enabled(t, defaults(twinrig.ModePosition))
	good, err := r.read()
	require.NoError(t, err)
	r.chain.Do(func(servos []*servotest.Servo) {
		for _, s := range servos {
			s.SetSilent(true)
		}
	})
	for range 10 {
		r.advance(time.Millisecond)
		s, err := r.read()
		require.ErrorIs(t, err, widowx.ErrSilent)
		require.ErrorIs(t, err, dynamixel.ErrTimeout)
		require.Equal(t, good.Measured, s.Measured, "kept, with an age")
		for _, age := range s.Age {
			require.Equal(t, s.Stamp-good.Stamp, age)
		}
	}
}

// An error is in the state of the cycle that it is first seen in, in joint
// space, and the loop goes on.
func TestHardwareErrorIsSeenAtOnce(t *testing.T) {
	for _, id := range []int{1, 3, 9} {
		s := defaults(twinrig.ModePosition)
		s.cfg.HealthEveryCycles = 10_000
		r := enabled(t, s)
		stay := r.stay()
		r.servo(id, func(s *servotest.Servo) { s.RaiseError(dynamixel.HardwareOverload) })
		state, err := r.cycles(1, stay)
		require.NoError(t, err)
		axis := shafts[id-1].axis
		require.EqualValues(t, dynamixel.HardwareOverload, state.HardwareError[axis])
		state.HardwareError[axis] = 0
		require.Zero(t, state.HardwareError, "no other axis")
		st := r.arm.Status().Servos[id-1]
		require.False(t, st.TorqueOn)
		require.Equal(t, []string{"overload"}, widowx.ErrorBits(st.HardwareError))
		_, err = r.cycles(20, stay)
		require.NoError(t, err, "the others hold on")

		r.servo(id, func(s *servotest.Servo) { s.Set(dynamixel.HardwareErrorStatus, 0) })
		state, err = r.cycles(1, stay)
		require.NoError(t, err)
		require.Zero(t, state.HardwareError, "gone with the alert")
	}
}

func TestShadowsThatDisagreeAreAnError(t *testing.T) {
	r := enabled(t, defaults(twinrig.ModePosition))
	r.servo(5, func(s *servotest.Servo) { s.Set(dynamixel.HomingOffset, 60) })
	s, err := r.read()
	var shadow *widowx.ShadowError
	require.ErrorAs(t, err, &shadow)
	require.Equal(t, twinrig.Elbow, shadow.Axis)
	require.Equal(t, [2]dynamixel.ID{4, 5}, shadow.IDs)
	require.InDelta(t, 60*dynamixel.RadPerPulse, shadow.GapRad, 2*dynamixel.RadPerPulse)
	require.InDelta(t, startPose[twinrig.Elbow], s.Measured[twinrig.Elbow], 0.01, "the state is filled all the same")
}

// A loop that stalls longer than the watchdog finds its arm stopped, says so,
// and can enable it again.
func TestWatchdog(t *testing.T) {
	s := defaults(twinrig.ModeTorque)
	s.cfg.Watchdog = 100 * time.Millisecond
	r := enabled(t, s)
	stay := r.stay()
	_, err := r.cycles(200, stay) // longer than the watchdog, and fed
	require.NoError(t, err)
	r.advance(300 * time.Millisecond)
	_, err = r.read()
	require.NoError(t, err)
	_, err = r.arm.Write(r.clock.Now(), stay)
	require.ErrorIs(t, err, widowx.ErrTorqueLost)
	require.ErrorContains(t, err, "id 1 (waist) was stopped by its bus watchdog")

	require.NoError(t, r.arm.Halt())
	require.NoError(t, r.arm.Enable())
	_, err = r.cycles(200, stay)
	require.NoError(t, err)
	for id := 1; id <= 9; id++ {
		require.EqualValues(t, 5, r.get(id, dynamixel.BusWatchdog))
	}
}

// A stopped arm is found out whoever of its servos answers.
func TestWatchdogIsSeenWithoutTheFirstServo(t *testing.T) {
	s := defaults(twinrig.ModeTorque)
	s.cfg.Watchdog = 100 * time.Millisecond
	r := enabled(t, s)
	stay := r.stay()
	r.servo(1, func(s *servotest.Servo) { s.SetSilent(true) })
	r.advance(300 * time.Millisecond)
	_, err := r.read()
	require.NoError(t, err)
	_, err = r.arm.Write(r.clock.Now(), stay)
	require.ErrorIs(t, err, widowx.ErrTorqueLost)
	require.ErrorContains(t, err, "id 2 (shoulder) was stopped by its bus watchdog")
}

// refusing is a bus whose line to the servos can be cut for sync writes of n
// bytes each.
type refusing struct {
	*dynamixel.Bus
	n uint16
}

var errCut = errors.New("cut")

func (b *refusing) SyncWrite(blk dynamixel.Block, items []dynamixel.Item) error {
	if blk.Len == b.n {
		return errCut
	}
	return b.Bus.SyncWrite(blk, items)
}

// A goal that did not get through is sent again, changed or not.
func TestUnsentPositionsAreSentAgain(t *testing.T) {
	s := defaults(twinrig.ModeTorque)
	s.cfg.RefreshEveryCycles = 10_000
	r := build(t, s)
	bus := &refusing{Bus: r.bus}
	arm, err := widowx.New(bus, s.cfg, s.cal)
	require.NoError(t, err)
	r.arm = arm
	require.NoError(t, arm.Open())
	require.NoError(t, arm.Enable())
	stay := r.stay()
	_, err = r.cycles(3, stay)
	require.NoError(t, err)

	goal := stay
	goal.Joints[twinrig.WristRotate] += 0.2
	bus.n = dynamixel.GoalPosition.Block().Len
	_, err = r.cycles(1, goal)
	require.ErrorIs(t, err, errCut)
	bus.n = 0
	before := r.get(8, dynamixel.GoalPosition)
	_, err = r.cycles(3, goal)
	require.NoError(t, err)
	require.InDelta(t, 0.2/dynamixel.RadPerPulse, float64(r.get(8, dynamixel.GoalPosition)-before), 2)
}

func TestStatusFillsUp(t *testing.T) {
	s := defaults(twinrig.ModePosition)
	s.cfg.HealthEveryCycles = 2
	r := enabled(t, s)
	r.servo(6, func(s *servotest.Servo) { s.SetSupply(11.5, 41) })
	state, err := r.cycles(2*2*9, r.stay())
	require.NoError(t, err)
	require.Equal(t, 9, state.NumServos)
	for i, st := range r.arm.Status().Servos {
		require.InDelta(t, st.VoltageV, state.Servos[i].VoltageV, 0)
		// The XL430s sense no current, the others tell no load.
		require.Equal(t, i >= 7, math.IsNaN(st.CurrentA), "id %d", i+1)
		require.Equal(t, i < 7, math.IsNaN(st.Load), "id %d", i+1)
		require.EqualValues(t, i+1, st.ID)
		require.Equal(t, shafts[i].axis, st.Axis)
		require.Equal(t, i == 2 || i == 4, st.Shadow)
		require.True(t, st.TorqueOn)
		volt, temp := 12.0, 30.0
		if i == 5 {
			volt, temp = 11.5, 41
		}
		require.InDelta(t, volt, st.VoltageV, 1e-9)
		require.InDelta(t, temp, st.TemperatureC, 1e-9)
	}
}

// Chaos: on a wire that damages one byte in a few hundred, no reading is ever
// wrong without an age or an error, and the arm holds.
func TestNoisyWire(t *testing.T) {
	for seed := range uint64(5) {
		r := enabled(t, defaults(twinrig.ModePosition))
		stay := r.stay()
		r.chain.SetNoise(servotest.Noise{Flip: 0.003, Drop: 0.001, Seed: seed})
		for range 300 {
			s, err := r.read()
			if err != nil {
				require.ErrorIs(t, err, widowx.ErrSilent)
				continue
			}
			for i, q := range s.Measured {
				require.InDelta(t, startPose[i], q, 0.01, "seed %d %s", seed, twinrig.AxisNames[i])
			}
			_, err = r.arm.Write(r.clock.Now(), stay)
			require.NoError(t, err)
			r.advance(2 * time.Millisecond)
		}
		s, _ := r.read()
		for _, h := range s.Servos[:s.NumServos] {
			require.Positive(t, h.Missed+h.Retries, "seed %d id %d", seed, h.ID)
			require.Less(t, h.Missed, uint64(150), "seed %d id %d", seed, h.ID)
		}
	}
}
