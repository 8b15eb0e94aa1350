package extrinsics

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"twinrig"
	"twinrig/calib/intrinsics"
)

// Table is what a board that lies on the table says of the table's plane, which
// is z = 0 in the base. All heights are of the board's corners.
type Table struct {
	Views int `json:"views"`
	// RMS is that of the corners' heights in m, Mean their mean, Tilt the angle
	// in rad of the plane through them against the base's.
	RMS  float64 `json:"rms_m"`
	Mean float64 `json:"mean_m"`
	Tilt float64 `json:"tilt_rad"`
}

// tableOf measures the views of a board on the table, thick m thick, through a
// camera at xBC. It is nil without views.
func tableOf(lens *intrinsics.Lens, xBC twinrig.Pose, thick float64, samples []Sample) (*Table, error) {
	if len(samples) == 0 {
		return nil, nil
	}
	t := Table{Views: len(samples)}
	var points []twinrig.Vec3
	for i := range samples {
		v := &samples[i].View
		xCT, _, err := lens.BoardPose(&v.Board, v.Corners)
		if err != nil {
			return nil, err
		}
		xBT := xBC.Mul(xCT)
		for _, c := range v.Corners {
			p := xBT.Apply(v.Board.Corner(c.ID))
			p[2] -= thick
			points = append(points, p)
		}
	}
	a, b := mat.NewDense(len(points), 3, nil), mat.NewVecDense(len(points), nil)
	for i, p := range points {
		t.Mean += p[2] / float64(len(points))
		t.RMS += p[2] * p[2] / float64(len(points))
		a.SetRow(i, []float64{p[0], p[1], 1})
		b.SetVec(i, p[2])
	}
	t.RMS = math.Sqrt(t.RMS)
	var plane mat.VecDense
	if err := plane.SolveVec(a, b); err != nil {
		return nil, ErrDegenerate
	}
	t.Tilt = math.Atan(math.Hypot(plane.AtVec(0), plane.AtVec(1)))
	return &t, nil
}
