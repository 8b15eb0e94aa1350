// Package stats is statistics over plain outcomes: rates with their intervals,
// tests that compare two policies once or while trials come in, corrections for
// more than two policies, the size of a study, agreement of two judges, and
// ranks of policies in simulation against reality. It does no I/O.
//
// What cannot be computed (a rate of no trials, a correlation with a constant,
// a level outside 0 to 1) is said by a false ok, never by NaN. Every interval
// takes its level, such as 0.95, and is two-sided. Whatever draws random
// numbers takes a seed, and the same seed gives the same answer.
//
// The tests of rates take trials as independent. Trials of one scene are not:
// print ClusterBootstrap and SignFlip, which draw whole scenes, beside them.
// Ten trials of one scene decide almost nothing (0.6 against 0.9 is found in
// every second study), so nothing here compares scene by scene.
package stats
