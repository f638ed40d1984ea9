package notebook

import (
	"path/filepath"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// ownResults returns comparisons as gradsync compare writes them.
func ownResults(t *testing.T) (out []*result.Result) {
	t.Helper()
	paths, err := filepath.Glob(filepath.FromSlash("../../experiments/own/testdata/*/own/*.json"))
	if err != nil || len(paths) < 2 {
		t.Fatal("no comparisons: ", err)
	}
	for _, path := range paths {
		r := oktest.Must(result.Read(path))(t)
		out = append(out, r)
	}
	return out
}

// Comparisons of a user's own read well in both languages: as they are, of one seed, where runs miss the accuracy or have it
// at once, and of two methods alone.
func TestOwnResultsReadWell(t *testing.T) {
	b, told := opened(t), map[string]bool{}
	set := func(f *result.Frame, key string, v any) {
		for _, row := range f.Rows {
			row[f.At(key)] = v
		}
	}
	for what, change := range map[string]func(r *result.Result, methods *result.Frame){
		"as it is": func(*result.Result, *result.Frame) {},
		"of one seed": func(r *result.Result, methods *result.Frame) {
			oneSeed(r)
			for _, row := range methods.Rows {
				if at := methods.At("finding"); row[at] != "reference" {
					row[at] = "alone"
				}
				row[methods.At("decide")] = nil
			}
		},
		"with runs that miss the accuracy": func(_ *result.Result, methods *result.Frame) {
			set(methods, "missed", 1.0)
			set(methods, "over", nil)
			set(methods, "over_lo", nil)
			set(methods, "over_hi", nil)
		},
		"with runs that have it at once": func(_ *result.Result, methods *result.Frame) { set(methods, "first", 2.0) },
		"of two methods": func(r *result.Result, methods *result.Frame) {
			methods.Rows = methods.Rows[:2]
			lines := r.Frame("lines")
			lines.Rows = lines.Rows[:2]
		},
	} {
		for _, r := range ownResults(t) {
			change(r, r.Frame("methods"))
			reads(t, b, what, r, told)
		}
	}
}
