// Package memo is the memory of `gradsync run`: it keeps the finished parts of experiments, and the
// state of one under way. Without folders of the user's it remembers across an interruption alone,
// and for this very binary; in a user's folders parts stay, for every build of the program.
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
	"strings"

	"github.com/gofrs/flock"

	"gradsync/internal/atomic"
	"gradsync/internal/readfile"
)

// Memo keeps finished parts of experiments, a file each; it is an exp.Memo. A part's name, which
// kit.Keep makes of all that decides its numbers, stands in the file; the file is called after the
// name's hash.
type Memo struct {
	Root    string // the folder that is written to, for messages
	Taken   int    // parts that were read
	Made    int    // parts that were written
	dirs    []string
	forever bool // parts outlive the command
	lock    *flock.Flock
	used    map[string]bool // names that this command asked for
	warn    func(string)
}

// format is the first field of every file.
const format = "gradsync part 1"

// maxFile is the size in bytes of the largest part that is read.
const maxFile = 64 * readfile.MiB

// file is a part as it is written.
type file struct {
	Format string          `json:"format"`
	Name   string          `json:"name"`   // of the part, as kit.PartName makes it
	SHA256 string          `json:"sha256"` // of Value
	Value  json.RawMessage `json:"value"`
}

// Open opens kept, folders in which parts stay: all are read, and the first is written. Without any
// it opens the folder of this binary below OUT/.memo, whose parts Clear removes. It holds the lock
// of the folder it writes to until Close. warn is told, in a line, of a file that is no part.
func Open(out string, kept []string, warn func(string)) (*Memo, error) {
	m := &Memo{dirs: kept, forever: len(kept) > 0, used: map[string]bool{}, warn: warn}
	if m.forever {
		m.Root = kept[0]
	} else {
		m.Root = filepath.Join(out, ".memo")
		m.dirs = []string{filepath.Join(m.Root, BuildHash())}
	}
	for _, dir := range m.dirs[1:] {
		if info, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("run: --kept: %w", err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("run: --kept: %s is no folder", dir)
		}
	}
	if err := os.MkdirAll(m.dirs[0], 0o755); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	m.lock = flock.New(filepath.Join(m.Root, "lock"))
	held, err := m.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("run: lock of %s: %w", m.Root, err)
	}
	if !held {
		return nil, fmt.Errorf("run: another gradsync run writes to %s", m.Root)
	}
	return m, nil
}

// BuildHash identifies the running binary, in 16 digits. If the binary cannot be read, no part of
// another process matches.
func BuildHash() string {
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
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// hash returns the hexadecimal SHA-256 of b.
func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// path names a file of the part called name in dir, and notes that this command asked for it.
func (m *Memo) path(dir, name, ext string) string {
	m.used[name] = true
	return filepath.Join(dir, hash([]byte(name))+ext)
}

// State names the file of a part under way.
func (m *Memo) State(name string) string { return m.path(m.dirs[0], name, ".state") }

// Load fills v with the part called name from the first folder that has it and reports whether one
// has. A file that is damaged, or of another part, counts as absent, and warn is told.
func (m *Memo) Load(name string, v any) bool {
	for _, dir := range m.dirs {
		path := m.path(dir, name, ".json")
		raw, err := readfile.Limited(path, maxFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var f file
		if err == nil {
			f, err = read(raw)
		}
		if err == nil && f.Name != name {
			err = errors.New("it holds another part")
		}
		if err == nil {
			err = json.Unmarshal(f.Value, v)
		}
		if err == nil {
			m.Taken++
			return true
		}
		m.warn(fmt.Sprintf("%s is ignored, and its part made again: %v", path, err))
	}
	return false
}

// read decodes a part and checks that it is whole.
func read(raw []byte) (f file, err error) {
	switch err = json.Unmarshal(raw, &f); {
	case err != nil:
		return f, fmt.Errorf("damaged: %w", err)
	case f.Format != format:
		return f, fmt.Errorf("its format is %q, not %q", f.Format, format)
	case hash(f.Value) != f.SHA256:
		return f, errors.New("damaged: its value has another hash")
	}
	return f, nil
}

// Save keeps the part called name in the first folder and removes its state.
func (m *Memo) Save(name string, v any) error {
	value, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("run: finished part %s: %w", name, err)
	}
	raw, err := json.Marshal(file{format, name, hash(value), value})
	if err != nil {
		return fmt.Errorf("run: finished part %s: %w", name, err)
	}
	if err := atomic.WriteFile(m.path(m.dirs[0], name, ".json"), append(raw, '\n')); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	m.Made++
	return remove(m.State(name))
}

// Parts counts the finished parts at hand, one that lies in two folders once.
func (m *Memo) Parts() int {
	seen := map[string]bool{}
	for _, dir := range m.dirs {
		for _, path := range partsIn(dir) {
			seen[filepath.Base(path)] = true
		}
	}
	return len(seen)
}

// partsIn lists the files of dir that are called as parts are.
func partsIn(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, strings.Repeat("[0-9a-f]", 64)+".json")) // the pattern is well formed
	return files
}

// Values returns, for every whole part in dir, the hash of its value by the hash of its name, both of
// 16 digits. The version of the bits is left out of the name: so two versions can be compared.
func Values(dir string) (map[string]string, error) {
	out := map[string]string{}
	for _, path := range partsIn(dir) {
		raw, err := readfile.Limited(path, maxFile)
		if err != nil {
			return nil, err
		}
		f, err := read(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		_, rest, _ := strings.Cut(f.Name, ",")
		out[hash([]byte(rest))[:16]] = f.SHA256[:16]
	}
	return out, nil
}

// UnderWay reports whether an unfinished part left its state.
func (m *Memo) UnderWay() bool {
	files, _ := filepath.Glob(filepath.Join(m.dirs[0], "*.state"))
	return len(files) > 0
}

// Strangers counts the finished parts of other binaries below OUT/.memo.
func (m *Memo) Strangers() int {
	if m.forever {
		return 0
	}
	files, _ := filepath.Glob(filepath.Join(m.Root, "*", "*.json"))
	return len(files) - m.Parts()
}

// Clear forgets the parts that this command asked for, unless they lie in folders of the user's.
// The parts of another interrupted command stay.
func (m *Memo) Clear() error {
	half, _ := filepath.Glob(filepath.Join(m.dirs[0], ".writing-*")) // of a process that was killed
	for _, path := range half {
		_ = os.Remove(path)
	}
	if m.forever {
		return nil
	}
	for name := range m.used {
		for _, ext := range []string{".json", ".state"} {
			if err := remove(m.path(m.dirs[0], name, ext)); err != nil {
				return err
			}
		}
	}
	_ = os.Remove(m.dirs[0]) // only when it is empty
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
