package main

import (
	"math"

	"twinrig"
	"twinrig/calib/extrinsics"
)

// truthJSON is how far a result is from the truth of the virtual rig.
type truthJSON struct {
	PositionMM  float64 `json:"position_mm"`
	RotationDeg float64 `json:"rotation_deg"`
}

func (r *poseRun) truthError() *truthJSON {
	if r.truth == nil {
		return nil
	}
	dist, angle := r.result.BaseFromCamera.Gap(*r.truth)
	return &truthJSON{1000 * dist, angle * deg}
}

// poseJSON is a rigid transform.
type poseJSON struct {
	PositionM    twinrig.Vec3 `json:"position_m"`
	RotationWXYZ twinrig.Quat `json:"rotation_wxyz"`
}

// tableJSON is the table's plane against z = 0 of the base.
type tableJSON struct {
	RMSMM   float64 `json:"rms_mm"`
	MeanMM  float64 `json:"mean_mm"`
	TiltDeg float64 `json:"tilt_deg"`
}

// timingJSON is when pictures are taken beside their stamps.
type timingJSON struct {
	DelayMS       float64 `json:"capture_delay_ms"`
	DelayStdDev   float64 `json:"capture_delay_std_dev_ms"`
	RollingMS     float64 `json:"rolling_shutter_ms"`
	RollingStdDev float64 `json:"rolling_shutter_std_dev_ms"`
	Frames        int     `json:"frames"`
}

// extrinsicsJSON is the command's JSON.
type extrinsicsJSON struct {
	BaseFromCamera poseJSON `json:"base_from_camera"`
	HandFromBoard  poseJSON `json:"hand_from_board"`
	MeanPx         float64  `json:"mean_reprojection_px"`
	RMSPx          float64  `json:"rms_reprojection_px"`
	HeldOutMeanPx  float64  `json:"held_out_mean_px"`
	HeldOutRMSPx   float64  `json:"held_out_rms_px"`
	// InversePx is the median reprojection with the inverse transform, null where
	// the boards would be behind the camera.
	InversePx *float64           `json:"inverse_reprojection_px"`
	Limit     map[string]float64 `json:"limit"`
	// Deviations are standard deviations of the camera's pose.
	PositionDevMM    float64              `json:"position_std_dev_mm"`
	RotationDevDeg   float64              `json:"rotation_std_dev_deg"`
	TurnsDeg         [3]float64           `json:"turns_deg"`
	Condition        float64              `json:"condition"`
	CornerPx         float64              `json:"corner_px"`
	BoardScale       float64              `json:"board_scale"`
	BoardScaleStdDev float64              `json:"board_scale_std_dev"`
	ZerosDeg         twinrig.Joints       `json:"joint_zeros_deg"`
	MovedMM          float64              `json:"moved_mm"`
	MovedDeg         float64              `json:"moved_deg"`
	Table            *tableJSON           `json:"table"`
	Timing           *timingJSON          `json:"timing"`
	GhostIoU         *float64             `json:"ghost_iou"`
	Views            int                  `json:"views"`
	Dropped          []extrinsics.Dropped `json:"dropped"`
	Turned           []string             `json:"turned"`
	Warnings         []string             `json:"warnings"`
	Saved            *string              `json:"saved"`
	Forced           bool                 `json:"forced"`
	Samples          string               `json:"samples"`
	Report           string               `json:"report"`
	TruthError       *truthJSON           `json:"truth_error,omitempty"`
}

func (r *poseRun) json() (extrinsicsJSON, error) {
	res := r.result
	m, err := r.measurement()
	if err != nil {
		return extrinsicsJSON{}, err
	}
	out := extrinsicsJSON{
		BaseFromCamera: poseJSON{res.BaseFromCamera.P, res.BaseFromCamera.R}, HandFromBoard: poseJSON{res.HandFromBoard.P, res.HandFromBoard.R},
		MeanPx: res.MeanPx, RMSPx: res.RMSPx, HeldOutMeanPx: res.HeldOutMeanPx, HeldOutRMSPx: res.HeldOutRMSPx, Limit: m.Limits,
		PositionDevMM: 1000 * res.PositionDeviation(), RotationDevDeg: res.RotationDeviation() * deg,
		TurnsDeg: [3]float64(twinrig.Vec3(res.Turns).Scale(deg)), Condition: res.Condition, CornerPx: res.PixelPx,
		BoardScale: res.Scale, BoardScaleStdDev: res.ScaleDeviation, ZerosDeg: res.Zeros.Scale(deg),
		Views: len(res.Views), Dropped: append([]extrinsics.Dropped{}, res.Dropped...), Turned: append([]string{}, res.Turned...),
		Warnings: append([]string{}, res.Warnings...), Samples: r.dir, Report: r.reportPath(), TruthError: r.truthError(),
	}
	if !math.IsInf(res.InversePx, 0) {
		out.InversePx = &res.InversePx
	}
	dist, angle := res.BaseFromCamera.Gap(r.before)
	out.MovedMM, out.MovedDeg = 1000*dist, angle*deg
	if t := res.Table; t != nil {
		out.Table = &tableJSON{1000 * t.RMS, 1000 * t.Mean, t.Tilt * deg}
	}
	if t := res.Timing; t != nil {
		out.Timing = &timingJSON{1000 * t.Delay, 1000 * t.DelayDeviation, 1000 * t.Readout, 1000 * t.ReadoutDeviation, t.Frames}
	}
	if r.ghost != nil {
		out.GhostIoU = &r.ghost.IoU
	}
	if r.saved != "" {
		out.Saved, out.Forced = &r.saved, r.record.Measured["extrinsics"].Forced
	}
	return out, nil
}
