package serve

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gradsync/internal/oktest"
	"gradsync/reports/page"
)

// served is a running Serve.
type served struct {
	t     *testing.T
	url   string
	stop  func() error
	lines chan string // what was said
}

// forbearance is more time than a busy machine can need: what takes longer hangs.
const forbearance = 2 * time.Minute

// start serves until the test ends.
func start(t *testing.T, o Options) *served {
	t.Helper()
	s := &served{t: t, lines: make(chan string, 100)}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	o.Addr, o.Every = "127.0.0.1:0", 20*time.Millisecond
	o.Ready = func(addr string) { ready <- addr }
	o.Say = func(line string) { s.lines <- line }
	go func() { done <- Serve(ctx, o) }()
	select {
	case addr := <-ready:
		s.url = "http://" + addr
	case err := <-done:
		t.Fatal(err)
	}
	s.stop = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-done:
			return err
		case <-time.After(forbearance):
			return context.DeadlineExceeded
		}
	})
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("stopped with %v", err)
		}
	})
	return s
}

// line waits for the next line that was said.
func (s *served) line() string {
	s.t.Helper()
	select {
	case l := <-s.lines:
		return l
	case <-time.After(forbearance):
		s.t.Fatalf("nothing was said for %v", forbearance)
		return ""
	}
}

// get returns status and body.
func (s *served) get(path string) (int, string) {
	s.t.Helper()
	resp, err := http.Get(s.url + path)
	oktest.Nil(s.t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	oktest.Nil(s.t, err)
	return resp.StatusCode, string(b)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	oktest.Nil(t, os.MkdirAll(filepath.Dir(file), 0o755))
	// At once: who looks while a file is half written may find it so at two looks.
	half := filepath.Join(filepath.Dir(file), ".half")
	oktest.Nil(t, os.WriteFile(half, []byte(text), 0o644))
	oktest.Nil(t, os.Rename(half, file))
}

// put writes a result as the fake renderer reads it: a number.
func put(t *testing.T, results, id, number string) {
	t.Helper()
	write(t, filepath.Join(results, filepath.FromSlash(id)+".json"), number)
}

// renderer makes a page of each result that shows it, one of each of their folders, and
// what all pages share. A result that is no number is an error.
func renderer(results string) func() (page.Outputs, error) {
	return func() (page.Outputs, error) {
		out := page.Outputs{"index.html": []byte(aPage), "playground.html": []byte(aPage), "assets/report.js": nil}
		files, err := filepath.Glob(filepath.Join(results, "*", "*.json"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			if _, err := strconv.ParseFloat(string(text), 64); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			paper, stem := filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".json")
			out[paper+".html"] = []byte(aPage)
			out[paper+"/"+stem+".html"] = []byte(strings.Replace(aPage, "a page", string(text), 1))
		}
		return out, nil
	}
}

const aPage = `<!doctype html><head><meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; script-src &#39;sha256-x&#39;; ` +
	`base-uri &#39;none&#39;"/></head><body>a page</body>`

// A page is sent with the script and a policy that admits it; the file stays as it is.
func TestServedPagesReloadThemselves(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "index.html"), aPage)
	write(t, filepath.Join(dir, "assets", "a.js"), "1")
	defer func(d time.Duration) { farewell = d }(farewell)
	farewell = forbearance / 2
	s := start(t, Options{Dir: dir})
	_, page := s.get("/")
	for _, want := range []string{`<script src="/-/reload.js" data-state="`, `script-src &#39;self&#39; &#39;sha256-x&#39;;`,
		`connect-src &#39;self&#39;"`, "default-src &#39;none&#39;;", "a page"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "index.html")); string(b) != aPage {
		t.Errorf("the file has become %q", b)
	}
	if _, js := s.get("/-/reload.js"); !strings.Contains(js, "EventSource") {
		t.Errorf("the script is %q", js)
	}
	if code, text := s.get("/assets/a.js"); code != 200 || text != "1" {
		t.Errorf("an asset: %d %q", code, text)
	}
	resp := oktest.Must(http.Get(s.url + "/-/events"))(t)
	defer resp.Body.Close()
	events := bufio.NewScanner(resp.Body)
	next := func() string {
		for events.Scan() {
			if state, ok := strings.CutPrefix(events.Text(), "data: "); ok {
				return state
			}
		}
		t.Fatalf("the stream ended: %v", events.Err())
		return ""
	}
	state := next()
	if !strings.Contains(page, `data-state="`+state+`"`) {
		t.Errorf("the page carries another state than %s: it would reload for ever", state)
	}
	write(t, filepath.Join(dir, "index.html"), strings.Replace(aPage, "a page", "another page", 1))
	if again := next(); again == state {
		t.Error("the state did not change")
	}
	// An open stream does not keep the server alive: it ends, and is not cut off.
	if err := s.stop(); err != nil {
		t.Errorf("stopped with %v", err)
	}
	for events.Scan() {
	}
	if err := events.Err(); err != nil {
		t.Errorf("the stream was cut off: %v", err)
	}
}

