package eval

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
)

// Entry is one event of a study.
type Entry struct {
	Trial  string `json:"trial,omitempty"`
	Kind   string `json:"kind"`
	Detail string `json:"detail,omitempty"`
	At     string `json:"at"`
}

// Progress is where a study stands.
type Progress struct {
	// Done and Total are trials that count and trials wanted.
	Done, Total int
	// GivenUp were found invalid as often as the study allows attempts.
	GivenUp int
	// Next is the next open trial; nil when none is left, or when the stop rule
	// has ended the study.
	Next *Trial
	// Evidence is where the stop rule stands; nil without one.
	Evidence *Evidence
}

// Progress returns where the study stands and what is next: the first trial of
// the order that has no attempt that counts and is not given up.
func (l *Ledger) Progress(s *Study) (Progress, error) {
	type attempts struct {
		begun, wasted, invalid int
		counted                bool
		fate                   fate
	}
	seen := make([]attempts, s.Total())
	err := l.each(`SELECT ord, counted, termination, success FROM outcomes`, func(row *sql.Rows) error {
		var ord int
		var counted, success sql.NullBool
		var termination sql.NullString
		if err := row.Scan(&ord, &counted, &termination, &success); err != nil {
			return err
		}
		if ord < 0 || ord >= len(seen) {
			return fmt.Errorf("trial %d of a study of %d", ord, len(seen))
		}
		a := &seen[ord]
		a.begun++
		a.counted = a.counted || counted.Bool
		if counted.Bool && success.Valid {
			a.fate = fateOf(success.Bool)
		}
		if counted.Valid && !counted.Bool {
			a.wasted++
		}
		if termination.String == string(Invalid) {
			a.invalid++
		}
		return nil
	})
	if err != nil {
		return Progress{}, fmt.Errorf("eval: ledger: %w", err)
	}
	p := Progress{Total: len(seen)}
	last := len(seen) - 1
	if s.Stop != nil {
		fates := make([]fate, len(seen))
		for i, a := range seen {
			if fates[i] = a.fate; !a.counted && a.invalid >= s.MaxAttempts {
				fates[i] = givenUp
			}
		}
		ev := s.evidence(fates)
		p.Evidence, last = &ev, ev.last
	}
	for i, a := range seen {
		switch {
		case a.counted:
			p.Done++
		case a.invalid >= s.MaxAttempts:
			p.GivenUp++
		case p.Next == nil && i <= last:
			t := s.trial(i, a.begun, a.wasted, s.order()[i])
			p.Next = &t
		}
	}
	return p, nil
}

const selectResults = `
SELECT t.description, r.termination, r.note, r.start_s, r.end_s, r.control_steps,
       r.t_grasp_s, r.t_lift_s, r.t_success_s, r.recovered, r.unstable,
       r.mirror_success, r.mirror_partial, r.gap, r.loop,
       p.config_sha256, p.software, p.mujoco, p.seed,
       v.success, v.partial, v.labels, v.source, v.who
FROM results r
JOIN trials t ON t.id = r.trial_id
JOIN provenance p ON p.trial_id = r.trial_id
LEFT JOIN verdicts v ON v.trial_id = r.trial_id
`

// Results returns every attempt that ended, in the study's order, with all
// amendments applied.
func (l *Ledger) Results() ([]Result, error) {
	var results []Result
	at := map[string]int{}
	err := l.each(selectResults+`ORDER BY t.ord, t.attempt`, func(row *sql.Rows) error {
		r, err := scanResult(row)
		if err == nil {
			at[r.Trial.ID] = len(results)
			results = append(results, *r)
		}
		return err
	})
	if err == nil {
		err = l.each(selectAmendments+`ORDER BY n`, func(row *sql.Rows) error {
			id, a, err := scanAmendment(row)
			if err == nil {
				a.apply(&results[at[id]])
			}
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("eval: ledger: %w", err)
	}
	return results, nil
}

// result returns one trial's result with its amendments.
func (l *Ledger) result(tx *sql.Tx, id string) (*Result, error) {
	r, err := scanResult(tx.QueryRow(selectResults+`WHERE t.id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errors.New("no such trial, or it has not ended")
	}
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(selectAmendments+`WHERE trial_id = ? ORDER BY n`, id)
	if err != nil {
		return nil, err
	}
	return r, drain(rows, func(row *sql.Rows) error {
		_, a, err := scanAmendment(row)
		if err == nil {
			a.apply(r)
		}
		return err
	})
}

type scanner interface{ Scan(into ...any) error }

func scanResult(row scanner) (*Result, error) {
	r := new(Result)
	var description, recovered string
	var mirrorSuccess, mirrorPartial, success, partial sql.NullBool
	var gap, loop, labels, source, who sql.NullString
	p := &r.Provenance
	err := row.Scan(&description, &r.Termination, &r.Note, &r.Start, &r.End, &r.ControlSteps,
		&r.TGrasp, &r.TLift, &r.TSuccess, &recovered, &r.Unstable,
		&mirrorSuccess, &mirrorPartial, &gap, &loop,
		&p.ConfigSHA256, &p.Software, &p.MuJoCo, &p.Seed,
		&success, &partial, &labels, &source, &who)
	if err != nil {
		return nil, err
	}
	if mirrorSuccess.Valid {
		r.Mirror = &Mirror{Success: mirrorSuccess.Bool, Partial: mirrorPartial.Bool}
	}
	if success.Valid {
		r.Verdict = &Verdict{Success: success.Bool, Partial: partial.Bool, Source: source.String, Who: who.String}
		err = fromJSON(labels.String, &r.Verdict.Labels)
	}
	return r, errors.Join(err,
		fromJSON(description, &r.Trial), fromJSON(recovered, &r.Recovered),
		fromJSON(gap.String, &r.Gap), fromJSON(loop.String, &r.Loop))
}

const selectAmendments = `SELECT trial_id, who, reason, termination, verdict, amended_at FROM amendments `

func scanAmendment(row scanner) (id string, a Amendment, err error) {
	var verdict sql.NullString
	err = row.Scan(&id, &a.Who, &a.Reason, &a.Termination, &verdict, &a.At)
	return id, a, errors.Join(err, fromJSON(verdict.String, &a.Verdict))
}

// Events returns all events, oldest first.
func (l *Ledger) Events() ([]Entry, error) {
	var entries []Entry
	err := l.each(`SELECT trial_id, kind, detail, at FROM events ORDER BY n`, func(row *sql.Rows) error {
		var e Entry
		err := row.Scan(&e.Trial, &e.Kind, &e.Detail, &e.At)
		entries = append(entries, e)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("eval: ledger: %w", err)
	}
	return entries, nil
}

// each calls f for every row of a query.
func (l *Ledger) each(query string, f func(*sql.Rows) error) error {
	rows, err := l.db.Query(query)
	if err != nil {
		return err
	}
	return drain(rows, f)
}

func drain(rows *sql.Rows, f func(*sql.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// fromJSON decodes a column; an empty one (NULL) leaves v as it is.
func fromJSON(text string, v any) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), v)
}
