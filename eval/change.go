package eval

import (
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Change amends a plan after it was frozen. It holds for the trials that begin
// after it; the report lists it with its reason.
type Change struct {
	Who    string `json:"who"`
	Reason string `json:"reason"`
	// At is when, by the wall clock (RFC 3339), and Done how many trials counted
	// before. The ledger fills both in.
	At   string `json:"at"`
	Done int    `json:"after_trials"`
	// Timeout in s and MaxAttempts replace the plan's; 0 leaves it.
	Timeout     float64 `json:"timeout_s,omitempty"`
	MaxAttempts int     `json:"max_attempts,omitempty"`
	// Calibration replaces the plan's digest.
	Calibration string `json:"calibration,omitempty"`
	// Note says in words what was changed that the plan has no key for, such as
	// a camera that was moved.
	Note string `json:"note,omitempty"`
}

func (c *Change) validate() error {
	switch {
	case c.Who == "":
		return errors.New("a change of the plan without who made it")
	case c.Reason == "":
		return errors.New("a change of the plan without a reason")
	case c.Timeout == 0 && c.MaxAttempts == 0 && c.Calibration == "" && c.Note == "":
		return errors.New("a change of the plan that changes nothing")
	case !(c.Timeout >= 0 && c.Timeout <= MaxTimeout.Seconds()):
		return fmt.Errorf("timeout_s is %g, must be 0 to %g", c.Timeout, MaxTimeout.Seconds())
	case c.MaxAttempts < 0:
		return fmt.Errorf("max_attempts is %d, must be at least 1", c.MaxAttempts)
	}
	return nil
}

// MaxTimeout is the longest trial.
const MaxTimeout = time.Hour

// With is the plan after its changes.
func (s *Study) With(changes []Change) *Study {
	now := *s
	for i := range changes {
		c := &changes[i]
		if c.Timeout > 0 {
			now.Timeout = time.Duration(c.Timeout * float64(time.Second))
		}
		if c.MaxAttempts > 0 {
			now.MaxAttempts = c.MaxAttempts
		}
		if c.Calibration != "" {
			now.Calibration = c.Calibration
		}
	}
	return &now
}

// Change amends the plan of s. A closed study takes no change.
func (l *Ledger) Change(s *Study, c Change) error {
	p, err := l.Progress(s)
	if err != nil {
		return err
	}
	err = c.validate()
	if err == nil {
		err = l.write(func(tx *sql.Tx) error {
			if err := mustBeOpen(tx); err != nil {
				return err
			}
			sets := c
			sets.Who, sets.Reason, sets.At, sets.Done = "", "", "", 0
			if err := insert(tx, `INSERT INTO changes (who, reason, change, done, changed_at) VALUES (?,?,?,?,?)`,
				c.Who, c.Reason, toJSON(sets), p.Done, l.stamp()); err != nil {
				return err
			}
			return l.event(tx, "", "change", c.Reason)
		})
	}
	if err != nil {
		return fmt.Errorf("eval: ledger: change of the plan: %w", err)
	}
	return nil
}

// Changes are the plan's, oldest first.
func (l *Ledger) Changes() ([]Change, error) {
	var changes []Change
	err := l.each(`SELECT who, reason, change, done, changed_at FROM changes ORDER BY n`, func(row *sql.Rows) error {
		var c Change
		var who, reason, sets, at string
		var done int
		err := row.Scan(&who, &reason, &sets, &done, &at)
		if err == nil {
			err = fromJSON(sets, &c)
		}
		c.Who, c.Reason, c.At, c.Done = who, reason, at, done
		changes = append(changes, c)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("eval: ledger: %w", err)
	}
	return changes, nil
}
