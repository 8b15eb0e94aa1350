// Package sim is the WidowX 250S and a table with objects as a MuJoCo world:
// an Arm that moves in it, cameras that look at it, and the arm's kinematics
// and gravity torques.
//
// There is one table of numbers (links.go, from the arm's URDF). The MuJoCo
// model, the kinematics and the gravity torques are all made from it, and a
// test holds them together.
//
// The world's frame is B, the arm's base, z up. The table's top is z = 0 in B.
// Units are SI and radians; model space (qpos, qvel) does not leave the
// package. A World and everything made on it belong to one goroutine at a time;
// a Renderer is separate and takes Snapshots.
package sim
