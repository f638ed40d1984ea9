// Package memo is the memory of `gradsync run`: it keeps the finished parts of experiments,
// and the state of one under way, across an interruption.
package memo

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

// Memo keeps finished parts of experiments in OUT/.memo until the command that needs them
// is through; it is an exp.Memo. The parts lie in a folder named after the hash of this
// binary, so other code never reuses them.
type Memo struct {
	Root string // OUT/.memo
	dir  string // of this binary
	lock *flock.Flock
	used map[string]bool // keys that this command asked for
}

// Open opens OUT/.memo and holds its lock until Close.
func Open(out string) (*Memo, error) {
	root := filepath.Join(out, ".memo")
	m := &Memo{Root: root, dir: filepath.Join(root, buildHash()[:16]), used: map[string]bool{}}
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

// buildHash identifies the running binary. If the binary cannot be read, no part of
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

// path names a file of the part of key, and notes that this command asked for it.
func (m *Memo) path(key, ext string) string {
	m.used[key] = true
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(m.dir, hex.EncodeToString(sum[:])+ext)
}

// State names the file of a part under way.
func (m *Memo) State(key string) string { return m.path(key, ".state") }

// Load fills v with the part of key and reports whether it was there. A file
// that cannot be read back counts as absent: the part is computed again.
func (m *Memo) Load(key string, v any) bool {
	raw, err := os.ReadFile(m.path(key, ".json"))
	return err == nil && json.Unmarshal(raw, v) == nil
}

// Save keeps the part of key and removes its state.
func (m *Memo) Save(key string, v any) error {
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

// Parts counts the finished parts of this binary.
func (m *Memo) Parts() int {
	files, _ := filepath.Glob(filepath.Join(m.dir, "*.json")) // the pattern is well formed
	return len(files)
}

// UnderWay reports whether an unfinished part left its state.
func (m *Memo) UnderWay() bool {
	files, _ := filepath.Glob(filepath.Join(m.dir, "*.state"))
	return len(files) > 0
}

// Strangers counts the finished parts of other binaries.
func (m *Memo) Strangers() int {
	files, _ := filepath.Glob(filepath.Join(m.Root, "*", "*.json"))
	return len(files) - m.Parts()
}

// Clear forgets the parts that this command asked for. The parts of another interrupted
// command stay.
func (m *Memo) Clear() error {
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

// remove removes a file; one that is not there is no error.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run: %w", err)
	}
	return nil
}

// Close gives the lock back.
func (m *Memo) Close() { _ = m.lock.Close() } // the process ends anyway
