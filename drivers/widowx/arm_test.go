package widowx_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/widowx"
)

func TestEnableRefusesAHardwareError(t *testing.T) {
	r := opened(t, defaults(twinrig.ModePosition))
	r.servo(3, func(s *servotest.Servo) { s.RaiseError(dynamixel.HardwareOverload | dynamixel.HardwareHeat) })
	require.ErrorContains(t, r.arm.Enable(), "id 3 (shoulder shadow) has a hardware error: overheating, overload")
	for id := 1; id <= 9; id++ {
		require.Zero(t, r.get(id, dynamixel.TorqueEnable))
	}
}

func TestEnableRefusesWhereTheArmCannotStand(t *testing.T) {
	r := opened(t, defaults(twinrig.ModePosition))
	r.joints.Flywheels[twinrig.Elbow].Angle = 2
	r.advance(2 * time.Millisecond)
	require.ErrorContains(t, r.arm.Enable(), "start pose: elbow at 2.0")
	r.joints.Flywheels[twinrig.Elbow].Angle = twinrig.PositionLimits.Upper[twinrig.Elbow] + 0.05
	r.advance(2 * time.Millisecond)
	require.NoError(t, r.arm.Enable(), "pushed a little too far is no reason")
}

// A servo that refuses torque in the middle leaves no other with torque.
func TestEnableIsAllOrNothing(t *testing.T) {
	s := defaults(twinrig.ModeTorque)
	s.params.OverloadShare = 0
	r := opened(t, s)
	r.servo(7, func(s *servotest.Servo) { s.SetSupply(5, 30) }) // too low: an alert
	r.servo(7, func(s *servotest.Servo) { s.Set(dynamixel.Shutdown, dynamixel.HardwareVoltage) })
	require.Error(t, r.arm.Enable())
	for id := 1; id <= 9; id++ {
		require.Zero(t, r.get(id, dynamixel.TorqueEnable), "id %d", id)
	}
	_, err := r.arm.Write(r.clock.Now(), twinrig.Command{})
	require.ErrorIs(t, err, twinrig.ErrHalted)
}

func TestHaltTakesEverythingOff(t *testing.T) {
	r := enabled(t, defaults(twinrig.ModeTorque))
	cmd := r.stay()
	cmd.Effort = twinrig.Joints{0.5, 0.6, -0.7, 0.3, -0.4}
	_, err := r.cycles(5, cmd)
	require.NoError(t, err)
	require.NotZero(t, r.get(2, dynamixel.GoalCurrent))
	require.NoError(t, r.arm.Halt())
	for id := 1; id <= 9; id++ {
		require.Zero(t, r.get(id, dynamixel.TorqueEnable), "id %d", id)
	}
	for id := 1; id <= 7; id++ {
		require.Zero(t, r.get(id, dynamixel.GoalCurrent), "id %d", id)
	}
}

// A broadcast that the wire damages is sent again; a servo that cannot be asked
// is named.
func TestHaltMakesSure(t *testing.T) {
	r := enabled(t, defaults(twinrig.ModePosition))
	r.servo(4, func(s *servotest.Servo) { s.SetSilent(true) })
	err := r.arm.Halt()
	require.ErrorContains(t, err, "id 4 (elbow): torque may be on")
	require.NotContains(t, err.Error(), "id 5")
	for id := 1; id <= 9; id++ {
		require.Zero(t, r.get(id, dynamixel.TorqueEnable), "id %d", id)
	}

	for seed := range uint64(20) {
		r := enabled(t, defaults(twinrig.ModePosition))
		r.chain.SetNoise(servotest.Noise{Instruction: 0.02, Seed: seed})
		if r.arm.Halt() != nil {
			continue // it could not make sure, and says so
		}
		for id := 1; id <= 9; id++ {
			require.Zero(t, r.get(id, dynamixel.TorqueEnable), "seed %d id %d", seed, id)
		}
	}
}

// hookBus tells what is about to be sent.
type hookBus struct {
	*dynamixel.Bus
	before func(what string)
}

func (b *hookBus) Write(id dynamixel.ID, r dynamixel.Register, v int32) error {
	b.before(fmt.Sprintf("%d %s=%d", id, r.Name, v))
	return b.Bus.Write(id, r, v)
}

func (b *hookBus) WriteAll(r dynamixel.Register, v int32) error {
	b.before(fmt.Sprintf("all %s=%d", r.Name, v))
	return b.Bus.WriteAll(r, v)
}

func (b *hookBus) SyncWrite(blk dynamixel.Block, items []dynamixel.Item) error {
	b.before(fmt.Sprintf("block %d: %x", blk.Addr, items[len(items)-1].Data))
	return b.Bus.SyncWrite(blk, items)
}

