package sim

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/sim/mujoco"
)

// pose is one line of testdata/poses.json: poses of the URDF whose transform
// (rows of the 3 x 4 matrix of xBE) and holding torques were worked out apart
// from this package, by the product of exponentials and by the moments of the
// links' weights.
type pose struct {
	Name    string
	Q       twinrig.Joints
	XBE     [12]float64    `json:"base_from_pinch"`
	Gravity twinrig.Joints `json:"gravity_nm"`
}

func readPoses(t *testing.T) []pose {
	t.Helper()
	text, err := os.ReadFile("testdata/poses.json")
	require.NoError(t, err)
	var poses []pose
	require.NoError(t, json.Unmarshal(text, &poses))
	require.Len(t, poses, 15)
	return poses
}

// randomJoints is uniform within share of the limits.
func randomJoints(rng *rand.Rand, share float64) twinrig.Joints {
	var q twinrig.Joints
	l := &twinrig.PositionLimits
	for i := range q {
		mid, half := (l.Upper[i]+l.Lower[i])/2, (l.Upper[i]-l.Lower[i])/2
		q[i] = mid + share*half*(2*rng.Float64()-1)
	}
	return q
}

// arm is a world without objects.
func arm(t *testing.T) *World {
	t.Helper()
	w, err := NewWorld(Spec{Params: NominalParams()})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

func TestKnownPoses(t *testing.T) {
	k, w := NewKinematics(), arm(t)
	pinch, err := w.model.ID(mujoco.Site, "pinch")
	require.NoError(t, err)
	for _, c := range readPoses(t) {
		t.Run(c.Name, func(t *testing.T) {
			x := k.Forward(c.Q)
			r := x.R.Matrix()
			got := []float64{
				r[0][0], r[0][1], r[0][2], x.P[0], r[1][0], r[1][1], r[1][2], x.P[1], r[2][0], r[2][1], r[2][2], x.P[2],
			}
			require.InDeltaSlice(t, c.XBE[:], got, 1e-9)
			tau := k.Gravity(c.Q)
			require.InDeltaSlice(t, c.Gravity[:], tau[:], 1e-6)

			// and so says the model that is stepped, at any finger opening
			for _, finger := range []float64{twinrig.FingerClosed, 0.0195, twinrig.FingerOpen} {
				w.SetArm(c.Q, finger)
				require.NoError(t, w.data.Forward())
				p, m := w.data.SitePose(pinch)
				got = []float64{m[0], m[1], m[2], p[0], m[3], m[4], m[5], p[1], m[6], m[7], m[8], p[2]}
				require.InDeltaSlice(t, c.XBE[:], got, 1e-9)
				for i, j := range w.joints {
					require.InDelta(t, c.Gravity[i], w.data.QfrcBias()[j.DOF], 1e-6)
				}
			}
		})
	}
}

// TestKinematicsIsTheModel compares the closed form with MuJoCo.
func TestKinematicsIsTheModel(t *testing.T) {
	k, w := NewKinematics(), arm(t)
	pinch, err := w.model.ID(mujoco.Site, "pinch")
	require.NoError(t, err)
	nv := w.model.NV()
	jacp, jacr := make([]float64, 3*nv), make([]float64, 3*nv)
	rng := rand.New(rand.NewPCG(1, 0))
	for range 1000 {
		q := randomJoints(rng, 1)
		w.SetArm(q, 0.02)
		require.NoError(t, w.data.Forward())
		p, m := w.data.SitePose(pinch)
		x := k.Forward(q)
		r := x.R.Matrix()
		require.InDeltaSlice(t, p[:], x.P[:], 1e-12)
		require.InDeltaSlice(t, m[:], append(append(append([]float64{}, r[0][:]...), r[1][:]...), r[2][:]...), 1e-12)

		tau, jac := k.Gravity(q), k.Jacobian(q)
		require.NoError(t, w.data.JacSite(pinch, jacp, jacr))
		for i, j := range w.joints {
			require.InDelta(t, w.data.QfrcBias()[j.DOF], tau[i], 1e-12)
			for row := range 3 {
				require.InDelta(t, jacp[row*nv+j.DOF], jac[row][i], 1e-12)
				require.InDelta(t, jacr[row*nv+j.DOF], jac[row+3][i], 1e-12)
			}
		}
		require.Equal(t, x, w.EE())
	}
}

// TestWeights holds the sums against those of the URDF.
func TestWeights(t *testing.T) {
	k := NewKinematics()
	hand := k.lumps[twinrig.WristRotate]
	require.InDelta(t, 0.146916, hand.mass, 1e-12)
	require.InDeltaSlice(t, []float64{0.04348427850, 2.65483748e-07, 0.00681679033}, hand.com[:], 1e-10)
	total := baseLink.mass
	for _, l := range k.lumps {
		total += l.mass
	}
	require.InDelta(t, 2.137879, total, 1e-12)

	// the marker links count with their mass alone: no axis of the hand has
	// more than 3e-4 kg m^2, where each of their tensors would bring 1e-3
	for _, i := range hand.inertia[:3] {
		require.Greater(t, i, 0.0)
		require.Less(t, i, 3e-4)
	}
}

// A payload weighs at the pinch point, on top of what the arm's model knows.
func TestPayloadWeighsAtThePinchPoint(t *testing.T) {
	p := NominalParams()
	p.Payload = 0.25
	w, err := NewWorld(Spec{Params: p})
	require.NoError(t, err)
	defer w.Close()
	k, rng := NewKinematics(), rand.New(rand.NewPCG(2, 0))
	for range 50 {
		q := randomJoints(rng, 1)
		w.SetArm(q, 0.02)
		require.NoError(t, w.data.Forward())
		tau, jac := k.Gravity(q), k.Jacobian(q)
		for i, j := range w.joints {
			require.InDelta(t, tau[i]+0.25*9.81*jac[2][i], w.data.QfrcBias()[j.DOF], 1e-9)
		}
	}
}

func TestMergeIsSteiner(t *testing.T) {
	// two 1 kg points on the y axis, 2 m apart
	m := merge("pair", []link{{mass: 1, com: twinrig.Vec3{0.5, 1, 0}}, {mass: 1, com: twinrig.Vec3{0.5, -1, 0}}})
	require.InDelta(t, 2, m.mass, 1e-15)
	require.Equal(t, twinrig.Vec3{0.5, 0, 0}, m.com)
	require.Equal(t, [6]float64{2, 0, 2, 0, 0, 0}, m.inertia)
	// on a diagonal the products of inertia show
	m = merge("pair", []link{{mass: 1, com: twinrig.Vec3{1, 2, 3}}, {mass: 1, com: twinrig.Vec3{-1, -2, -3}}})
	require.Equal(t, [6]float64{26, 20, 10, -4, -6, -12}, m.inertia)
}

func TestKinematicsAllocatesNothing(t *testing.T) {
	k := NewKinematics()
	q := twinrig.Joints{0.1, 0.2, -0.3, 0.4, 0.5, -0.6}
	x := k.Forward(q)
	var sink float64
	require.Zero(t, testing.AllocsPerRun(100, func() {
		tau, jac := k.Gravity(q), k.Jacobian(q)
		y, err := k.Inverse(x, q)
		if err != nil {
			panic(err)
		}
		sink += k.Forward(y).P[0] + tau[1] + jac[2][3]
	}))
	require.False(t, math.IsNaN(sink))
}

func BenchmarkForward(b *testing.B) {
	k, q := NewKinematics(), twinrig.Joints{0.1, 0.2, -0.3, 0.4, 0.5, -0.6}
	for b.Loop() {
		k.Forward(q)
	}
}

func BenchmarkGravity(b *testing.B) {
	k, q := NewKinematics(), twinrig.Joints{0.1, 0.2, -0.3, 0.4, 0.5, -0.6}
	for b.Loop() {
		k.Gravity(q)
	}
}

// The joints of the straight arm lie where the drawing has them.
func TestOrigins(t *testing.T) {
	k := NewKinematics()
	p := k.Origins(twinrig.HomePose)
	require.InDelta(t, 0.11065, p[twinrig.Shoulder][2], 1e-9)
	require.InDelta(t, 0.36065, p[twinrig.Elbow][2], 1e-9)
	require.InDelta(t, 0.04975+0.175+0.075, p[twinrig.WristAngle][0], 1e-9)
	q := twinrig.Joints{0.4, -0.3, 0.7, 0.2, -0.5, 0.9}
	require.Equal(t, k.Forward(q).P, k.Origins(q)[twinrig.NumJoints])
}
