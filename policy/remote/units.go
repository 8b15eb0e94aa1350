package remote

import (
	"errors"
	"fmt"

	"twinrig/policy/normalize"
)

// units are the maps between a server's numbers and physical ones.
type units struct{ action, state *normalize.Map }

// newUnits makes the maps that a contract wants: none, where the server does it.
func newUnits(c *Contract) (u units, err error) {
	n := &c.Normalization
	switch {
	case !n.own():
		return u, nil
	case n.Loaded == nil:
		return u, fmt.Errorf("normalization.statistics %s are not loaded", n.Statistics)
	}
	if u.action, err = normalize.New(n.Method, n.Loaded.Action); err != nil {
		return u, fmt.Errorf("%s: action: %w", n.Statistics, err)
	}
	if c.State.Layout == NoState {
		return u, nil
	}
	if n.Loaded.State == nil {
		return u, errors.New(n.Statistics + " has no statistics of the state, which this server is sent")
	}
	if u.state, err = normalize.New(n.Method, n.Loaded.State); err != nil {
		return u, fmt.Errorf("%s: state: %w", n.Statistics, err)
	}
	return u, nil
}

// model takes a state to the model's units.
func (u units) model(state []float64) {
	if u.state != nil {
		u.state.Model(state)
	}
}

// planned takes an action to the model's units.
func (u units) planned(action []float64) {
	if u.action != nil {
		u.action.Model(action)
	}
}

// physical takes an action to physical units.
func (u units) physical(action []float64) {
	if u.action != nil {
		u.action.Physical(action)
	}
}
