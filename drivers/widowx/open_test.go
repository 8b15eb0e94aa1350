package widowx_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/widowx"
)

// only applies f to the servo with an ID.
func only(id dynamixel.ID, f func(s *servotest.Servo)) func(*servotest.Servo) {
	return func(s *servotest.Servo) {
		if s.ID() == id {
			f(s)
		}
	}
}

func set(r dynamixel.Register, v int32) func(*servotest.Servo) {
	return func(s *servotest.Servo) { s.Set(r, v) }
}

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*setup)
		want  string
	}{
		{
			"a missing servo",
			func(s *setup) { s.servo = only(6, func(s *servotest.Servo) { s.SetSilent(true) }) },
			"id 6 (forearm_roll): ping",
		},
		{
			"another ID",
			func(s *setup) { s.servo = only(9, set(dynamixel.ServoID, 20)) },
			"id 9 (gripper): ping",
		},
		{
			"old firmware without a watchdog",
			func(s *setup) { s.params.Firmware = 37 },
			"id 1 (waist): firmware 37 has no bus watchdog",
		},
		{
			"permanent settings",
			func(s *setup) {
				s.servo = func(s *servotest.Servo) {
					switch s.ID() {
					case 3:
						s.Set(dynamixel.SecondaryID, 2)
					case 5:
						s.Set(dynamixel.DriveMode, 0)
					case 8:
						s.Set(dynamixel.ReturnDelayTime, 250)
					}
				}
			},
			"id 3 (shoulder shadow): secondary_id is 2, want 255 (every servo is written to by its own ID); " +
				"id 5 (elbow shadow): drive_mode is 0, want 1 (bit 1 is the way the servo is mounted, bit 8 would let a goal undo Halt); " +
				"id 8 (wrist_rotate): return_delay_time is 250, want 0",
		},
		{
			"a goal that takes torque on",
			func(s *setup) {
				s.servo = only(7, set(dynamixel.DriveMode, dynamixel.DriveReverse|dynamixel.DriveGoalTorque))
			},
			"id 7 (wrist_angle): drive_mode is 9, want 1",
		},
		{
			"a shadow that is off",
			func(s *setup) { s.cal.Motors[4].ZeroTick = 2148 },
			"elbow: servos 4 and 5 disagree by -0.1534 rad, limit 0.0524",
		},
		{
			"a pose that cannot be",
			func(s *setup) { s.cal.Motors[6].ZeroTick = 500 },
			"start pose: wrist_angle",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := defaults(twinrig.ModePosition)
			c.spoil(&s)
			r := build(t, s)
			require.ErrorContains(t, r.arm.Open(), c.want)
			require.ErrorIs(t, r.arm.Enable(), widowx.ErrNotOpen)
			_, err := r.read()
			require.ErrorIs(t, err, widowx.ErrNotOpen)
		})
	}
}

func TestOpenNamesTheWrongModel(t *testing.T) {
	s := defaults(twinrig.ModePosition)
	r := build(t, s)
	s.cal.Motors[7].Model = calib.XM430
	s.cal.Motors[7].TorqueConstantNmPerA = 1.783
	arm, err := widowx.New(r.bus, s.cfg, s.cal)
	require.NoError(t, err)
	require.ErrorContains(t, arm.Open(), "id 8 (wrist_rotate): model number is 1060, want 1020 (XM430-W350)")
}

// A scan that is refused leaves an arm that holds itself as it is.
func TestRefusedScanKeepsTorque(t *testing.T) {
	s := defaults(twinrig.ModePosition)
	r := build(t, s)
	require.NoError(t, r.bus.Write(2, dynamixel.TorqueEnable, 1))
	r.servo(9, func(s *servotest.Servo) { s.SetSilent(true) })
	require.Error(t, r.arm.Open())
	require.EqualValues(t, 1, r.get(2, dynamixel.TorqueEnable))
}

// Open takes over an arm that a program before it left holding itself.
func TestOpenLetsGo(t *testing.T) {
	r := build(t, defaults(twinrig.ModeTorque))
	for id := 1; id <= 9; id++ {
		require.NoError(t, r.bus.Write(dynamixel.ID(id), dynamixel.TorqueEnable, 1))
	}
	require.NoError(t, r.arm.Open())
	for id := 1; id <= 9; id++ {
		require.Zero(t, r.get(id, dynamixel.TorqueEnable))
	}
}

func TestOpenWritesPermanentSettingsWhenPermitted(t *testing.T) {
	s := defaults(twinrig.ModePosition)
	s.cfg.WriteEEPROM = true
	s.servo = func(s *servotest.Servo) {
		s.Set(dynamixel.SecondaryID, 2)
		s.Set(dynamixel.ReturnDelayTime, 250)
		s.Set(dynamixel.DriveMode, dynamixel.DriveTimeProfile)
	}
	r := opened(t, s)
	for id, m := range calib.Nominal().Arm.Motors {
		want := int32(dynamixel.DriveTimeProfile) // not the driver's business: it stays
		if m.Reverse {
			want |= dynamixel.DriveReverse
		}
		require.Equal(t, want, r.get(id+1, dynamixel.DriveMode))
		require.EqualValues(t, 255, r.get(id+1, dynamixel.SecondaryID))
		require.EqualValues(t, 0, r.get(id+1, dynamixel.ReturnDelayTime))
	}
	require.Contains(t, r.arm.Status().Notes, "id 3 (shoulder shadow): drive_mode changed from 4 to 5 for good")
	require.Len(t, r.arm.Status().Notes, 9+9+3)
}

