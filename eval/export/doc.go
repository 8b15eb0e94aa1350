// Package export gives a study's trials to other software: as CSV here, as a
// LeRobot dataset in package lerobot. Both are pure functions of plan, ledger
// and logs: the same study gives the same files.
package export
