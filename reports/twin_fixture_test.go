package reports

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	result "gradsync/experiments/result1"
)

// twins are results of profile standard beside those of fixture: example5 agrees
// in some claims and not in others, example1 is the same but for the profile,
// example-fig4 was trained on two sets. example-fig2 has no twin.
func twins() []*result.Result {
	times, curves, stated := exampleTimes(), exampleCurves(), exampleStated()
	for _, r := range []*result.Result{times, curves, stated} {
		r.Profile = "standard"
	}
	times.Seeds = []uint64{7}
	change := func(id string, f func(c *result.Claim)) {
		for i := range times.Claims {
			if times.Claims[i].ID == id {
				f(&times.Claims[i])
			}
		}
	}
	change("X02", func(c *result.Claim) {
		c.Measured, c.CI95, c.Verdict, c.Why = -8.88, &[2]float64{-9.99, -7.77}, "differs", "Only the larger set shows it."
	})
	change("X03", func(c *result.Claim) { c.Measured, c.Differs = 44.4, []string{"platform"} })
	change("X06", func(c *result.Claim) { c.Measured, c.Verdict, c.Why = 78.8, "within", "" })
	times.Claims = append(times.Claims[1:], result.Claim{ID: "X07", Statement: "Only the larger set can tell", Source: "Example §4",
		Paper: 99.9, Unit: "%", Measured: 88.8, Verdict: "same-sign", Differs: []string{}})
	times.Tables[0].Rows[0][1] = 12.345
	times.Tables = append(times.Tables, result.Table{ID: "extra", Title: "Only in standard", Kind: result.TimingOnly, Caption: "Invented.",
		Columns: []result.Column{{Key: "k", Title: "k"}}, Rows: [][]any{{"v"}}})
	times.Notes = append(times.Notes, "A sentence that only standard says.")
	mnist := result.Data{Name: "mnist", Origin: "cache", Train: 60000, Test: 10000, SHA256: strings.Repeat("3", 64)}
	cifar := result.Data{Name: "cifar-10", Origin: "directory", Train: 50000, Test: 10000, SHA256: strings.Repeat("4", 64)}
	curves.Data, curves.Datasets = &mnist, []result.Data{mnist, cifar}
	curves.Figures[0].Series[0].Y[3] += 5.55
	return []*result.Result{times, curves, stated}
}

var renderedTwins = sync.OnceValues(func() (map[string]string, error) {
	root, err := os.MkdirTemp("", "reports")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(root) }()
	for _, r := range append(fixture(), twins()...) {
		if _, err := result.Write(root, r, nil); err != nil {
			return nil, err
		}
	}
	side, err := os.ReadFile(filepath.FromSlash(fixtures + "/dasp/example5.run.json"))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(root, "dasp", "example5.run.json"), side, 0o600); err != nil {
		return nil, err
	}
	return renderFrom(root, false)
})

func pageOfTwins(t *testing.T, name string) string {
	t.Helper()
	files, err := renderedTwins()
	if err != nil {
		t.Fatal(err)
	}
	return english(files[name])
}

// cut is the text between two marks, which must be there.
func cut(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, from)
	found, _, closed := strings.Cut(rest, to)
	if !ok || !closed {
		t.Fatalf("no %q followed by %q", from, to)
	}
	return found
}
