package datasets

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// payload returns a file of 300,000 bytes that do not repeat.
func payload() []byte {
	r, b := rand.New(rand.NewPCG(1, 2)), make([]byte, 300_000)
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
	m := newMirror(h)
	m.Start()
	t.Cleanup(m.Close)
	return m
}

// newMirror returns a mirror that has not started.
func newMirror(h func(w http.ResponseWriter, r *http.Request)) *mirror {
	m := &mirror{}
	m.ranges.Store("")
	m.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.hits.Add(1)
		m.ranges.Store(r.Header.Get("Range"))
		h(w, r)
	}))
	return m
}

// pipes is a network of mirrors and their only client within a bubble of virtual time: who is slow there is slow by the
// clock, and no machine is busy.
type pipes struct {
	net.Listener // nil
	dialled      chan net.Conn
	gone         chan struct{}
	once         sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialled:
		return c, nil
	case <-p.gone:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { p.once.Do(func() { close(p.gone) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// inVirtualTime runs f in a bubble, where serve starts mirrors that these options' client reaches.
func inVirtualTime(t *testing.T, f func(t *testing.T, serve func(func(http.ResponseWriter, *http.Request)) *mirror, o FetchOptions)) {
	synctest.Test(t, func(t *testing.T) {
		hosts := map[string]*pipes{}
		transport := &http.Transport{DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
			here, there := net.Pipe()
			select {
			case hosts[addr].dialled <- there:
				return here, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}
		f(t, func(h func(http.ResponseWriter, *http.Request)) *mirror {
			m, p := newMirror(h), &pipes{dialled: make(chan net.Conn), gone: make(chan struct{})}
			m.Listener.Close()
			m.Listener = p
			m.Start()
			m.URL = fmt.Sprintf("http://mirror-%d", len(hosts))
			hosts[strings.TrimPrefix(m.URL, "http://")+":80"] = p
			t.Cleanup(func() {
				transport.CloseIdleConnections()
				m.Close()
			})
			return m
		}, FetchOptions{Dir: t.TempDir(), Client: &http.Client{Transport: transport}}.withDefaults())
	})
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
	return &entry{Name: "test-set", Title: "Test set", Downloads: []Download{d}}
}

// patient returns options with limits that no busy machine reaches.
func patient(dir string) FetchOptions {
	return FetchOptions{Dir: dir, Stall: 2 * time.Minute, MinSpeed: 1}.withDefaults()
}

// wantFile checks that the file is complete and nothing is left beside it.
func wantFile(t *testing.T, dir string, want []byte) {
	t.Helper()
	path := filepath.Join(dir, "test-set", "file.gz")
	if got := sure(os.ReadFile(path))(t); !bytes.Equal(got, want) {
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
	o := patient(dir)
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
	e.Downloads[0].SHA256, e.Downloads[0].MD5 = "", hex.EncodeToString(sum[:])
	dir := t.TempDir()
	if _, err := fetchEntry(t.Context(), e, patient(dir)); err != nil {
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
			if _, err := fetchEntry(t.Context(), oneFile(body, m), patient(dir)); err != nil {
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
		if _, err := fetchEntry(t.Context(), oneFile(body, m), patient(dir)); err != nil {
			t.Fatal(err)
		}
		wantFile(t, dir, body)
		if m.hits.Load() != 1 {
			t.Errorf("%d requests, want 1", m.hits.Load())
		}
	})
}

// deaf returns an address that nobody listens at and nobody can take: a connection has it.
func deaf(t *testing.T) string {
	t.Helper()
	l := sure(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	c := sure(net.Dial("tcp", l.Addr().String()))(t)
	t.Cleanup(func() { c.Close() })
	return c.LocalAddr().String()
}

func TestFetchChangesMirror(t *testing.T) {
	body := payload()
	page := []byte("<!DOCTYPE html><html>moved</html>")
	wrong := bytes.Clone(body)
	wrong[7]++
	down := newMirror(good(nil))
	down.Listener.Close()
	down.URL = "http://" + deaf(t)
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
			if _, err := fetchEntry(t.Context(), oneFile(body, b, last), patient(dir)); err != nil {
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
		_, err := fetchEntry(t.Context(), oneFile(body, bad["status 403"], bad["an HTML page"], bad["wrong content"]), patient(t.TempDir()))
		wantError(t, err, "file.gz", "no mirror delivered it")
		for _, phrase := range []string{"403", "serves 33 bytes, want 300000 (an HTML page)", "sha256 "} {
			wantError(t, err, "file.gz", phrase)
		}
	})
}

func TestFetchLeavesAStalledMirror(t *testing.T) {
	body := payload()
	inVirtualTime(t, func(t *testing.T, serve func(func(http.ResponseWriter, *http.Request)) *mirror, o FetchOptions) {
		stalled, last := serve(dripping(body, 50_000, 0, 100_000)), serve(good(body))
		began := time.Now()
		if _, err := fetchEntry(t.Context(), oneFile(body, stalled, last), o); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != o.Stall {
			t.Errorf("left the mirror after %v, want %v", took, o.Stall)
		}
		wantFile(t, o.Dir, body)
		if got := last.ranges.Load(); got != "bytes=100000-" {
			t.Errorf("the next mirror got Range %q, want bytes=100000-", got)
		}
		mute := serve(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		o.Dir, began = t.TempDir(), time.Now()
		_, err := fetchEntry(t.Context(), oneFile(body, mute), o)
		if took := time.Since(began); took != o.Stall {
			t.Errorf("left a mirror that says nothing after %v, want %v", took, o.Stall)
		}
		wantError(t, err, "file.gz", "stalled: no byte for 20s")
	})
}

func TestFetchLeavesASlowMirror(t *testing.T) {
	body := payload()
	inVirtualTime(t, func(t *testing.T, serve func(func(http.ResponseWriter, *http.Request)) *mirror, o FetchOptions) {
		slow, last := serve(dripping(body, 10_000, time.Second, 1<<30)), serve(good(body))
		if _, err := fetchEntry(t.Context(), oneFile(body, slow, last), o); err != nil {
			t.Fatal(err)
		}
		wantFile(t, o.Dir, body)
		// A piece each second from the first instant on: 16 in a window of 15 s.
		if last.hits.Load() != 1 || last.ranges.Load() != "bytes=160000-" {
			t.Errorf("the next mirror: %d requests, Range %q, want one from 160,000 on", last.hits.Load(), last.ranges.Load())
		}
	})
}

func TestFetchTakesASlowMirrorIfThereIsNoOther(t *testing.T) {
	body := payload()
	for name, first := range map[string]bool{"last": false, "first": true} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, serve func(func(http.ResponseWriter, *http.Request)) *mirror, o FetchOptions) {
				gone := serve(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "gone", http.StatusGone) })
				slow := serve(func(w http.ResponseWriter, r *http.Request) {
					var from int
					fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
					if from > 0 {
						w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(body)-1, len(body)))
						w.WriteHeader(http.StatusPartialContent)
					}
					dripping(body[from:], 10_000, time.Second, 1<<30)(w, r)
				})
				order, hits := []*mirror{gone, slow}, int32(1)
				if first {
					order, hits = []*mirror{slow, gone}, 2
				}
				if _, err := fetchEntry(t.Context(), oneFile(body, order...), o); err != nil {
					t.Fatal(err)
				}
				wantFile(t, o.Dir, body)
				if slow.hits.Load() != hits {
					t.Errorf("%d requests to the slow mirror, want %d", slow.hits.Load(), hits)
				}
			})
		})
	}
}

