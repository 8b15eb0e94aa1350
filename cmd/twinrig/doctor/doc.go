// Package doctor looks at everything between this program and the gripper, and
// says for each part whether it is as it should be, what was measured, and what
// to type where it is not.
//
// It only looks. No servo's torque, goal or permanent setting is written; the
// port is opened as a study would open it, with the adapter's latency timer
// lowered where that is permitted, and the camera's controls are set as the rig
// file wants them.
package doctor
