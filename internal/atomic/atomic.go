// Package atomic writes files that are whole or not there.
package atomic

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// WriteFile puts b into the file at path, as Write does.
func WriteFile(path string, b []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// Write makes or replaces the file at path, readable by all, with what write writes:
// into a temporary neighbour, renamed at the end. After an error or an interruption
// the old file is as it was.
func Write(path string, write func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".writing-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // harmless after the rename
	if err := errors.Join(write(tmp), tmp.Close()); err != nil {
		return err
	}
	if err := os.Chmod(tmp.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
