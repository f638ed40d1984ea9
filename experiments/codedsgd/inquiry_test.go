package codedsgd

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
)

// results are those of ran, which several tests look at.
var results = struct {
	sync.Mutex
	of map[string]*result.Result
}{of: map[string]*result.Result{}}

// ran runs e, once for all tests of a profile, demands that it is complete and that its
// result can be written, and returns it. A test must not change it.
func ran(t *testing.T, e exp.Experiment, profile string, seeds ...uint64) *result.Result {
	t.Helper()
	results.Lock()
	defer results.Unlock()
	key := fmt.Sprint(e.ID, " ", profile, seeds)
	if results.of[key] == nil {
		r, err := e.Run(t.Context(), exp.Env{Profile: profile, Seeds: seeds, Memo: memory})
		if err == nil {
			err = result.Check(r)
		}
		if err != nil || r.Status != result.Complete {
			t.Fatalf("%s: status %s, %v", e.ID, r.Status, err)
		}
		results.of[key] = r
	}
	return results.of[key]
}

// memory is what the experiments of ran share.
var memory = shelf{}

// wantCells demands that a frame's column holds these cells, numbers by value.
func wantCells(t *testing.T, r *result.Result, frame, key string, want ...any) {
	t.Helper()
	if got := cellsOf(t, r, frame, key); !reflect.DeepEqual(plainly(got), plainly(want)) {
		t.Errorf("%s, %s: %v, want %v", frame, key, got, want)
	}
}

func cellsOf(t *testing.T, r *result.Result, frame, key string) (out []any) {
	t.Helper()
	f := r.Frame(frame)
	if f == nil || f.At(key) < 0 {
		t.Fatalf("%s has no frame %s with a column %s", r.ID, frame, key)
	}
	for _, row := range f.Rows {
		out = append(out, row[f.At(key)])
	}
	return out
}

func wantFact(t *testing.T, r *result.Result, key string, want any) {
	t.Helper()
	if f := r.Fact(key); f == nil || !reflect.DeepEqual(plainly(f.Value), plainly(want)) {
		t.Errorf("%s: fact %s is %+v, want %v", r.ID, key, f, want)
	}
}

// plainly is v as a file holds it: one kind of number.
func plainly(v any) (out any) {
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		return err
	}
	return out
}

// foundAs demands a verdict and, among the reasons and what was found, every code given,
// with its arguments: "C27 280".
func foundAs(t *testing.T, c result.Claim, verdict string, codes ...result.Reason) {
	t.Helper()
	if c.Verdict != verdict {
		t.Errorf("%s is %s, want %s: %+v", c.ID, c.Verdict, verdict, c.Reasons)
	}
	said := c.Reasons
	if c.Found != nil {
		said = append(slices.Clone(said), *c.Found)
	}
	for _, want := range codes {
		if !slices.ContainsFunc(said, func(r result.Reason) bool { return fmt.Sprint(r) == fmt.Sprint(want) }) {
			t.Errorf("%s says %v, want %v", c.ID, said, want)
		}
	}
}

func TestDataIsListedOnce(t *testing.T) {
	var r result.Result
	for _, name := range []string{"a", "b", "a"} {
		addData(&r, result.Data{Name: name})
	}
	if len(r.Data) != 2 || r.Data[0].Name != "a" || r.Data[1].Name != "b" {
		t.Errorf("%+v", r.Data)
	}
}