// TestFetchSlowerThanTheStallTime: what counts is the pause between two pieces, not the length of the download.
func TestFetchSlowerThanTheStallTime(t *testing.T) {
	body := payload()
	inVirtualTime(t, func(t *testing.T, serve func(func(http.ResponseWriter, *http.Request)) *mirror, o FetchOptions) {
		m := serve(dripping(body, 30_000, o.Stall-time.Second, 1<<30))
		if _, err := fetchEntry(t.Context(), oneFile(body, m), o); err != nil {
			t.Fatal(err)
		}
		wantFile(t, o.Dir, body)
		if m.hits.Load() != 1 {
			t.Errorf("%d requests, want 1", m.hits.Load())
		}
	})
}

func TestFetchEndlessMirror(t *testing.T) {
	body := payload()
	endless := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			w.Write(body)
		}
	})
	o := patient(t.TempDir())
	disk := &fullDisk{len(body), syscall.ENOSPC} // would be full with one byte more
	o.openPart = func(string, int) (partFile, error) { return disk, nil }
	_, err := fetchEntry(t.Context(), oneFile(body, endless), o)
	wantError(t, err, "file.gz", "serves more than 300000 bytes")
}

func TestFetchCancelledKeepsThePart(t *testing.T) {
	body := payload()
	inVirtualTime(t, func(t *testing.T, serve func(func(http.ResponseWriter, *http.Request)) *mirror, o FetchOptions) {
		m := serve(dripping(body, 50_000, 0, 100_000))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := fetchEntry(ctx, oneFile(body, m), o)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the context's", err)
		}
		wantError(t, err, "file.gz.part", "is kept")
		if got, _ := os.ReadFile(filepath.Join(o.Dir, "test-set", "file.gz.part")); !bytes.Equal(got, body[:100_000]) {
			t.Errorf("%d bytes in the part, want the 100,000 served", len(got))
		}
	})
}
