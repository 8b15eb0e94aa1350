package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// TestCameraIsAPinhole puts a small red ball at known places before a camera
// with uneven focal lengths and an off-centre principal point, and finds it
// where the pinhole model says.
func TestCameraIsAPinhole(t *testing.T) {
	ball := Body{
		Name: "ball", Mass: 0.01, Free: true, Pose: standing(0, 0, 1, 0),
		Geoms: []Geom{{Shape: Sphere, Size: twinrig.Vec3{.012, .012, .012}, RGBA: [4]float64{1, 0, 0, 1}}},
	}
	cam := CameraSpec{
		Name: "eye", W: 320, H: 200, FxPx: 300, FyPx: 390, CxPx: 147.3, CyPx: 108.8,
		// high above the table, looking away from the arm, leaning
		BaseFromCamera: twinrig.Pose{
			P: twinrig.Vec3{1, 1, 1},
			R: twinrig.QuatFromRPY(-1.7, 0.2, -0.9),
		},
	}
	spec := Spec{Params: NominalParams(), Bodies: []Body{ball}, Cameras: []CameraSpec{cam}}
	w := newWorld(t, ball)
	r, err := NewRenderer(spec)
	require.NoError(t, err)
	defer r.Close()

	var s Snapshot
	var f twinrig.Frame
	for _, pCO := range []twinrig.Vec3{{0, 0, .6}, {.15, .08, .6}, {-.2, -.1, .55}, {.1, -.12, .8}, {-.3, .1, 1}} {
		x := twinrig.Pose{R: twinrig.IdentityQuat, P: cam.BaseFromCamera.Apply(pCO)}
		require.NoError(t, w.SetBody("ball", x))
		require.NoError(t, w.Snapshot(&s))
		require.NoError(t, r.Render(&s, "eye", &f))
		require.Equal(t, cam.W, f.W)
		require.Equal(t, cam.H, f.H)
		u, v, n := redCentre(&f)
		require.Greater(t, n, 10)
		require.InDelta(t, cam.FxPx*pCO[0]/pCO[2]+cam.CxPx, u, 0.25, "u at %v", pCO)
		require.InDelta(t, cam.FyPx*pCO[1]/pCO[2]+cam.CyPx, v, 0.25, "v at %v", pCO)
	}
}

// redCentre is the mean pixel of all that are clearly red, and their number.
func redCentre(f *twinrig.Frame) (u, v float64, n int) {
	for i := range f.W * f.H {
		p := f.RGB[3*i:]
		if int(p[0]) > 2*int(p[1])+20 && int(p[0]) > 2*int(p[2])+20 {
			u, v, n = u+float64(i%f.W), v+float64(i/f.W), n+1
		}
	}
	return u / float64(n), v / float64(n), n
}

// TestRenderIsAFunctionOfTheSnapshot renders moving worlds, in turns.
func TestRenderIsAFunctionOfTheSnapshot(t *testing.T) {
	spec := Spec{
		Params: NominalParams(), Bodies: []Body{cube(.3, -.1), bowl(.3, .12)}, Shadows: true,
		Cameras: []CameraSpec{lookAt("side", twinrig.Vec3{.25, -.8, .4}, twinrig.Vec3{.2, 0, .18}), bridgeCamera()},
	}
	w, err := NewWorld(spec)
	require.NoError(t, err)
	defer w.Close()
	r, err := NewRenderer(spec)
	require.NoError(t, err)
	defer r.Close()

	var s [2]Snapshot
	require.NoError(t, w.Snapshot(&s[0]))
	for range 100 { // the arm falls
		require.NoError(t, w.Step(twinrig.Joints{}, 0))
	}
	require.NoError(t, w.Snapshot(&s[1]))
	var first [2]twinrig.Frame
	for i := range s {
		require.NoError(t, r.Render(&s[i], "side", &first[i]))
		require.Equal(t, s[i].Time(), first[i].Stamp)
	}
	require.NotEqual(t, first[0].RGB, first[1].RGB)
	var f twinrig.Frame
	require.NoError(t, r.Render(&s[0], "front", &f))
	require.NotEqual(t, first[0].RGB, f.RGB)
	require.NoError(t, r.Render(&s[0], "side", &f))
	require.Equal(t, first[0].RGB, f.RGB)

	require.EqualError(t, r.Render(&s[0], "back", &f), `sim: render: no camera named "back"`)
	require.Error(t, r.Render(&Snapshot{}, "side", &f))
	require.Equal(t, 200*time.Millisecond, s[1].Time())
}

// bridgeCamera is the camera of the Bridge data set's flat table, as SimplerEnv
// has it.
func bridgeCamera() CameraSpec {
	return CameraSpec{
		Name: "front", W: 640, H: 480, FxPx: 623.588, FyPx: 623.588, CxPx: 319.501, CyPx: 239.545,
		BaseFromCamera: twinrig.Pose{
			P: twinrig.Vec3{0, -.16, .36},
			R: twinrig.Quat{-0.339913, 0.791470, -0.466746, 0.200454}.Normalized(),
		},
	}
}

// lookAt is the same camera elsewhere, upright, its axis through a point.
func lookAt(name string, eye, point twinrig.Vec3) CameraSpec {
	z := point.Sub(eye)
	z = z.Scale(1 / z.Norm())
	x := z.Cross(twinrig.Vec3{0, 0, 1})
	x = x.Scale(1 / x.Norm())
	y := z.Cross(x)
	c := bridgeCamera()
	c.Name = name
	c.BaseFromCamera = twinrig.Pose{P: eye, R: twinrig.QuatFromMatrix([3][3]float64{
		{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]},
	})}
	return c
}

func BenchmarkRender(b *testing.B) {
	for _, shadows := range []bool{false, true} {
		name := "plain"
		if shadows {
			name = "shadows"
		}
		b.Run(name, func(b *testing.B) {
			spec := Spec{
				Params: NominalParams(), Shadows: shadows,
				Bodies: []Body{cube(.3, -.1), bowl(.3, .12)}, Cameras: []CameraSpec{bridgeCamera()},
			}
			w := newWorld(b, spec.Bodies...)
			r, err := NewRenderer(spec)
			require.NoError(b, err)
			defer r.Close()
			var s Snapshot
			var f twinrig.Frame
			require.NoError(b, w.Snapshot(&s))
			for b.Loop() {
				if err := r.Render(&s, "front", &f); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}
