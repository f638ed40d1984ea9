package datasets

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// payload returns a file of 300,000 bytes that do not repeat.
func payload() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 300_000)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// mirror is a loopback server that counts its requests.
type mirror struct {
	*httptest.Server
	hits   atomic.Int32
	ranges atomic.Value // last Range header
}

func serve(t *testing.T, h func(w http.ResponseWriter, r *http.Request)) *mirror {
	t.Helper()
	m := &mirror{}
	m.ranges.Store("")
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.hits.Add(1)
		m.ranges.Store(r.Header.Get("Range"))
		h(w, r)
	}))
	t.Cleanup(m.Close)
	return m
}

// good serves body as a static file server does, ranges included.
func good(body []byte) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "file", time.Time{}, bytes.NewReader(body))
	}
}

// dripping serves body in pieces with pauses; after stop bytes it stalls.
func dripping(body []byte, piece int, pause time.Duration, stop int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		for at := 0; at < len(body); at += piece {
			if at >= stop {
				<-r.Context().Done()
				return
			}
			w.Write(body[at:min(at+piece, len(body))])
			w.(http.Flusher).Flush()
			select {
			case <-time.After(pause):
			case <-r.Context().Done():
				return
			}
		}
	}
}

// oneFile returns a manifest entry with one file on these mirrors.
func oneFile(body []byte, mirrors ...*mirror) *entry {
	d := Download{File: "file.gz", Size: int64(len(body)), SHA256: sha256Hex(body)}
	for _, m := range mirrors {
		d.URLs = append(d.URLs, m.URL+"/file.gz")
	}
	return &entry{name: "test-set", title: "Test set", downloads: []Download{d}}
}

// quick returns options with limits short enough for a test.
func quick(dir string) FetchOptions {
	return FetchOptions{Dir: dir, Stall: 2 * time.Second, Window: 200 * time.Millisecond, MinSpeed: 1}.withDefaults()
}

// wantFile checks that the file is complete and nothing is left beside it.
func wantFile(t *testing.T, dir string, want []byte) {
	t.Helper()
	path := filepath.Join(dir, "test-set", "file.gz")
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes differ from what was served", path, len(got))
	}
	if exists(path + ".part") {
		t.Error("a .part file is left")
	}
}

// putPart lays a .part file down.
func putPart(t *testing.T, body []byte) string {
	t.Helper()
	return write(t, map[string][]byte{"test-set/file.gz.part": body})
}

func TestFetchOnceAndNotAgain(t *testing.T) {
	body, dir := payload(), t.TempDir()
	m := serve(t, good(body))
	var last Progress
	o := quick(dir)
	o.Progress = func(p Progress) { last = p }
	folder, err := fetchEntry(t.Context(), oneFile(body, m), o)
	if err != nil || folder != filepath.Join(dir, "test-set") {
		t.Fatalf("folder %q, error %v", folder, err)
	}
	wantFile(t, dir, body)
	if want := (Progress{"file.gz", m.URL + "/file.gz", 300_000, 300_000}); last != want {
		t.Errorf("last progress %+v, want %+v", last, want)
	}
	if _, err := fetchEntry(t.Context(), oneFile(body, m), o); err != nil || m.hits.Load() != 1 {
		t.Errorf("second call: error %v, %d requests in all, want 1", err, m.hits.Load())
	}
	// A damaged file is fetched again.
	if err := os.WriteFile(filepath.Join(folder, "file.gz"), make([]byte, len(body)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := fetchEntry(t.Context(), oneFile(body, m), o); err != nil {
		t.Fatal(err)
	}
	wantFile(t, dir, body)
}

func TestFetchByMD5(t *testing.T) {
	body := payload()
	wrong := bytes.Clone(body)
	wrong[1000]++
	bad, right := serve(t, good(wrong)), serve(t, good(body))
	e := oneFile(body, bad, right)
	sum := md5.Sum(body)
	e.downloads[0].SHA256, e.downloads[0].MD5 = "", hex.EncodeToString(sum[:])
	dir := t.TempDir()
	if _, err := fetchEntry(t.Context(), e, quick(dir)); err != nil {
		t.Fatal(err)
	}
	wantFile(t, dir, body)
}

func TestFetchResumes(t *testing.T) {
	body := payload()
	for name, c := range map[string]struct {
		part      []byte
		wantRange string
		hits      int32
	}{
		"half":               {body[:150_000], "bytes=150000-", 1},
		"all but the rename": {body, "", 0},
		"stale, same length": {make([]byte, 300_000), "", 1},
		"stale half":         {make([]byte, 150_000), "", 2},
		"longer than file":   {make([]byte, 300_001), "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := putPart(t, c.part)
			m := serve(t, good(body))
			if _, err := fetchEntry(t.Context(), oneFile(body, m), quick(dir)); err != nil {
				t.Fatal(err)
			}
			wantFile(t, dir, body)
			if got := m.ranges.Load().(string); got != c.wantRange || m.hits.Load() != c.hits {
				t.Errorf("%d requests, last Range %q, want %d, %q", m.hits.Load(), got, c.hits, c.wantRange)
			}
		})
	}
	t.Run("server without ranges", func(t *testing.T) {
		dir := putPart(t, body[:150_000])
		m := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(body) })
		if _, err := fetchEntry(t.Context(), oneFile(body, m), quick(dir)); err != nil {
			t.Fatal(err)
		}
		wantFile(t, dir, body)
		if m.hits.Load() != 1 {
			t.Errorf("%d requests, want 1", m.hits.Load())
		}
	})
}

