// Package eval asks how well policies do: a Study is the frozen plan, a Trial
// one self-contained entry of it, a Result what became of it, the Ledger the
// durable record, Analyse the numbers. Run goes through the open trials with a
// Runner that somebody else provides; eval does not know what an arm is.
//
// Times within a trial are seconds of a monotonic clock; the wall clock only
// dates entries of the ledger and enters no number. Fields of other units say
// so in their names.
package eval
