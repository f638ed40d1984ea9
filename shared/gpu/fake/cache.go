package fake

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// kept is how many built libraries stay: those of two or three states of the sources.
const kept = 8

// fresh is young enough for a process that was given its path to copy the library still.
const fresh = time.Hour

// folder returns where libraries are kept, which is the user's alone.
func folder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return temporary()
	}
	dir := filepath.Join(cache, "gradsync", "fake-gpu")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return temporary()
	}
	if err := os.Chmod(dir, 0o700); err != nil { // somebody else's
		return temporary()
	}
	return dir, nil
}

// temporary makes a folder for this process, where the user has no cache.
var temporary = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "gradsync-fake-gpu-") })

// prune removes all but the newest libraries of a folder, which the caller has locked; path
// and what is fresh stay.
func prune(dir, path string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	type library struct {
		path string
		used time.Time
	}
	var all []library
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".so") {
			all = append(all, library{filepath.Join(dir, e.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b library) int { return b.used.Compare(a.used) })
	var errs []error
	for _, l := range all[min(kept, len(all)):] {
		if l.path != path && time.Since(l.used) > fresh {
			errs = append(errs, os.Remove(l.path))
		}
	}
	return errors.Join(errs...)
}
