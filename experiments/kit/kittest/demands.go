package kittest

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
)

// Near demands a number that is off by at most tolerance.
func Near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.6g, want %.6g ± %g", what, got, want, tolerance)
	}
}

// CellAt returns the cell of the one row in which the columns named have the values.
func CellAt(t *testing.T, r *result.Result, frame, key string, sel ...any) any {
	t.Helper()
	f := r.Frame(frame)
	if f == nil || f.At(key) < 0 {
		t.Fatalf("%s has no column %s in a frame %s", r.ID, key, frame)
	}
	var found []any
	for _, row := range f.Rows {
		same := true
		for i := 0; i < len(sel); i += 2 {
			same = same && fmt.Sprint(row[f.At(sel[i].(string))]) == fmt.Sprint(sel[i+1])
		}
		if same {
			found = append(found, row[f.At(key)])
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s: %d rows of %s at %v", r.ID, len(found), frame, sel)
	}
	return found[0]
}

// Fact returns the value of a fact.
func Fact(t *testing.T, facts []result.Fact, key string) any {
	t.Helper()
	i := slices.IndexFunc(facts, func(f result.Fact) bool { return f.Key == key })
	if i < 0 {
		t.Fatalf("no fact %s", key)
	}
	return facts[i].Value
}

// JudgedAs demands a verdict, and arguments of its reasons: "code.name" with a value.
func JudgedAs(t *testing.T, c result.Claim, want string, args ...any) {
	t.Helper()
	if c.Verdict != want {
		t.Errorf("%s: %s, want %s: %v", c.ID, c.Verdict, want, c.Reasons)
	}
	known := map[string]any{}
	all := slices.Clone(c.Reasons)
	if c.Found != nil {
		all = append(all, *c.Found)
	}
	for _, r := range append(all, c.Differs...) {
		known[r.Code] = true
		for name, x := range r.Args {
			known[r.Code+"."+name] = x
		}
	}
	for i := 0; i+1 < len(args); i += 2 {
		if got := rounded(known[args[i].(string)]); got != rounded(args[i+1]) {
			t.Errorf("%s: %s is %v, want %v", c.ID, args[i], got, args[i+1])
		}
	}
}

// rounded prints v with its numbers to four significant digits.
func rounded(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // reasons hold words and numbers
	}
	return regexp.MustCompile(`-?\d+\.?\d*(e-?\d+)?`).ReplaceAllStringFunc(string(raw), func(s string) string {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return s
		}
		return strconv.FormatFloat(x, 'g', 4, 64)
	})
}

// results holds every result of Ran, since several tests look at it.
var results = struct {
	sync.Mutex
	of map[string]*result.Result
}{of: map[string]*result.Result{}}

// Ran runs e, once for all tests of a profile, demands that it is complete and that its
// result can be written, and returns it. A test must not change it.
func Ran(t *testing.T, e exp.Experiment, profile string, seeds ...uint64) *result.Result {
	t.Helper()
	results.Lock()
	defer results.Unlock()
	key := fmt.Sprint(e.ID, " ", profile, seeds)
	if results.of[key] == nil {
		r, err := e.Run(t.Context(), exp.Env{Profile: profile, Seeds: seeds, Engine: Engine(), Memo: memory})
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

// memory holds the parts that experiments share.
var memory = Memo{}

// WantCells demands that a frame's column holds these cells, numbers by value.
func WantCells(t *testing.T, r *result.Result, frame, key string, want ...any) {
	t.Helper()
	if got := Cells(t, r, frame, key); !reflect.DeepEqual(plainly(got), plainly(want)) {
		t.Errorf("%s, %s: %v, want %v", frame, key, got, want)
	}
}

// Cells returns the cells of a frame's column.
func Cells(t *testing.T, r *result.Result, frame, key string) (out []any) {
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

// WantFact demands a fact with this value.
func WantFact(t *testing.T, r *result.Result, key string, want any) {
	t.Helper()
	if f := r.Fact(key); f == nil || !reflect.DeepEqual(plainly(f.Value), plainly(want)) {
		t.Errorf("%s: fact %s is %+v, want %v", r.ID, key, f, want)
	}
}

// plainly returns v as a file holds it: with one kind of number.
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

// FoundAs demands a verdict and, among the reasons and the finding, every reason given.
func FoundAs(t *testing.T, c result.Claim, verdict string, codes ...result.Reason) {
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

// Codes returns the codes of reasons.
func Codes(list []result.Reason) (out []string) {
	for _, r := range list {
		out = append(out, r.Code)
	}
	return out
}

// WantClaim demands a verdict, and a reason of that code with the arguments args, given as name and
// value in turn. An empty code demands no reason.
func WantClaim(t *testing.T, name string, c result.Claim, verdict, code string, args ...any) {
	t.Helper()
	if c.Verdict != verdict {
		t.Errorf("%s: %s is %s, want %s: %v", name, c.ID, c.Verdict, verdict, c.Reasons)
	}
	for _, r := range c.Reasons {
		if r.Code != code {
			continue
		}
		for i := 0; i+1 < len(args); i += 2 {
			if got := r.Args[args[i].(string)]; fmt.Sprint(got) != fmt.Sprint(args[i+1]) {
				t.Errorf("%s: %s of %s is %v, want %v", name, args[i], code, got, args[i+1])
			}
		}
		return
	}
	if code != "" {
		t.Errorf("%s: %s has the reasons %v, want %s", name, c.ID, c.Reasons, code)
	}
}
