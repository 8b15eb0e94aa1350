// Package twinrig holds the nouns that every other package speaks: joints,
// poses, states, commands, frames, reports, and the Arm and Camera interfaces.
// It does no I/O and imports only the standard library.
//
// Units are SI and radians as plain float64. Anything else wears its unit in
// its name or type. A time.Duration stamp is monotonic time since the rig was
// opened; nothing here reads a clock.
//
// Frames are right-handed and named by one letter:
//
//	W  world: the table top, z up
//	B  arm base (base_link)
//	E  pinch point (ee_gripper_link)
//	C  camera optical frame (x right, y down, z forward)
//	T  tag or target
//	O  object
//
// A local xBE is the pose of E in B, pBO a position of O in B, rWC a rotation.
// Letters must cancel: xWE := xWB.Mul(xBE). Exported fields and file keys spell
// it in the same order: BaseFromCamera, base_from_camera.
//
// Spaces never mix. Motor space (int32 ticks, by servo id) lives in
// drivers/dynamixel and drivers/widowx; joint space (Joints) is what this
// package speaks; model space (qpos, ctrl) lives in sim; policy space
// (normalised) lives in policy.
package twinrig
