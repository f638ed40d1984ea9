package readfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// A file of the limit is read; one byte more is refused with name, size and limit; of a
// device without an end no more is read than that.
func TestLimited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	oktest.Nil(t, os.WriteFile(path, []byte("12345"), 0o644))
	if b, err := Limited(path, 5); err != nil || string(b) != "12345" {
		t.Errorf("%q, %v", b, err)
	}
	if b, err := Limited(path, 4); b != nil || err == nil || !strings.HasPrefix(err.Error(), path+" has 5 bytes, and at most 4 are read here") {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := Limited(path+"x", 4); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if b, err := From(strings.NewReader("12345"), "standard input", 4); b != nil || err == nil || !strings.HasPrefix(err.Error(),
		"standard input has at least 5 bytes") {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := os.Stat("/dev/zero"); err != nil {
		return
	}
	var long *tooLongError
	if b, err := Limited("/dev/zero", MiB); b != nil || !errors.As(err, &long) || long.Size != MiB+1 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}
