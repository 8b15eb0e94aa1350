package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
)

// TestCameraThroughALens finds a red ball where the lens puts it, at the rim of
// the picture too.
func TestCameraThroughALens(t *testing.T) {
	ball := Body{
		Name: "ball", Mass: 0.01, Free: true, Pose: standing(0, 0, 1, 0),
		Geoms: []Geom{{Shape: Sphere, Size: twinrig.Vec3{.012, .012, .012}, RGBA: [4]float64{1, 0, 0, 1}}},
	}
	for _, k := range [][5]float64{{-0.25, 0.08, 0.002, -0.003, -0.01}, {0.12, -0.03, 0, 0, 0}} {
		cam := CameraSpec{
			Name: "eye", W: 320, H: 200, FxPx: 300, FyPx: 290, CxPx: 157.3, CyPx: 101.8, Distortion: k,
			BaseFromCamera: twinrig.Pose{P: twinrig.Vec3{1, 1, 1}, R: twinrig.QuatFromRPY(-1.7, 0.2, -0.9)},
		}
		w := newWorld(t, ball)
		r, err := NewRenderer(Spec{Params: NominalParams(), Bodies: []Body{ball}, Cameras: []CameraSpec{cam}})
		require.NoError(t, err)
		var s Snapshot
		var f twinrig.Frame
		for _, pCO := range []twinrig.Vec3{{0, 0, .6}, {.25, .15, .6}, {-.28, -.16, .6}, {.1, -.12, .8}} {
			require.NoError(t, w.SetBody("ball", twinrig.Pose{R: twinrig.IdentityQuat, P: cam.BaseFromCamera.Apply(pCO)}))
			require.NoError(t, w.Snapshot(&s))
			require.NoError(t, r.Render(&s, "eye", &f))
			require.Len(t, f.RGB, 3*cam.W*cam.H)
			u, v, n := redCentre(&f)
			require.Greater(t, n, 10)
			x, y := calib.Distort(k, pCO[0]/pCO[2], pCO[1]/pCO[2])
			require.InDelta(t, cam.FxPx*x+cam.CxPx, u, 0.35, "u at %v", pCO)
			require.InDelta(t, cam.FyPx*y+cam.CyPx, v, 0.35, "v at %v", pCO)
		}
		r.Close()
	}
	_, err := NewRenderer(Spec{Params: NominalParams(), Cameras: []CameraSpec{{
		Name: "eye", W: 640, H: 480, FxPx: 200, FyPx: 200, CxPx: 320, CyPx: 240, Distortion: [5]float64{-1},
		BaseFromCamera: twinrig.IdentityPose,
	}}})
	require.ErrorContains(t, err, "no inverse", "a lens that folds its picture over")
}

// TestCarriedGoesWithTheHand finds a red ball in the hand where the hand is.
func TestCarriedGoesWithTheHand(t *testing.T) {
	cam := CameraOf("eye", &calib.Nominal().Camera)
	at := twinrig.Vec3{0.04, 0.01, -0.05}
	spec := Spec{Params: NominalParams(), Cameras: []CameraSpec{cam}, Carried: []Geom{{
		Shape: Sphere, Size: twinrig.Vec3{.01, .01, .01}, RGBA: [4]float64{1, 0, 0, 1}, Layer: Seen,
		Pose: twinrig.Pose{R: twinrig.IdentityQuat, P: at},
	}}}
	w, err := NewWorld(spec)
	require.NoError(t, err)
	defer w.Close()
	q := twinrig.Joints{-0.13, -0.76, 0.44, 0.1, 1.4, -0.16}
	w.SetArm(q, twinrig.FingerOpen)
	r, err := NewRenderer(spec)
	require.NoError(t, err)
	defer r.Close()
	var s Snapshot
	var f twinrig.Frame
	require.NoError(t, w.Snapshot(&s))
	require.NoError(t, r.Render(&s, "eye", &f))
	p := cam.BaseFromCamera.Inv().Apply(NewKinematics().Forward(q).Apply(at))
	u, v, n := redCentre(&f)
	require.Greater(t, n, 10, "%v", p)
	require.InDelta(t, cam.FxPx*p[0]/p[2]+cam.CxPx, u, 0.6)
	require.InDelta(t, cam.FyPx*p[1]/p[2]+cam.CyPx, v, 0.6)

	spec.Carried[0].Layer = Solid
	require.ErrorContains(t, spec.Validate(), "only what is seen can be carried")
}

// TestSilhouette is white where the arm is, which is where the picture is dark,
// and black elsewhere.
func TestSilhouette(t *testing.T) {
	ball := Body{
		Name: "ball", Mass: 0.01, Free: true, Pose: standing(0.3, 0, 0.02, 0),
		Geoms: []Geom{{Shape: Sphere, Size: twinrig.Vec3{.04, .04, .04}, RGBA: [4]float64{1, 1, 1, 1}}},
	}
	spec := Spec{Params: NominalParams(), Bodies: []Body{ball}, Cameras: []CameraSpec{CameraOf("eye", &calib.Nominal().Camera)}}
	w := newWorld(t, ball)
	w.SetArm(twinrig.Joints{0, -0.2, 0.5, 0.3, 0.4, 0.5}, twinrig.FingerOpen)
	var s Snapshot
	require.NoError(t, w.Snapshot(&s))
	draw := func() twinrig.Frame {
		r, err := NewRenderer(spec)
		require.NoError(t, err)
		defer r.Close()
		var f twinrig.Frame
		require.NoError(t, r.Render(&s, "eye", &f))
		return f
	}
	picture := draw()
	spec.Silhouette = true
	white, dark, wrong := 0, 0, 0
	for i, v := range draw().RGB {
		switch {
		case v == 0:
			dark++
		case v == 255:
			white++
		default:
			wrong++
		}
		if v == 255 && picture.RGB[i] > 200 {
			wrong++ // neither table nor ball is as bright as that, but the sky is
		}
	}
	require.Zero(t, wrong)
	require.Greater(t, white, len(picture.RGB)/100)
	require.Greater(t, dark, len(picture.RGB)/2)
}
