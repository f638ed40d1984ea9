package serve

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/page"
)

// Results are rendered once they were the same at two looks, and no later than at the
// look that finds the tenth change; what was rendered is not rendered again.
func TestResultsThatAreStillWrittenAreWaitedFor(t *testing.T) {
	for _, c := range []struct {
		what, looks, want string // a state for each look; r: rendered
	}{
		{"as at the start", "aaa", "r.."},
		{"one change", "aabbb", "r..r."},
		{"a change that goes on", "abcdd", "r...r"},
		{"a change back", "abaaa", "r...."},
		{"a change without an end", "abcdefghijklmnopqrstu", "r.........r.........r"},
		{"a change back and one without an end", "abababababcdefghijklm", "r.................r.."},
	} {
		results, got := changes{last: c.looks[:1]}, ""
		for _, state := range c.looks {
			if results.due(string(state)) {
				got += "r"
			} else {
				got += "."
			}
		}
		if got != c.want {
			t.Errorf("%s: looks %s: %s, want %s", c.what, c.looks, got, c.want)
		}
	}
	started := changes{rendered: "a", last: "a"}
	if started.due("a") || started.due("b") || !started.due("b") {
		t.Error("the pages of a start before are rendered again, or their change is not")
	}
}

// Ctrl-C during a render that does not yet write ends at once, and no page of that
// render appears later.
func TestARenderThatTheServerOutlivesWritesNothing(t *testing.T) {
	results, dir := t.TempDir(), t.TempDir()
	put(t, results, "dasp/example5", "1")
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	root := oktest.Must(os.OpenRoot(dir))(t)
	defer root.Close()
	begun, release := make(chan struct{}), make(chan struct{})
	held := func() (page.Outputs, error) {
		close(begun)
		<-release
		return renderer(results)()
	}
	watched := make(chan struct{})
	o := Options{Dir: dir, Results: results, Render: held, Every: time.Millisecond, Say: func(line string) { t.Errorf("said %q", line) }}
	go func() {
		defer close(watched)
		watch(ctx, o, &site{root: root, news: newNews("")})
	}()
	<-begun
	stop()
	close(release)
	<-watched
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("written after the end: %v, %v", files, err)
	}
}

// namesBelow returns the files below dir, slash-separated.
func namesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	oktest.Nil(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, name)
		}
		return err
	}))
	return files
}

// What serve made and no result makes any more goes, in this process and after a new
// start; what others put there or changed stays, and nothing outside is touched.
func TestServeRemovesWhatItMadeItself(t *testing.T) {
	results, base := t.TempDir(), t.TempDir()
	dir := filepath.Join(base, "html")
	for _, stem := range []string{"example5", "example-fig2", "example1"} {
		put(t, results, "dasp/"+stem, "1")
	}
	gone := func(stem string) {
		oktest.Nil(t, os.Remove(filepath.Join(results, "dasp", stem+".json")))
	}
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		return !errors.Is(err, fs.ErrNotExist)
	}
	write(t, filepath.Join(dir, "dasp", "mine.html"), "somebody's")
	s := start(t, Options{Dir: dir, Results: results, Render: renderer(results)})
	if l := s.line(); !strings.HasPrefix(l, "rendered ") || strings.Contains(l, "removed") {
		t.Fatalf("said %q", l)
	}
	for _, name := range []string{"dasp/example5.html", "dasp/example-fig2.html", "dasp/example1.html"} {
		if !has(name) {
			t.Fatalf("%s is not made: %q", name, namesBelow(t, dir))
		}
	}
	gone("example-fig2")
	if l := s.line(); !strings.Contains(l, "; removed 1 old file that these results do not make") {
		t.Errorf("said %q", l)
	}
	if has("dasp/example-fig2.html") || !has("dasp/example5.html") {
		t.Errorf("the files are %q", namesBelow(t, dir))
	}
	oktest.Nil(t, s.stop())
	write(t, filepath.Join(dir, "dasp", "example1.html"), "changed by hand")
	write(t, filepath.Join(base, "outside.html"), "outside")
	st := oktest.Must(os.ReadFile(filepath.Join(dir, stampName)))(t)
	write(t, filepath.Join(dir, stampName), string(st)+result.Sum([]byte("outside"))+"  ../outside.html\n")
	gone("example5")
	gone("example1")
	put(t, results, "dasp/example-fig4", "1")
	again := start(t, Options{Dir: dir, Results: results, Render: renderer(results)})
	if l := again.line(); !strings.Contains(l, "../outside.html") {
		t.Errorf("a name outside of the folder: said %q", l)
	}
	if l := again.line(); !strings.Contains(l, "; removed 1 old file") {
		t.Errorf("said %q", l)
	}
	if !has("dasp/mine.html") || !has("dasp/example1.html") || has("dasp/example5.html") || !has("dasp/example-fig4.html") {
		t.Errorf("the files are %q", namesBelow(t, dir))
	}
	if b, err := os.ReadFile(filepath.Join(base, "outside.html")); err != nil || string(b) != "outside" {
		t.Errorf("a file outside of the folder: %q, %v", b, err)
	}
}

// A paper without any result loses its pages, and folders that this empties go.
func TestServeRemovesThePageOfAPaper(t *testing.T) {
	results, dir := t.TempDir(), t.TempDir()
	put(t, results, "dasp/example5", "1")
	s := start(t, Options{Dir: dir, Results: results, Render: renderer(results)})
	s.line()
	for _, page := range []string{"/dasp.html", "/dasp/example5.html"} {
		if code, _ := s.get(page); code != 200 {
			t.Fatalf("%s: %d", page, code)
		}
	}
	oktest.Nil(t, os.RemoveAll(filepath.Join(results, "dasp")))
	if l := s.line(); !strings.Contains(l, "removed") {
		t.Errorf("said %q", l)
	}
	for _, page := range []string{"/dasp.html", "/dasp/example5.html"} {
		if code, _ := s.get(page); code != 404 {
			t.Errorf("%s, whose results are gone: %d", page, code)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "dasp")); err == nil {
		t.Errorf("folders without a file stay: %q", namesBelow(t, dir))
	}
}
