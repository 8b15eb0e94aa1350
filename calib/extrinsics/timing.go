package extrinsics

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"twinrig"
	"twinrig/calib/intrinsics"
	"twinrig/calib/target"
	"twinrig/sim"
)

// Timing is when pictures are taken beside when they say they were. Row y of a
// picture that is h rows high is exposed at
//
//	stamp - Delay + Readout (y/h - 1/2).
type Timing struct {
	// Delay is how much older the middle row is than the stamp says, s; Readout is
	// the time from the first row to the last of a rolling shutter, s, 0 of a
	// global one.
	Delay, Readout float64
	// DelayDeviation and ReadoutDeviation are their standard deviations, by
	// jackknife over the frames.
	DelayDeviation, ReadoutDeviation float64
	Frames                           int
	// Play is that of the joint that swings, rad.
	Play float64
	// Speed is how fast corners went, RMS in px/s, and RMSPx what is left.
	Speed, RMSPx float64
}

// ErrNoSwing says that a swing tells nothing of time.
var ErrNoSwing = errors.New("swing tells nothing of the camera's timing")

// What a swing must have.
const (
	minSwingFrames = 12
	minSwingSpeed  = 60 // px/s
	// swingWindow is to either side of an instant the readings from which the
	// joints and their speed are taken, s: quantisation averages out.
	swingWindow = 0.06
	minReadings = 5
	// minTurning is how fast the joints must turn for a frame to count, rad/s: at
	// the ends of a swing nobody knows on which side of its play a joint is.
	minTurning = 0.08
	// swingParams are delay, readout, an offset of the board in the picture, right
	// and down (what the calibration itself is off at this pose), and half the
	// play: a link is behind its servo by that much, however fast it goes, which
	// would else pass for delay.
	swingParams = 5
)

// Timing finds the camera's timing from a swing, by least squares on how far the
// moving corners are from where the joints have them at the stamp.
func (s *Swing) Timing(lens intrinsics.Lens, r *Result) (*Timing, error) {
	var t Timing
	kin := sim.NewKinematics()
	for pass := range 4 {
		parts, all := s.linear(&lens, kin, r, t.Delay)
		if len(parts) < minSwingFrames {
			return nil, fmt.Errorf("%w: %d frames with readings about them, %d are needed", ErrNoSwing, len(parts), minSwingFrames)
		}
		d, ok := all.solve()
		if !ok {
			return nil, fmt.Errorf("%w: the board hardly moved", ErrNoSwing)
		}
		t.Frames, t.Speed = len(parts), math.Sqrt(all.speed2/all.n)
		if t.Speed < minSwingSpeed {
			return nil, fmt.Errorf("%w: corners went %.0f px/s, %d are needed", ErrNoSwing, t.Speed, minSwingSpeed)
		}
		t.Delay, t.Readout, t.Play = t.Delay+d[0], d[1], 2*d[4]
		if pass == 3 {
			t.RMSPx = math.Sqrt(max(all.left(d), 0) / all.n)
			t.jackknife(parts, all, d)
		}
	}
	return &t, nil
}

// swingPart are a frame's normal equations: a' a, a' b, b' b, over n corners.
type swingPart struct {
	h         [swingParams][swingParams]float64
	g         [swingParams]float64
	b2        float64
	n, speed2 float64
}

func (p *swingPart) add(o *swingPart, sign float64) {
	for i := range p.h {
		for j := range p.h {
			p.h[i][j] += sign * o.h[i][j]
		}
		p.g[i] += sign * o.g[i]
	}
	p.b2 += sign * o.b2
	p.n += sign * o.n
	p.speed2 += sign * o.speed2
}

func (p *swingPart) solve() (d [swingParams]float64, ok bool) {
	h := mat.NewSymDense(swingParams, nil)
	for i := range p.h {
		for j := i; j < swingParams; j++ {
			h.SetSym(i, j, p.h[i][j])
		}
	}
	var chol mat.Cholesky
	var x mat.VecDense
	if !chol.Factorize(h) || chol.SolveVecTo(&x, mat.NewVecDense(swingParams, p.g[:])) != nil {
		return d, false
	}
	for i := range d {
		d[i] = x.AtVec(i)
	}
	return d, true
}

// left is the sum of squares that d leaves.
func (p *swingPart) left(d [swingParams]float64) float64 {
	sum := p.b2
	for i := range d {
		sum -= d[i] * p.g[i]
	}
	return sum
}