func TestHaltZeroesCurrentsBeforeTorque(t *testing.T) {
	var sent []string
	r := enabled(t, defaults(twinrig.ModeTorque))
	bus := &hookBus{Bus: r.bus, before: func(what string) { sent = append(sent, what) }}
	arm, err := widowx.New(bus, defaults(twinrig.ModeTorque).cfg, calib.Nominal().Arm)
	require.NoError(t, err)
	require.NoError(t, arm.Halt(), "it needs no Open")
	require.Equal(t, []string{"block 102: 0000", "all torque_enable=0"}, sent)
}

// A Halt that comes while Enable is at work wins, wherever it comes.
func TestHaltDuringEnable(t *testing.T) {
	for _, at := range []string{
		"9 goal_position=2315", // goals before torque
		"1 bus_watchdog=10",    // all torque is on
	} {
		s := defaults(twinrig.ModeTorque)
		r := build(t, s)
		bus := &hookBus{Bus: r.bus, before: func(string) {}}
		arm, err := widowx.New(bus, s.cfg, s.cal)
		require.NoError(t, err)
		require.NoError(t, arm.Open())
		halted := false
		bus.before = func(what string) {
			if what == at && !halted {
				halted = true
				require.NoError(t, arm.Halt())
			}
		}
		require.ErrorIs(t, arm.Enable(), twinrig.ErrHalted, at)
		require.True(t, halted, at)
		for id := 1; id <= 9; id++ {
			require.Zero(t, r.get(id, dynamixel.TorqueEnable), "%s: id %d", at, id)
		}
		_, err = arm.Write(r.clock.Now(), twinrig.Command{})
		require.ErrorIs(t, err, twinrig.ErrHalted, at)
	}
}

// In current mode the shadow gets the same current as its joint's first servo,
// and both are written to.
func TestTorqueGoesToBothOfAPair(t *testing.T) {
	r := enabled(t, defaults(twinrig.ModeTorque))
	cmd := r.stay()
	cmd.Effort = twinrig.Joints{0.2, -0.6, 0.8, -0.3, 0.4, 9}
	sent, err := r.arm.Write(r.clock.Now(), cmd)
	require.NoError(t, err)
	r.advance(10 * time.Millisecond)
	nm := dynamixel.AmpPerStep * 4.1 / 2.3
	for id, axis := range []int{0, 1, 1, 2, 2, 3, 4} {
		share := 1.0
		if axis == 1 || axis == 2 {
			share = 2
		}
		got := r.get(id+1, dynamixel.GoalCurrent)
		require.Equal(t, int32(math.Round(cmd.Effort[axis]/share/nm)), got, "id %d", id+1)
		require.InDelta(t, share*float64(got)*nm, sent.Effort[axis], 1e-9, "id %d", id+1)
	}
	require.Zero(t, sent.Effort[twinrig.WristRotate])
	require.Equal(t, cmd.Joints[:5], sent.Joints[:5], "the goals of these joints are handed back as asked")
}

// The XL430s get a goal only when it changed, and now and then all the same.
func TestUnchangedPositionsAreNotSent(t *testing.T) {
	s := defaults(twinrig.ModeTorque)
	s.cfg.RefreshEveryCycles, s.cfg.HealthEveryCycles = 20, 10_000
	r := enabled(t, s)
	cmd := r.stay()
	sends := func(n int, cmd twinrig.Command) uint64 {
		before := r.bus.Stats().Transactions
		_, err := r.cycles(n, cmd)
		require.NoError(t, err)
		return r.bus.Stats().Transactions - before - 2*uint64(n) // a reading and the currents
	}
	require.EqualValues(t, 1, sends(19, cmd))
	require.EqualValues(t, 0, sends(1, cmd))
	require.EqualValues(t, 1, sends(1, cmd))
	cmd.Grip += 0.1
	require.EqualValues(t, 1, sends(2, cmd))
	cmd.Joints[twinrig.WristRotate] += 0.1
	require.EqualValues(t, 1, sends(2, cmd))
}

// After Enable the first goal is sent although it is the last one from before:
// Enable has told the servo to stay somewhere else.
func TestFirstGoalAfterEnableIsSent(t *testing.T) {
	r := enabled(t, defaults(twinrig.ModeTorque))
	stay := r.stay()
	_, err := r.cycles(10, stay)
	require.NoError(t, err)
	require.NoError(t, r.arm.Halt())
	r.joints.Flywheels[twinrig.WristRotate].Angle += 0.3 // by hand
	r.advance(5 * time.Millisecond)
	require.NoError(t, r.arm.Enable())
	_, err = r.cycles(2, stay)
	require.NoError(t, err)
	tick := 2048 + int32(math.Round(stay.Joints[twinrig.WristRotate]/dynamixel.RadPerPulse))
	require.Equal(t, tick, r.get(8, dynamixel.GoalPosition))
}

