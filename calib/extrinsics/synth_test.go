package extrinsics

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/calib/intrinsics"
	"twinrig/calib/target"
	"twinrig/sim"
)

// synth draws samples of an arm that carries a board before a known camera.
type synth struct {
	lens   intrinsics.Lens
	board  target.Board
	camera twinrig.Pose // xBC
	held   twinrig.Pose // xET
	zeros  twinrig.Joints
	// pixel is the corners' noise in px, reading the joints' in rad.
	pixel, reading float64
	// before, if any, is called before the view of a number is taken.
	before func(*synth, int)
	rng    *rand.Rand
	kin    *sim.Kinematics
}

// held is how the hand is thought to hold the board: the board's x is the hand's
// -y, its y the hand's -x, so that it looks up.
var held = twinrig.Pose{R: twinrig.QuatFromMatrix([3][3]float64{{0, -1, 0}, {-1, 0, 0}, {0, 0, -1}}), P: twinrig.Vec3{0.10, 0.042, 0.01}}

func newSynth(t testing.TB, seed uint64) *synth {
	b, err := testBoard()
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(seed, 7))
	small := func(a float64) float64 { return a * rng.NormFloat64() }
	nominal := calib.Nominal().Camera
	s := &synth{
		lens: testLens(), board: b, pixel: 0.3, reading: 0.05 / deg, rng: rng, kin: sim.NewKinematics(),
	}
	s.camera = nominal.BaseFromCamera.Pose().Mul(twinrig.Pose{
		R: twinrig.QuatFromRPY(small(0.02), small(0.02), small(0.02)), P: twinrig.Vec3{small(0.01), small(0.01), small(0.01)},
	})
	s.held = held.Mul(twinrig.Pose{R: twinrig.QuatFromRPY(small(0.05), small(0.05), small(0.05))})
	for j := 1; j < twinrig.NumJoints; j++ {
		s.zeros[j] = small(0.1 / deg)
	}
	return s
}

// samples are n views at planned poses.
func (s *synth) samples(t testing.TB, n int) []Sample {
	t.Helper()
	poses, err := planned()
	require.NoError(t, err)
	// An order of its own, and a small step aside, for each seed.
	s.rng.Shuffle(len(poses), func(i, j int) { poses[i], poses[j] = poses[j], poses[i] })
	var out []Sample
	for _, q := range poses {
		for i := range q {
			q[i] += 0.03 * s.rng.NormFloat64()
		}
		if len(out) == n {
			break
		}
		was := *s
		if s.before != nil {
			s.before(s, len(out))
		}
		if v, ok := s.view(q, len(out)); ok {
			out = append(out, v)
			continue
		}
		*s = was // not seen: the next one is of this number
	}
	require.Len(t, out, n)
	return out
}

// planned are the poses of one plan, which is made once.
func planned() ([]twinrig.Joints, error) {
	poses, err := plan()
	return slices.Clone(poses), err
}

var plan = sync.OnceValues(func() ([]twinrig.Joints, error) {
	b, err := testBoard()
	if err != nil {
		return nil, err
	}
	kin := sim.NewKinematics()
	p := Plan{
		Lens: testLens(), WidthPx: 640, HeightPx: 480, Board: b,
		BaseFromCamera: calib.Nominal().Camera.BaseFromCamera.Pose(), HandFromBoard: held, Options: DefaultOptions(),
		Clear: func(q twinrig.Joints) error {
			if kin.Forward(q).P[2] < 0.1 {
				return errLow
			}
			return nil
		},
	}
	return p.Poses(40, 1)
})

func testBoard() (target.Board, error) { return target.NewChessboard(7, 6, 0.014) }

// testLens is the nominal camera's, and bends.
func testLens() intrinsics.Lens {
	nominal := calib.Nominal().Camera
	l := intrinsics.LensOf(&nominal)
	copy(l[4:], []float64{-0.12, 0.04, 0.0008, -0.0005, 0})
	return l
}

var errLow = errors.New("low")

// view is what is seen at joints q.
func (s *synth) view(q twinrig.Joints, n int) (Sample, bool) {
	x := s.camera.Inv().Mul(s.kin.Forward(q)).Mul(s.held)
	v := intrinsics.Sample{Version: 1, Name: fmt.Sprintf("view%03d.png", n), WidthPx: 640, HeightPx: 480, Board: s.board, Method: "projected", BlurPx: 2}
	mid := x.Apply(s.board.Centre())
	normal := x.R.Rotate(twinrig.Vec3{0, 0, 1})
	if (normal[0]*mid[0]+normal[1]*mid[1]+normal[2]*mid[2])/mid.Norm() < 0.4 {
		return Sample{}, false
	}
	for id := range s.board.Corners() {
		px, py := s.lens.Project(x.Apply(s.board.Corner(id)))
		if !(px > 5 && py > 5 && px < 634 && py < 474) {
			return Sample{}, false
		}
		v.Corners = append(v.Corners, target.Corner{ID: id, X: px + s.pixel*s.rng.NormFloat64(), Y: py + s.pixel*s.rng.NormFloat64()})
	}
	read := q.Sub(s.zeros)
	for i := range read {
		read[i] += s.reading * s.rng.NormFloat64()
	}
	return NewSample(InHand, read, 0.0005, 0.5, v), true
}
