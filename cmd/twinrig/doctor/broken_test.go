package doctor

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"twinrig/agent"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/serial"
	"twinrig/sim/mujoco"
)

// timed are the checks whose verdict depends on how busy this machine is. On a
// healthy rig they never fail.
var timed = map[string]bool{"cycle rate": true, "camera rate": true, "camera age": true, "MuJoCo": true, "clock": true}

// Each thing that is wrong is found by its check, with what was measured and
// what to do, and all other checks go on and are content.
func TestBrokenRigs(t *testing.T) {
	for _, c := range []struct {
		name    string
		spoil   func(*fake)
		check   string
		verdict Verdict
		value   string
		fix     string
		skips   []string           // what is not checked then
		also    map[string]Verdict // what follows from it
	}{
		{name: "nothing", spoil: func(*fake) {}, check: "servos", verdict: OK, value: "9 of 9 answer, no other"},
		{
			name: "calibration", spoil: func(f *fake) { f.rig.Calib = "/nowhere/arm.yaml" },
			check: "calibration", verdict: Fail, value: "/nowhere/arm.yaml", fix: "calib",
			skips: onBus,
		},
		{
			name: "no port", spoil: func(f *fake) { f.host.inspect = serial.Inspect },
			check: "port", verdict: Fail, value: "/dev/ttyDXL does not exist", fix: serial.UdevRule,
			skips: onPort,
		},
		{
			name: "other port", spoil: func(f *fake) {
				f.host.inspect, f.rig.Serial.Port = serial.Inspect, "/dev/ttyUSB77"
				f.host.ports = func() []string { return []string{"/dev/serial/by-id/usb-FT4"} }
			},
			check: "port", verdict: Fail, value: "/dev/ttyUSB77 does not exist", fix: "/dev/serial/by-id/usb-FT4",
			skips: onPort,
		},
		{
			name: "no tty", spoil: func(f *fake) { f.host.inspect, f.rig.Serial.Port = serial.Inspect, "/etc/passwd" },
			check: "port", verdict: Fail, value: "/etc/passwd is not a tty", fix: "serial.port",
			skips: onPort,
		},
		{
			name: "counted name", spoil: info(func(i *serial.Info) { i.Stable, i.Names = false, []string{"/dev/serial/by-id/usb-FT4"} }),
			check: "port", verdict: Warn, value: "another adapter may get this name", fix: "set serial.port: /dev/serial/by-id/usb-FT4",
		},
		{
			name: "no permission", spoil: info(func(i *serial.Info) { i.Writable = false }),
			check: "permission", verdict: Fail, value: "/dev/ttyUSB3 is -rw-rw---- of group dialout", fix: serial.UdevRule,
			skips: onPort[1:],
		},
		{
			name: "driven", spoil: info(func(i *serial.Info) { i.Users = []serial.User{{PID: 77, Command: "twinrig", Locked: true}} }),
			check: "port free", verdict: Fail, value: "another twinrig drives the arm: twinrig (pid 77)", fix: "kill -INT 77",
			skips: onPort[2:],
		},
		{
			name: "shared", spoil: info(func(i *serial.Info) { i.Users = []serial.User{{PID: 78, Command: "wizard"}} }),
			check: "port free", verdict: Warn, value: "also open in wizard (pid 78)", fix: "kill 78",
		},
		{
			name: "slow adapter", spoil: func(f *fake) { f.line.Latency, f.host.openPort = 16*time.Millisecond, f.plugSlow },
			check: "latency timer", verdict: Fail, value: "16ms, bus.latency wants 1ms", fix: "latency_timer",
		},
		{
			name: "wrong baud", spoil: func(f *fake) {
				code, _ := dynamixel.CodeFromBaud(57600)
				for _, s := range f.servos {
					s.Set(dynamixel.BaudRate, code)
				}
			},
			check: "baud rate", verdict: Fail, value: "nobody answers at 1000000 bit/s, but 9 servos at 57600", fix: "set serial.baud and bus.baud to 57600",
			skips: onBus[1:],
		},
		{
			name: "no power", spoil: func(f *fake) {
				for _, s := range f.servos {
					s.SetSilent(true)
				}
			},
			check: "baud rate", verdict: Fail, value: "no servo answers, at any of [9600", fix: "switch the arm's power on",
			skips: onBus[1:],
		},
		{
			name: "missing servo", spoil: func(f *fake) { f.servo(6, silence) },
			check: "servos", verdict: Fail, value: "id 6 (forearm_roll) does not answer", fix: "cable",
			skips: []string{"pose", "cycle rate"},
		},
		{
			name: "extra servo", spoil: func(f *fake) {
				f.servos = append(f.servos, servotest.NewServo(&dynamixel.XL430W250, 12, servotest.DefaultParams()))
				f.shafts = append(f.shafts, servotest.NewFlywheels(1)...)
			},
			check: "servos", verdict: Fail, value: "id 12 (model 1060) is not in the calibration", fix: "take it off the bus",
			skips: []string{"pose", "cycle rate"},
		},
		{
			name: "changed ID", spoil: func(f *fake) { f.servo(9, set(dynamixel.ServoID, 19)) },
			check: "servos", verdict: Fail, value: "id 9 (gripper) does not answer; id 19", fix: "twinrig bus scan --port /dev/ttyDXL",
			skips: []string{"pose", "cycle rate"},
		},
		{
			name: "wrong model", spoil: func(f *fake) {
				f.servos[7] = servotest.NewServo(&dynamixel.XM430W350, 8, servotest.DefaultParams())
			},
			check: "models", verdict: Fail, value: "id 8 (wrist_rotate) is XM430-W350, should be XL430-W250", fix: "swap the servo",
			skips: []string{"pose"},
		},
		{
			name: "old firmware", spoil: func(f *fake) { f.servo(4, set(dynamixel.FirmwareVersion, 37)) },
			check: "firmware", verdict: Fail, value: "id 4 (elbow): firmware 37 has no bus watchdog", fix: "Dynamixel Wizard",
		},
		{
			name: "slow firmware", spoil: func(f *fake) { f.servo(4, set(dynamixel.FirmwareVersion, 42)) },
			check: "firmware", verdict: Warn, value: "version 42 to 46: Fast Sync Read is not known to all", fix: "Dynamixel Wizard",
		},
		{
			name: "return delay", spoil: func(f *fake) { f.servo(5, set(dynamixel.ReturnDelayTime, 250)) },
			check: "return delay", verdict: Fail, value: "id 5 (elbow shadow) waits 500 us", fix: "twinrig bus write ID return_delay_time",
		},
		{
			name: "return delay to be set", spoil: func(f *fake) {
				f.servo(5, set(dynamixel.ReturnDelayTime, 250))
				f.rig.Arm.WriteEEPROM = true
			},
			check: "return delay", verdict: Warn, value: "id 5 (elbow shadow) waits 500 us", fix: "the next start changes it",
		},
		{
			name: "EEPROM", spoil: func(f *fake) { f.servo(3, set(dynamixel.SecondaryID, 2)) },
			check: "EEPROM", verdict: Fail, value: "id 3 (shoulder shadow): secondary_id is 2, want 255", fix: "arm.write_eeprom: true",
		},
		{
			name: "low voltage", spoil: func(f *fake) { f.servo(2, supply(9.6, 30)) },
			check: "voltage", verdict: Fail, value: "id 2 (shoulder) 9.6 V; all: 9.6 to 12.0 V", fix: "12 V supply",
		},
		{
			name: "weak supply", spoil: func(f *fake) { f.servo(2, supply(10.6, 30)) },
			check: "voltage", verdict: Warn, value: "id 2 (shoulder) 10.6 V", fix: "cable",
		},
		{
			name: "wrong supply", spoil: func(f *fake) { f.servo(9, supply(14.8, 30)) },
			check: "voltage", verdict: Fail, value: "id 9 (gripper) 14.8 V", fix: "gives too much",
			also: map[string]Verdict{"hardware error": Fail},
		},
		{
			name: "hot servo", spoil: func(f *fake) { f.servo(9, supply(12, 66)) },
			check: "temperature", verdict: Fail, value: "id 9 (gripper) 66.0 C; all: 30.0 to 66.0 C", fix: "cool",
		},
		{
			name: "warm servo", spoil: func(f *fake) { f.servo(9, supply(12, 55)) },
			check: "temperature", verdict: Warn, value: "id 9 (gripper) 55.0 C", fix: "pauses",
		},
		{
			name: "hardware error", spoil: func(f *fake) {
				f.powered = func(s []*servotest.Servo) { s[1].RaiseError(dynamixel.HardwareOverload) }
			},
			check: "hardware error", verdict: Fail, value: "id 2 (shoulder): overload", fix: "off and on",
		},
		{
			name: "torque", spoil: func(f *fake) {
				f.powered = func(s []*servotest.Servo) { s[0].Set(dynamixel.TorqueEnable, 1) }
			},
			check: "torque", verdict: Warn, value: "though nobody drives the arm: id 1 (waist)", fix: "torque_enable 0 --moves",
		},
		{
			name: "homing", spoil: func(f *fake) { f.servo(1, set(dynamixel.HomingOffset, 100)) },
			check: "homing", verdict: Warn, value: "id 1 (waist) 100 ticks", fix: "homing_offset 0",
		},
		{
			name: "shadow", spoil: func(f *fake) { f.shafts[4].Angle += 0.1 },
			check: "shadow pairs", verdict: Fail, value: "elbow: servos 4 and 5 are 5.", fix: "horns",
		},
		{
			name: "beyond a limit", spoil: func(f *fake) { f.shafts[6].Angle = -3 },
			check: "pose", verdict: Fail, value: "wrist_angle at 3.0", fix: "calibrate",
		},
		{
			name: "in the table", spoil: func(f *fake) { bend(f, 1.2, 0.2) },
			check: "pose", verdict: Fail, value: "in contact", fix: "calibrate",
		},
		{
			name: "loop too fast", spoil: func(f *fake) { f.rig.Loop.RateHz = 1e6 },
			check: "cycle rate", verdict: Fail, value: "loop.rate_hz wants 1e+06", fix: "set loop.rate_hz to ",
		},
		{
			name: "lost answers", spoil: func(f *fake) { f.deaf = 3 },
			check: "cycle rate", verdict: Fail, value: "of 1800 answers were lost", fix: "reseat the cables",
		},
		{
			name: "a few lost answers", spoil: func(f *fake) { f.deaf = 60 },
			check: "cycle rate", verdict: Warn, value: "of 1800 answers were lost, in 1 readings in a row", fix: "reseat the cables",
		},
		{
			name: "lost answers in a row", spoil: func(f *fake) { f.deaf, f.rig.Loop.MaxMisses = 60, 1 },
			check: "cycle rate", verdict: Fail, value: "of 1800 answers were lost", fix: "reseat the cables",
		},
		{
			name: "dead camera", spoil: func(f *fake) { f.rig.Camera.Source = "http://127.0.0.1:1/none" },
			check: "camera", verdict: Fail, value: "connection refused", fix: "camera.source",
			skips: []string{"camera controls", "camera rate", "camera age"},
		},
		{
			name: "other size", spoil: func(f *fake) { f.rig.Camera.Width = 1280 },
			check: "camera", verdict: Fail, value: "gives 64 x 48 pixels", fix: "camera.source",
			skips: []string{"camera controls", "camera rate", "camera age"},
		},
		{
			name: "slow camera", spoil: func(f *fake) { f.rig.Camera.Rate = 2 * cameraRate },
			check: "camera rate", verdict: Warn, value: "camera.rate_hz is 300", fix: "set camera.rate_hz to ",
		},
		{
			name: "no MuJoCo", spoil: func(f *fake) {
				f.host.openMuJoCo = func() error { return mujoco.ErrNoLibrary }
			},
			check: "MuJoCo", verdict: Fail, value: "no usable MuJoCo library", fix: "make setup",
			also: map[string]Verdict{"pose": Warn},
		},
		{
			name: "full disk", spoil: func(f *fake) { f.host.free = func(string) (uint64, error) { return 100 << 20, nil } },
			check: "disk space", verdict: Fail, value: "0.1 GB free", fix: "--studies DIR",
		},
		{
			name: "broken disk", spoil: func(f *fake) {
				f.host.sync = func(string, int) ([]time.Duration, error) { return nil, unix.ENOSPC }
			},
			check: "disk sync", verdict: Fail, value: "no space left on device", fix: "--studies DIR",
		},
		{
			name: "slow disk", spoil: func(f *fake) {
				f.host.sync = func(string, int) ([]time.Duration, error) { return []time.Duration{2 * time.Second}, nil }
			},
			check: "disk sync", verdict: Fail, value: "2000.00 ms (most)", fix: "no SD card",
		},
		{
			name: "no real time", spoil: func(f *fake) {
				f.host.realtime = func() agent.Grants { return agent.Grants{FIFO: fs.ErrPermission, Memory: fs.ErrPermission} }
			},
			check: "real time", verdict: Warn, value: "SCHED_FIFO refused", fix: "setcap",
		},
		{
			name: "no battery", spoil: func(f *fake) {
				f.host.wallClock = func() (wallClock, error) {
					return wallClock{now: time.Unix(0, 0), program: time.Unix(1e9, 0)}, nil
				}
			},
			check: "system time", verdict: Fail, value: "1970-01-01 00:00 UTC is before this program was made", fix: "set-ntp true",
		},
		{
			name: "no time server", spoil: func(f *fake) {
				f.host.wallClock = func() (wallClock, error) { return wallClock{now: time.Unix(1e9, 0)}, nil }
			},
			check: "system time", verdict: Warn, value: "not synchronised", fix: "set-ntp true",
		},
		{
			name: "no broker", spoil: func(f *fake) { f.rig.MQTT.Broker = "tcp://127.0.0.1:1" },
			check: "broker", verdict: Fail, value: "tcp://127.0.0.1:1: connect: connection refused", fix: "mosquitto",
		},
		{
			name: "no policy server", spoil: func(f *fake) { f.rig.PolicyServer = "openpi+ws://127.0.0.1:1" },
			check: "policy server", verdict: Fail, value: "connection refused", fix: "policy_server",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			c.spoil(f)
			r := f.examine(t)
			got := of(t, &r, c.check)
			require.Equal(t, c.verdict, got.Verdict, got.Value)
			require.Contains(t, got.Value, c.value)
			require.Contains(t, got.Fix, c.fix)
			require.Equal(t, c.verdict == OK, got.Fix == "")
			if first, failed := r.First(); failed {
				require.Equal(t, c.check, first.Name)
			}
			require.Equal(t, c.verdict != Fail, r.MayStart)
			for _, other := range r.Checks {
				want, known := c.also[other.Name]
				switch {
				case other.Name == c.check:
				case slices.Contains(c.skips, other.Name):
					require.Equal(t, c.check, other.Needs, "%s: %s", other.Name, other.Value)
				case known:
					require.Equal(t, want, other.Verdict, "%s: %s", other.Name, other.Value)
				case timed[other.Name]:
					require.NotEqual(t, Fail, other.Verdict, "%s: %s", other.Name, other.Value)
				default:
					require.Equal(t, OK, other.Verdict, "%s: %s", other.Name, other.Value)
				}
			}
		})
	}
}

