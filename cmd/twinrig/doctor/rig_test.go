package doctor

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent"
	"twinrig/agent/telemetry/mqtt"
	"twinrig/calib"
	"twinrig/configs"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/serial"
	"twinrig/sim/virtual/webcam"
)

// fake is a rig on this machine whose servos answer in virtual time. Everything
// that the machine itself decides is as it should be.
type fake struct {
	rig     configs.Rig
	studies string
	host    host
	servos  []*servotest.Servo
	shafts  servotest.Flywheels
	line    servotest.Config
	// powered, if not nil, changes the servos after power-up.
	powered func(servos []*servotest.Servo)
	deaf    int // the servos do not hear every deaf-th group read; 0 is all
	// told, if not nil, counts the instructions that were sent.
	told map[dynamixel.Instruction]int
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{rig: configs.DefaultRig(), studies: t.TempDir() + "/studies", line: servotest.Default()}
	f.rig.Serial.Port = "/dev/ttyDXL"
	f.rig.Loop.RateHz = 25
	f.rig.Camera.Source, f.rig.Camera.Rate = serveCamera(t), cameraRate
	f.rig.Camera.Width, f.rig.Camera.Height = 64, 48
	broker, err := mqtt.OpenBroker(0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, broker.Close()) })
	f.rig.MQTT.Broker = broker.URL()
	f.servos, f.shafts = newArm()

	f.host = thisHost()
	f.host.inspect = func(path string) (serial.Info, error) {
		return serial.Info{
			Path: path, Device: "/dev/ttyUSB3", Stable: true, Readable: true, Writable: true, Mode: 0o660, Group: "dialout",
			USB: &serial.USB{Vendor: 0x0403, Product: 0x6014, Name: "U2D2", Serial: "FT4"},
		}, nil
	}
	f.host.ports = func() []string { return nil }
	f.host.openPort = func(c serial.Config) (port, error) { return f.plug(c), nil }
	f.host.free = func(string) (uint64, error) { return 100 << 30, nil }
	f.host.sync = func(_ string, n int) ([]time.Duration, error) {
		return make([]time.Duration, n), nil
	}
	f.host.realtime = func() agent.Grants { return agent.Grants{} }
	f.host.wallClock = func() (wallClock, error) {
		noon := time.Date(2027, 5, 6, 12, 0, 0, 0, time.UTC)
		return wallClock{now: noon, synced: true, error: 3 * time.Millisecond, program: noon}, nil
	}
	return f
}

// newArm is nine servos as Interbotix ships them, resting in the sleep pose.
func newArm() ([]*servotest.Servo, servotest.Flywheels) {
	arm := calib.Nominal().Arm
	var servos []*servotest.Servo
	shafts := servotest.NewFlywheels(len(arm.Motors))
	for i := range arm.Motors {
		m := &arm.Motors[i]
		model := &dynamixel.XM430W350
		if m.Model == calib.XL430 {
			model = &dynamixel.XL430W250
		}
		s := servotest.NewServo(model, dynamixel.ID(m.ID), servotest.DefaultParams())
		angle := arm.Gripper.Angle(twinrig.Grip(0.5).Finger())
		if axis := m.AxisIndex(); axis < twinrig.NumJoints {
			angle = twinrig.SleepPose[axis]
		}
		if m.Reverse {
			s.Set(dynamixel.DriveMode, dynamixel.DriveReverse)
			angle = -angle
		}
		shafts[i].Angle = angle
		servos = append(servos, s)
	}
	return servos, shafts
}

// servo changes servo id before it is powered up.
func (f *fake) servo(id int, change func(*servotest.Servo)) { change(f.servos[id-1]) }

// pipe is the servos behind an adapter.
type pipe struct {
	*servotest.Pipe
	latency     time.Duration
	deaf, reads int
	told        map[dynamixel.Instruction]int
}

func (p *pipe) LatencyTimer() (time.Duration, bool) { return p.latency, true }
func (*pipe) Close() error                          { return nil }

// Write loses what the servos shall not hear.
func (p *pipe) Write(b []byte) (int, error) {
	inst := dynamixel.Instruction(b[7]) // after header, ID and length
	if p.told != nil {
		p.told[inst]++
	}
	if p.deaf > 0 && inst == dynamixel.InstFastSyncRead {
		if p.reads++; p.reads%p.deaf == 0 {
			return len(b), nil
		}
	}
	return p.Pipe.Write(b)
}

// plug powers the servos up on a line of the wanted rate.
func (f *fake) plug(c serial.Config) port {
	line := f.line
	line.Baud = c.Baud
	chain := servotest.NewChain(line, f.servos, f.shafts)
	if f.powered != nil {
		chain.Do(f.powered)
	}
	return &pipe{Pipe: servotest.NewPipe(chain, &servotest.Clock{}), latency: time.Millisecond, deaf: f.deaf, told: f.told}
}

// cameraRate is in Hz: fast, so that a look at it is short.
const cameraRate = 150

// serveCamera serves pictures of noise and returns their address.
func serveCamera(t *testing.T) string {
	t.Helper()
	cfg := webcam.DefaultConfig()
	cfg.Rate = cameraRate
	const shade = 90
	server, err := webcam.Serve(func(f *twinrig.Frame) error {
		f.W, f.H = 64, 48
		f.RGB = make([]byte, 3*f.W*f.H)
		for i := range f.RGB {
			f.RGB[i] = shade
		}
		f.Seq++
		return nil
	}, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return server.URL()
}

// examine makes all checks.
func (f *fake) examine(t *testing.T) Report {
	t.Helper()
	r, err := examine(context.Background(), Options{Rig: f.rig, Studies: f.studies}, f.host)
	require.NoError(t, err)
	return r
}

// of returns one check's result.
func of(t *testing.T, r *Report, name string) Result {
	t.Helper()
	for _, c := range r.Checks {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no check is called %q", name)
	return Result{}
}
