package codedsgd

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"gradsync/experiments/result"
)

// cellOf returns the cell of the one row in which the columns named have the values.
func cellOf(t *testing.T, r *result.Result, frame, key string, sel ...any) any {
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

// factOf returns the value of a fact.
func factOf(t *testing.T, facts []result.Fact, key string) any {
	t.Helper()
	i := slices.IndexFunc(facts, func(f result.Fact) bool { return f.Key == key })
	if i < 0 {
		t.Fatalf("no fact %s", key)
	}
	return facts[i].Value
}

// judgedAs demands a verdict, and arguments of its reasons: "code.name" with a value.
func judgedAs(t *testing.T, c result.Claim, want string, args ...any) {
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
