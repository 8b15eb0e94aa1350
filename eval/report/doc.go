// Package report shows a study's numbers: as tables in a terminal, as one
// self-contained HTML page with plots, as CSV and JSON of the trials, and as
// one JSON object for other programs.
//
// Every number that comes from the virtual rig is said to be virtual. Nothing
// is coloured by its value: ten trials of one scene do not bear it.
package report
