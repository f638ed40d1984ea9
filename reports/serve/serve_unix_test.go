//go:build unix

package serve

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"gradsync/internal/oktest"
)

// Ctrl-C while pages are written: the server ends when all of them are, and not before.
// A pipe in the place of a page holds the writing up.
func TestServeWaitsUntilThePagesAreWhole(t *testing.T) {
	oktest.Slow(t)
	results, dir := t.TempDir(), t.TempDir()
	put(t, results, "dasp/example1", "1")
	pipe := filepath.Join(dir, "index.html")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no pipe can be made here: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, Options{Addr: "127.0.0.1:0", Dir: dir, Results: results, Render: renderer(results), Every: time.Millisecond,
			Ready: func(string) {}, Say: func(string) {}})
	}()
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // until the render reads what was there before
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "assets", "report.js")); err != nil {
		t.Errorf("not in the middle of writing: %v", err)
	}
	stop()
	select {
	case err := <-done:
		t.Errorf("ended with %v in the middle of writing", err)
		done <- nil
	case <-time.After(300 * time.Millisecond):
	}
	if err := os.Remove(pipe); err != nil { // its reader has it still; a page does not replace what is no file
		t.Fatal(err)
	}
	oktest.Nil(t, w.Close())
	if err := <-done; err != nil {
		t.Error(err)
	}
	for _, name := range []string{"index.html", "dasp.html", "playground.html", stampName} {
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || !st.Mode().IsRegular() {
			t.Errorf("%s is not written: %v", name, err)
		}
	}
}
