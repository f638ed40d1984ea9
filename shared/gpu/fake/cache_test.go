package fake

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCache: built libraries lie in the user's cache, in a folder that is the user's alone, or
// in a temporary one where there is no cache.
func TestCache(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache) // on Linux
	t.Setenv("TMPDIR", t.TempDir())
	if at, err := os.UserCacheDir(); err != nil || at != cache {
		t.Skip("the fake driver is built on Linux")
	}
	dir, err := folder()
	if err != nil || dir != filepath.Join(cache, "gradsync", "fake-gpu") {
		t.Fatal(dir, err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := folder(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(filepath.Join(cache, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(cache, "file"))
	other, err := folder()
	if err != nil || !strings.HasPrefix(filepath.Base(other), "gradsync-fake-gpu-") { // the process's one, whoever asked first
		t.Fatal(other, err)
	}
	if again, err := folder(); again != other || err != nil {
		t.Error(again, err)
	}
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	t.Setenv("XDG_CACHE_HOME", cache)
	built, err := BuildLibraries()
	if err == nil && filepath.Dir(built) != dir || err != nil && err != ErrMissing {
		t.Errorf("built %s, %v", built, err)
	}
}

// TestPrune: the newest stay, and what another process may be about to open.
func TestPrune(t *testing.T) {
	dir := t.TempDir()
	name := func(i int) string { return filepath.Join(dir, fmt.Sprintf("%d.so", i)) }
	for i := range 3 * kept {
		if err := os.WriteFile(name(i), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		used := time.Now().Add(-time.Duration(i) * time.Second) // of these some are fresh, for the rest of the hour
		if i >= 2*kept {
			used = used.Add(-2 * fresh)
		}
		if err := os.Chtimes(name(i), used, used); err != nil {
			t.Fatal(err)
		}
	}
	if err := prune(dir, name(3*kept-1)); err != nil {
		t.Fatal(err)
	}
	for i := range 3 * kept {
		_, err := os.Stat(name(i))
		if stays := i < 2*kept || i == 3*kept-1; (err == nil) != stays {
			t.Errorf("file %d stays: %t, want %t", i, err == nil, stays)
		}
	}
}