// onBus are the checks that ask servos, the one that finds them first.
var onBus = []string{
	"baud rate", "servos", "models", "firmware", "return delay", "EEPROM", "voltage", "temperature",
	"hardware error", "torque", "homing", "shadow pairs", "pose", "cycle rate",
}

// onPort are the checks that need the port.
var onPort = append([]string{"permission", "port free", "latency timer"}, onBus...)

func info(change func(*serial.Info)) func(*fake) {
	return func(f *fake) {
		inspect := f.host.inspect
		f.host.inspect = func(path string) (serial.Info, error) {
			i, err := inspect(path)
			change(&i)
			return i, err
		}
	}
}

func silence(s *servotest.Servo) { s.SetSilent(true) }

func set(r dynamixel.Register, v int32) func(*servotest.Servo) {
	return func(s *servotest.Servo) { s.Set(r, v) }
}

func supply(voltage, temperature float64) func(*servotest.Servo) {
	return func(s *servotest.Servo) { s.SetSupply(voltage, temperature) }
}

// bend turns shoulder and elbow with both of their servos.
func bend(f *fake, shoulder, elbow float64) {
	f.shafts[1].Angle, f.shafts[2].Angle = shoulder, -shoulder
	f.shafts[3].Angle, f.shafts[4].Angle = elbow, -elbow
}

