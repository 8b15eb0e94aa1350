package scene

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// fake is a world whose contacts and poses a test writes down.
type fake struct {
	poses  map[string]twinrig.Pose
	forces map[[2]string]float64
	ee     twinrig.Pose
}

func (f *fake) ContactForce(a, b string) float64 {
	return f.forces[[2]string{a, b}] + f.forces[[2]string{b, a}]
}
func (f *fake) EE() twinrig.Pose { return f.ee }

func (f *fake) BodyPose(name string) (twinrig.Pose, error) {
	x, ok := f.poses[name]
	if !ok {
		return x, fmt.Errorf("no body %q", name)
	}
	return x, nil
}

func at(x, y, z float64) twinrig.Pose {
	return twinrig.Pose{R: twinrig.IdentityQuat, P: twinrig.Vec3{x, y, z}}
}

// act is one control step of a scripted trial: where the source is, what
// touches it, and the gripper's opening and goal.
type act struct {
	x, y, z    float64
	touches    string // letters: t table, b bowl, l left, r right, o robot's arm, d distractor
	grip, goal twinrig.Grip
	more       func(*fake)
}

const (
	cube, bowl, block = "red_cube", "blue_bowl", "orange_block"
	step              = 200 * time.Millisecond
)

var others = map[rune]string{
	't': "table", 'b': bowl, 'l': "left_finger", 'r': "right_finger", 'o': "robot", 'd': block,
}

// world is the cube and bowl scene at rest: cube at (.30, -.10), bowl at (.30, .12).
func world() *fake {
	return &fake{
		poses: map[string]twinrig.Pose{
			cube: at(0.30, -0.10, 0.02), bowl: at(0.30, 0.12, 0.021), block: at(0.40, -0.20, 0.015),
		},
		forces: map[[2]string]float64{{cube, "table"}: 0.5, {bowl, "table"}: 2, {block, "table"}: 0.4},
		ee:     at(0.2, 0, 0.25),
	}
}

func (f *fake) apply(a act) {
	f.poses[cube] = at(a.x, a.y, a.z)
	for _, other := range others {
		delete(f.forces, [2]string{cube, other})
	}
	for _, c := range a.touches {
		f.forces[[2]string{cube, others[c]}] = 1
	}
	if a.more != nil {
		a.more(f)
	}
}

// play runs a scripted trial: step i is at (i+1) * 0.2 s.
func play(t *testing.T, r Rules, acts []act) (*Judge, Outcome) {
	t.Helper()
	s := Shipped()[0]
	j, err := NewJudge(&s, r)
	require.NoError(t, err)
	f := world()
	require.NoError(t, j.Start(f))
	for i, a := range acts {
		f.apply(a)
		_, err := j.Step(Tick{Now: time.Duration(i+1) * step, Grip: a.grip, GripGoal: a.goal}, f)
		require.NoError(t, err)
	}
	return j, j.Outcome()
}

// Building blocks of trials. Grip .69 is 40 mm between the pads.
var (
	onTable = act{0.30, -0.10, 0.020, "t", 1, 1, nil}
	squeeze = act{0.30, -0.10, 0.020, "tlr", 0.69, 0, nil}
	lifted  = act{0.30, 0.00, 0.120, "lr", 0.69, 0, nil}
	above   = act{0.30, 0.12, 0.080, "lr", 0.69, 0, nil}
	inBowl  = act{0.30, 0.12, 0.026, "b", 1, 1, nil}
	toEdge  = act{0.30, 0.02, 0.020, "t", 1, 1, nil}
)

func acts(a ...act) []act { return a }

func TestJudgeSuccess(t *testing.T) {
	j, o := play(t, DefaultRules(), acts(onTable, squeeze, squeeze, lifted, lifted, above, inBowl, inBowl))
	require.True(t, j.Done())
	require.True(t, o.Succeeded())
	require.True(t, o.PickedUp())
	require.True(t, o.Related)
	require.False(t, o.Unstable)
	require.Empty(t, o.Labels)
	require.Empty(t, o.Recovered)
	require.Equal(t, RuleVersion, o.Rule)
	require.Equal(t, 2*step, o.Grasp)
	require.Equal(t, 4*step, o.Lift)
	require.Equal(t, 7*step, o.Success, "the first step of the dwell, not its last")
	require.Equal(t, 7*step, o.FirstTrue)
	require.Equal(t, []string{"touch", "grasp", "lift", "predicate", "related", "success"}, o.Seen.Names())
}

