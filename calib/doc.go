// Package calib is the calibration record of one rig: numbers that were
// measured on it, as against config, which somebody chose. A record is one
// dated yaml file; a new calibration writes a new file and the old one stays.
//
// Units are SI and radians unless a name says otherwise (A, Px, Tick), and each
// key of the file ends in its unit. Frames are those of package twinrig.
// Nominal is the WidowX 250S as it is shipped, before anything was measured.
package calib