// plugSlow is plug with an adapter fresh from the factory.
func (f *fake) plugSlow(c serial.Config) (port, error) {
	p := f.plug(c).(*pipe)
	p.latency = 16 * time.Millisecond
	return p, nil
}

// Whatever is wrong, the servos are only asked: no instruction that could change
// or move one is sent.
func TestOnlyReads(t *testing.T) {
	for _, spoil := range []func(*fake){
		func(*fake) {},
		func(f *fake) { f.servo(5, set(dynamixel.ReturnDelayTime, 250)); f.rig.Arm.WriteEEPROM = true },
		func(f *fake) { f.servo(5, set(dynamixel.BaudRate, 1)) },
		func(f *fake) {
			f.powered = func(s []*servotest.Servo) {
				s[1].RaiseError(dynamixel.HardwareOverload)
				s[2].Set(dynamixel.TorqueEnable, 1)
			}
		},
	} {
		f := newFake(t)
		f.told = map[dynamixel.Instruction]int{}
		spoil(f)
		f.examine(t)
		require.Positive(t, f.told[dynamixel.InstPing])
		require.Positive(t, f.told[dynamixel.InstRead])
		for inst := range f.told {
			require.Contains(t, []dynamixel.Instruction{
				dynamixel.InstPing, dynamixel.InstRead, dynamixel.InstSyncRead, dynamixel.InstFastSyncRead,
			}, inst)
		}
	}
}

// A port that fails to open is told of as it says.
func TestPortThatDoesNotOpen(t *testing.T) {
	for _, c := range []struct {
		err   error
		value string
	}{
		{serial.ErrBusy, "another process drives the arm"},
		{errors.New("input/output error"), "input/output error"},
	} {
		f := newFake(t)
		f.host.openPort = func(serial.Config) (port, error) { return nil, c.err }
		r := f.examine(t)
		first, failed := r.First()
		require.True(t, failed)
		require.Equal(t, "port free", first.Name)
		require.Equal(t, c.value, first.Value)
		require.Equal(t, "port free", of(t, &r, "voltage").Needs)
	}
}
