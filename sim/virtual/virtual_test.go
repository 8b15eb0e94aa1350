package virtual

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/drivers/dynamixel"
	"twinrig/sim/scene"
)

func TestHiddenComesFromTheSeed(t *testing.T) {
	require.Equal(t, DrawHidden(3), DrawHidden(3))
	a, b := DrawHidden(3), DrawHidden(4)
	nominal := NoHidden()
	for _, h := range []Hidden{a, b} {
		require.NoError(t, h.Params.Validate())
		for i := range twinrig.NumJoints {
			require.NotEqual(t, nominal.Params.Friction[i], h.Params.Friction[i])
			require.NotEqual(t, nominal.Params.Armature[i], h.Params.Armature[i])
			require.Positive(t, h.Backlash[i])
		}
		for i := range NumServos {
			require.InDelta(t, 0.97, h.TorqueScale[i], 0.071)
			require.InDelta(t, 1.75e6, float64(h.CommandDelay[i]), 1.26e6)
		}
		dist, angle := twinrig.IdentityPose.Gap(h.CameraFromCamera)
		require.Greater(t, dist, 1e-4)
		require.Greater(t, angle, 0.1*math.Pi/180)
	}
	require.NotEqual(t, a, b)
}

// turned gives each servo's shaft an angle of its own through the joints.
func TestEachServoSitsOnItsJoint(t *testing.T) {
	w, err := newWorld(NoHidden(), cameraSpec(), 0, calib.Nominal().Arm.Gripper)
	require.NoError(t, err)
	defer func() { require.NoError(t, w.close()) }()
	q := twinrig.Joints{0.1, -0.2, 0.3, 0.4, -0.5, 0.6}
	w.sim.SetArm(q, twinrig.Grip(0.75).Finger())
	crank := calib.Nominal().Arm.Gripper
	want := []float64{0.1, -0.2, 0.2, 0.3, -0.3, 0.4, 0.5, 0.6, crank.Angle(twinrig.Grip(0.75).Finger())}
	for i := range NumServos {
		angle, speed := w.Shaft(i)
		require.InDelta(t, want[i], angle, 1e-12, "servo %d", i+1)
		require.Zero(t, speed)
	}
	// A distinct torque on each shaft: the shadows' add up with their sign.
	effort, force := w.loads([]float64{1, 2, -3, 4, -5, 6, 7, 8, 0.09}, twinrig.Grip(0.75).Finger())
	require.Equal(t, twinrig.Joints{1, 5, 9, 6, -7, 8}, effort)
	slope := crank.Slope(want[8])
	require.InDelta(t, 0.09/(2*slope), force, 1e-9, "both fingers share the crank's work")
}

// The crank keeps power: what the shaft puts in, two fingers take out.
func TestCrankKeepsPower(t *testing.T) {
	w := &World{crank: calib.Nominal().Arm.Gripper}
	for grip := 0.0; grip < 0.95; grip += 0.05 {
		finger := twinrig.Grip(grip).Finger()
		_, force := w.loads([]float64{8: 0.2}, finger)
		const speed = 0.7
		require.InDelta(t, 0.2*speed, 2*force*speed*w.crank.Slope(w.crank.Angle(finger)), 1e-9)
	}
}

func TestPlayFollowsTheTorque(t *testing.T) {
	h := NoHidden()
	h.Backlash = twinrig.Joints{0.01, 0.02, 0.03, 0.04, 0.05, 0.06}
	w := &World{hidden: h}
	push := twinrig.Joints{1, -1, 1, -1, 0.05, -1} // wrist_angle is within its friction
	for range 200 {
		w.shiftPlay(time.Millisecond, &push)
	}
	want := twinrig.Joints{-0.005, 0.01, -0.015, 0.02, 0, 0.03}
	require.InDeltaSlice(t, want[:], w.play[:], 1e-5)
}

func TestStageKeepsTheArmAndSwapsTheTable(t *testing.T) {
	l, err := NewLockstep(DefaultConfig())
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	before, _ := l.World().Shaft(1)
	for _, s := range scene.Shipped() {
		p, err := s.Place(5)
		require.NoError(t, err)
		require.NoError(t, l.World().Stage(&s, p))
		after, _ := l.World().Shaft(1)
		require.InDelta(t, before, after, 1e-12)
		require.NoError(t, l.World().Truth(func(v scene.View) error {
			for name, at := range p {
				xBO, err := v.BodyPose(name)
				require.NoError(t, err)
				require.InDelta(t, at.X, xBO.P[0], 1e-12)
				require.InDelta(t, at.Y, xBO.P[1], 1e-12)
			}
			return nil
		}))
	}
}

