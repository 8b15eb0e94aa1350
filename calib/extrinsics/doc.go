// Package extrinsics finds where a camera stands in the arm's base, xBC, from
// pictures of a board that the gripper carries at an unknown pose xET: collect
// samples (Sample), solve (Solve, a pure function of the samples and the lens),
// check on views that were held out (in Solve's Result), report.
//
// Each view i says xBE(q_i) xET = xBC xCT_i. The start is the linear solution of
// robot-world/hand-eye calibration by the Kronecker product (Shah, Solving the
// Robot-World/Hand-Eye Calibration Problem Using the Kronecker Product, J.
// Mechanisms Robotics 2013) on subsets of the views, so that bad ones have no
// say. The solution minimises the reprojection distances of all corners over
// xBC, xET and small errors of the joints' zeros together, each view weighted by
// what servo readings err by: play and quantisation move a view's corners all
// together, by more than a corner detector errs. The waist's zero is no unknown:
// it defines the base.
//
// Units are m, rad and pixels; mm and deg only in texts and in names that say
// so.
package extrinsics
