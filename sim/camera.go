package sim

import "twinrig/calib"

// CameraOf is a calibrated camera as the simulator sees it.
func CameraOf(name string, c *calib.Camera) CameraSpec {
	return CameraSpec{
		Name: name, BaseFromCamera: c.BaseFromCamera.Pose(),
		FxPx: c.FxPx, FyPx: c.FyPx, CxPx: c.CxPx, CyPx: c.CyPx,
		W: c.WidthPx, H: c.HeightPx, Distortion: c.Distortion,
	}
}
