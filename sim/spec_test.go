package sim

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

func fullSpec() Spec {
	return Spec{Params: NominalParams(), Bodies: []Body{cube(.3, -.1), bowl(.3, .12)}, Cameras: []CameraSpec{bridgeCamera()}}
}

func TestSpecValidate(t *testing.T) {
	good := fullSpec()
	require.NoError(t, good.Validate())
	for _, c := range []struct {
		name   string
		change func(*Spec)
		want   string
	}{
		{"no params", func(s *Spec) { s.Params = Params{} }, "timestep"},
		{"friction", func(s *Spec) { s.Params.Friction[twinrig.Elbow] = -1 }, "sim: params: friction of elbow: -1 is outside 0 to 20"},
		{"armature", func(s *Spec) { s.Params.Armature[twinrig.Waist] = math.NaN() }, "armature of waist"},
		{"timestep", func(s *Spec) { s.Params.Timestep = 20 * time.Millisecond }, "timestep in ms: 20"},
		{"body without name", func(s *Spec) { s.Bodies[0].Name = "" }, `sim: body 0: name ""`},
		{"body twice", func(s *Spec) { s.Bodies[1].Name = "red_cube" }, `name "red_cube" is empty or taken`},
		{"reserved name", func(s *Spec) { s.Bodies[1].Name = "robot" }, `name "robot" is empty or taken`},
		{"no mass", func(s *Spec) { s.Bodies[0].Mass = 0 }, "sim: body red_cube: mass: 0 kg"},
		{"no geoms", func(s *Spec) { s.Bodies[0].Geoms = nil }, "geoms: none"},
		{"a ghost", func(s *Spec) { s.Bodies[0].Geoms[0].Layer = Seen }, "none that can be felt"},
		{"zero quaternion", func(s *Spec) { s.Bodies[0].Pose.R = twinrig.Quat{} }, "quaternion"},
		{"unknown shape", func(s *Spec) { s.Bodies[0].Geoms[0].Shape = "torus" }, `geom 0: shape: unknown "torus"`},
		{"flat box", func(s *Spec) { s.Bodies[0].Geoms[0].Size[1] = 0 }, "size: 0 m is outside 0 to 10"},
		{"oval cylinder", func(s *Spec) { s.Bodies[1].Geoms[0].Size[1] = .1 }, "is no cylinder"},
		{"short capsule", func(s *Spec) {
			s.Bodies[0].Geoms[0] = Geom{Shape: Capsule, Size: twinrig.Vec3{.04, .04, .04}}
		}, "longer than thick"},
		{"geom friction", func(s *Spec) { s.Bodies[0].Geoms[0].Friction = -1 }, "friction: -1 is outside"},
		{"colour", func(s *Spec) { s.Bodies[0].Geoms[0].RGBA[0] = 255 }, "rgba: 255 is outside 0 to 1"},
		{"camera twice", func(s *Spec) { s.Cameras = append(s.Cameras, s.Cameras[0]) }, "camera 1: name"},
		{"camera size", func(s *Spec) { s.Cameras[0].W = 0 }, "sim: camera front: size: 0 x 480 px"},
		{"focal length", func(s *Spec) { s.Cameras[0].FyPx = 0 }, "intrinsics"},
		{"camera pose", func(s *Spec) { s.Cameras[0].BaseFromCamera.R[0] = 2 }, "base_from_camera"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fullSpec()
			c.change(&s)
			_, err := MJCF(s)
			require.ErrorContains(t, err, c.want)
			_, err = NewWorld(s)
			require.ErrorContains(t, err, c.want)
			_, err = NewRenderer(s)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestMJCFIsAFunctionOfTheSpec(t *testing.T) {
	a, err := MJCF(fullSpec())
	require.NoError(t, err)
	b, err := MJCF(fullSpec())
	require.NoError(t, err)
	require.Equal(t, string(a), string(b))
}

// TestNamesNeedNoCare: an object may be called like a part of the arm, or like
// markup.
func TestNamesNeedNoCare(t *testing.T) {
	for _, name := range []string{"waist", "wrist_link", `a "quoted" & <odd> name`, "object/waist"} {
		b := cube(.3, 0)
		b.Name = name
		w := newWorld(t, b)
		hold(t, w, 200*time.Millisecond)
		require.InDelta(t, 0.05*9.81, w.ContactForce(name, TableName), 1e-2)
	}
}

// TestShapesHaveTheirMass weighs each shape on the table, and measures it by
// where its middle comes to rest.
func TestShapesHaveTheirMass(t *testing.T) {
	for _, c := range []struct {
		shape  Shape
		size   twinrig.Vec3
		volume float64
	}{
		{Box, twinrig.Vec3{.04, .05, .06}, .04 * .05 * .06},
		{Sphere, twinrig.Vec3{.05, .05, .05}, math.Pi / 6 * .05 * .05 * .05},
		{Cylinder, twinrig.Vec3{.05, .05, .04}, math.Pi / 4 * .05 * .05 * .04},
		{Capsule, twinrig.Vec3{.04, .04, .06}, math.Pi*.02*.02*.02 + math.Pi/6*.04*.04*.04},
		{Ellipsoid, twinrig.Vec3{.06, .05, .03}, math.Pi / 6 * .06 * .05 * .03},
	} {
		t.Run(string(c.shape), func(t *testing.T) {
			g := Geom{Shape: c.shape, Size: c.size, Friction: 0.5, RGBA: [4]float64{1, 1, 1, 1}}
			require.InEpsilon(t, c.volume, g.mass(1), 1e-12)
			w := newWorld(t, Body{Name: "thing", Mass: 0.123, Free: true, Geoms: []Geom{g}, Pose: standing(.3, 0, c.size[2]/2, 0)})
			hold(t, w, 300*time.Millisecond)
			require.InDelta(t, 0.123*9.81, w.ContactForce("thing", TableName), 0.01)
			x, err := w.BodyPose("thing")
			require.NoError(t, err)
			require.InDelta(t, c.size[2]/2, x.P[2], 0.0005)
		})
	}
}
