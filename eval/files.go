package eval

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

// Files of a study, relative to its folder.
const (
	StudyFile  = "study.yaml"
	LedgerFile = "ledger.db"
	TrialsDir  = "trials"
	ReportDir  = "report"
)

// ErrExists is returned by Create for a folder that already holds a study.
var ErrExists = errors.New("holds a study already, which is never overwritten: choose another name")

// Create writes a new study into root/NAME and returns that folder. A study
// that is there already stays as it is, and the error is ErrExists.
func Create(root string, s *Study) (dir string, err error) {
	if err := s.Validate(); err != nil {
		return "", fmt.Errorf("eval: study: %w", err)
	}
	text, err := yaml.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("eval: study: %w", err)
	}
	dir = filepath.Join(root, s.Name)
	if err := os.MkdirAll(filepath.Join(dir, TrialsDir), 0o755); err != nil {
		return "", fmt.Errorf("eval: study: %w", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, LedgerFile)); err == nil {
		return "", fmt.Errorf("eval: %s %w", dir, ErrExists)
	}
	err = writeNew(filepath.Join(dir, StudyFile), text)
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("eval: %s %w", dir, ErrExists)
	}
	if err != nil {
		return "", fmt.Errorf("eval: study: %w", err)
	}
	return dir, nil
}

// writeNew writes a file that is not there yet, whole or not at all: a link
// never replaces.
func writeNew(path string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(text); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := errors.Join(tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Link(tmp.Name(), path)
}

// Load reads the study in folder dir: strictly, and only if the configuration
// still has its digest.
func Load(dir string) (*Study, error) {
	path := filepath.Join(dir, StudyFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("eval: study: %w", err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	s := new(Study)
	if err := dec.Decode(s); err != nil {
		return nil, fmt.Errorf("eval: %s: %w", path, err)
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("eval: %s: %w", path, err)
	}
	return s, nil
}