// A gripper closed on 40 mm pushes with its bound and no more.
func TestGripIsFirmAndBounded(t *testing.T) {
	s := defaults(twinrig.ModeTorque)
	r := enabled(t, s)
	w := &r.joints.Flywheels[twinrig.GripAxis]
	w.Low, w.High = s.cal.Gripper.Angle(0.020), 1.2
	cmd := r.stay()
	cmd.Grip = 0
	state, err := r.cycles(500, cmd)
	require.NoError(t, err)
	require.InDelta(t, (0.020-0.015)/0.022, float64(state.Grip), 0.01, "stopped by the object")
	require.InDelta(t, -0.28, state.Load[1], 0.002)
	var torque float64
	r.servo(9, func(s *servotest.Servo) { torque = s.Torque() })
	slope := s.cal.Gripper.Slope(w.Angle)
	require.InDelta(t, 15, -torque/(2*slope), 3, "N on each finger")
}

func TestCycleTimeIsWhatTheWireTakes(t *testing.T) {
	for _, mode := range []twinrig.Mode{twinrig.ModePosition, twinrig.ModeTorque} {
		for _, fast := range []bool{false, true} {
			s := defaults(mode)
			s.cfg.FastSync, s.cfg.HealthEveryCycles = fast, 10_000
			r := enabled(t, s)
			unopened, err := widowx.New(nil, s.cfg, s.cal)
			require.NoError(t, err)
			cmd := r.stay()
			const n = 20
			began := r.clock.Now()
			for range n {
				cmd.Joints[twinrig.WristRotate] += 0.01 // every goal is due
				_, err := r.read()
				require.NoError(t, err)
				_, err = r.arm.Write(r.clock.Now(), cmd)
				require.NoError(t, err)
			}
			_, err = r.read() // waits for the last write to be through
			require.NoError(t, err)
			took := r.clock.Now() - began
			c := servotest.Default()
			wire := dynamixel.Wire{Baud: c.Baud, ReplyGap: c.ReplyGap, Latency: c.Latency}
			readOnly := wire.SyncRead(9, 10)
			if fast {
				readOnly = wire.FastSyncRead(9, 10)
			}
			require.Equal(t, r.arm.CycleTime(wire), unopened.CycleTime(wire))
			t.Logf("%v, fast %v: %v", mode, fast, r.arm.CycleTime(wire))
			want := n*r.arm.CycleTime(wire) + readOnly
			require.InDelta(t, want.Seconds(), took.Seconds(), 0.01*want.Seconds(), "%v fast %v", mode, fast)
		}
	}
}

func TestReadAndWriteDoNotAllocate(t *testing.T) {
	for _, mode := range []twinrig.Mode{twinrig.ModePosition, twinrig.ModeTorque} {
		for _, fast := range []bool{false, true} {
			s := defaults(mode)
			s.cfg.FastSync, s.cfg.HealthEveryCycles = fast, 3
			r := enabled(t, s)
			cmd := r.stay()
			_, err := r.cycles(100, cmd)
			require.NoError(t, err)
			var state twinrig.State
			allocs := testing.AllocsPerRun(200, func() {
				cmd.Joints[twinrig.WristRotate] += 0.001
				err = r.arm.Read(r.clock.Now(), &state)
				_, err2 := r.arm.Write(r.clock.Now(), cmd)
				if err != nil || err2 != nil {
					panic("read or write")
				}
			})
			require.Zero(t, allocs, "%v fast %v", mode, fast)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*setup)
		want  string
	}{
		{"mode", func(s *setup) { s.cfg.Mode = "velocity" }, `config: mode: "velocity" is neither position nor torque`},
		{"watchdog", func(s *setup) { s.cfg.Watchdog = 50 * time.Millisecond }, "config: watchdog: 50ms is not a multiple of 20ms up to 2.54s"},
		{"current", func(s *setup) { s.cfg.CurrentLimitA = 4 }, "config: current_limit_a: 4 is outside 0.1 to 3.2"},
		{"grip", func(s *setup) { s.cfg.GripPWMPercent = math.NaN() }, "config: grip_pwm_percent: NaN"},
		{"calibration", func(s *setup) { s.cal.Motors = s.cal.Motors[:8] }, "calibration: motors: gripper has 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := defaults(twinrig.ModePosition)
			c.spoil(&s)
			_, err := widowx.New(nil, s.cfg, s.cal)
			require.ErrorContains(t, err, c.want)
		})
	}
}
