package scene

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"twinrig"
)

// The files in testdata are the shipped scenes as a user writes them.
func TestShippedScenesAreTheFiles(t *testing.T) {
	for _, want := range Shipped() {
		t.Run(want.Name, func(t *testing.T) {
			got, err := Load(filepath.Join("testdata", want.Name+".good.yaml"))
			require.NoError(t, err)
			require.Equal(t, want, got)

			text, err := yaml.Marshal(want)
			require.NoError(t, err)
			again, err := Parse(text)
			require.NoError(t, err)
			require.Equal(t, want, again)
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	good, err := os.ReadFile("testdata/red_cube_blue_bowl.good.yaml")
	require.NoError(t, err)
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown key", "reach_m:", "reech_m:", "reech_m"},
		{"unknown object key", "mass_kg: 0.05", "mass: 0.05", "mass"},
		{"no name", "name: red_cube_blue_bowl", "name: ''", "name: must not be empty"},
		{"no instruction", "instruction: put the red cube in the blue bowl", "instruction: ''", "instruction"},
		{"relation", "relation: in", "relation: under", `relation: "under" is neither on nor in`},
		{"reach", "reach_m: [0.15, 0.45]", "reach_m: [0.45, 0.15]", "reach_m"},
		{"clearance", "clearance_m: 0.03", "clearance_m: 0.3", "clearance_m: 0.3 is outside 0 to 0.2"},
		{"mass", "mass_kg: 0.05", "mass_kg: 5", "objects[0].mass_kg: 5 is outside 0.001 to 2"},
		{"not a number", "mass_kg: 0.05", "mass_kg: .nan", "objects[0].mass_kg: NaN is outside"},
		{"friction", "friction: 1", "friction: 0", "objects[0].friction: 0 is outside 0.05 to 3"},
		{"colour", "rgba: [0.8, 0.1, 0.1, 1]", "rgba: [0.8, 0.1, 10, 1]", "objects[0].rgba: 10 is outside"},
		{"role", "role: target", "role: goal", `objects[1].role: "goal"`},
		{"two sources", "role: target", "role: source", "2 have role source and 0 role target"},
		{"shape", "shape: bowl", "shape: vase", `objects[1].shape: "vase"`},
		{"sizes", "size_m: [0.15, 0.042]", "size_m: [0.15]", "objects[1].size_m: 1 numbers, a bowl has 2"},
		{"size", "size_m: [0.15, 0.042]", "size_m: [0.15, 4.2]", "objects[1].size_m: 4.2 is outside"},
		{"shallow", "size_m: [0.15, 0.042]", "size_m: [0.15, 0.005]", "leaves no room"},
		{"name twice", "name: orange_block", "name: red_cube", `objects[2].name: "red_cube" is there twice`},
		{"name taken", "name: orange_block", "name: table", `objects[2].name: "table"`},
		{"range", "x_m: [0.22, 0.36]", "x_m: [0.36, 0.22]", "objects[0].x_m"},
		{"range too far", "x_m: [0.22, 0.36]", "x_m: [0.22, 3.6]", "must rise and lie in -0.7 to 0.7"},
		{"too wide to grasp", "size_m: [0.04, 0.04, 0.04]", "size_m: [0.06, 0.06, 0.04]", "the gripper takes at most 0.046 m"},
		{"too long for the bowl", "size_m: [0.04, 0.04, 0.04]", "size_m: [0.04, 0.2, 0.04]", "does not fit into blue_bowl"},
		{"in a plate", "shape: bowl", "shape: plate", "relation in needs a bowl"},
		{"not yaml", "name: red_cube_blue_bowl", "name: [", "yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, string(good), c.old)
			path := filepath.Join(t.TempDir(), "bad.yaml")
			require.NoError(t, os.WriteFile(path, bytes.Replace(good, []byte(c.old), []byte(c.new), 1), 0o600))
			_, err := Load(path)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, path)
		})
	}
	_, err = Load("testdata/none.yaml")
	require.ErrorContains(t, err, "testdata/none.yaml")
	_, err = Parse(nil)
	require.ErrorContains(t, err, "empty")
	_, err = Parse(append(good, "\n---\nname: second\n"...))
	require.ErrorContains(t, err, "more than one yaml document")
}

func TestPlace(t *testing.T) {
	for _, s := range Shipped() {
		t.Run(s.Name, func(t *testing.T) {
			seen := map[Spot]bool{}
			for seed := range uint64(50) {
				p, err := s.Place(seed)
				require.NoError(t, err)
				require.NoError(t, s.Check(p))
				again, err := s.Place(seed)
				require.NoError(t, err)
				require.Equal(t, p, again)
				for _, o := range s.Objects {
					at := p[o.Name]
					require.True(t, o.X.Contains(at.X) && o.Y.Contains(at.Y) && o.Yaw.Contains(at.Yaw), o.Name)
				}
				seen[p[s.Source().Name]] = true
			}
			require.Len(t, seen, 50, "each seed has a placement of its own")
		})
	}
}

func TestPlaceImpossible(t *testing.T) {
	s := Shipped()[0]
	s.Objects[0].X, s.Objects[0].Y = s.Objects[1].X, s.Objects[1].Y
	s.Clearance = 0.1
	_, err := s.Place(1)
	require.ErrorContains(t, err, "red_cube_blue_bowl: no placement in 1000 tries")
	require.ErrorContains(t, err, "clearance is 0.100 m")

	s = Shipped()[0]
	s.Reach = Range{0.5, 0.6}
	_, err = s.Place(1)
	require.ErrorContains(t, err, "outside the reach of 0.500 to 0.600 m")
}

