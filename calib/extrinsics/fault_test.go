package extrinsics

import (
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib/target"
)

// Each fault of a whole set is recognised by its name, small and large.
func TestFaultsByName(t *testing.T) {
	move := func(mm, turned float64) twinrig.Pose {
		axis := twinrig.Vec3{0.6, 0, 0.8}
		return twinrig.Pose{R: twinrig.QuatFromAxisAngle(axis, turned/deg), P: twinrig.Vec3{0, mm / 1000, 0}}
	}
	for _, c := range []struct {
		name   string
		want   error
		says   string
		views  int
		before func(*synth, int) // before view i is taken
		after  func(*synth, []Sample) []Sample
	}{
		{name: "too few views", want: ErrTooFewViews, says: "7 usable, at least 8 are needed", views: 7},
		{name: "most are blurred", want: ErrTooFewViews, says: "view000.png: blurred", views: 12, after: func(_ *synth, v []Sample) []Sample {
			for i := range v[:6] {
				v[i].View.BlurPx = 9
			}
			return v
		}},
		{name: "another board", want: ErrWrongBoard, says: "one board must stay in the hand", after: func(_ *synth, v []Sample) []Sample {
			v[9].View.Board.SquareM = 0.02
			return v
		}},
		{name: "another square", want: ErrWrongBoard, says: "not 13.50: measure the print", after: func(_ *synth, v []Sample) []Sample {
			for i := range v {
				v[i].View.Board.SquareM = 0.0135
			}
			return v
		}},
		{name: "quite another square", want: ErrWrongBoard, says: "not 25.00: measure the print", after: func(_ *synth, v []Sample) []Sample {
			for i := range v {
				v[i].View.Board.SquareM = 0.025
			}
			return v
		}},
		{name: "mirrored, corners not counted anew", want: ErrMirrored, says: "end the flip", after: func(_ *synth, v []Sample) []Sample {
			for i := range v {
				mirrorOf(&v[i])
			}
			return v
		}},
		{name: "mirrored as a chessboard is seen", want: ErrMirrored, says: "left and right", after: func(s *synth, v []Sample) []Sample {
			for i := range v {
				mirrorOf(&v[i])
				recount(&s.board, v[i].View.Corners)
			}
			return v
		}},
		{name: "camera moved much", want: ErrCameraMoved, says: "between view011.png and view012.png", before: func(s *synth, i int) {
			if i == 12 {
				s.camera = move(15, 4).Mul(s.camera)
			}
		}},
		{name: "camera moved early", want: ErrCameraMoved, says: "between view005.png and view006.png", before: func(s *synth, i int) {
			if i == 6 {
				s.camera = move(15, 4).Mul(s.camera)
			}
		}},
		{name: "camera moved late", want: ErrCameraMoved, says: "between view018.png and view019.png", before: func(s *synth, i int) {
			if i == 19 {
				s.camera = move(15, 4).Mul(s.camera)
			}
		}},
		{name: "camera moved a little", want: ErrCameraMoved, before: func(s *synth, i int) {
			if i == 11 {
				s.camera = move(4, 0.6).Mul(s.camera)
			}
		}},
		{name: "board slipped", want: ErrBoardSlipped, says: "between view011.png and view012.png", before: func(s *synth, i int) {
			if i == 12 {
				s.held = s.held.Mul(move(6, 8))
			}
		}},
		{name: "horn slipped", want: ErrArmBumped, says: "the zero of elbow jumped by", before: func(s *synth, i int) {
			if i == 12 {
				s.zeros[twinrig.Elbow] += 5 / deg
			}
		}},
		{name: "horn slipped a little", want: ErrArmBumped, says: "the zero of shoulder jumped by", before: func(s *synth, i int) {
			if i == 12 {
				s.zeros[twinrig.Shoulder] += 1 / deg
			}
		}},
		{name: "joints of another moment", want: ErrPoorFit, after: func(_ *synth, v []Sample) []Sample {
			for i := range v {
				v[i].Joints = twinrig.Joints{float64(i%5) * 0.3, 0.2 * float64(i%3), -0.2, 0.4 * float64(i%4), 0.1 * float64(i), 0}
			}
			return v
		}},
		{name: "another camera mode", want: ErrCameraMoved, says: "mode was changed", after: func(_ *synth, v []Sample) []Sample {
			v[3].View.WidthPx = 1280
			return v
		}},
		{name: "about one axis", want: ErrOneAxis, says: "turn the wrist and the forearm too", after: func(s *synth, v []Sample) []Sample {
			q := v[0].Joints
			for i := range v {
				v[i].Joints = q
				v[i].Joints[twinrig.Waist] += 0.02 * float64(i)
			}
			return v
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSynth(t, 11)
			s.before = c.before
			n := c.views
			if n == 0 {
				n = 24
			}
			samples := s.samples(t, n)
			if c.after != nil {
				samples = c.after(s, samples)
			}
			r, err := Solve(samples, s.lens, DefaultOptions())
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, c.says)
			require.Equal(t, twinrig.Pose{}, r.BaseFromCamera, "nothing to save")
			t.Log(err)
		})
	}
}

// recount gives mirrored corners the order in which a chessboard is found.
func recount(b *target.Board, corners []target.Corner) {
	for i := range corners {
		id := corners[i].ID
		corners[i].ID = id/b.Cols*b.Cols + b.Cols - 1 - id%b.Cols
	}
}

// Poses of the base in the hand, as other software has them, are named.
func TestInvertedHandsAreNamed(t *testing.T) {
	s := newSynth(t, 12)
	samples := s.samples(t, 20)
	r := &Result{}
	inHand, _, err := r.usable(samples, &s.lens)
	require.NoError(t, err)
	p := problemOf(&s.board, &s.lens, inHand, DefaultOptions())
	p.kin = inverse{s.kin}
	kept, got, bad, err := p.fit()
	require.NoError(t, err)
	require.ErrorIs(t, p.judge(kept, &got, bad), ErrInverted)
}

type inverse struct{ forwarder }

func (k inverse) Forward(q twinrig.Joints) twinrig.Pose { return k.forwarder.Forward(q).Inv() }
