package eval

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
)

// Begin notes that a trial is about to run. An id that was begun before is
// ErrDuplicate.
func (l *Ledger) Begin(t Trial) error {
	err := l.write(func(tx *sql.Tx) error {
		if err := mustBeOpen(tx); err != nil {
			return err
		}
		return l.insertTrial(tx, &t)
	})
	if err != nil {
		return fmt.Errorf("eval: ledger: begin of %s: %w", t.ID, err)
	}
	return nil
}

func (l *Ledger) insertTrial(tx *sql.Tx, t *Trial) error {
	err := insert(tx, `INSERT INTO trials VALUES (?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`,
		t.ID, t.Order, t.Attempt, t.Scene, t.PlacementID, t.Policy, int64(t.Seed), toJSON(t), l.stamp())
	if err != nil {
		return err
	}
	return l.event(tx, t.ID, "trial_start", "")
}

// Finish records a trial's end, with its verdict if there is one. A second
// result of the same trial is ErrDuplicate.
func (l *Ledger) Finish(r *Result) error {
	if err := r.Validate(); err != nil {
		return fmt.Errorf("eval: ledger: result of %s: %w", r.Trial.ID, err)
	}
	if err := l.write(func(tx *sql.Tx) error { return l.insertEnd(tx, r) }); err != nil {
		return fmt.Errorf("eval: ledger: result of %s: %w", r.Trial.ID, err)
	}
	return nil
}

// Import records trials from elsewhere, all or none.
func (l *Ledger) Import(results []Result) error {
	return l.write(func(tx *sql.Tx) error {
		for i := range results {
			r := &results[i]
			err := r.Validate()
			if err == nil {
				err = l.insertTrial(tx, &r.Trial)
			}
			if err == nil {
				err = l.insertEnd(tx, r)
			}
			if err != nil {
				return fmt.Errorf("eval: ledger: import of %s: %w", r.Trial.ID, err)
			}
		}
		return nil
	})
}

// insertEnd records all that is known at a trial's end.
func (l *Ledger) insertEnd(tx *sql.Tx, r *Result) error {
	if err := l.insertResult(tx, r); err != nil {
		return err
	}
	p := &r.Provenance
	if err := insert(tx, `INSERT INTO provenance VALUES (?,?,?,?,?)`,
		r.Trial.ID, p.ConfigSHA256, p.Software, p.MuJoCo, int64(p.Seed)); err != nil {
		return err
	}
	if r.Verdict != nil {
		if err := l.insertVerdict(tx, r.Trial.ID, r.Verdict); err != nil {
			return err
		}
	}
	return l.event(tx, r.Trial.ID, "trial_end", string(r.Termination))
}

func (l *Ledger) insertResult(tx *sql.Tx, r *Result) error {
	var mirrorSuccess, mirrorPartial *bool
	if r.Mirror != nil {
		mirrorSuccess, mirrorPartial = &r.Mirror.Success, &r.Mirror.Partial
	}
	return insert(tx, `INSERT INTO results VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`,
		r.Trial.ID, r.Termination, r.Note, r.Start, r.End, r.ControlSteps,
		r.TGrasp, r.TLift, r.TSuccess, toJSON(r.Recovered), r.Unstable,
		mirrorSuccess, mirrorPartial, toNull(r.Gap), toNull(r.Loop), l.stamp())
}

// Judge gives a finished trial its verdict. A trial that has one is
// ErrDuplicate: amend it instead.
func (l *Ledger) Judge(id string, v *Verdict) error {
	err := v.Validate()
	if err == nil {
		err = l.write(func(tx *sql.Tx) error {
			if err := l.mayJudge(tx, id); err != nil {
				return err
			}
			if err := l.insertVerdict(tx, id, v); err != nil {
				return err
			}
			return l.event(tx, id, "verdict", v.Source)
		})
	}
	if err != nil {
		return fmt.Errorf("eval: ledger: verdict on %s: %w", id, err)
	}
	return nil
}

func (l *Ledger) insertVerdict(tx *sql.Tx, id string, v *Verdict) error {
	return insert(tx, `INSERT INTO verdicts VALUES (?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`,
		id, v.Success, v.Partial, toJSON(v.Labels), v.Source, v.Who, l.stamp())
}

// Amend changes a finished trial's termination or verdict, with a reason. What
// was there before stays on record. The trial runs again if it no longer
// counts.
func (l *Ledger) Amend(id string, a Amendment) error {
	err := l.write(func(tx *sql.Tx) error {
		r, err := l.result(tx, id)
		if err != nil {
			return err
		}
		if err := a.validate(); err != nil {
			return err
		}
		a.At = l.stamp()
		a.apply(r)
		if err := r.Validate(); err != nil {
			return err
		}
		if err := insert(tx, `INSERT INTO amendments (trial_id, who, reason, termination, verdict, amended_at)
			VALUES (?,?,?,?,?,?)`, id, a.Who, a.Reason, a.Termination, toNull(a.Verdict), a.At); err != nil {
			return err
		}
		return l.event(tx, id, "amendment", a.Reason)
	})
	if err != nil {
		return fmt.Errorf("eval: ledger: amendment of %s: %w", id, err)
	}
	return nil
}

// Note records an event; trial is empty outside a trial.
func (l *Ledger) Note(trial, kind, detail string) error {
	err := l.write(func(tx *sql.Tx) error { return l.event(tx, trial, kind, detail) })
	if err != nil {
		return fmt.Errorf("eval: ledger: event %s: %w", kind, err)
	}
	return nil
}

func (l *Ledger) event(tx *sql.Tx, trial, kind, detail string) error {
	return insert(tx, `INSERT INTO events (trial_id, kind, detail, at) VALUES (?,?,?,?)`,
		trial, kind, detail, l.stamp())
}

// insert adds one row; a conflict that the statement ignores is ErrDuplicate.
func insert(tx *sql.Tx, statement string, values ...any) error {
	res, err := tx.Exec(statement, values...)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = ErrDuplicate
	}
	return err
}

// mayJudge tells why a trial cannot have a verdict.
func (l *Ledger) mayJudge(tx *sql.Tx, id string) error {
	var counted sql.NullBool
	err := tx.QueryRow(`SELECT counted FROM outcomes WHERE id = ?`, id).Scan(&counted)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return errors.New("no such trial")
	case err != nil:
		return err
	case !counted.Valid:
		return errors.New("the trial has not ended")
	case !counted.Bool:
		return errors.New("the trial does not count")
	}
	return nil
}

// toJSON encodes plain data of this package, which always can be.
func toJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("eval: %T is not plain data: %v", v, err))
	}
	return string(text)
}

// toNull is toJSON with NULL for nil.
func toNull[T any](v *T) any {
	if v == nil {
		return nil
	}
	return toJSON(v)
}
