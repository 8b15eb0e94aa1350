package calib

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Load reads and validates the record at path. The error names the file, the
// key and the limit.
func Load(path string) (*Record, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("calib: %w", err)
	}
	r, err := decode(b)
	if err != nil {
		return nil, fmt.Errorf("calib: %s: %w", path, err)
	}
	return r, nil
}

// Save validates the record and writes it to path, whole or not at all. It
// never replaces a file: what was measured once stays, and an existing path is
// an error that errors.Is fs.ErrExist.
func (r *Record) Save(path string) error {
	if err := r.Validate(); err != nil {
		return fmt.Errorf("calib: save %s: %w", path, err)
	}
	b, err := r.encode()
	if err != nil {
		return err
	}
	if err := writeNew(path, b); err != nil {
		return fmt.Errorf("calib: save: %w", err)
	}
	return nil
}

// writeNew makes path appear with its whole content, on disk, or not at all. A
// hard link, as against a rename, refuses to replace.
func writeNew(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".calib-*.yaml")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(b)
	err = errors.Join(err, f.Chmod(fs.FileMode(0o644)), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Link(f.Name(), path)
}
