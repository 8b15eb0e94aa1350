// Package ghost compares an arm in pictures with its ghost: the model, drawn at
// the measured joints as a calibrated camera should see it. How well the two
// silhouettes agree says whether the camera is where its calibration has it,
// without any board.
//
// The arm in a picture is what differs from the background, and the background
// is put together from the pictures themselves: of each pixel, those count in
// which the ghost is not near it. So nothing else may move while they are taken.
// What the arm never leaves free, such as its base, has no background and does
// not count.
package ghost
