// Package readfile reads files that a user names, up to a stated limit: a device without
// an end, or the wrong file, costs a line and not the machine's memory.
package readfile

import (
	"fmt"
	"io"
	"os"
)

// MiB is 2²⁰ bytes, the unit of limits.
const MiB = 1 << 20

// Limited returns the content of the file at path, which has at most limit bytes. A longer
// one is a *tooLongError, and of what has no size, as a device, no more is read than limit
// and one byte.
func Limited(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > limit {
		return nil, &tooLongError{Name: path, Size: info.Size(), Limit: limit}
	}
	return From(f, path, limit)
}

// From is Limited for what is open, as standard input; name stands in its errors.
func From(r io.Reader, name string, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		return nil, &tooLongError{Name: name, Size: int64(len(b)), Limit: limit, More: true}
	}
	return b, err
}

// tooLongError says that a file is longer than what is read of its kind.
type tooLongError struct {
	Name        string
	Size, Limit int64 // bytes
	More        bool  // Size was read, and more may follow
}

func (e *tooLongError) Error() string {
	what := "has"
	if e.More {
		what = "has at least"
	}
	return fmt.Sprintf("%s %s %d bytes, and at most %d are read here (%g MiB): is it the right file? else make it smaller", e.Name, what, e.Size, e.Limit,
		float64(e.Limit)/MiB)
}
