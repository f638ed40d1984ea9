package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"
)

// memo keeps finished parts of experiments in OUT/.memo until the command that
// needs them is through. A part's file name hashes its key and this very
// binary, so a part is never reused by other code.
type memo struct {
	dir   string
	build string
	lock  *flock.Flock
}

// openMemo opens OUT/.memo and holds its lock until close.
func openMemo(out string) (*memo, error) {
	dir := filepath.Join(out, ".memo")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	held, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("run: lock of %s: %w", dir, err)
	}
	if !held {
		return nil, fmt.Errorf("run: another gradsync run writes to %s", out)
	}
	return &memo{dir: dir, build: buildHash(), lock: lock}, nil
}

// buildHash identifies the running binary; if it cannot be read no part of
// another process matches.
func buildHash() string {
	h := sha256.New()
	path, err := os.Executable()
	if err == nil {
		var f *os.File
		if f, err = os.Open(path); err == nil {
			defer f.Close()
			_, err = io.Copy(h, f)
		}
	}
	if err != nil {
		return fmt.Sprintf("process %d", os.Getpid())
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (m *memo) path(key, ext string) string {
	sum := sha256.Sum256([]byte(m.build + "\n" + key))
	return filepath.Join(m.dir, hex.EncodeToString(sum[:])+ext)
}

// State names the file of a part under way.
func (m *memo) State(key string) string { return m.path(key, ".state") }

// Load fills v with the part of key and reports whether it was there. A file
// that cannot be read back counts as absent: the part is computed again.
func (m *memo) Load(key string, v any) bool {
	raw, err := os.ReadFile(m.path(key, ".json"))
	return err == nil && json.Unmarshal(raw, v) == nil
}

// Save keeps the part of key.
func (m *memo) Save(key string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("run: finished part %s: %w", key, err)
	}
	path := m.path(key, ".json")
	if err := os.WriteFile(path+".tmp", raw, 0o644); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	return nil
}

// parts counts what an earlier run left, of whatever build.
func (m *memo) parts() int {
	files, _ := filepath.Glob(filepath.Join(m.dir, "*.json")) // the pattern is well formed
	return len(files)
}

// clear forgets all parts.
func (m *memo) clear() error {
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	for _, e := range entries {
		if slices.Contains([]string{".json", ".state", ".tmp"}, filepath.Ext(e.Name())) {
			if err := os.Remove(filepath.Join(m.dir, e.Name())); err != nil {
				return fmt.Errorf("run: %w", err)
			}
		}
	}
	return nil
}

func (m *memo) close() { _ = m.lock.Close() } // the process ends anyway
