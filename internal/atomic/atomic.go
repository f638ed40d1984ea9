// Package atomic writes files that are whole or not there.
package atomic

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
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
// the old file is as it was, and after a power cut the old or the new one is there: the
// neighbour reaches the disk before it is renamed, and its folder before Write returns.
// An error names the file, not the neighbour. A link is followed; what is there and no file, as a
// device, is an error, since the rename would replace it.
func Write(path string, write func(io.Writer) error) error { return common.Write(path, write) }

// Write does as the function Write does, by neighbours of these names.
func (n Neighbours) Write(path string, write func(io.Writer) error) error {
	tmp, path, err := n.beside(path)
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // harmless after the rename
	err = write(tmp)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = sync(tmp)
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err == nil {
		return syncFolder(filepath.Dir(path))
	}
	var at *fs.PathError
	var renamed *os.LinkError
	switch {
	case errors.As(err, &at) && at.Path == tmp.Name():
		return &fs.PathError{Op: at.Op, Path: path, Err: at.Err}
	case errors.As(err, &renamed):
		return &fs.PathError{Op: renamed.Op, Path: path, Err: renamed.Err}
	}
	return err
}

// sync brings a file or a folder to the disk; tests put a failing one in its place.
var sync = (*os.File).Sync

// syncFolder brings a folder's names to the disk, where the system can: Windows opens no
// folder for that, and some file systems sync none.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return nil // a folder that may be written to and not read: the file is there
	}
	defer d.Close()
	if err := sync(d); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// Try says whether a file can be written at path, and leaves all as it was: better
// known before a long run than after.
func Try(path string) error { return common.Try(path) }

// Try does as the function Try does, by neighbours of these names.
func (n Neighbours) Try(path string) error {
	tmp, _, err := n.beside(path)
	if err != nil {
		return err
	}
	return errors.Join(tmp.Close(), os.Remove(tmp.Name()))
}

// Neighbours is a pattern of temporary files' names: whoever was killed while it wrote has left one. Who means to remove
// those takes a pattern of its own, or it removes what others are writing.
type Neighbours string

// common names the temporary files of all who have no pattern of their own.
const common Neighbours = ".writing-*"

// beside makes a temporary file in the folder of the file that path leads to.
func (n Neighbours) beside(path string) (tmp *os.File, to string, err error) {
	to = path
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		to = followed
	}
	if info, err := os.Stat(to); err == nil && !info.Mode().IsRegular() {
		return nil, "", &fs.PathError{Op: "open", Path: to, Err: errors.New("what is there is no file")}
	}
	tmp, err = os.CreateTemp(filepath.Dir(to), string(n))
	var at *fs.PathError
	if errors.As(err, &at) {
		return nil, "", &fs.PathError{Op: "open", Path: to, Err: at.Err} // not the neighbour's name, which nobody gave
	}
	return tmp, to, err
}
