// Package intrinsics calibrates a camera's lens from views of a board: collect
// samples (Sample, Collector), solve (Solve, a pure function of the samples),
// check on what was not fitted (in Solve's Result), report.
//
// The lens is the pinhole with Brown's distortion as OpenCV parametrises it: fx,
// fy, cx, cy, k1, k2, p1, p2, k3; so a result may be given to any software that
// uses OpenCV's model. The solution minimises the squared reprojection distance
// over lens and poses together (Zhang, A Flexible New Technique for Camera
// Calibration, PAMI 2000) by Levenberg-Marquardt on the normal equations reduced
// to the lens.
//
// Distances in pixels are Euclidean, one for each corner. "Mean" is their plain
// mean; "RMS" is the root of their mean square, the number that OpenCV's
// calibrateCamera returns, always at least the mean.
package intrinsics
