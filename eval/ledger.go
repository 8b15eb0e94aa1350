package eval

import (
	"context"
	"database/sql"
	_ "embed" // for the schema
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver named "sqlite"
)

// SchemaVersion is the version of the ledger's tables, kept in the database's
// user_version.
const SchemaVersion = 2

//go:embed schema.sql
var schema1 string

//go:embed schema2.sql
var schema2 string

// ErrDuplicate is returned when a trial is begun, ended or judged twice.
var ErrDuplicate = errors.New("is there already")

// Ledger is the durable record of one study: a SQLite file that every call
// leaves on the disk before it returns, and to which rows are only added. It
// may be used by several goroutines and processes at once, but see Run.
type Ledger struct {
	db   *sql.DB
	dir  string
	plan string
	// Now dates the entries; it enters no number.
	Now func() time.Time
}

// OpenLedger opens the ledger of the study in folder dir, and begins it if
// there is none. It refuses a ledger that was begun with another plan.
func OpenLedger(dir string) (*Ledger, error) {
	plan, err := os.ReadFile(filepath.Join(dir, StudyFile))
	if err != nil {
		return nil, fmt.Errorf("eval: ledger: %w", err)
	}
	path := filepath.Join(dir, LedgerFile)
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: url.Values{
		"_pragma": {
			"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
		},
		"_txlock": {"immediate"},
	}.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("eval: ledger: %w", err)
	}
	l := &Ledger{db: db, dir: dir, plan: Digest(string(plan)), Now: time.Now}
	if err := l.begin(l.plan); err != nil {
		return nil, fmt.Errorf("eval: %s: %w", path, errors.Join(err, db.Close()))
	}
	return l, nil
}

// begin creates the tables of a new ledger, or checks those of an old one.
func (l *Ledger) begin(plan string) error {
	return l.write(func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		steps := []string{schema1, schema2}
		if version < 0 || version > len(steps) {
			return fmt.Errorf("schema version is %d, this program knows %d", version, SchemaVersion)
		}
		for _, step := range steps[version:] {
			if _, err := tx.Exec(step); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", SchemaVersion)); err != nil {
			return err
		}
		if version == 0 {
			_, err := tx.Exec("INSERT INTO meta VALUES ('study_sha256', ?), ('begun_at', ?)", plan, l.stamp())
			return err
		}
		var begun string
		err := tx.QueryRow("SELECT value FROM meta WHERE key = 'study_sha256'").Scan(&begun)
		if err == nil && begun != plan {
			err = fmt.Errorf("%s was changed after the study began: its digest was %s, is %s", StudyFile, begun, plan)
		}
		return err
	})
}

// Plan is the digest of the study's file.
func (l *Ledger) Plan() string { return l.plan }

// Close releases the file.
func (l *Ledger) Close() error { return l.db.Close() }

// write runs f in one transaction.
func (l *Ledger) write(f func(*sql.Tx) error) error {
	tx, err := l.db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (l *Ledger) stamp() string { return l.Now().UTC().Format(time.RFC3339Nano) }
