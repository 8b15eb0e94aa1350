package scene

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/sim"
)

// settle steps a world whose arm holds itself up by gravity compensation.
func settle(t *testing.T, w *sim.World, steps int) {
	t.Helper()
	kin := sim.NewKinematics()
	for range steps {
		q, dq, _, _ := w.Arm()
		require.NoError(t, w.Step(kin.Gravity(q).Sub(dq.Scale(2)), 0))
	}
}

func newWorld(t *testing.T, s *Scene, p Placement) *sim.World {
	t.Helper()
	w, err := sim.NewWorld(sim.Spec{Params: sim.NominalParams(), Bodies: s.Bodies(p)})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

// Every shape stands on the table where it was put, and stays.
func TestBodiesStand(t *testing.T) {
	scenes := Shipped()
	scenes[0].Objects[2].Shape, scenes[0].Objects[2].Size = Napkin, []float64{0.06, 0.06, 0.003}
	for i := range scenes {
		s := &scenes[i]
		t.Run(s.Name, func(t *testing.T) {
			p, err := s.Place(7)
			require.NoError(t, err)
			w := newWorld(t, s, p)
			settle(t, w, 500)
			for name, x := range s.Poses(p) {
				got, err := w.BodyPose(name)
				require.NoError(t, err)
				dist, angle := x.Gap(got)
				require.Less(t, dist, 0.001, name)
				require.Less(t, angle, 0.01, name)
				require.Greater(t, w.ContactForce(name, "table"), 0.05, name)
			}
		})
	}
}

// The dish's boxes keep to the size that the rules reckon with.
func TestDishKeepsItsSize(t *testing.T) {
	for _, s := range Shipped() {
		o := s.Target()
		for _, g := range o.geoms() {
			for _, c := range [8][3]float64{
				{1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1}, {-1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1},
			} {
				corner := g.Pose.Apply(twinrig.Vec3{c[0] * g.Size[0] / 2, c[1] * g.Size[1] / 2, c[2] * g.Size[2] / 2})
				require.LessOrEqual(t, math.Abs(corner[2]), o.Size[1]/2+1e-12)
				if g.Shape == sim.Box {
					require.LessOrEqual(t, math.Hypot(corner[0], corner[1]), o.Size[0]/2+1e-12)
					require.GreaterOrEqual(t, math.Hypot(corner[0], corner[1]), o.innerRadius()-1e-12)
				}
			}
		}
	}
}

// The judge agrees with physics: the source let go over the middle of the
// target succeeds, over the table it does not.
func TestJudgeInTheWorld(t *testing.T) {
	scenes := Shipped()
	for i := range scenes {
		s := &scenes[i]
		for _, c := range []struct {
			name string
			from twinrig.Vec3 // of the target's centre
			want bool
		}{
			{"over the middle", twinrig.Vec3{0, 0, 0.08}, true},
			{"off the middle", twinrig.Vec3{0.025, 0.015, 0.08}, true},
			{"beside", twinrig.Vec3{-0.03, 0.13, 0.08}, false},
		} {
			t.Run(s.Name+"/"+c.name, func(t *testing.T) {
				p, err := s.Place(3)
				require.NoError(t, err)
				w := newWorld(t, s, p)
				settle(t, w, 100)
				r := DefaultRules()
				r.Relation, r.Strict, r.Upright = true, true, true
				j, err := NewJudge(s, r)
				require.NoError(t, err)
				require.NoError(t, j.Start(w))
				require.Empty(t, j.Outcome().Invalid)

				target, err := w.BodyPose(s.Target().Name)
				require.NoError(t, err)
				require.NoError(t, w.SetBody(s.Source().Name, twinrig.Pose{R: twinrig.IdentityQuat, P: target.P.Add(c.from)}))
				for range 10 {
					settle(t, w, 100)
					_, err := j.Step(Tick{Now: w.Time(), Grip: 1, GripGoal: 1}, w)
					require.NoError(t, err)
				}
				o := j.Outcome()
				require.Equal(t, c.want, o.Succeeded(), "%+v", o)
				require.False(t, o.Unstable)
			})
		}
	}
}
