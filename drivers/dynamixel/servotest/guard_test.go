package servotest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

func TestWatchdog(t *testing.T) {
	for _, mode := range []int32{dynamixel.ModePosition, dynamixel.ModeVelocity, dynamixel.ModeCurrent, dynamixel.ModePWM} {
		b := newBench(t)
		b.write(1, dynamixel.BusWatchdog, 5) // 100 ms
		b.wait(time.Second)
		require.EqualValues(t, 5, b.read(1, dynamixel.BusWatchdog), "it counts under torque only")
		b.mode(1, mode)
		b.write(1, dynamixel.ProfileVelocity, 50)
		b.write(1, dynamixel.GoalPosition, 4000)
		b.write(1, dynamixel.GoalVelocity, 60)
		b.write(1, dynamixel.GoalCurrent, 60)
		b.write(1, dynamixel.GoalPWM, 200)
		for range 5 {
			b.wait(90 * time.Millisecond)
			require.EqualValues(t, 5, b.read(1, dynamixel.BusWatchdog), "a read feeds it")
		}
		require.NotZero(t, b.read(1, dynamixel.PresentVelocity), "mode %d", mode)
		b.wait(110 * time.Millisecond)
		require.EqualValues(t, -1, b.read(1, dynamixel.BusWatchdog))
		b.wait(2 * time.Second)
		require.Zero(t, b.read(1, dynamixel.PresentVelocity), "mode %d", mode)
		require.EqualValues(t, 1, b.read(1, dynamixel.TorqueEnable))
		b.refuses(dynamixel.CodeDataRange, b.bus.Write(1, dynamixel.GoalPosition, 2048))
		b.refuses(dynamixel.CodeDataRange, b.bus.Write(1, dynamixel.GoalPWM, 0))
		b.refuses(dynamixel.CodeDataRange, b.bus.Write(1, dynamixel.BusWatchdog, 5))
		b.write(1, dynamixel.LED, 1)
		b.write(1, dynamixel.BusWatchdog, 0)
		b.write(1, dynamixel.GoalPWM, 100)
	}
}

// TestWhoFeedsTheWatchdog: packets for another servo, or not, by option.
func TestWhoFeedsTheWatchdog(t *testing.T) {
	own := dynamixel.AppendPacket(nil, &dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstSyncRead, Params: []byte{132, 0, 4, 0, 77, 1}})
	other := dynamixel.AppendPacket(nil, &dynamixel.Packet{ID: 2, Instruction: dynamixel.InstPing})
	all := dynamixel.AppendPacket(nil, &dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstWrite, Params: []byte{65, 0, 1}})
	for _, tc := range []struct {
		name    string
		packet  []byte
		hearAll bool
		expires bool
	}{
		{"listed, though muted", own, false, false},
		{"broadcast", all, false, false},
		{"for another", other, false, true},
		{"for another, by option", other, true, false},
	} {
		b := newBench(t, func(s *setup) { s.line.WatchdogHearsAll = tc.hearAll })
		b.write(1, dynamixel.BusWatchdog, 5)
		b.write(1, dynamixel.TorqueEnable, 1)
		for range 5 {
			b.ask(tc.packet)
		}
		require.Equal(t, tc.expires, b.servos[0].Get(dynamixel.BusWatchdog) == -1, tc.name)
	}
}

// TestWatchdogJump is a firmware fault by option: in extended position mode with
// a homing offset the expiry moves the motor.
func TestWatchdogJump(t *testing.T) {
	for _, jumps := range []bool{false, true} {
		b := newBench(t, func(s *setup) { s.params.WatchdogJumps = jumps })
		b.write(1, dynamixel.HomingOffset, 500)
		b.write(1, dynamixel.OperatingMode, dynamixel.ModeExtendedPosition)
		b.write(1, dynamixel.BusWatchdog, 5)
		b.write(1, dynamixel.TorqueEnable, 1)
		b.wait(3 * time.Second)
		want := int32(2548)
		if jumps {
			want = 2048
		}
		require.InDelta(t, want, b.read(1, dynamixel.PresentPosition), 12)
	}
}