func TestJudgeDwell(t *testing.T) {
	bounce := act{0.30, 0.12, 0.05, "", 1, 1, nil}
	trial := acts(squeeze, squeeze, lifted, lifted, inBowl, bounce, inBowl)

	j, o := play(t, DefaultRules(), trial)
	require.False(t, o.Succeeded(), "one step of contact and a bounce is no success")
	require.Equal(t, 5*step, o.FirstTrue, "but without the dwell it is")
	require.True(t, j.Pending(), "time must not run out before the dwell is decided")

	one := DefaultRules()
	one.Dwell = 1
	_, o = play(t, one, trial)
	require.Equal(t, 5*step, o.Success)
	require.False(t, o.Unstable)
}

func TestJudgeUnstable(t *testing.T) {
	_, o := play(t, DefaultRules(), acts(squeeze, squeeze, lifted, lifted, inBowl, inBowl, toEdge))
	require.True(t, o.Succeeded(), "the dwell was met")
	require.True(t, o.Unstable)
	require.Equal(t, 5*step, o.Success)
}

// The holes of Eq. 8, each open without its option and closed with it.
func TestJudgeHoles(t *testing.T) {
	relation, strict, upright := DefaultRules(), DefaultRules(), DefaultRules()
	relation.Relation, strict.Strict, upright.Upright = true, true, true
	tipped := func(f *fake) {
		f.poses[bowl] = twinrig.Pose{R: twinrig.QuatFromRPY(0.5, 0, 0), P: twinrig.Vec3{0.30, 0.12, 0.04}}
	}
	carried := func(f *fake) { delete(f.forces, [2]string{bowl, "table"}) }
	for _, c := range []struct {
		name string
		then act
		r    Rules
		want bool
	}{
		{"leans on the bowl from the table", act{0.30, 0.02, 0.02, "tb", 1, 1, nil}, DefaultRules(), false},
		{"held into the bowl", act{0.30, 0.12, 0.026, "blr", 1, 1, nil}, DefaultRules(), false},
		{"pressed by the arm", act{0.30, 0.12, 0.026, "bo", 1, 1, nil}, DefaultRules(), false},
		{"hangs between bowl and distractor", act{0.30, 0.02, 0.03, "bd", 1, 1, nil}, DefaultRules(), true},
		{"hangs between, strict", act{0.30, 0.02, 0.03, "bd", 1, 1, nil}, strict, false},
		{"inside, strict", inBowl, strict, true},
		{"on the rim", act{0.30, 0.195, 0.062, "b", 1, 1, nil}, DefaultRules(), true},
		{"on the rim, relation", act{0.30, 0.195, 0.062, "b", 1, 1, nil}, relation, false},
		{"inside, relation", inBowl, relation, true},
		{"bowl tipped", act{0.30, 0.12, 0.026, "b", 1, 1, tipped}, DefaultRules(), true},
		{"bowl tipped, upright", act{0.30, 0.12, 0.026, "b", 1, 1, tipped}, upright, false},
		{"bowl carried, upright", act{0.30, 0.12, 0.026, "b", 1, 1, carried}, upright, false},
		{"inside, upright", inBowl, upright, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, o := play(t, c.r, acts(squeeze, squeeze, lifted, lifted, c.then, c.then, c.then))
			require.Equal(t, c.want, o.Succeeded())
			require.Equal(t, c.want, len(o.Labels) == 0, "a failure has a label, a success has none")
		})
	}
}

func TestJudgeGrazing(t *testing.T) {
	graze := act{0.30, 0.12, 0.026, "b", 1, 1, func(f *fake) { f.forces[[2]string{cube, "table"}] = 0.04 }}
	_, o := play(t, DefaultRules(), acts(squeeze, squeeze, lifted, lifted, graze, graze))
	require.True(t, o.Succeeded(), "below 0.05 N is no contact")
}

