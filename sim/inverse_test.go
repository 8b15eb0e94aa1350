package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// TestInverseNearSeed makes poses from joints all over the limits and finds
// them again from seeds beside them.
func TestInverseNearSeed(t *testing.T) {
	const n, spread = 10_000, 0.3
	k := NewKinematics()
	rng := rand.New(rand.NewPCG(2, 0))
	took := make([]time.Duration, n)
	far := 0
	for i := range n {
		q := randomJoints(rng, 1)
		seed := q
		for j := range seed {
			seed[j] += spread * (2*rng.Float64() - 1)
		}
		seed = twinrig.PositionLimits.Clamp(seed)
		x := k.Forward(q)

		start := time.Now()
		got, err := k.Inverse(x, seed)
		took[i] = time.Since(start)
		require.NoError(t, err, "q %v seed %v", q, seed)
		require.NoError(t, twinrig.PositionLimits.Check(got))
		dist, angle := k.Forward(got).Gap(x)
		require.Less(t, dist, 1e-9, "q %v", q)
		require.Less(t, angle, 1e-7, "q %v", q) // an angle from a quaternion is good to 1e-8
		// never farther from the seed than the joints that made the pose
		require.LessOrEqual(t, got.Sub(seed).MaxAbs(), q.Sub(seed).MaxAbs()+1e-9)
		if got.Sub(q).MaxAbs() > 1e-6 {
			far++
		}
	}
	slices.Sort(took)
	t.Logf("%d of %d poses solved, median %v, p99 %v; %d by a nearer way than the one that made the pose",
		n, n, took[n/2], took[n*99/100], far)
}

// TestSolveFromHome finds poses from all over the limits with the home pose as the
// seed: at least 99.9 % of them, and never one that is not the pose.
func TestSolveFromHome(t *testing.T) {
	const n = 10_000
	k := NewKinematics()
	rng := rand.New(rand.NewPCG(5, 0))
	solved, jumps := 0, 0
	for range n {
		q := randomJoints(rng, 1)
		x := k.Forward(q)
		got, err := k.Solve(x, twinrig.Joints{})
		if err != nil {
			require.ErrorIs(t, err, ErrUnreachable)
			continue
		}
		solved++
		dist, angle := k.Forward(got).Gap(x)
		require.Less(t, dist, 1e-9)
		require.Less(t, angle, 1e-7)
		require.NoError(t, twinrig.PositionLimits.Check(got))
		require.LessOrEqual(t, got.MaxAbs(), q.MaxAbs()+1e-9, "the nearest to home")
		if careful, err := k.Inverse(x, twinrig.Joints{}); err != nil {
			require.ErrorIs(t, err, ErrJump)
			jumps++
		} else {
			require.Equal(t, got, careful)
		}
	}
	t.Logf("%d of %d poses solved; Inverse refuses %d of them, which need another configuration than the one nearest to home", solved, n, jumps)
	require.GreaterOrEqual(t, solved, n*999/1000)
	require.Positive(t, jumps)
}

// TestInverseFollows walks along straight lines in small steps, as control
// does: the joints must not jump.
func TestInverseFollows(t *testing.T) {
	k := NewKinematics()
	down := twinrig.QuatFromRPY(0, math.Pi/2, 0)
	for _, c := range []struct {
		name     string
		from, to twinrig.Vec3
		turn     float64
	}{
		{"along x", twinrig.Vec3{0.2, 0, 0.1}, twinrig.Vec3{0.4, 0, 0.1}, 0},
		{"along y", twinrig.Vec3{0.3, -0.2, 0.1}, twinrig.Vec3{0.3, 0.2, 0.1}, 0},
		{"down, turning", twinrig.Vec3{0.3, 0.1, 0.2}, twinrig.Vec3{0.3, 0.1, 0.02}, 1.2},
	} {
		t.Run(c.name, func(t *testing.T) {
			const steps = 500
			q := twinrig.Joints{0, 0, 0.3, 0, 1.2, 0}
			for i := range steps + 1 {
				f := float64(i) / steps
				x := twinrig.Pose{
					P: c.from.Add(c.to.Sub(c.from).Scale(f)),
					R: twinrig.QuatFromAxisAngle(twinrig.Vec3{0, 0, 1}, c.turn*f).Mul(down),
				}
				next, err := k.Inverse(x, q)
				require.NoError(t, err)
				dist, _ := k.Forward(next).Gap(x)
				require.Less(t, dist, 1e-12)
				if i > 0 {
					require.Less(t, next.Sub(q).MaxAbs(), 0.02)
				}
				q = next
			}
		})
	}
}

