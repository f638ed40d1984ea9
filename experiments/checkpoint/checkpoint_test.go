package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gradsync/internal/oktest"
	"gradsync/shared/tensor/safetensors"
)

var here = Run{Bits: 1, Config: json.RawMessage(`{"rate":0.05,"sync":"dasp"}`), Engine: "portable", Data: "d", Params: "p"}

// written returns a folder with a state.
func written(t *testing.T) (*Folder, *State, []byte) {
	t.Helper()
	f := oktest.Must(Open(filepath.Join(t.TempDir(), "new", "[folder]")))(t)
	t.Cleanup(func() { oktest.Nil(t, f.Close()) })
	s := &State{Rest: json.RawMessage(`{"At":3,"Why":"\"sha256\":\"0\""}`)}
	s.Add("params", []float32{1, -2, 0.5})
	s.Add("none", nil)
	s.AddBytes("losses", []byte("\x00\xff\"sha256\":\""))
	s.AddBytes("nothing", nil)
	if got, err := f.Read(here); got != nil || err != nil {
		t.Fatalf("a new folder has %v, %v", got, err)
	}
	oktest.Nil(t, f.Write(here, s))
	return f, s, oktest.Must(os.ReadFile(f.Path()))(t)
}

// What was written is read; the same state has the same bytes.
func TestStatesComeBack(t *testing.T) {
	f, s, b := written(t)
	got, err := f.Read(here)
	if err != nil || !reflect.DeepEqual(got, s) || got.Vector("params")[1] != -2 || got.Vector("none") != nil {
		t.Errorf("read %+v (%v), want %+v", got, err, s)
	}
	oktest.Nil(t, f.Write(here, s))
	if again, err := os.ReadFile(f.Path()); err != nil || !bytes.Equal(again, b) {
		t.Errorf("other bytes of the same state (%v)", err)
	}
}

// Every length that is short and every byte that is another is found, and so is another version of the format.
func TestDamageIsFound(t *testing.T) {
	f, _, b := written(t)
	refused := func(what string, at int, b []byte) {
		if s, err := f.decode(b, here); err == nil || s != nil || !strings.Contains(err.Error(), f.Path()) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %d: %v, error %v", what, at, s, err)
		}
	}
	for n := range b {
		refused("cut at", n, bytes.Clone(b[:n]))
		flipped := bytes.Clone(b)
		flipped[n] ^= 1
		refused("flipped", n, flipped)
	}
	refused("longer by", 1, append(bytes.Clone(b), 0))
	newer := bytes.Replace(b, []byte(`"format":"1"`), []byte(`"format":"2"`), 1)
	if _, err := f.decode(newer, here); err == nil || !strings.Contains(err.Error(), "has format 2, this gradsync reads 1: go on") {
		t.Errorf("a newer format: %v", err)
	}
}

// A state of another run is named by what differs, at most three things.
func TestOthersAreNamed(t *testing.T) {
	f, _, _ := written(t)
	for want, change := range map[string]func(*Run){
		"rate is 0.05 there and 0.1 here, sync is \"dasp\" there and not given here; give": func(r *Run) { r.Config = json.RawMessage(`{ "rate": 0.1 }`) },
		"the engine is portable there and asm here; give":                                  func(r *Run) { r.Engine = "asm" },
		"the data set is d there and e here; give":                                         func(r *Run) { r.Data = "e" },
		"not given here, the data set is d there and e here; give":                         func(r *Run) { r.Data, r.Config = "e", nil },
		"the hash of the first parameters is p there and q here":                           func(r *Run) { r.Params = "q" },
		"the version of all numbers is 1 there and 2 here":                                 func(r *Run) { r.Bits = 2 },
		"the hash of the recorded order or mask is not given there and o here":             func(r *Run) { r.Others = "o" },
		", 2 more differ; give":                                                            func(r *Run) { r.Config = json.RawMessage(`{"a":1,"b":2,"c":3}`) },
	} {
		r := here
		change(&r)
		if _, err := f.Read(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	r := here
	r.Config = json.RawMessage(`{"sync": "dasp", "rate": 0.05}`)
	if _, err := f.Read(r); err != nil {
		t.Errorf("the same configuration in another order: %v", err)
	}
}

// What is before the vectors is as long for a state of many steps as for one of few: the format bounds it.
func TestHeaderDoesNotGrow(t *testing.T) {
	header := func(steps int) uint64 {
		s := &State{Rest: json.RawMessage(`"` + strings.Repeat("x", steps) + `"`)}
		s.AddBytes("losses.0", make([]byte, 8*steps))
		return binary.LittleEndian.Uint64(oktest.Must(encode(here, s))(t))
	}
	if few, many := header(10), header(1e5); many > few+100 {
		t.Errorf("%d bytes after 10 steps, %d after 100000", few, many)
	}
}

// A state whose JSON is in the header, as before the first release with states, is refused and says why.
func TestOldLayoutIsRefused(t *testing.T) {
	f, _, _ := written(t)
	of := oktest.Must(json.Marshal(here))(t)
	b, err := safetensors.Encode(safetensors.File{Metadata: map[string]string{"format": "1", "run": string(of), "rest": "{}", "sha256": zeros}})
	oktest.Nil(t, err)
	sum := sha256.Sum256(b)
	copy(b[hashAt(b, zeros):], hex.EncodeToString(sum[:]))
	if _, err := f.decode(b, here); err == nil || !strings.Contains(err.Error(), f.Path()+" has the layout of a gradsync before") {
		t.Errorf("error %v", err)
	}
}

// A folder has one run at a time, and what a killed one left half written goes.
func TestFolderIsLocked(t *testing.T) {
	f, _, _ := written(t)
	dir := filepath.Dir(f.Path())
	half, others := filepath.Join(dir, ".checkpoint-writing-123"), filepath.Join(dir, ".writing-123")
	for _, path := range []string{half, others} {
		oktest.Nil(t, os.WriteFile(path, []byte("half"), 0o600))
	}
	old := patience
	patience = 50 * time.Millisecond
	defer func() { patience = old }()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "another run uses "+dir) {
		t.Errorf("error %v", err)
	}
	oktest.Nil(t, f.lock.Unlock())
	g := oktest.Must(Open(dir))(t)
	if _, err := os.Stat(half); !os.IsNotExist(err) {
		t.Errorf("the half of a file is still there (%v)", err)
	}
	if _, err := os.Stat(others); err != nil {
		t.Errorf("what somebody else is writing is gone: %v", err)
	}
	if s, err := g.Read(here); err != nil || s == nil {
		t.Errorf("read %v, %v", s, err)
	}
	oktest.Nil(t, g.Close())
	if _, err := Open(f.Path()); err == nil || !strings.Contains(err.Error(), "name a folder") {
		t.Errorf("a file as a folder: error %v", err)
	}
}