func TestJudgeInvalid(t *testing.T) {
	s := Shipped()[0]
	for _, c := range []struct {
		name, want string
		change     func(*fake)
	}{
		{"touches the bowl", "done before", func(f *fake) { f.apply(act{0.30, 0.195, 0.062, "b", 1, 1, nil}) }},
		{"in the bowl, forces not known", "done before", func(f *fake) { f.apply(act{0.30, 0.12, 0.026, "", 1, 1, nil}) }},
		{"robot touches it", "robot touches", func(f *fake) { f.apply(act{0.30, -0.1, 0.02, "to", 1, 1, nil}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, err := NewJudge(&s, DefaultRules())
			require.NoError(t, err)
			f := world()
			c.change(f)
			require.NoError(t, j.Start(f))
			o := j.Outcome()
			require.Contains(t, o.Invalid, c.want)
			require.True(t, j.Done())
			require.False(t, o.Succeeded())
			require.Empty(t, o.Labels)

			// The same judge judges the next trial afresh.
			require.NoError(t, j.Start(world()))
			require.Empty(t, j.Outcome().Invalid)
		})
	}
	j, err := NewJudge(&s, DefaultRules())
	require.NoError(t, err)
	require.ErrorContains(t, j.Start(&fake{}), `no body "red_cube"`)
}

func TestJudgePickUp(t *testing.T) {
	low := act{0.30, 0, 0.039, "lr", 0.69, 0, nil} // lowest point 19 mm up
	high := act{0.30, 0, 0.041, "lr", 0.69, 0, nil}
	oneFinger := act{0.30, 0, 0.060, "l", 0.69, 0, nil}
	for _, c := range []struct {
		name string
		acts []act
		want time.Duration
	}{
		{"too low", acts(squeeze, low, low, low), Never},
		{"too short", acts(squeeze, high, onTable, high), Never},
		{"one finger", acts(squeeze, oneFinger, oneFinger, oneFinger), Never},
		{"high and long enough", acts(squeeze, low, high, high), 3 * step},
		{"second lift lasts", acts(squeeze, high, squeeze, high, high), 4 * step},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, o := play(t, DefaultRules(), c.acts)
			require.Equal(t, c.want, o.Lift)
			require.Equal(t, c.want != Never, o.PickedUp())
		})
	}
}

func TestJudgeLabels(t *testing.T) {
	wrong := func(f *fake) {
		f.forces[[2]string{block, "left_finger"}], f.forces[[2]string{block, "right_finger"}] = 2, 2
	}
	pushed := func(f *fake) { f.poses[block] = at(0.40, -0.15, 0.015); f.forces[[2]string{block, "robot"}] = 2 }
	near := func(f *fake) { f.ee = at(0.30, -0.07, 0.02) }
	far := func(f *fake) { f.ee = at(0.30, -0.05, 0.02) }
	crash := func(f *fake) { f.forces[[2]string{"robot", "table"}] = 50 }
	onBlock := act{0.40, -0.20, 0.05, "d", 1, 1, nil}
	flying := act{0.30, 0.05, 0.09, "", 0, 0, nil}
	away := act{0.47, -0.10, 0.02, "t", 1, 1, nil}
	for _, c := range []struct {
		name string
		acts []act
		want []Label
	}{
		{"nothing touched", acts(onTable, onTable), []Label{NoAttempt}},
		{"closed beside it", acts(act{0.30, -0.10, 0.02, "to", 0.2, 0, near}), []Label{MissedGrasp}},
		{"closed far from it", acts(act{0.30, -0.10, 0.02, "t", 0.2, 0, far}), []Label{NoAttempt}},
		{"closing but still wide", acts(act{0.30, -0.10, 0.02, "to", 0.66, 0, near}), []Label{Unfinished}},
		{"fell from the fingers", acts(squeeze, squeeze, lifted, lifted, flying, toEdge, toEdge), []Label{Dropped, PlacedBeside}},
		{"fell and lies far from the bowl", acts(squeeze, squeeze, lifted, lifted, flying, onTable, onTable), []Label{Dropped}},
		{"put back down", acts(squeeze, squeeze, lifted, lifted, squeeze, onTable, onTable), []Label{Dropped}},
		{"put beside the bowl", acts(squeeze, squeeze, lifted, lifted, toEdge, toEdge), []Label{PlacedBeside}},
		{"still held at the end", acts(squeeze, squeeze, lifted, lifted), []Label{Unfinished}},
		{"pushed away", acts(act{0.42, -0.10, 0.02, "to", 1, 1, nil}, away, away), []Label{OutOfReach}},
		{"grasped the block", acts(act{0.30, -0.10, 0.02, "t", 0.6, 0, wrong}, act{0.30, -0.10, 0.02, "t", 0.6, 0, wrong}), []Label{WrongObject}},
		{"brushed the block for a step", acts(act{0.30, -0.10, 0.02, "t", 0.6, 0, wrong}), []Label{Unfinished}},
		{"moved the block most", acts(act{0.30, -0.10, 0.02, "t", 1, 1, pushed}), []Label{WrongObject}},
		{"put on the block", acts(squeeze, squeeze, lifted, lifted, onBlock, onBlock), []Label{WrongTarget}},
		{"pressed on the table", acts(act{0.30, -0.10, 0.02, "t", 1, 1, crash}), []Label{Collision}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, o := play(t, DefaultRules(), c.acts)
			require.Equal(t, c.want, o.Labels)
			require.False(t, o.Succeeded())
		})
	}
	for _, l := range []Label{MissedGrasp, Dropped, PlacedBeside, OutOfReach, Collision, NoAttempt, Unfinished} {
		require.False(t, l.Semantic(), l)
	}
	require.True(t, WrongObject.Semantic() && WrongTarget.Semantic())
}

