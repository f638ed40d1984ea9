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
	tmp, path, err := beside(path)
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

// Try says whether a file can be written at path, and leaves all as it was: better
// known before a long run than after.
func Try(path string) error {
	tmp, _, err := beside(path)
	if err != nil {
		return err
	}
	return errors.Join(tmp.Close(), os.Remove(tmp.Name()))
}

// beside makes a temporary file in the folder of the file that path leads to.
func beside(path string) (tmp *os.File, to string, err error) {
	to = path
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		to = followed
	}
	if info, err := os.Stat(to); err == nil && !info.Mode().IsRegular() {
		return nil, "", &fs.PathError{Op: "open", Path: to, Err: errors.New("what is there is no file")}
	}
	tmp, err = os.CreateTemp(filepath.Dir(to), ".writing-*")
	var at *fs.PathError
	if errors.As(err, &at) {
		return nil, "", &fs.PathError{Op: "open", Path: to, Err: at.Err} // not the neighbour's name, which nobody gave
	}
	return tmp, to, err
}
