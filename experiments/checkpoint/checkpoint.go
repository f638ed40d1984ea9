// Package checkpoint keeps the newest state of a run in a folder, so that the run can go on after it was
// killed at any moment, and refuses what is not whole or of another run. Here live the file's format, its
// checks and the folder's lock; what a state is made of the trainer knows.
package checkpoint

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"gradsync/internal/atomic"
	"gradsync/internal/readfile"
	"gradsync/shared/tensor/safetensors"
)

// format is the version of the files that this program reads and writes.
const format = 1

// maxBytes bounds a file that is read.
const maxBytes = 64 << 30

// patience is for processes of a killed job, which may be a while in dying; tests have less.
var patience = 3 * time.Second

// name names a folder's one file.
const name = "checkpoint.safetensors"

// neighbours are half written states, of killed runs or of this one: nobody else's files have such names, though DIR may
// have others' files.
const neighbours atomic.Neighbours = ".checkpoint-writing-*"

// State holds a run's vectors, what of it is bytes by name, and all else as JSON. None of them is in the file's header, whose
// length the format bounds.
type State struct {
	Vectors []safetensors.Tensor
	Bytes   map[string][]byte
	Rest    json.RawMessage
}

// rest names the JSON among the file's bytes.
const rest = "rest"

// Vector returns the named vector, nil if the state has none.
func (s *State) Vector(name string) []float32 {
	for _, t := range s.Vectors {
		if t.Name == name {
			return t.Data
		}
	}
	return nil
}

// Add adds a vector, but no nil.
func (s *State) Add(name string, v []float32) {
	if v != nil {
		s.Vectors = append(s.Vectors, safetensors.Tensor{Name: name, Shape: []int{len(v)}, Data: v})
	}
}

// AddBytes adds bytes, but none if there are none.
func (s *State) AddBytes(name string, b []byte) {
	if len(b) == 0 {
		return
	}
	if s.Bytes == nil {
		s.Bytes = map[string][]byte{}
	}
	s.Bytes[name] = b
}

// Folder is a locked folder of one run.
type Folder struct {
	path string // of the file
	lock *flock.Flock
}

// Open makes the folder if need be and locks it against other runs. It removes what a killed one left
// half written.
func Open(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("checkpoint: %w: name a folder that can be written to", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	held, err := lock.TryLockContext(ctx, patience/30)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("checkpoint: cannot lock %s: %w: name a folder that can be written to", dir, err)
	}
	if !held {
		return nil, fmt.Errorf("checkpoint: another run uses %s: wait until it has ended, or name another folder", dir)
	}
	f := &Folder{path: filepath.Join(dir, name), lock: lock}
	left, err := filepath.Glob(filepath.Join(escaped(dir), string(neighbours)))
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	if err == nil {
		err = neighbours.Try(f.path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("checkpoint: %w: name a folder that can be written to", err), lock.Close())
	}
	return f, nil
}

// escaped returns a path that Glob takes for itself.
func escaped(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}

// Path names the file.
func (f *Folder) Path() string { return f.path }

// Close unlocks the folder.
func (f *Folder) Close() error { return f.lock.Close() }

// Write replaces the file; it is on the disk when Write returns, and until then the old one is.
func (f *Folder) Write(run Run, s *State) error {
	b, err := encode(run, s)
	if err == nil {
		err = neighbours.Write(f.path, func(w io.Writer) error { _, err := w.Write(b); return err })
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// encode makes the file's bytes. Their hash is among them, as of a file with zeros in its place.
func encode(run Run, s *State) ([]byte, error) {
	of, err := json.Marshal(run)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(s.Vectors)
	add := func(name string, b []byte) {
		all = append(all, safetensors.Tensor{Name: name, Shape: []int{len(b)}, Bytes: b})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Bytes)) {
		add(name, s.Bytes[name])
	}
	add(rest, append([]byte{}, s.Rest...))
	b, err := safetensors.Encode(safetensors.File{Tensors: all, Metadata: map[string]string{
		"format": strconv.Itoa(format), "run": string(of), "sha256": zeros}})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	copy(b[hashAt(b, zeros):], hex.EncodeToString(sum[:]))
	return b, nil
}

var zeros = strings.Repeat("0", 2*sha256.Size)

// hashAt returns where the hash stands in the file's bytes, negative if nowhere. Quotes within other values are escaped.
func hashAt(b []byte, hash string) int {
	const key = `"sha256":"`
	if at := bytes.Index(b, []byte(key+hash+`"`)); at >= 0 {
		return at + len(key)
	}
	return -1
}

// Read returns the state that run goes on from, nil if there is no file. One that is damaged, newer than
// this program or of another run is an error, and stays.
func (f *Folder) Read(run Run) (*State, error) {
	b, err := readfile.Limited(f.path, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	return f.decode(b, run)
}

// decode reads the file's bytes, and changes them.
func (f *Folder) decode(b []byte, run Run) (*State, error) {
	damaged := func(why string) error {
		return fmt.Errorf("checkpoint: %s is damaged (%s): put a copy in its place, or remove it to begin anew", f.path, why)
	}
	file, err := safetensors.Decode(b)
	if err != nil {
		return nil, damaged(strings.TrimPrefix(err.Error(), "safetensors: "))
	}
	is, err := strconv.Atoi(file.Metadata["format"])
	hash := file.Metadata["sha256"]
	at := hashAt(b, hash)
	switch {
	case err == nil && is > format:
		return nil, fmt.Errorf("checkpoint: %s has format %d, this gradsync reads %d: go on with the newer one that wrote it, or name another folder",
			f.path, is, format)
	case len(hash) != len(zeros) || at < 0:
		return nil, damaged("it has no hash")
	}
	copy(b[at:], zeros)
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != hash {
		return nil, damaged("its bytes do not have its hash")
	}
	if err != nil || is != format {
		return nil, fmt.Errorf("checkpoint: %s has format %q, this gradsync reads %d: name another folder",
			f.path, file.Metadata["format"], format)
	}
	var there Run
	if err := json.Unmarshal([]byte(file.Metadata["run"]), &there); err != nil {
		return nil, damaged(err.Error())
	}
	if d := run.differs(there); d != "" {
		return nil, fmt.Errorf("checkpoint: %s is of another run: %s; give the command that wrote it, or name another folder", f.path, d)
	}
	s := &State{}
	for _, t := range file.Tensors {
		switch {
		case t.Bytes == nil:
			s.Vectors = append(s.Vectors, t)
		case t.Name == rest:
			s.Rest = t.Bytes
		default:
			s.AddBytes(t.Name, t.Bytes)
		}
	}
	if s.Rest == nil {
		return nil, fmt.Errorf("checkpoint: %s has the layout of a gradsync before the first release with states: remove it to begin anew", f.path)
	}
	return s, nil
}
