package intrinsics

import (
	"twinrig"
	"twinrig/calib/target"
)

// Result is a solved lens and how good it is.
type Result struct {
	Board             target.Board
	WidthPx, HeightPx int
	Lens              Lens
	// Deviation is each parameter's standard deviation if corners err alike and
	// by themselves; Jackknife is the one that leaving out a view at a time
	// shows, which also sees what the views have in common. Units as the lens.
	Deviation, Jackknife [NumParams]float64
	// Views are those that the lens was solved from, Dropped the others.
	Views   []View
	Dropped []Dropped
	// Over every corner of Views.
	MeanPx, RMSPx float64
	// HeldOut is the same over views that the lens was not solved from: each
	// view in turn is left out, its pose is fitted to every other corner, and
	// the distance is taken at those between.
	HeldOutMeanPx, HeldOutRMSPx float64
	// TiltRad is the largest angle between two views' boards.
	TiltRad float64
	// Coverage is the share of the picture's cells (GridCols x GridRows) in
	// which a corner was seen.
	Coverage float64
	// Warnings are what a user should know, each with its cure.
	Warnings []string
}

// View is a view and what is left of it.
type View struct {
	Sample Sample
	// CameraFromBoard is xCT.
	CameraFromBoard twinrig.Pose
	// Residuals are reprojection less detection, of Sample.Corners, in pixels.
	Residuals            [][2]float64
	MeanPx, RMSPx, MaxPx float64
	HeldOutRMSPx         float64
}

// Dropped is a view that the lens was not solved from.
type Dropped struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// FocalDeviation is the larger relative standard deviation of the two focal
// lengths, by the larger of the two estimates of it.
func (r *Result) FocalDeviation() float64 {
	var worst float64
	for i := range 2 {
		worst = max(worst, r.Deviation[i]/r.Lens[i], r.Jackknife[i]/r.Lens[i])
	}
	return worst
}
