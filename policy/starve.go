package policy

import "errors"

// ErrObserve is wrapped by the refusal of a request for which there was nothing to
// show: a camera's picture was too old.
var ErrObserve = errors.New("observe")

// Starves tells whether a control step is due and has no goal, so that the arm
// holds, and whether that is because the policy could not be shown anything.
// Before the first goal, when none is due yet, only the latter counts.
func (b *Broker) Starves() (starves, blind bool) {
	return b.gap >= 0 || !b.started && b.blind, b.blind
}
