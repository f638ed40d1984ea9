package atomic

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// A file is replaced as a whole; an error leaves the old one, and nothing beside it.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Write(path, func(w io.Writer) error {
		if _, err := w.Write([]byte("half")); err != nil {
			t.Fatal(err)
		}
		return broken
	})
	if got, _ := os.ReadFile(path); !errors.Is(err, broken) || string(got) != "old" {
		t.Errorf("after an error (%v) the file holds %q", err, got)
	}
	if err := WriteFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "new" {
		t.Errorf("the file holds %q, want new", got)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%d files are left, want 1", len(left))
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o444 != 0o444 {
		t.Errorf("mode %v, %v: not readable by all", info.Mode(), err)
	}
}

// A link stays and what it names is replaced; a folder in the way is left alone; a
// folder that is not there is named with the file, not with its neighbour.
func TestWriteWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	oktest.Nil(t, os.WriteFile(path, []byte("old"), 0o644))
	if err := os.Symlink(path, link); err == nil { // Windows may forbid it
		oktest.Nil(t, WriteFile(link, []byte("new")))
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link is %v, %v now", info, err)
		}
		if got, _ := os.ReadFile(path); string(got) != "new" {
			t.Errorf("the linked file holds %q, want new", got)
		}
	}
	if err := WriteFile(dir, nil); err == nil || !strings.Contains(err.Error(), dir+": what is there is no file") {
		t.Errorf("a folder: %v", err)
	}
	if err := Try(dir); err == nil {
		t.Error("a folder can be written, says Try")
	}
	oktest.Nil(t, Try(path))
	if got, _ := os.ReadFile(path); string(got) != "new" {
		t.Errorf("tried, the file holds %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".writing-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	lost := filepath.Join(dir, "absent", "file")
	if err := WriteFile(lost, nil); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), lost) || strings.Contains(err.Error(), ".writing") {
		t.Errorf("no folder: %v", err)
	}
	if err := Try(lost); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder, says Try: %v", err)
	}
}

// The neighbour reaches the disk before it has the file's name, the folder after; a disk that
// fails leaves the old file, and the error names the file.
func TestWriteReachesTheDisk(t *testing.T) {
	defer func() { sync = (*os.File).Sync }()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	var done []string
	sync = func(f *os.File) error {
		got, _ := os.ReadFile(path)
		done = append(done, filepath.Base(f.Name())+" while "+string(got))
		return f.Sync()
	}
	for _, text := range []string{"old", "new"} {
		oktest.Nil(t, WriteFile(path, []byte(text)))
	}
	want := []string{"", "old", "old", "new"} // what the file holds as neighbour and folder are brought to the disk
	if runtime.GOOS == "windows" {
		want = []string{"", "old"}
	}
	if len(done) != len(want) {
		t.Fatalf("%q", done)
	}
	for i, s := range done {
		neighbour := len(want) == 2 || i%2 == 0
		if strings.HasPrefix(s, ".writing-") != neighbour || !strings.HasSuffix(s, " while "+want[i]) {
			t.Errorf("step %d: %s", i, s)
		}
	}
	sync = func(f *os.File) error {
		return &fs.PathError{Op: "sync", Path: f.Name(), Err: errors.New("no space left")}
	}
	if err := WriteFile(path, []byte("lost")); err == nil || err.Error() != "sync "+path+": no space left" {
		t.Error(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "new" {
		t.Errorf("the file holds %q", got)
	}
}
