package datasets

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fullDisk takes some bytes and then fails as the system does.
type fullDisk struct {
	left int
	err  error
}

func (f *fullDisk) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, &os.PathError{Op: "write", Path: "file.gz.part", Err: f.err}
	}
	return len(p), nil
}
func (f *fullDisk) Sync() error  { return nil }
func (f *fullDisk) Close() error { return nil }

func TestFetchLocalFailuresAskNoOtherMirror(t *testing.T) {
	body := payload()
	for name, c := range map[string]struct {
		open   func(string, int) (partFile, error)
		phrase string
	}{
		"disk full": {func(string, int) (partFile, error) { return &fullDisk{100_000, syscall.ENOSPC}, nil }, "disk full, "},
		"read-only file system": {func(p string, _ int) (partFile, error) {
			return nil, &os.PathError{Op: "open", Path: p, Err: syscall.EROFS}
		}, "cannot be written (read-only?)"},
		"no permission": {func(p string, _ int) (partFile, error) {
			return nil, &os.PathError{Op: "open", Path: p, Err: syscall.EACCES}
		}, "cannot be written (read-only?)"},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := serve(t, good(body)), serve(t, good(body))
			o := patient(t.TempDir())
			o.openPart = c.open
			_, err := fetchEntry(t.Context(), oneFile(body, first, second), o)
			wantError(t, err, "file.gz.part", c.phrase)
			if second.hits.Load() != 0 {
				t.Error("another mirror was asked")
			}
		})
	}
}

func TestFetchOnTheFullDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full")
	}
	body := payload()
	o := patient(t.TempDir())
	o.openPart = func(string, int) (partFile, error) { return os.OpenFile("/dev/full", os.O_WRONLY, 0) }
	_, err := fetchEntry(t.Context(), oneFile(body, serve(t, good(body))), o)
	wantError(t, err, "file.gz.part", "disk full, 300000 bytes still to come")
}

func TestFetchIntoWhatIsNoFolder(t *testing.T) {
	body := payload()
	m := serve(t, good(body))
	dir := write(t, map[string][]byte{"file": {1}, "test-set/file.gz": nil})
	_, err := fetchEntry(t.Context(), oneFile(body, m), patient(filepath.Join(dir, "file")))
	wantError(t, err, filepath.Join(dir, "file"), "")
	_, err = fetchEntry(t.Context(), oneFile(body, m), patient(dir))
	wantError(t, err, "file.gz", "is a directory, want a file")
	if runtime.GOOS != "windows" && os.Getuid() != 0 {
		ro := t.TempDir()
		if err := os.Chmod(ro, 0o555); err != nil {
			t.Fatal(err)
		}
		_, err = fetchEntry(t.Context(), oneFile(body, m), patient(ro))
		wantError(t, err, ro, "cannot be written (read-only?)")
	}
	if m.hits.Load() != 0 {
		t.Error("downloaded before the folder was known to be writable")
	}
}

// TestFetchChild is not a test but the second process of the next one.
func TestFetchChild(t *testing.T) {
	url := os.Getenv("FETCH_CHILD_URL")
	if url == "" {
		t.Skip("runs as a child of TestFetchTwoProcesses only")
	}
	body := payload()
	e := oneFile(body)
	e.Downloads[0].URLs = []string{url}
	sure(fetchEntry(t.Context(), e, patient(os.Getenv("FETCH_CHILD_DIR"))))(t)
}

func TestFetchTwoProcesses(t *testing.T) {
	body, dir := payload(), t.TempDir()
	started := make(chan struct{}, 1)
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case started <- struct{}{}:
		default:
		}
		dripping(body, 50_000, 100*time.Millisecond, 1<<30)(w, r)
	})
	child := exec.Command(os.Args[0], "-test.run=^TestFetchChild$", "-test.count=1")
	child.Env = append(os.Environ(), "FETCH_CHILD_URL="+m.URL, "FETCH_CHILD_DIR="+dir)
	var out strings.Builder
	child.Stdout, child.Stderr = &out, &out
	if err := child.Start(); err != nil {
		t.Skip("needs to start itself: ", err)
	}
	<-started // the child holds the lock and is downloading
	if _, err := fetchEntry(t.Context(), oneFile(body, m), patient(dir)); err != nil {
		t.Error(err)
	}
	if err := child.Wait(); err != nil {
		t.Errorf("child: %v\n%s", err, out.String())
	}
	wantFile(t, dir, body)
	if m.hits.Load() != 1 {
		t.Errorf("%d requests from two processes, want 1", m.hits.Load())
	}
}

// noNetwork fails the test at the first request.
type noNetwork struct{ t *testing.T }

func (n noNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	n.t.Errorf("request to %s that nobody asked for", r.URL)
	return nil, errors.New("no network")
}

func TestNothingIsDownloadedUnasked(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	alone(t)
	saved := http.DefaultTransport
	defer func() { http.DefaultTransport = saved }()
	http.DefaultTransport = noNetwork{t}
	for _, name := range Names() {
		_, _ = Open(name, Options{})
		if _, err := OpenFor(name, Options{}); err != nil {
			t.Error(err)
		}
		if _, err := Verify(name, Options{}); err != nil {
			t.Error(err)
		}
	}
	if _, err := List(Options{}); err != nil {
		t.Error(err)
	}
}

func TestFetchNames(t *testing.T) {
	for _, name := range []string{"imagenet", synthetic} {
		if _, err := Fetch(t.Context(), name, FetchOptions{Dir: t.TempDir()}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
