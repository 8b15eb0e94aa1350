// Package stats is statistics over plain outcomes: rates with intervals, means
// and spreads, percentiles, and agreement of two judges. It does no I/O.
//
// What cannot be computed (a rate of no trials, a mean of nothing, kappa of a
// constant) is said by a false ok, never by NaN. Every interval takes its
// level, such as 0.95, and is two-sided.
package stats