// linear builds each frame's equations about a delay.
func (s *Swing) linear(lens *intrinsics.Lens, kin *sim.Kinematics, r *Result, delay float64) (parts []swingPart, all swingPart) {
	for i := range s.Frames {
		f := &s.Frames[i]
		q, dq, ok := s.at(f.At - delay)
		if !ok || turning(dq) < minTurning {
			continue
		}
		corners := f.Corners
		best := s.part(lens, kin, r, corners, q, dq)
		if s.Board.Kind == target.Chessboard {
			// Its corners may be counted from the other end.
			turned := view{corners: corners}.turned(&s.Board)
			if p := s.part(lens, kin, r, turned.corners, q, dq); p.b2 < best.b2 {
				best = p
			}
		}
		parts = append(parts, best)
		all.add(&best, 1)
	}
	return parts, all
}

// part is a frame's equations: b is detection less where the joints have it.
func (s *Swing) part(lens *intrinsics.Lens, kin *sim.Kinematics, r *Result, corners []target.Corner, q, dq twinrig.Joints) swingPart {
	const h = 1e-3 // s
	speed := turning(dq)
	inCamera := func(dt float64) twinrig.Pose {
		return r.BaseFromCamera.Inv().Mul(kin.Forward(q.Add(r.Zeros).Add(dq.Scale(dt)))).Mul(r.HandFromBoard)
	}
	now, before, after := inCamera(0), inCamera(-h), inCamera(h)
	var p swingPart
	for _, c := range corners {
		at := s.Board.Corner(c.ID)
		u, v := lens.Project(now.Apply(at))
		u0, v0 := lens.Project(before.Apply(at))
		u1, v1 := lens.Project(after.Apply(at))
		du, dv := (u1-u0)/(2*h), (v1-v0)/(2*h)
		y := c.Y/float64(s.HeightPx) - 0.5
		var row swingPart
		for _, e := range [2]struct {
			a [swingParams]float64
			b float64
		}{{[swingParams]float64{-du, du * y, 1, 0, -du / speed}, c.X - u}, {[swingParams]float64{-dv, dv * y, 0, 1, -dv / speed}, c.Y - v}} {
			if math.IsNaN(e.b) {
				continue // behind the camera: counted by none
			}
			for i := range e.a {
				for j := range e.a {
					row.h[i][j] += e.a[i] * e.a[j]
				}
				row.g[i] += e.a[i] * e.b
			}
			row.b2 += e.b * e.b
		}
		row.n, row.speed2 = 1, du*du+dv*dv
		p.add(&row, 1)
	}
	return p
}

// turning is how fast joints turn, all together, rad/s.
func turning(dq twinrig.Joints) float64 {
	var sum float64
	for _, v := range dq {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// at are the joints and their speed at a time, by a parabola through the readings
// about it.
func (s *Swing) at(when float64) (q, dq twinrig.Joints, ok bool) {
	var times []float64
	var near []*Reading
	before, after := false, false
	for i := range s.Track {
		d := s.Track[i].At - when
		if math.Abs(d) <= swingWindow {
			times, near = append(times, d), append(near, &s.Track[i])
			before, after = before || d <= 0, after || d >= 0
		}
	}
	if len(near) < minReadings || !before || !after {
		return q, dq, false
	}
	a := mat.NewDense(len(near), 3, nil)
	b := mat.NewDense(len(near), twinrig.NumJoints, nil)
	for i, t := range times {
		a.SetRow(i, []float64{1, t, t * t})
		b.SetRow(i, near[i].Joints[:])
	}
	var x mat.Dense
	if x.Solve(a, b) != nil {
		return q, dq, false
	}
	for j := range q {
		q[j], dq[j] = x.At(0, j), x.At(1, j)
	}
	return q, dq, true
}

// jackknife leaves out each frame in turn.
func (t *Timing) jackknife(parts []swingPart, all swingPart, d [swingParams]float64) {
	n := float64(len(parts))
	for i := range parts {
		rest := all
		rest.add(&parts[i], -1)
		if w, ok := rest.solve(); ok {
			t.DelayDeviation += sq(w[0]-d[0]) * (n - 1) / n
			t.ReadoutDeviation += sq(w[1]-d[1]) * (n - 1) / n
		}
	}
	t.DelayDeviation, t.ReadoutDeviation = math.Sqrt(t.DelayDeviation), math.Sqrt(t.ReadoutDeviation)
}
