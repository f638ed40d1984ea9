package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"gradsync/internal/atomic"
)

// memo keeps finished parts of experiments in OUT/.memo until the command that
// needs them is through. They lie in a folder that is named after the hash of
// this very binary, so a part is never reused by other code.
type memo struct {
	root string // OUT/.memo
	dir  string // of this binary
	lock *flock.Flock
	used map[string]bool // keys that this command asked for
}

// openMemo opens OUT/.memo and holds its lock until close.
func openMemo(out string) (*memo, error) {
	root := filepath.Join(out, ".memo")
	m := &memo{root: root, dir: filepath.Join(root, buildHash()[:16]), used: map[string]bool{}}
	if err := os.MkdirAll(m.dir, 0o755); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	m.lock = flock.New(filepath.Join(root, "lock"))
	held, err := m.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("run: lock of %s: %w", root, err)
	}
	if !held {
		return nil, fmt.Errorf("run: another gradsync run writes to %s", out)
	}
	return m, nil
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
		return fmt.Sprintf("%016d", os.Getpid())
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (m *memo) path(key, ext string) string {
	m.used[key] = true
	sum := sha256.Sum256([]byte(key))
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

// Save keeps the part of key, whose state on the way is then of no more use.
func (m *memo) Save(key string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("run: finished part %s: %w", key, err)
	}
	path := m.path(key, ".json")
	if err := atomic.WriteFile(path, raw); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	return remove(m.State(key))
}

// parts counts what an earlier run of this binary left, and strangers what
// other binaries did.
func (m *memo) parts() int {
	files, _ := filepath.Glob(filepath.Join(m.dir, "*.json")) // the pattern is well formed
	return len(files)
}

// underWay reports whether a part left its state.
func (m *memo) underWay() bool {
	files, _ := filepath.Glob(filepath.Join(m.dir, "*.state"))
	return len(files) > 0
}

func (m *memo) strangers() int {
	files, _ := filepath.Glob(filepath.Join(m.root, "*", "*.json"))
	return len(files) - m.parts()
}

// clear forgets the parts that this command asked for. Those of another
// interrupted command stay.
func (m *memo) clear() error {
	for key := range m.used {
		for _, ext := range []string{".json", ".state"} {
			if err := remove(m.path(key, ext)); err != nil {
				return err
			}
		}
	}
	half, _ := filepath.Glob(filepath.Join(m.dir, ".writing-*")) // of a process that was killed
	for _, path := range half {
		_ = os.Remove(path)
	}
	_ = os.Remove(m.dir) // only when it is empty
	return nil
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run: %w", err)
	}
	return nil
}

func (m *memo) close() { _ = m.lock.Close() } // the process ends anyway