func TestFramesAreDrawnLateAndOfTheirInstant(t *testing.T) {
	cfg := DefaultConfig()
	l, err := NewLockstep(cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	var f twinrig.Frame
	require.ErrorIs(t, l.Camera().Latest(&f), twinrig.ErrNoFrame)
	l.advance(500 * time.Millisecond)
	require.NoError(t, l.Camera().Latest(&f))
	require.Equal(t, 640, f.W)
	require.Len(t, f.RGB, 3*640*480)
	age := 500*time.Millisecond - f.Stamp
	require.GreaterOrEqual(t, age, cfg.CameraLatency)
	require.Less(t, age, cfg.CameraLatency+framePeriod+time.Millisecond)
	seq := f.Seq
	l.advance(600 * time.Millisecond)
	require.NoError(t, l.Camera().Latest(&f))
	require.Equal(t, seq+3, f.Seq, "30 frames a second")
}

// A camera may be as slow as its configuration allows.
func TestSlowCameraStillGivesFrames(t *testing.T) {
	cfg := DefaultConfig()
	cfg.CameraLatency = time.Second
	require.NoError(t, cfg.Validate())
	l, err := NewLockstep(cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	var f twinrig.Frame
	l.advance(999 * time.Millisecond)
	require.ErrorIs(t, l.Camera().Latest(&f), twinrig.ErrNoFrame)
	l.advance(1900 * time.Millisecond)
	require.NoError(t, l.Camera().Latest(&f))
	require.InDelta(t, 0.9, f.Stamp.Seconds(), framePeriod.Seconds())
}

// What breaks the world is told by everybody who looks at it, and by Close.
func TestABrokenWorldIsToldByAll(t *testing.T) {
	l, err := NewLockstep(DefaultConfig())
	require.NoError(t, err)
	l.advance(100 * time.Millisecond)
	torque := make([]float64, NumServos)
	torque[0] = math.NaN()
	l.World().Advance(time.Millisecond, torque)
	broken := l.World().Err()
	require.ErrorContains(t, broken, "not finite")

	s := scene.Shipped()[0]
	p, err := s.Place(5)
	require.NoError(t, err)
	require.ErrorIs(t, l.World().Stage(&s, p), broken)
	require.ErrorIs(t, l.World().Truth(func(scene.View) error { return nil }), broken)
	require.ErrorIs(t, l.Camera().Latest(&twinrig.Frame{}), broken)
	require.ErrorIs(t, l.Close(), broken)
	require.NoError(t, l.Close(), "once")
	require.ErrorIs(t, l.World().Stage(&s, p), errClosed)
}

// The servos of a paced rig go on while an operator puts a scene up.
func TestStageBesideTheServos(t *testing.T) {
	l, err := NewLockstep(DefaultConfig())
	require.NoError(t, err)
	var servos sync.WaitGroup
	stop := make(chan struct{})
	servos.Go(func() {
		for at := time.Duration(0); ; at += time.Millisecond {
			select {
			case <-stop:
				return
			default:
				l.advance(at)
			}
		}
	})
	for _, s := range scene.Shipped() {
		p, err := s.Place(5)
		require.NoError(t, err)
		require.NoError(t, l.World().Stage(&s, p))
	}
	close(stop)
	servos.Wait()
	require.NoError(t, l.Close())
}

// advance lets virtual time pass with nobody on the bus.
func (l *Lockstep) advance(to time.Duration) {
	l.clock.AdvanceTo(to)
	l.chain.AdvanceTo(to)
}

// The rig answers on its port as a WidowX 250S would.
func TestServosAreAWidowX250S(t *testing.T) {
	l, err := NewLockstep(DefaultConfig())
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	bus := dynamixel.NewBus(l.Port(), dynamixel.Default())
	for id := dynamixel.ID(1); id <= NumServos; id++ {
		info, err := bus.Ping(id)
		require.NoError(t, err)
		want := dynamixel.XM430W350.Number
		if id >= 8 {
			want = dynamixel.XL430W250.Number
		}
		require.Equal(t, want, info.Model, "id %d", id)
	}
	_, err = bus.Ping(10)
	require.ErrorIs(t, err, dynamixel.ErrTimeout)
}