func TestCheck(t *testing.T) {
	s := Shipped()[0]
	p, err := s.Place(3)
	require.NoError(t, err)
	delete(p, "blue_bowl")
	require.ErrorContains(t, s.Check(p), "2 spots for 3 objects")
	p["bowl"] = Spot{}
	require.ErrorContains(t, s.Check(p), "blue_bowl has no spot")
}

func TestPerturb(t *testing.T) {
	s := Shipped()[0]
	p, err := s.Place(3)
	require.NoError(t, err)
	require.Equal(t, p, s.Perturb(p, 1, 0, 0))
	require.Equal(t, s.Perturb(p, 1, 0.005, 0.1), s.Perturb(p, 1, 0.005, 0.1))

	// Over many seeds the errors have the asked standard deviations.
	const n, sigma, yawSigma = 2000, 0.005, 0.1
	var xx, yy, ww float64
	for seed := range uint64(n) {
		q := s.Perturb(p, seed, sigma, yawSigma)["blue_bowl"]
		xx += math.Pow(q.X-p["blue_bowl"].X, 2)
		yy += math.Pow(q.Y-p["blue_bowl"].Y, 2)
		ww += math.Pow(q.Yaw-p["blue_bowl"].Yaw, 2)
	}
	require.InDelta(t, sigma, math.Sqrt(xx/n), 0.05*sigma)
	require.InDelta(t, sigma, math.Sqrt(yy/n), 0.05*sigma)
	require.InDelta(t, yawSigma, math.Sqrt(ww/n), 0.05*yawSigma)
}

func TestGeometry(t *testing.T) {
	box := Object{Shape: Box, Size: []float64{0.03, 0.04, 0.06}}
	can := Object{Shape: Cylinder, Size: []float64{0.05, 0.08}}
	ball := Object{Shape: Sphere, Size: []float64{0.05}}
	quarter := twinrig.QuatFromRPY(math.Pi/2, 0, 0)
	eighth := twinrig.QuatFromRPY(math.Pi/4, 0, 0)
	for _, c := range []struct {
		name string
		o    Object
		r    twinrig.Quat
		want float64
	}{
		{"box upright", box, twinrig.IdentityQuat, 0.03},
		{"box on its side", box, quarter, 0.02},
		{"box on its edge", box, eighth, (0.02 + 0.03) / math.Sqrt2},
		{"can upright", can, twinrig.IdentityQuat, 0.04},
		{"can on its side", can, quarter, 0.025},
		{"can leaning", can, eighth, (0.025 + 0.04) / math.Sqrt2},
		{"ball", ball, eighth, 0.025},
	} {
		require.InDelta(t, c.want, c.o.halfHeight(c.r), 1e-12, c.name)
		require.InDelta(t, 0.1-c.want, c.o.lowest(twinrig.Pose{R: c.r, P: twinrig.Vec3{1, 2, 0.1}}), 1e-12, c.name)
	}
	require.InDelta(t, 0.025, box.Radius(), 1e-12)
	require.InDelta(t, 0.03, box.GraspWidth(), 0)
	require.InDelta(t, 0.05, can.GraspWidth(), 0)
	require.InDelta(t, 0.05, ball.GraspWidth(), 0)
}

func TestRelated(t *testing.T) {
	bowl, plate := Shipped()[0], Shipped()[1]
	onBowl := bowl
	onBowl.Relation = On
	for _, c := range []struct {
		name    string
		s       *Scene
		x, y, z float64
		want    bool
	}{
		{"in", &bowl, 0.30, 0.12, 0.026, true},
		{"in, off centre", &bowl, 0.34, 0.12, 0.026, true},
		{"in, on another", &bowl, 0.30, 0.12, 0.060, true},
		{"over the rim", &bowl, 0.30, 0.12, 0.063, false},
		{"outside the hollow", &bowl, 0.30, 0.20, 0.026, false},
		{"under", &bowl, 0.30, 0.12, -0.01, false},
		{"in a bowl is on it", &onBowl, 0.30, 0.12, 0.026, true},
		{"on the rim", &onBowl, 0.37, 0.12, 0.060, true},
		{"beside the bowl", &onBowl, 0.41, 0.12, 0.020, false},
		{"on", &plate, 0.30, 0.12, 0.031, true},
		{"on, off centre", &plate, 0.41, 0.12, 0.039, true},
		{"off the edge", &plate, 0.42, 0.12, 0.039, false},
		{"hovering", &plate, 0.30, 0.12, 0.060, false},
		{"below", &plate, 0.30, 0.12, 0.005, false},
	} {
		target := c.s.Target()
		// The relation moves with the target, whichever way it is turned.
		for _, yaw := range []float64{0, 1} {
			xBB := twinrig.Pose{R: twinrig.QuatFromRPY(0, 0, yaw), P: twinrig.Vec3{0.30, 0.12, target.Size[1] / 2}}
			require.Equal(t, c.want, c.s.related(at(c.x, c.y, c.z), xBB), c.name)
		}
	}
}

func TestNames(t *testing.T) {
	require.Equal(t, []string{"grasp", "collision"}, (EventGrasp | EventCollision).Names())
	require.Equal(t, "touch grasp lift predicate related success dropped missed_grasp wrong_touch collision",
		strings.Join(Event(math.MaxUint32).Names(), " "))
}