func TestInverseWhereJointsDoNotMatter(t *testing.T) {
	k := NewKinematics()
	l := twinrig.PositionLimits
	for _, c := range []struct {
		name    string
		q, seed twinrig.Joints
		want    twinrig.Joints
	}{
		{"home from home", twinrig.Joints{}, twinrig.Joints{}, twinrig.Joints{}},
		{"only the sum of roll and rotate", twinrig.Joints{0, 0, 0, 0.5, 0, 0.1}, twinrig.Joints{0, 0, 0, 0.2, 0, 0.2}, twinrig.Joints{0, 0, 0, 0.3, 0, 0.3}},
		{"the sum at a limit", twinrig.Joints{0, 0, 0, l.Upper[3], 0, 0.4}, twinrig.Joints{0, 0, 0, l.Upper[3], 0, 0}, twinrig.Joints{0, 0, 0, l.Upper[3], 0, 0.4}},
		// upper arm and forearm are equally long but for 4.9 mm: folded like
		// this the wrist stands over the shoulder
		{"wrist on the waist's axis", overShoulder(k, 0), overShoulder(k, 0.1), overShoulder(k, 0.1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := k.Forward(c.q)
			got, err := k.Inverse(x, c.seed)
			require.NoError(t, err)
			dist, angle := k.Forward(got).Gap(x)
			require.Less(t, dist, 1e-9)
			require.Less(t, angle, 1e-7)
			if c.name != "wrist on the waist's axis" {
				require.InDeltaSlice(t, c.want[:], got[:], 1e-9)
				return
			}
			require.InDelta(t, c.want[twinrig.Waist], got[twinrig.Waist], 1e-9, "the waist stays")
		})
	}
}

// overShoulder puts the wrist's centre on the waist's axis, the hand forward.
func overShoulder(k *Kinematics, waist float64) twinrig.Joints {
	// upper sin(a) + fore sin(a+b) = 0 with a = 0.3 from the vertical
	const a = 0.3
	b := math.Asin(-k.upper*math.Sin(a)/k.fore) - a
	return twinrig.Joints{waist, a - k.bend, b + k.bend - math.Pi/2, 0.2, 0.9, -0.3}
}

func TestInverseErrors(t *testing.T) {
	k := NewKinematics()
	at := func(x, y, z float64) twinrig.Pose {
		return twinrig.Pose{R: twinrig.IdentityQuat, P: twinrig.Vec3{x, y, z}}
	}
	// the elbow cannot bend 1.61 rad or more; from beside that limit the pose
	// just past it can only be had by folding the arm the other way
	edge := twinrig.Joints{0, -1.2, twinrig.PositionLimits.Upper[twinrig.Elbow], 0, 0.8, 0}
	past := edge
	past[twinrig.Elbow] += 0.02
	nan := math.NaN()
	for _, c := range []struct {
		name string
		x    twinrig.Pose
		seed twinrig.Joints
		want error
	}{
		{"too far", at(0.9, 0, 0.2), twinrig.Joints{}, ErrUnreachable},
		{"inside the arm", at(0.16, 0, 0.11), twinrig.Joints{}, ErrUnreachable},
		{"limits in the way", k.Forward(past), edge, ErrUnreachable},
		{"not a number", at(nan, 0, 0), twinrig.Joints{}, ErrUnreachable},
		{"no rotation", twinrig.Pose{P: twinrig.Vec3{0.3, 0, 0.2}}, twinrig.Joints{}, ErrUnreachable},
		{"seed not a number", at(0.4, 0, 0.3), twinrig.Joints{nan}, ErrUnreachable},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, err := k.Inverse(c.x, c.seed)
			require.ErrorIs(t, err, c.want)
			if c.seed.Finite() {
				require.Equal(t, c.seed, q, "the seed comes back")
			}
		})
	}
}

// TestInverseRefusesToFold looks for poses just past a limit, from seeds just
// inside it: what comes back is near the seed or an error, never another way
// of folding the arm.
func TestInverseRefusesToFold(t *testing.T) {
	k := NewKinematics()
	rng := rand.New(rand.NewPCG(3, 0))
	counts := map[error]int{}
	for range 20_000 {
		seed := randomJoints(rng, 0.98)
		i := rng.IntN(twinrig.NumJoints)
		seed[i] = twinrig.PositionLimits.Upper[i]
		past := seed
		past[i] += 0.01
		q, err := k.Inverse(k.Forward(past), seed)
		counts[err]++
		if err == nil {
			require.Less(t, q.Sub(seed).MaxAbs(), 0.01+jump+1e-6)
		}
	}
	t.Log(counts)
	require.Positive(t, counts[ErrJump])
	require.Positive(t, counts[ErrUnreachable])
}

func BenchmarkInverse(b *testing.B) {
	k := NewKinematics()
	q := twinrig.Joints{0.1, 0.2, -0.3, 0.4, 0.5, -0.6}
	x, seed := k.Forward(q), q.Add(twinrig.Joints{0.1, -0.1, 0.1, -0.1, 0.1, -0.1})
	for b.Loop() {
		if _, err := k.Inverse(x, seed); err != nil {
			b.Fatal(err)
		}
	}
}
