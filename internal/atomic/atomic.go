// Package atomic writes files that are whole or not there.
package atomic

import (
	"errors"
	"io"
	"io/fs"
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
// the old file is as it was. A link is followed; what is there and no file, as a
// device, is an error, since the rename would replace it.
func Write(path string, write func(io.Writer) error) error {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "open", Path: path, Err: errors.New("what is there is no file")}
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".writing-*")
	var at *fs.PathError
	if errors.As(err, &at) {
		return &fs.PathError{Op: "open", Path: path, Err: at.Err} // not the neighbour's name, which nobody gave
	}
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
