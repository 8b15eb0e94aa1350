// Package metrics shows a rig to Prometheus: how late its loop is, how its bus
// and servos are, what its telemetry has dropped, how far its study is. Units are
// Prometheus' own, the base units; a number that nobody has is not there.
package metrics