func TestFetchChangesMirror(t *testing.T) {
	body := payload()
	page := []byte("<!DOCTYPE html><html>moved</html>")
	wrong := bytes.Clone(body)
	wrong[7]++
	down := serve(t, good(nil))
	down.Close()
	bad := map[string]*mirror{
		"status 403":        serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) }),
		"an HTML page":      serve(t, good(page)),
		"a chunked page":    serve(t, dripping(page, 10, 0, 1<<30)),
		"wrong content":     serve(t, good(wrong)),
		"one byte too many": serve(t, dripping(append(bytes.Clone(body), 1), 50_000, 0, 1<<30)),
		"cut off":           serve(t, dripping(body[:100_000], 50_000, 0, 1<<30)),
		"down":              down,
	}
	for name, b := range bad {
		t.Run(name, func(t *testing.T) {
			dir, last := t.TempDir(), serve(t, good(body))
			if _, err := fetchEntry(t.Context(), oneFile(body, b, last), quick(dir)); err != nil {
				t.Fatal(err)
			}
			wantFile(t, dir, body)
			// What precedes a byte too many is the file: no need to ask for it again.
			if name != "one byte too many" && last.hits.Load() == 0 {
				t.Error("the good mirror was not asked")
			}
		})
	}
	t.Run("all of them", func(t *testing.T) {
		_, err := fetchEntry(t.Context(), oneFile(body, bad["status 403"], bad["an HTML page"], bad["wrong content"]), quick(t.TempDir()))
		wantError(t, err, "file.gz", "no mirror delivered it")
		for _, phrase := range []string{"403", "serves 33 bytes, want 300000 (an HTML page)", "sha256 "} {
			wantError(t, err, "file.gz", phrase)
		}
	})
}

func TestFetchLeavesAStalledMirror(t *testing.T) {
	body, dir := payload(), t.TempDir()
	stalled, last := serve(t, dripping(body, 50_000, 0, 100_000)), serve(t, good(body))
	o := quick(dir)
	o.Stall = 300 * time.Millisecond
	if _, err := fetchEntry(t.Context(), oneFile(body, stalled, last), o); err != nil {
		t.Fatal(err)
	}
	wantFile(t, dir, body)
	if got := last.ranges.Load(); got != "bytes=100000-" {
		t.Errorf("the next mirror got Range %q, want bytes=100000-", got)
	}
	mute := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, err := fetchEntry(t.Context(), oneFile(body, mute), FetchOptions{Dir: t.TempDir(), Stall: 100 * time.Millisecond}.withDefaults())
	wantError(t, err, "file.gz", "stalled: no byte for 100ms")
}

func TestFetchLeavesASlowMirror(t *testing.T) {
	body, dir := payload(), t.TempDir()
	slow, last := serve(t, dripping(body, 1000, 20*time.Millisecond, 1<<30)), serve(t, good(body))
	o := quick(dir)
	o.MinSpeed = 1 << 30
	if _, err := fetchEntry(t.Context(), oneFile(body, slow, last), o); err != nil {
		t.Fatal(err)
	}
	wantFile(t, dir, body)
	if last.hits.Load() != 1 || last.ranges.Load() == "" {
		t.Errorf("the next mirror: %d requests, Range %q, want one that resumes", last.hits.Load(), last.ranges.Load())
	}
}

func TestFetchTakesASlowMirrorIfThereIsNoOther(t *testing.T) {
	body := payload()
	gone := serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "gone", http.StatusGone) })
	slow := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var from int
		fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
		if from > 0 {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(body)-1, len(body)))
			w.WriteHeader(http.StatusPartialContent)
		}
		dripping(body[from:], 50_000, 60*time.Millisecond, 1<<30)(w, r)
	})
	for name, order := range map[string][]*mirror{"last": {gone, slow}, "first": {slow, gone}} {
		t.Run(name, func(t *testing.T) {
			o := quick(t.TempDir())
			o.MinSpeed, o.Window = 1<<40, 100*time.Millisecond
			if _, err := fetchEntry(t.Context(), oneFile(body, order...), o); err != nil {
				t.Fatal(err)
			}
			wantFile(t, o.Dir, body)
		})
	}
	if slow.hits.Load() != 3 { // once as the last, twice as the first
		t.Errorf("%d requests to the slow mirror, want 3", slow.hits.Load())
	}
}

// TestFetchSlowerThanTheStallTime: what counts is the pause between two pieces,
// not the length of the download.
func TestFetchSlowerThanTheStallTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	body := payload()
	m := serve(t, dripping(body, 30_000, 100*time.Millisecond, 1<<30))
	o := quick(t.TempDir())
	o.Stall = 600 * time.Millisecond
	if _, err := fetchEntry(t.Context(), oneFile(body, m), o); err != nil {
		t.Fatal(err)
	}
	wantFile(t, o.Dir, body)
	if m.hits.Load() != 1 {
		t.Errorf("%d requests, want 1", m.hits.Load())
	}
}

func TestFetchEndlessMirror(t *testing.T) {
	body := payload()
	endless := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			w.Write(body)
		}
	})
	o := quick(t.TempDir())
	disk := &fullDisk{len(body), syscall.ENOSPC} // would be full with one byte more
	o.openPart = func(string, int) (partFile, error) { return disk, nil }
	_, err := fetchEntry(t.Context(), oneFile(body, endless), o)
	wantError(t, err, "file.gz", "serves more than 300000 bytes")
}

func TestFetchCancelledKeepsThePart(t *testing.T) {
	body, dir := payload(), t.TempDir()
	m := serve(t, dripping(body, 50_000, 0, 100_000))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := fetchEntry(ctx, oneFile(body, m), quick(dir))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", err)
	}
	wantError(t, err, "file.gz.part", "is kept")
	if got, _ := os.ReadFile(filepath.Join(dir, "test-set", "file.gz.part")); !bytes.Equal(got, body[:100_000]) {
		t.Errorf("%d bytes in the part, want the 100,000 served", len(got))
	}
}