func TestHardwareErrors(t *testing.T) {
	low := func(s *servotest.Servo) { s.SetSupply(9, 30) }
	for _, tc := range []struct {
		name   string
		fault  func(*servotest.Servo)
		bits   int32
		torque int32
	}{
		{"voltage is an alert only", low, dynamixel.HardwareVoltage, 1},
		{"heat", func(s *servotest.Servo) { s.SetSupply(12, 81) }, dynamixel.HardwareHeat, 0},
		{"shock", func(s *servotest.Servo) { s.RaiseError(dynamixel.HardwareShock) }, dynamixel.HardwareShock, 0},
		{"encoder", func(s *servotest.Servo) { s.RaiseError(dynamixel.HardwareEncoder) }, dynamixel.HardwareEncoder, 1},
		{"voltage by Shutdown", func(s *servotest.Servo) {
			s.Set(dynamixel.Shutdown, dynamixel.HardwareVoltage)
			low(s)
		}, dynamixel.HardwareVoltage, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t)
			b.write(1, dynamixel.TorqueEnable, 1)
			b.write(1, dynamixel.GoalPosition, 3000)
			b.chain.Do(func(s []*servotest.Servo) { tc.fault(s[0]) })
			b.wait(50 * time.Millisecond)
			require.Equal(t, tc.bits, b.read(1, dynamixel.HardwareErrorStatus))
			require.Equal(t, tc.torque, b.read(1, dynamixel.TorqueEnable))
			require.Equal(t, dynamixel.AlertBit, b.only(b.send(1, dynamixel.InstPing)).Error)
			require.Equal(t, dynamixel.AlertBit|dynamixel.CodeAccess, b.only(b.send(1, dynamixel.InstWrite, 132, 0, 0)).Error)
			require.Zero(t, b.only(b.send(2, dynamixel.InstPing)).Error)
			if tc.torque == 1 {
				return
			}
			require.Zero(t, b.servos[0].Torque())
			b.write(1, dynamixel.TorqueEnable, 1) // taken, without effect
			require.Zero(t, b.read(1, dynamixel.TorqueEnable))
			b.chain.Do(func(s []*servotest.Servo) { s[0].SetSupply(12, 30) })
			require.NoError(t, b.bus.Reboot(1))
			b.wait(time.Second)
			b.write(1, dynamixel.TorqueEnable, 1)
			require.EqualValues(t, 1, b.read(1, dynamixel.TorqueEnable))
		})
	}
}

func TestOverload(t *testing.T) {
	for _, tc := range []struct {
		current int32
		trips   bool
	}{{500, false}, {800, true}} {
		b := newBench(t, blocked, func(s *setup) {
			s.params.OverloadShare, s.params.OverloadTime = 0.8, 500*time.Millisecond
		})
		b.mode(1, dynamixel.ModeCurrent)
		b.write(1, dynamixel.GoalCurrent, tc.current) // stall is at 855
		b.wait(400 * time.Millisecond)
		require.Zero(t, b.read(1, dynamixel.HardwareErrorStatus))
		b.wait(200 * time.Millisecond)
		require.Equal(t, tc.trips, b.read(1, dynamixel.HardwareErrorStatus) == dynamixel.HardwareOverload)
		require.Equal(t, tc.trips, b.read(1, dynamixel.TorqueEnable) == 0)
	}
}

func TestStartupConfiguration(t *testing.T) {
	b := newBench(t)
	b.write(1, dynamixel.StartupConfiguration, 1)
	require.NoError(t, b.bus.Reboot(1))
	b.wait(time.Second)
	require.EqualValues(t, 1, b.read(1, dynamixel.TorqueEnable))
}
