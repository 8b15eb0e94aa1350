package ghost

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/sim"
)

// poses take the arm to five places before the camera.
var poses = []twinrig.Joints{
	{-0.5, -0.8, 0.5, 0, 1.5, 0}, {-0.2, -0.5, 0.6, 0.3, 0.9, 0.4}, {0.1, -0.9, 0.6, 0, 1.2, -0.4}, {0.45, -0.5, 0.4, -0.3, 1.3, 0}, {0.75, -0.7, 0.7, 0, 0.8, 0.8},
}

// film takes pictures of the model with sensor noise, from a camera that is off
// the one in the record.
func film(t *testing.T, off twinrig.Pose, bodies ...sim.Body) []Picture {
	t.Helper()
	record := calib.Nominal().Camera
	record.Distortion = [5]float64{-0.12, 0.04, 0.0008, -0.0005, 0}
	m, err := NewModel(&record)
	require.NoError(t, err)
	defer m.Close()
	truth := record
	truth.BaseFromCamera = calib.PoseOf(record.BaseFromCamera.Pose().Mul(off))
	spec := sim.Spec{Params: sim.NominalParams(), Cameras: []sim.CameraSpec{sim.CameraOf("eye", &truth)}, Bodies: bodies}
	w, err := sim.NewWorld(spec)
	require.NoError(t, err)
	defer w.Close()
	r, err := sim.NewRenderer(spec)
	require.NoError(t, err)
	defer r.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	var out []Picture
	for _, q := range poses {
		w.SetArm(q, 0.03)
		var s sim.Snapshot
		require.NoError(t, w.Snapshot(&s))
		var p Picture
		require.NoError(t, r.Render(&s, "eye", &p.Frame))
		for i, v := range p.Frame.RGB {
			p.Frame.RGB[i] = byte(min(max(float64(v)+2*rng.NormFloat64(), 0), 255))
		}
		p.Ghost, err = m.Silhouette(q, twinrig.GripFromFinger(0.03))
		require.NoError(t, err)
		out = append(out, p)
	}
	return out
}

// Where the camera is where its record has it, arm and ghost agree, also with a
// dark thing on the table.
func TestGhostAgrees(t *testing.T) {
	dark := sim.Body{Name: "stove", Pose: twinrig.Pose{R: twinrig.IdentityQuat, P: twinrig.Vec3{0.3, 0.1, 0.02}}, Geoms: []sim.Geom{{
		Shape: sim.Box, Size: twinrig.Vec3{0.1, 0.1, 0.04}, RGBA: [4]float64{0.1, 0.1, 0.1, 1}, Layer: sim.Seen,
	}}}
	for _, bodies := range [][]sim.Body{nil, {dark}} {
		c, err := Compare(film(t, twinrig.IdentityPose, bodies...))
		require.NoError(t, err)
		t.Logf("virtual: IoU %.3f, each %.3f, best %.3f at %v", c.IoU, c.Each, c.Best, c.Shift)
		require.Greater(t, c.IoU, 0.93)
		require.Less(t, max(c.Shift[0], -c.Shift[0], c.Shift[1], -c.Shift[1]), 2)
		require.Len(t, c.Each, len(poses))
		o := c.Overlay(0)
		require.NotEqual(t, c.pictures[0].Frame.RGB, o.RGB)
	}
}

// A camera that was turned or shifted shows, the way it went.
func TestGhostShowsAMovedCamera(t *testing.T) {
	still, err := Compare(film(t, twinrig.IdentityPose))
	require.NoError(t, err)
	for _, c := range []struct {
		off  twinrig.Pose
		want [2]float64 // px
	}{
		// A camera that is turned to the left sees everything further right.
		{twinrig.Pose{R: twinrig.QuatFromRPY(0, -0.012, 0)}, [2]float64{7.5, 0}},
		{twinrig.Pose{R: twinrig.QuatFromRPY(0.016, 0, 0)}, [2]float64{0, 10}},
		{twinrig.Pose{R: twinrig.QuatFromRPY(0.02, 0.025, 0)}, [2]float64{-15, 12}},
		// Most of what is seen of the arm is a quarter of a metre away.
		{twinrig.Pose{R: twinrig.IdentityQuat, P: twinrig.Vec3{-0.008, 0, 0}}, [2]float64{19, 0}},
	} {
		got, err := Compare(film(t, c.off))
		require.NoError(t, err)
		t.Logf("virtual: IoU %.3f, best %.3f at %v, want about %v", got.IoU, got.Best, got.Shift, c.want)
		require.Less(t, got.IoU, still.IoU-0.03)
		require.InDelta(t, c.want[0], got.Shift[0], 3)
		require.InDelta(t, c.want[1], got.Shift[1], 3)
	}
}

func TestGhostNeedsAnArmThatMoves(t *testing.T) {
	pictures := film(t, twinrig.IdentityPose)
	_, err := Compare(pictures[:3])
	require.ErrorIs(t, err, ErrNothingToCompare)
	for i := range pictures {
		pictures[i] = pictures[0]
	}
	_, err = Compare(pictures)
	require.ErrorIs(t, err, ErrNothingToCompare, "the arm hides its background for ever")
	pictures = film(t, twinrig.IdentityPose)
	pictures[1].Frame.W = 320
	_, err = Compare(pictures)
	require.ErrorContains(t, err, "picture 1 has 320 x 480 pixels")
}

// What is to be ignored has no say.
func TestGhostIgnores(t *testing.T) {
	pictures := film(t, twinrig.IdentityPose)
	want, err := Compare(pictures)
	require.NoError(t, err)
	for i := range pictures {
		// A board in a corner of each picture, elsewhere each time.
		x0, y0 := float64(60*i), float64(40*i)
		pictures[i].Ignore = NewMask(640, 480)
		pictures[i].Ignore.Fill([][2]float64{{x0, y0}, {x0 + 100, y0}, {x0 + 100, y0 + 80}, {x0, y0 + 80}})
		require.InDelta(t, 101*81, pictures[i].Ignore.Count(), 1)
		for k, on := range pictures[i].Ignore.On {
			if on {
				copy(pictures[i].Frame.RGB[3*k:], []byte{255, 255, 255})
			}
		}
	}
	got, err := Compare(pictures)
	require.NoError(t, err)
	require.InDelta(t, want.IoU, got.IoU, 0.03)
}

func TestMasks(t *testing.T) {
	m := NewMask(20, 10)
	m.On[5*20+7] = true
	grown := m.Grown(2)
	require.Equal(t, 25, grown.Count())
	require.Equal(t, 1, m.Count())
	opened := m.Opened(1)
	require.Zero(t, opened.Count(), "a speck")
	m = grown
	m.On[5*20+7] = false
	closed := m.Closed(1)
	require.Equal(t, 25, closed.Count(), "a hole")
}