func TestOpenSetsModesAndLimits(t *testing.T) {
	for _, mode := range []twinrig.Mode{twinrig.ModePosition, twinrig.ModeTorque} {
		t.Run(mode.String(), func(t *testing.T) {
			s := defaults(mode)
			s.cfg.GripPWMPercent, s.cfg.PositionPXM430, s.cfg.PositionPXL430 = 40, 700, 500
			s.servo = func(s *servotest.Servo) {
				s.Set(dynamixel.OperatingMode, dynamixel.ModePWM)
				s.Set(dynamixel.ProfileVelocity, 100)
				switch s.ID() {
				case 2:
					s.Set(dynamixel.MinPositionLimit, 1000)
				case 3:
					s.Set(dynamixel.MaxPositionLimit, 3000)
				case 4:
					s.Set(dynamixel.CurrentLimit, 300)
				}
			}
			r := opened(t, s)
			for id := 1; id <= 9; id++ {
				wantMode, wantP, wantPWM := int32(dynamixel.ModePosition), int32(700), int32(dynamixel.PWMFull)
				if mode == twinrig.ModeTorque && id < 8 {
					wantMode = dynamixel.ModeCurrent
				}
				if id >= 8 {
					wantP = 500
				}
				if id == 9 {
					wantPWM = 354
				}
				require.Equal(t, wantMode, r.get(id, dynamixel.OperatingMode), "id %d", id)
				require.Equal(t, wantP, r.get(id, dynamixel.PositionPGain), "id %d", id)
				require.Equal(t, wantPWM, r.get(id, dynamixel.GoalPWM), "id %d", id)
				require.Zero(t, r.get(id, dynamixel.ProfileVelocity), "id %d", id)
				require.Zero(t, r.get(id, dynamixel.TorqueEnable), "id %d", id)
			}
			limits, effort := r.arm.PositionLimits(), r.arm.EffortLimit()
			nm := dynamixel.AmpPerStep * 4.1 / 2.3
			if mode == twinrig.ModePosition {
				// The shoulder's limits are the narrower of both servos'.
				require.InDelta(t, (1000-2048)*dynamixel.RadPerPulse, limits.Lower[twinrig.Shoulder], 1e-9)
				require.InDelta(t, (3000-2048)*dynamixel.RadPerPulse, limits.Upper[twinrig.Shoulder], 1e-9)
				require.Zero(t, effort)
				return
			}
			require.Equal(t, twinrig.PositionLimits.Lower[:5], limits.Lower[:5])
			require.InDelta(t, 855*nm, effort[twinrig.Waist], 1e-9)
			require.InDelta(t, 2*855*nm, effort[twinrig.Shoulder], 1e-9)
			require.InDelta(t, (300+855)*nm, effort[twinrig.Elbow], 1e-9)
			require.Zero(t, effort[twinrig.WristRotate])
		})
	}
}

func TestOpenChoosesTheReading(t *testing.T) {
	for _, c := range []struct {
		name     string
		wanted   bool
		firmware uint8
		fast     bool
		note     string
	}{
		{"fast", true, 46, true, ""},
		{"not wanted", false, 46, false, ""},
		{"not known", true, 44, false, "older than 45"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := defaults(twinrig.ModePosition)
			s.cfg.FastSync, s.params.Firmware = c.wanted, c.firmware
			r := enabled(t, s)
			_, err := r.cycles(20, r.stay())
			require.NoError(t, err)
			st := r.arm.Status()
			require.Equal(t, c.fast, st.FastSync)
			if c.note == "" {
				require.Empty(t, st.Notes)
			} else {
				require.ErrorContains(t, errorString(st.Notes[0]), c.note)
			}
		})
	}
}

type errorString string

func (e errorString) Error() string { return string(e) }

// Open again after the arm's power was cut finds everything lost, and cures it.
func TestOpenAgainAfterAPowerCut(t *testing.T) {
	r := enabled(t, defaults(twinrig.ModeTorque))
	stay := r.stay()
	_, err := r.cycles(10, stay)
	require.NoError(t, err)
	power := func(on bool) {
		now := r.clock.Now()
		r.chain.Do(func(servos []*servotest.Servo) {
			for _, s := range servos {
				s.SetPower(now, on)
			}
		})
	}
	power(false)
	_, err = r.cycles(1, stay)
	require.ErrorIs(t, err, widowx.ErrSilent)
	power(true)
	r.advance(time.Second)
	// The servos are back but limp: within a round of looks the arm says so.
	_, err = r.cycles(9*2*10, stay)
	require.ErrorIs(t, err, widowx.ErrTorqueLost)

	require.NoError(t, r.arm.Halt())
	require.NoError(t, r.arm.Open())
	require.NoError(t, r.arm.Enable())
	_, err = r.cycles(9*2*10, stay)
	require.NoError(t, err)
}