// Nothing outside of the folder is served, nor what is hidden, nor lists of files.
func TestServeStaysInItsFolder(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "pages")
	write(t, filepath.Join(dir, "index.html"), aPage)
	write(t, filepath.Join(dir, stampName), "hidden")
	write(t, filepath.Join(dir, "data", ".writing-1"), "hidden")
	write(t, filepath.Join(base, "secret.txt"), "secret")
	link := os.Symlink(filepath.Join(base, "secret.txt"), filepath.Join(dir, "link.txt"))
	s := start(t, Options{Dir: dir})
	addr := strings.TrimPrefix(s.url, "http://")
	ask := func(request string) string {
		c := oktest.Must(net.Dial("tcp", addr))(t)
		defer c.Close()
		oktest.Must(io.WriteString(c, request))(t)
		b, _ := io.ReadAll(c)
		return string(b)
	}
	paths := []string{"/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/..%5csecret.txt", "//../secret.txt", "/data/", "/data",
		"/" + stampName, "/data/.writing-1", "/absent"}
	if link == nil {
		paths = append(paths, "/link.txt")
	}
	for _, path := range paths {
		answer := ask("GET " + path + " HTTP/1.1\r\nHost: " + addr + "\r\nConnection: close\r\n\r\n")
		if !strings.HasPrefix(answer, "HTTP/1.1 404 ") || strings.Contains(answer, "secret\n") || strings.Contains(answer, "hidden") {
			t.Errorf("%s: %q", path, answer)
		}
	}
	for host, want := range map[string]string{addr: "200", "localhost:1": "200", "[::1]:80": "200", "192.0.2.1": "200",
		"evil.example": "421", "127.0.0.1.evil.example:80": "421", "localhost.evil.example": "421", "": "4"} {
		answer := ask("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
		if !strings.HasPrefix(answer, "HTTP/1.1 "+want) || want != "200" && strings.Contains(answer, "a page") {
			t.Errorf("Host %q: %.60q, want %s", host, answer, want)
		}
	}
	if answer := ask("POST / HTTP/1.1\r\nHost: " + addr + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 405 ") {
		t.Errorf("POST: %.60q", answer)
	}
}

func TestANameThatTheUserChoseIsServed(t *testing.T) {
	s := &site{host: "lab7"}
	if !s.named("lab7:8080") || !s.named("LAB7") || s.named("lab8:8080") || s.named("") {
		t.Error("only lab7 and addresses should be served")
	}
}

// A changed result gives a changed page; two quick changes give the last; a broken one
// is said, and the page of before stays until the result is right again.
func TestServeRendersWhatChanges(t *testing.T) {
	results, dir := t.TempDir(), filepath.Join(t.TempDir(), "html")
	save := func(rate string) { put(t, results, "dasp/example1", rate) }
	save("1.111")
	var hold atomic.Bool
	begun, release, read := make(chan struct{}), make(chan struct{}), make(chan string, 100)
	render := func() (page.Outputs, error) {
		out, err := renderer(results)()
		read <- string(out["dasp/example1.html"])
		if hold.CompareAndSwap(true, false) { // once, with what was read
			begun <- struct{}{}
			<-release
		}
		return out, err
	}
	s := start(t, Options{Dir: dir, Results: results, Render: render})
	if code, page := s.get("/dasp/example1.html"); code == http.StatusServiceUnavailable && !strings.Contains(page, "/-/reload.js") {
		t.Errorf("the page that waits does not reload:\n%s", page)
	}
	shows := func(when, rate string) {
		t.Helper()
		if code, page := s.get("/dasp/example1.html"); code != 200 || !strings.Contains(page, rate) {
			t.Fatalf("%s: status %d, no %q on the page", when, code, rate)
		}
	}
	rendered := func(when string) (page string) { // each render says one line
		t.Helper()
		if l := s.line(); !strings.HasPrefix(l, "rendered ") {
			t.Fatalf("%s: said %q", when, l)
		}
		return <-read
	}
	rendered("start")
	shows("start", "1.111")
	save("2.222")
	rendered("change")
	shows("change", "2.222")

	save("3.333")
	save("4.444")
	for !strings.Contains(rendered("two changes"), "4.444") { // the first was there for two looks
	}
	shows("two changes", "4.444")
	hold.Store(true)
	save("4.111")
	<-begun
	if code, _ := s.get("/absent.html"); code != http.StatusServiceUnavailable {
		t.Errorf("a page that is not there during a render: status %d", code)
	}
	save("5.555")
	release <- struct{}{}
	for !strings.Contains(rendered("a change during a render"), "5.555") {
	}
	shows("a change during a render", "5.555")
	file := filepath.Join(results, "dasp", "example1.json")
	write(t, file, "{")
	if l := s.line(); !strings.HasPrefix(l, "not rendered, the pages of before stay: ") || !strings.Contains(l, filepath.Base(file)) || strings.Contains(l, "\n") {
		t.Errorf("a broken result: said %q", l)
	}
	<-read
	shows("broken", "5.555")
	save("6.666")
	rendered("mended")
	shows("mended", "6.666")
	time.Sleep(100 * time.Millisecond) // several looks
	if len(s.lines) > 0 {
		t.Errorf("nothing changed, and it said %q", <-s.lines)
	}
}

