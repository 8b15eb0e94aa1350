package eval

import (
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
)

// ErrClosed is returned for what cannot be done to a closed study.
var ErrClosed = errors.New("the study is closed")

// Closing is how a study was closed.
type Closing struct {
	Who string `json:"who"`
	At  string `json:"at"`
}

// Seal hides a blinded study's policies, once.
func (l *Ledger) Seal(s *Seal) error {
	err := l.write(func(tx *sql.Tx) error {
		return insert(tx, `INSERT INTO sealed VALUES ('policies', ?) ON CONFLICT DO NOTHING`,
			base64.StdEncoding.EncodeToString([]byte(toJSON(s))))
	})
	if err != nil {
		return fmt.Errorf("eval: ledger: seal: %w", err)
	}
	return nil
}

// Unseal is for what runs the policies of study s, and for its report once it
// is closed.
func (l *Ledger) Unseal(s *Study) (*Seal, error) {
	var content string
	err := l.db.QueryRow(`SELECT content FROM sealed WHERE what = 'policies'`).Scan(&content)
	var text []byte
	if err == nil {
		text, err = base64.StdEncoding.DecodeString(content)
	}
	seal := new(Seal)
	if err == nil {
		err = fromJSON(string(text), seal)
	}
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("eval: ledger: the plan of %s was cut short before its policies were sealed: remove its folder and plan again", s.Name)
	case err != nil:
		return nil, fmt.Errorf("eval: ledger: seal: %w", err)
	case seal.Commitment() != s.Commitment:
		return nil, fmt.Errorf("eval: study %s: %w", s.Name, errSwapped)
	}
	return seal, nil
}

// Conclude closes study s: nothing runs any more, verdicts are only amended, and
// the letters of a blinded one may be read. Every trial must be done, given up
// or spared by the stop rule, and labelled. A closed study stays as it was closed.
func (l *Ledger) Conclude(s *Study, who string) error {
	err := l.mayConclude(s)
	if err == nil && who == "" {
		err = errors.New("nobody is named who closes it")
	}
	if err == nil {
		err = l.write(func(tx *sql.Tx) error {
			if err := mustBeOpen(tx); err != nil {
				return err
			}
			if err := insert(tx, `INSERT INTO meta VALUES ('closed_at', ?), ('closed_by', ?)`, l.stamp(), who); err != nil {
				return err
			}
			return l.event(tx, "", "closed", who)
		})
	}
	if err != nil {
		return fmt.Errorf("eval: study %s: close: %w", s.Name, err)
	}
	return nil
}

func (l *Ledger) mayConclude(s *Study) error {
	p, err := l.Progress(s)
	if err != nil {
		return err
	}
	if p.Next != nil {
		return fmt.Errorf("%d of %d trials are done, the next is %s: run it first", p.Done, p.Total, p.Next.ID)
	}
	results, err := l.Results()
	if err != nil {
		return err
	}
	if u := Unlabelled(results); len(u) > 0 {
		return &UnlabelledError{u}
	}
	return nil
}

// Closed tells how the study was closed; nil while it is open.
func (l *Ledger) Closed() (*Closing, error) {
	c := new(Closing)
	err := l.db.QueryRow(`SELECT a.value, b.value FROM meta a, meta b WHERE a.key = 'closed_at' AND b.key = 'closed_by'`).
		Scan(&c.At, &c.Who)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("eval: ledger: %w", err)
	}
	return c, nil
}

// mustBeOpen is ErrClosed for a closed study.
func mustBeOpen(tx *sql.Tx) error {
	var closed bool
	err := tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM meta WHERE key = 'closed_at')`).Scan(&closed)
	if err == nil && closed {
		err = ErrClosed
	}
	return err
}

// Standing is what the ledger adds to the plan.
type Standing struct {
	Changes []Change
	// Closed is nil while the study is open.
	Closed *Closing
	// Seal is a blinded study's once it is closed.
	Seal *Seal
}

// Standing returns what the ledger adds to the plan of s.
func (l *Ledger) Standing(s *Study) (st Standing, err error) {
	if st.Changes, err = l.Changes(); err != nil {
		return st, err
	}
	if st.Closed, err = l.Closed(); err != nil {
		return st, err
	}
	if st.Closed != nil && s.Commitment != "" {
		st.Seal, err = l.Unseal(s)
	}
	return st, err
}

// Apply gives the plan and the results as they are to be reported, with true
// names once they may be known. Of the changes only the number of attempts
// matters to the numbers; each trial knows its own time-out.
func (st *Standing) Apply(s *Study, results []Result) (*Study, []Result, error) {
	plan := *s
	plan.MaxAttempts = s.With(st.Changes).MaxAttempts
	s = &plan
	if st.Seal == nil {
		return s, results, nil
	}
	return st.Seal.Unblind(s, results)
}
