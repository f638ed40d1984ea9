package reports

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/result"
	"gradsync/reports/page"
	"gradsync/reports/serve"
)

// The server shows the pages of results; of a broken result it says in one line which
// file is broken, and the page of before stays.
func TestServedPagesAreThoseOfTheResults(t *testing.T) {
	results, dir := t.TempDir(), filepath.Join(t.TempDir(), "html")
	r := exampleStated()
	r.Frames[0].Rows[0][1] = 1.111
	mine(t, results, r, aRun())
	ctx, stop := context.WithCancel(context.Background())
	addr, lines, done := make(chan string, 1), make(chan string, 10), make(chan error, 1)
	o := serve.Options{Dir: dir, Addr: "127.0.0.1:0", Results: results, Every: 20 * time.Millisecond, Ready: func(a string) { addr <- a },
		Say: func(l string) { lines <- l }}
	o.Render = func() (page.Outputs, error) { return Files(Options{Results: results, Out: dir}) }
	go func() { done <- serve.Serve(ctx, o) }()
	url := "http://" + <-addr + "/dasp/example1.html"
	shows := func(when string) {
		resp, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(b), "1.111") {
			t.Errorf("%s: status %d, %v, or the page lacks its number", when, resp.StatusCode, err)
		}
	}
	if l := <-lines; !strings.HasPrefix(l, "rendered ") {
		t.Fatalf("said %q", l)
	}
	shows("rendered")
	file := result.Path(results, r.ID, r.Profile)
	if err := os.WriteFile(file, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if l := <-lines; !strings.HasPrefix(l, "not rendered, the pages of before stay: ") || !strings.Contains(l, filepath.Base(file)) || strings.Contains(l, "\n") {
		t.Errorf("a broken result: said %q", l)
	}
	shows("broken")
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