// Pages of the same results and the same program are not rendered again at the start;
// pages of other results are, and pages that somebody changed.
func TestServeRendersAtTheStartOnlyWhatIsNotThere(t *testing.T) {
	results, other, dir := t.TempDir(), t.TempDir(), t.TempDir()
	put(t, results, "dasp/example1", "1")
	put(t, other, "dasp/example1", "1")
	serveOnce := func(results string) (said bool) {
		s := start(t, Options{Dir: dir, Results: results, Render: renderer(results)})
		for deadline := time.Now().Add(forbearance); len(s.lines) == 0; {
			if time.Now().After(deadline) {
				t.Fatalf("neither rendered nor found to be so for %v", forbearance)
			}
			// Who asks for a page that is not there waits only while there is a render.
			if code, _ := s.get("/absent.html"); code == http.StatusNotFound {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if err := s.stop(); err != nil {
			t.Error(err)
		}
		return len(s.lines) > 0
	}
	if !serveOnce(results) {
		t.Error("no pages: not rendered")
	}
	if serveOnce(results) {
		t.Error("the same results: rendered again")
	}
	if !serveOnce(other) {
		t.Error("another folder of results: not rendered")
	}
	write(t, filepath.Join(dir, "dasp.html"), "changed by hand")
	if !serveOnce(other) {
		t.Error("a changed page: not rendered")
	}
}

func TestServeRefusesWhatIsNotThere(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	never := func(addr string) { t.Errorf("said to listen on %s", addr) }
	busy := oktest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer busy.Close()
	absent := filepath.Join(t.TempDir(), "absent")
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Dir: absent, Addr: "127.0.0.1:0"}, "no pages to serve in"},
		{Options{Dir: t.TempDir(), Results: absent, Addr: "127.0.0.1:0"}, "no results to render in"},
		{Options{Dir: t.TempDir(), Addr: "nonsense"}, `address "nonsense": want host:port`},
		{Options{Dir: t.TempDir(), Addr: busy.Addr().String()}, busy.Addr().String() + " is in use by another program: end it, or take another port with --addr"},
	} {
		c.o.Ready = never
		err := Serve(context.WithoutCancel(ctx), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want one line with %q", err, c.want)
		}
	}
}

// Pages and scripts go as gzip to whoever takes it, whole and with the length that was sent;
// to others, to those who refuse it and in parts they go as they are.
func TestServeCompresses(t *testing.T) {
	dir := t.TempDir()
	script := strings.Repeat("a long script; ", 1000)
	write(t, filepath.Join(dir, "index.html"), strings.Replace(aPage, "a page", script, 1))
	write(t, filepath.Join(dir, "assets", "a.js"), script)
	write(t, filepath.Join(dir, "assets", "a.woff2"), script)
	s := start(t, Options{Dir: dir})
	plain := &http.Transport{DisableCompression: true} // else the client asks and unpacks by itself
	defer plain.CloseIdleConnections()
	for _, c := range []struct {
		path, accept, ranged string
		packed               bool
	}{
		{"/", "gzip, deflate, br", "", true}, {"/assets/a.js", "br;q=1.0, GZIP;q=0.5", "", true}, {"/", "", "", false}, {"/", "gzip;q=0", "", false},
		{"/assets/a.js", "deflate", "", false}, {"/assets/a.woff2", "gzip", "", false}, {"/assets/a.js", "gzip", "bytes=0-99", false},
	} {
		req := oktest.Must(http.NewRequest(http.MethodGet, s.url+c.path, nil))(t)
		for k, v := range map[string]string{"Accept-Encoding": c.accept, "Range": c.ranged} {
			if v != "" {
				req.Header.Set(k, v)
			}
		}
		resp := oktest.Must(plain.RoundTrip(req))(t)
		sent, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.ContentLength != int64(len(sent)) {
			t.Errorf("%+v: %d bytes of %d, %v", c, len(sent), resp.ContentLength, err)
		}
		text := sent
		if packed := resp.Header.Get("Content-Encoding") == "gzip"; packed != c.packed {
			t.Errorf("%+v: sent as gzip: %v", c, packed)
		} else if packed {
			z, err := gzip.NewReader(bytes.NewReader(sent))
			if err != nil {
				t.Fatal(err)
			}
			if text, err = io.ReadAll(z); err != nil || len(sent) > len(text)/5 {
				t.Errorf("%+v: %d bytes of %d, %v", c, len(sent), len(text), err)
			}
		}
		want := script
		if c.ranged != "" {
			want = script[:100]
		}
		if !strings.Contains(string(text), want) {
			t.Errorf("%+v: the text is not the file's", c)
		}
	}
}
