package outbox

import (
	"crypto/rand"
	"database/sql"
	_ "embed" // for the schema
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	_ "modernc.org/sqlite" // the driver named "sqlite"
)

// SchemaVersion is the version of the file's tables, kept in its user_version.
const SchemaVersion = 1

//go:embed schema.sql
var schema string

// ErrFull is returned by Add when the box holds as many messages as it may.
var ErrFull = errors.New("outbox is full")

// Message is one that waits.
type Message struct {
	// Seq counts the messages of this box from 1, in order.
	Seq      uint64
	Topic    string
	Retained bool
	Payload  []byte
}

// Box is an outbox. A message is in the file when Add returns, and a kill of
// the program cannot lose it; a power cut may lose the newest. Methods may be
// called from any goroutine.
type Box struct {
	limit int

	mu    sync.Mutex
	db    *sql.DB
	epoch string
	seq   uint64 // of the last message put in
	n     int
}

// Open opens the box in the file at path, which one process at a time may do,
// or makes it. An empty path keeps the messages in memory alone. The box holds
// limit messages at most.
func Open(path string, limit int) (*Box, error) {
	dsn := ":memory:"
	if path != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("outbox: %w", err)
		}
		u := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: url.Values{
			"_pragma": {"locking_mode(EXCLUSIVE)", "journal_mode(WAL)", "synchronous(NORMAL)"},
			"_txlock": {"immediate"},
		}.Encode()}
		dsn = u.String()
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	db.SetMaxOpenConns(1) // the lock, and a box in memory, are a connection's
	b := &Box{db: db, limit: limit}
	if err := b.begin(); err != nil {
		return nil, fmt.Errorf("outbox: %s: %w: is another agent of this rig running? stop it; a damaged file can be moved away",
			path, errors.Join(err, db.Close()))
	}
	return b, nil
}

// begin makes the tables of a new box, or takes stock of an old one.
func (b *Box) begin() error {
	return b.write(func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		switch version {
		case 0:
			if _, err := tx.Exec(schema + fmt.Sprintf("PRAGMA user_version = %d;", SchemaVersion)); err != nil {
				return err
			}
			if _, err := tx.Exec("INSERT INTO box VALUES (?)", rand.Text()[:12]); err != nil {
				return err
			}
		case SchemaVersion:
		default:
			return fmt.Errorf("schema version is %d, this program knows %d", version, SchemaVersion)
		}
		if err := tx.QueryRow("SELECT epoch, coalesce((SELECT seq FROM sqlite_sequence), 0), (SELECT count(*) FROM message) FROM box").
			Scan(&b.epoch, &b.seq, &b.n); err != nil {
			return err
		}
		return nil
	})
}

// write runs f in one transaction.
func (b *Box) write(f func(*sql.Tx) error) error {
	tx, err := b.db.Begin()
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Add puts a message in. payload makes it from its id, which no other message
// of any box has, and its number. A key that is not empty is taken once: the
// second message with it is none, and added is false.
func (b *Box) Add(key, topic string, retained bool, payload func(id string, seq uint64) []byte) (added bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n >= b.limit {
		return false, fmt.Errorf("%w: %d messages wait", ErrFull, b.n)
	}
	err = b.write(func(tx *sql.Tx) error {
		added = true
		if key != "" {
			res, err := tx.Exec("INSERT OR IGNORE INTO once VALUES (?)", key)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if added = n > 0; !added {
				return err
			}
		}
		seq := b.seq + 1
		_, err := tx.Exec("INSERT INTO message VALUES (?, ?, ?, ?)",
			seq, topic, retained, payload(fmt.Sprintf("%s-%d", b.epoch, seq), seq))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("outbox: %w", err)
	}
	if added {
		b.seq++
		b.n++
	}
	return added, nil
}

// Once tells whether key is there for the first time, in this box's life. It
// shares its keys with Add.
func (b *Box) Once(key string) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	res, err := b.db.Exec("INSERT OR IGNORE INTO once VALUES (?)", key)
	if err != nil {
		return false, fmt.Errorf("outbox: %w", err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// Front is the oldest message, nil when there is none.
func (b *Box) Front() (*Message, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n == 0 {
		return nil, nil
	}
	var m Message
	err := b.db.QueryRow("SELECT seq, topic, retained, payload FROM message ORDER BY seq LIMIT 1").
		Scan(&m.Seq, &m.Topic, &m.Retained, &m.Payload)
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	return &m, nil
}

// Remove takes a delivered message out.
func (b *Box) Remove(seq uint64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	res, err := b.db.Exec("DELETE FROM message WHERE seq = ?", seq)
	if err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	n, err := res.RowsAffected()
	b.n -= int(n)
	return err
}

// Len is how many messages wait.
func (b *Box) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

// Close releases the file.
func (b *Box) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.db.Close()
}