func TestJudgeRecovered(t *testing.T) {
	flying := act{0.30, 0.05, 0.09, "", 0.69, 0, nil}
	_, o := play(t, DefaultRules(), acts(squeeze, squeeze, lifted, lifted, flying,
		onTable, squeeze, squeeze, lifted, lifted, inBowl, inBowl))
	require.True(t, o.Succeeded())
	require.Empty(t, o.Labels)
	require.Equal(t, []Label{Dropped}, o.Recovered)
}

// A push onto a flat napkin succeeds without a lift.
func TestJudgeSuccessWithoutPickUp(t *testing.T) {
	s := Shipped()[1]
	s.Target().Shape, s.Target().Size = Napkin, []float64{0.12, 0.12, 0.003}
	require.NoError(t, s.Validate())
	r := DefaultRules()
	r.Relation = true
	j, err := NewJudge(&s, r)
	require.NoError(t, err)
	f := &fake{
		poses: map[string]twinrig.Pose{
			"green_block": at(0.3, 0.1, 0.025), "yellow_plate": at(0.3, -0.1, 0.0015), "red_can": at(0.4, 0.2, 0.03),
		},
		forces: map[[2]string]float64{{"green_block", "table"}: 0.4},
	}
	require.NoError(t, j.Start(f))
	f.poses["green_block"] = at(0.33, -0.12, 0.028)
	f.forces = map[[2]string]float64{{"green_block", "yellow_plate"}: 0.4}
	for i := range 2 {
		_, err := j.Step(Tick{Now: time.Duration(i) * step, Grip: 1, GripGoal: 1}, f)
		require.NoError(t, err)
	}
	o := j.Outcome()
	require.True(t, o.Succeeded())
	require.False(t, o.PickedUp())
	require.Equal(t, time.Duration(0), o.Success)
}

func TestJudgeAllocatesNothing(t *testing.T) {
	s := Shipped()[0]
	j, err := NewJudge(&s, DefaultRules())
	require.NoError(t, err)
	f := world()
	require.NoError(t, j.Start(f))
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := j.Step(Tick{Now: step, Grip: 1, GripGoal: 1}, f); err != nil {
			t.Fatal(err)
		}
	}))
}

func TestRulesValidate(t *testing.T) {
	good := DefaultRules()
	require.NoError(t, good.Validate())
	for key, change := range map[string]func(*Rules){
		"dwell_steps": func(r *Rules) { r.Dwell = 0 },
		"lift_m":      func(r *Rules) { r.Lift = math.NaN() },
		"collision_n": func(r *Rules) { r.Collision = 0 },
		"open_grip":   func(r *Rules) { r.OpenGrip = 1 },
	} {
		r := DefaultRules()
		change(&r)
		require.ErrorContains(t, r.Validate(), key)
		_, err := NewJudge(&Scene{}, r)
		require.ErrorContains(t, err, key)
	}
}
