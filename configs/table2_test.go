package configs

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/sim"
	"twinrig/sim/scene"
)

// table2 is the table's columns: command, source, target, distractors.
var table2 = [][4]string{
	{"put the banana on the bowl.", "banana", "bowl", "broccoli strawberry plate"},
	{"put the broccoli on the mug.", "broccoli", "mug", "knife cutting_board"},
	{"put the mushroom on the bowl.", "mushroom", "bowl", "banana broccoli plate"},
	{"put the spoon on the napkin.", "spoon", "napkin", "fork plate"},
	{"put the eraser on the notebook.", "eraser", "notebook", "black_pen mug"},
	{"put the brush on the bowl.", "brush", "bowl", "banana yellow_marker"},
	{"put the white eraser on the mug.", "white_eraser", "mug", "pink_eraser black_pen blue_pen"},
	{"put the red knife on the cutting board.", "red_knife", "cutting_board", "regular_knife"},
	{"put the blue pen on the bowl.", "blue_pen", "bowl", "black_pen white_eraser basket"},
	{"put the green marker on the basket.", "green_marker", "basket", "red_marker yellow_marker dry_erase_eraser cardboard_box"},
	{"put the screwdriver on the basket.", "screwdriver", "basket", "knife black_marker"},
	{"put the blue teacup on the yellow teacup.", "blue_teacup", "yellow_teacup", "purple_teacup pink_teapot blue_plate yellow_plate"},
}

func table2Scenes(t *testing.T) []scene.Scene {
	t.Helper()
	var scenes []scene.Scene
	for _, name := range Table2Scenes() {
		s, err := Scene(name)
		require.NoError(t, err)
		require.Equal(t, name, s.Name, "a scene is called as its file")
		scenes = append(scenes, s)
	}
	return scenes
}

func TestTable2SaysWhatTheTableSays(t *testing.T) {
	scenes := table2Scenes(t)
	require.Len(t, scenes, len(table2))
	for i := range scenes {
		s := &scenes[i]
		var distractors []string
		for k := range s.Objects {
			o := &s.Objects[k]
			if o.Role == scene.Distractor {
				distractors = append(distractors, o.Name)
			}
			require.Equal(t, scene.Range{0.2, 0.4}, o.X, o.Name)
			require.Equal(t, scene.Range{-0.15, 0.15}, o.Y, o.Name)
			require.Equal(t, scene.Range{0, 2 * math.Pi}, o.Yaw, o.Name)
		}
		got := [4]string{s.Instruction, s.Source().Name, s.Target().Name, strings.Join(distractors, " ")}
		require.Equal(t, table2[i], got)
		require.GreaterOrEqual(t, s.Clearance, 0.005)
	}
	colour := func(i int, o *scene.Object, least, most [3]float64) {
		for c := range 3 {
			require.True(t, o.RGBA[c] >= least[c] && o.RGBA[c] <= most[c], "scene %d: %s is %v", i, o.Name, o.RGBA)
		}
	}
	// What the command leaves unsaid is in the scene all the same.
	colour(4, scenes[4].Source(), [3]float64{0.8, 0.3, 0.4}, [3]float64{1, 0.7, 0.8}) // pink
	colour(5, scenes[5].Source(), [3]float64{0.8, 0.7, 0}, [3]float64{1, 1, 0.3})     // yellow
	colour(8, scenes[8].Target(), [3]float64{0, 0, 0.6}, [3]float64{0.3, 0.5, 1})     // blue
}

// A hundred seeds find room for everything, no two things nearer than the gap.
func TestTable2Places(t *testing.T) {
	scenes := table2Scenes(t)
	for i := range scenes {
		s := &scenes[i]
		for seed := range uint64(100) {
			p, err := s.Place(seed)
			require.NoError(t, err)
			require.NoError(t, s.Check(p))
			for _, at := range p {
				require.True(t, at.X >= 0.2 && at.X <= 0.4 && math.Abs(at.Y) <= 0.15, "%+v", at)
			}
		}
	}
}

// Placed objects stay within a millimetre and upright for a second.
func TestTable2Stands(t *testing.T) {
	scenes := table2Scenes(t)
	kin := sim.NewKinematics()
	for i := range scenes {
		s := &scenes[i]
		t.Run(s.Name, func(t *testing.T) {
			for seed := range uint64(3) {
				p, err := s.Place(seed)
				require.NoError(t, err)
				w, err := sim.NewWorld(sim.Spec{Params: sim.NominalParams(), Bodies: s.Bodies(p)})
				require.NoError(t, err)
				for w.Time().Seconds() < 1 {
					q, dq, _, _ := w.Arm()
					require.NoError(t, w.Step(kin.Gravity(q).Sub(dq.Scale(2)), 0))
				}
				for name, from := range s.Poses(p) {
					to, err := w.BodyPose(name)
					require.NoError(t, err)
					dist, _ := from.Gap(to)
					require.Less(t, dist, 0.001, name)
					lean := math.Acos(min(1, to.R.Rotate(twinrig.Vec3{0, 0, 1})[2]))
					require.Less(t, lean, 0.02, name)
					require.Greater(t, w.ContactForce(name, sim.TableName), 0.05, name)
				}
				w.Close()
			}
		})
	}
}
