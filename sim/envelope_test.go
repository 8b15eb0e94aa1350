package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// deepestContact is MuJoCo's own answer.
func deepestContact(t *testing.T, c *Clearance, q twinrig.Joints, grip twinrig.Grip) float64 {
	t.Helper()
	c.world.SetArm(q, grip.Finger())
	require.NoError(t, c.world.data.Forward())
	depth := 0.0
	for _, k := range c.world.data.Contacts(nil) {
		if !c.fingers(&k) {
			depth = max(depth, -k.Dist)
		}
	}
	return depth
}

// beyondTable tells whether something of the arm is past the table's edges, which
// an Envelope's table does not have.
func beyondTable(e *Envelope, q twinrig.Joints) bool {
	var f frames
	f.at(&q)
	for i := range e.solids {
		var b block
		e.place(&b, &e.solids[i], &f, twinrig.FingerOpen)
		if b.at[0]-b.bound < tableX-tableLength/2 || b.at[0]+b.bound > tableX+tableLength/2 ||
			math.Abs(b.at[1])+b.bound > tableWide/2 {
			return true
		}
	}
	return false
}

// Whatever is in contact in MuJoCo is in contact here, as deep to a millimetre; what
// is found beyond that is counted.
func TestEnvelopeMissesNothing(t *testing.T) {
	const poses, overlooked = 20000, 0.010
	c, err := NewClearance(NominalParams(), 0)
	require.NoError(t, err)
	defer c.Close()
	all := NewEnvelope(EnvelopeLimits{})
	e := NewEnvelope(EnvelopeLimits{Self: overlooked, Links: overlooked, Fingers: overlooked})
	rng := rand.New(rand.NewPCG(5, 0))
	var clear, refused, edge, missed int
	missing := 0.0
	for range poses {
		q, grip := randomJoints(rng, 1), twinrig.Grip(rng.Float64())
		depth := deepestContact(t, c, q, grip)
		got := all.Deepest(q, grip)
		missing = max(missing, depth-got.Depth)
		over := e.Deepest(q, grip).Over > 0
		switch {
		case depth > overlooked && !over:
			missed++
		case depth > overlooked:
		case over && beyondTable(e, q):
			edge++
		case over:
			refused++
		default:
			clear++
		}
	}
	t.Logf("%d random poses, %d clear in MuJoCo: refused %d (%.2f %%), and %d (%.1f %%) that are low past the table's edge; missed %d; nothing more than %.2f mm less deep than in MuJoCo",
		poses, clear+refused+edge, refused, 100*float64(refused)/float64(clear+refused+edge),
		edge, 100*float64(edge)/float64(clear+refused+edge), missed, 1000*missing)
	require.Zero(t, missed)
	require.Less(t, missing, 0.001)
	require.Less(t, float64(refused), 0.001*float64(clear))
	require.Greater(t, clear, poses/2)
}

func TestEnvelopeNamesBodies(t *testing.T) {
	e := NewEnvelope(EnvelopeLimits{Self: 0.010, Links: -0.005, Fingers: 0.005})
	for _, c := range []struct {
		name string
		q    twinrig.Joints
		grip twinrig.Grip
		want [2]string
	}{
		{"home", twinrig.HomePose, 1, [2]string{}},
		{"sleep, where the arm rests on itself", twinrig.SleepPose, 0, [2]string{}},
		{"fingers in the table", twinrig.Joints{0, 1.2, 0.2, 0, 0.3, 0}, 1, [2]string{LeftFingerName, TableName}},
		{"forearm in the table", twinrig.Joints{0, 1.9, -1.5, 0, -1.2, 0}, 0, [2]string{"lower_forearm_link", TableName}},
		{"wrist in the upper arm", twinrig.Joints{0, -1.2, 1.6, 0, 2.0, 0}, 0, [2]string{"upper_arm_link", "wrist_link"}},
	} {
		require.Equal(t, c.want, e.Deepest(c.q, c.grip).Bodies, c.name)
	}
	c := e.Deepest(twinrig.Joints{0, 1.9, -1.5, 0, -1.2, 0}, 0)
	require.InDelta(t, c.Depth+0.005, c.Over, 1e-12, "a link keeps a gap")
	require.Contains(t, c.String(), "lower_forearm_link would be")
}

// The gripper counts: a hand that leans clears the table only closed.
func TestEnvelopeKnowsTheGrip(t *testing.T) {
	e, k := NewEnvelope(EnvelopeLimits{}), NewKinematics()
	// it leans and opens in the plane that is upright
	x := twinrig.Pose{R: twinrig.QuatFromRPY(math.Pi/2, 1, 0), P: twinrig.Vec3{0.3, 0, 0.027}}
	q, err := k.Inverse(x, twinrig.Joints{0, 0.3, 0.2, 0, 0.7, math.Pi / 2})
	require.NoError(t, err)
	closed, open := e.Deepest(q, 0), e.Deepest(q, 1)
	require.Zero(t, closed.Over)
	require.Contains(t, open.Bodies[0], "finger")
}

func TestEnvelopeAllocatesNothing(t *testing.T) {
	e := NewEnvelope(EnvelopeLimits{Self: 0.010})
	sum := 0.0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		sum += e.Deepest(twinrig.SleepPose, 0.5).Depth + e.Deepest(twinrig.Joints{0, 1.2, 0.2, 0, 0.3, 0}, 0.5).Depth
	}))
	require.Positive(t, sum)
}

func BenchmarkEnvelope(b *testing.B) {
	e := NewEnvelope(EnvelopeLimits{Self: 0.010})
	for _, c := range []struct {
		name string
		q    twinrig.Joints
	}{{"over the table", twinrig.Joints{0.1, 0.2, -0.3, 0.4, 0.5, -0.6}}, {"folded", twinrig.SleepPose}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				e.Deepest(c.q, 1)
			}
		})
	}
}
