// Package mujoco is the only cgo to the MuJoCo physics engine: models, data,
// stepping, contacts, Jacobians and off-screen rendering. It knows no robot.
//
// The headers are needed to build; the library is opened at run time, so that
// a missing one is an error that names the cure. Open says where it is looked
// for. Header and library must be the same version (3.17.0), because MuJoCo's
// struct layouts change from version to version.
//
// Units are SI and radians. Quaternions are w, x, y, z; matrices are row-major.
// A Model is constant and may be shared by goroutines. A Data belongs to one
// goroutine at a time. Nothing may be used after its Close.
//
// A MuJoCo error never ends the process: it becomes a Go error, and the Data
// in which it happened refuses all further work.
package mujoco
