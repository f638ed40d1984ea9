package browser

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"gradsync/internal/oktest"
	"gradsync/internal/repo"
)

// long tells whether every page is judged in every look, and printed: make test-long.
var long = os.Getenv("GRADSYNC_LONG") != ""

// chromium is the one browser of all tests.
var chromium struct {
	once sync.Once
	ctx  context.Context
	stop func() error
	skip string
	err  error
}

// scratch is the folder of what several tests render.
var scratch string

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("nothing of the browser takes less than a second: make test has it")
		return
	}
	var err error
	if scratch, err = os.MkdirTemp("", "gradsync-browser"); err != nil {
		fmt.Fprintln(os.Stderr, "browser:", err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(scratch)
	if chromium.stop != nil {
		if err := chromium.stop(); err != nil && !errors.Is(err, context.Canceled) {
			fmt.Fprintln(os.Stderr, "browser: stopping Chromium:", err)
		}
	}
	os.Exit(code)
}

// started is the context of the running browser; without one the test skips.
func started(t *testing.T) context.Context {
	t.Helper()
	chromium.once.Do(func() {
		program := repo.Chromium()
		if program == "" {
			chromium.skip = "no Chromium on PATH (" + strings.Join(repo.Browsers, ", ") + "), so the pages are not opened: apt-get install chromium, or the package " +
				"of your system"
			return
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.DisableGPU, chromedp.WindowSize(1280, 900),
			chromedp.Flag("disable-component-update", true))
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox) // Chromium as root starts only without it
		}
		at, _ := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, _ := chromedp.NewContext(at, chromedp.WithErrorf(func(string, ...any) {}))
		chromium.ctx, chromium.err = ctx, chromedp.Do(ctx)
		chromium.stop = func() error { return chromedp.Cancel(ctx) }
	})
	if chromium.skip != "" {
		t.Skip(chromium.skip)
	}
	if chromium.err != nil {
		t.Fatalf("starting Chromium: %v", chromium.err)
	}
	return chromium.ctx
}

// folder is where the pages are: reports/html, or what GRADSYNC_PAGES names.
func folder(t *testing.T) string {
	t.Helper()
	if other := os.Getenv("GRADSYNC_PAGES"); other != "" {
		return other
	}
	return filepath.Join(oktest.Must(repo.Root())(t), "reports", "html")
}

// committed are the pages in the folder, by their paths in it: the index, the documents
// and the playground, and every result's own.
func committed(t *testing.T) []string {
	t.Helper()
	dir := folder(t)
	var pages []string
	for pattern, least := range map[string]int{"*.html": 6, "*/*.html": 50} {
		found := oktest.Must(fs.Glob(os.DirFS(dir), pattern))(t)
		if len(found) < least {
			t.Errorf("%s has %d pages %s, want at least %d: %q", dir, len(found), pattern, least, found)
		}
		pages = append(pages, found...)
	}
	slices.Sort(pages)
	return pages
}
