package twinrig

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func randomQuat(r *rand.Rand) Quat {
	return Quat{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.Normalized()
}

func TestRPYOrderIsRzRyRx(t *testing.T) {
	// 90 deg roll then 90 deg yaw about the fixed axes takes y to z (roll),
	// and z stays z under yaw; z goes to -y (roll) and then to +x (yaw).
	q := QuatFromRPY(math.Pi/2, 0, math.Pi/2)
	for _, c := range []struct{ in, want Vec3 }{
		{Vec3{1, 0, 0}, Vec3{0, 1, 0}},
		{Vec3{0, 1, 0}, Vec3{0, 0, 1}},
		{Vec3{0, 0, 1}, Vec3{1, 0, 0}},
	} {
		require.InDeltaSlice(t, c.want[:], q.Rotate(c.in).slice(), 1e-15)
	}
}

func (v Vec3) slice() []float64 { return v[:] }

func TestRotationRoundTrips(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 1000 {
		q := randomQuat(r)
		require.InDelta(t, 0, q.Inv().Mul(QuatFromMatrix(q.Matrix())).Angle(), 1e-7)
		roll, pitch, yaw := q.RPY()
		require.InDelta(t, 0, q.Inv().Mul(QuatFromRPY(roll, pitch, yaw)).Angle(), 1e-7)
		v := q.RotVec()
		a := v.Norm()
		require.InDelta(t, 0, q.Inv().Mul(QuatFromAxisAngle(v.Scale(1/a), a)).Angle(), 1e-7)
	}
	for _, pitch := range []float64{math.Pi / 2, -math.Pi / 2} {
		q := QuatFromRPY(0.3, pitch, 0.7)
		roll, p, yaw := q.RPY()
		require.InDelta(t, 0, q.Inv().Mul(QuatFromRPY(roll, p, yaw)).Angle(), 1e-6)
	}
}

func TestPoseLettersCancel(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	xAB := Pose{R: randomQuat(r), P: Vec3{1, 2, 3}}
	xBC := Pose{R: randomQuat(r), P: Vec3{-4, 5, 0.5}}
	pC := Vec3{0.1, -0.2, 0.3}
	want := xAB.Apply(xBC.Apply(pC))
	require.InDeltaSlice(t, want[:], xAB.Mul(xBC).Apply(pC).slice(), 1e-12)
	back := xAB.Inv().Apply(want)
	require.InDeltaSlice(t, xBC.Apply(pC).slice(), back[:], 1e-12)
	dist, angle := xAB.Gap(xAB.Mul(Pose{R: QuatFromRPY(0, 0.25, 0), P: Vec3{0.3, 0, 0.4}}))
	require.InDelta(t, 0.5, dist, 1e-12)
	require.InDelta(t, 0.25, angle, 1e-12)
}
