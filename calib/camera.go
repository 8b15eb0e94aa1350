package calib

import (
	"math"

	"twinrig"
)

// Camera is a pinhole camera with the distortion model of OpenCV, and where it
// stands.
type Camera struct {
	WidthPx  int `yaml:"width_px"`
	HeightPx int `yaml:"height_px"`
	// Focal lengths and principal point; pixel (0, 0) is the centre of the top
	// left one.
	FxPx float64 `yaml:"fx_px"`
	FyPx float64 `yaml:"fy_px"`
	CxPx float64 `yaml:"cx_px"`
	CyPx float64 `yaml:"cy_px"`
	// Distortion is k1, k2, p1, p2, k3, without unit.
	Distortion [5]float64 `yaml:"distortion_k1_k2_p1_p2_k3,flow"`
	// BaseFromCamera is xBC: the optical frame (x right, y down, z forward) in
	// the arm's base.
	BaseFromCamera Pose `yaml:"base_from_camera"`
}

// Pose is a twinrig.Pose as files spell it.
type Pose struct {
	PositionM    [3]float64 `yaml:"position_m,flow"`
	RotationWXYZ [4]float64 `yaml:"rotation_wxyz,flow"`
}

// PoseOf spells x for a file.
func PoseOf(x twinrig.Pose) Pose { return Pose{PositionM: x.P, RotationWXYZ: x.R} }

// Pose returns the rigid transform, its quaternion of unit length.
func (p Pose) Pose() twinrig.Pose {
	return twinrig.Pose{R: twinrig.Quat(p.RotationWXYZ).Normalized(), P: p.PositionM}
}

// Validate names the first key that is out of its limit.
func (c *Camera) Validate() error {
	w, h := float64(c.WidthPx), float64(c.HeightPx)
	q, p := c.BaseFromCamera.RotationWXYZ, c.BaseFromCamera.PositionM
	for _, err := range []error{
		inRange("width_px", w, 16, 8192),
		inRange("height_px", h, 16, 8192),
		// From a 160 degree fisheye to a 6 degree telephoto lens.
		inRange("fx_px", c.FxPx, 0.1*w, 10*w),
		inRange("fy_px", c.FyPx, 0.1*w, 10*w),
		inRange("cx_px", c.CxPx, 0, w),
		inRange("cy_px", c.CyPx, 0, h),
		inRange("base_from_camera.position_m[0]", p[0], -3, 3),
		inRange("base_from_camera.position_m[1]", p[1], -3, 3),
		inRange("base_from_camera.position_m[2]", p[2], -3, 3),
		inRange("base_from_camera.rotation_wxyz: its length",
			math.Sqrt(q[0]*q[0]+q[1]*q[1]+q[2]*q[2]+q[3]*q[3]), 0.999, 1.001),
	} {
		if err != nil {
			return err
		}
	}
	for i, d := range c.Distortion {
		if err := inRange("distortion_k1_k2_p1_p2_k3: "+distortionNames[i], d, -10, 10); err != nil {
			return err
		}
	}
	return nil
}

var distortionNames = [5]string{"k1", "k2", "p1", "p2", "k3"}
