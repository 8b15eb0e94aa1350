// Package outside makes a study of outcomes from elsewhere: of a CSV file with
// one row for each trial, or with one row of rates for each scene and policy.
// Errors name the line and the column. What such a file does not say (pairing,
// order, single times, kinds of failures) the study says it does not know.
package outside
