package readme

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/experiments/result"
	"gradsync/internal/repo"
)

// TestReadmeIsCurrent: the table in README.md is the one of the committed
// results. If this fails, run `make reports` and commit README.md.
func TestReadmeIsCurrent(t *testing.T) {
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(raw), "\r\n", "\n")
	table, err := tabulate(filepath.Join(root, "experiments", "results"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := splice(text, table)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("README.md is not current, run `make reports` (-want +got):\n%s", diff)
	}
}

// TestTabulate counts every claim of two results, by hand: 1 within, 2 differs;
// a third, of profile standard, in a row of its own; that of a check nowhere.
func TestTabulate(t *testing.T) {
	root := t.TempDir()
	for id, found := range map[string][]string{"dasp/table4": {"within", "differs"}, "dasp/table5": {"differs"}} {
		r := &result.Result{ID: id, Profile: "quick", Kind: result.Stated, Status: "complete"}
		for _, v := range found {
			r.Claims = append(r.Claims, result.Claim{ID: "D" + v, Verdict: v})
		}
		if _, err := result.Write(root, r, &result.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	// A check is no second finding.
	if _, err := result.Write(root, &result.Result{ID: "dasp/table5", Profile: "ci", Status: "complete", Claims: []result.Claim{{ID: "D1", Verdict: "equal"}}}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := result.Write(root, &result.Result{ID: "dasp/table4", Profile: "standard", Status: "complete", Claims: []result.Claim{{ID: "D1", Verdict: "same-sign"}}}, &result.Run{}); err != nil {
		t.Fatal(err)
	}
	table, err := tabulate(root)
	if err != nil {
		t.Fatal(err)
	}
	if want := "(reports/html/dasp.html), profile `standard` | 1 | 0 | 0 | 1 | 0 | 0 | 0 |\n"; !strings.Contains(table, want) {
		t.Errorf("no row ending %q in\n%s", want, table)
	}
	if n := strings.Count(table, "dasp.html"); n != 2 {
		t.Errorf("%d rows of DASP, want quick and standard:\n%s", n, table)
	}
	if want := "(reports/html/dasp.html) | 2 | 0 | 1 | 0 | 2 | 0 | 0 |\n"; !strings.Contains(table, want) {
		t.Errorf("no row ending %q in\n%s", want, table)
	}
	if want := "| built; no committed results yet | | | | | | |\n"; strings.Count(table, want) != 3 {
		t.Errorf("want 3 rows ending %q in\n%s", want, table)
	}
}

// TestTabulateThreePapers: each document with results has a row of its own, with
// its page, in the order of the table. Counted by hand.
func TestTabulateThreePapers(t *testing.T) {
	root := t.TempDir()
	for id, found := range map[string][]string{"dasp/table4": {"within"}, "ring/cost": {"equal", "equal"}, "ringsparse/time": {"differs"}} {
		r := &result.Result{ID: id, Profile: "quick", Kind: result.Stated, Status: "complete"}
		for i, v := range found {
			r.Claims = append(r.Claims, result.Claim{ID: string(rune('A' + i)), Verdict: v})
		}
		if _, err := result.Write(root, r, &result.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	table, err := tabulate(root)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, want := range []string{"(reports/html/dasp.html) | 1 | 0 | 1 | 0 | 0 | 0 | 0 |\n", "(reports/html/ring.html) | 1 | 2 | 0 | 0 | 0 | 0 | 0 |\n",
		"(reports/html/ringsparse.html) | 1 | 0 | 0 | 0 | 1 | 0 | 0 |\n", "| built; no committed results yet |"} {
		i := strings.Index(table, want)
		if i < at {
			t.Errorf("%q stands at %d, after %d, in\n%s", want, i, at, table)
		}
		at = i
	}
}

// TestTabulateRefusesUnknownVerdict: a seventh word is an error, not a claim
// that silently counts nowhere.
func TestTabulateRefusesUnknownVerdict(t *testing.T) {
	root := t.TempDir()
	r := &result.Result{ID: "dasp/table4", Profile: "quick", Claims: []result.Claim{{ID: "D13", Verdict: "nearly"}}}
	if _, err := result.Write(root, r, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := tabulate(root); err == nil || !strings.Contains(err.Error(), `"nearly"`) {
		t.Errorf("tabulate gave %v, want an error naming the verdict", err)
	}
}

func TestSpliceNeedsMarkers(t *testing.T) {
	if _, err := splice("no markers", "table"); err == nil {
		t.Error("splice without markers gave no error")
	}
	got, err := splice("a\n"+begin+"\nold\n"+end+"\nb\n", "new\n")
	if want := "a\n" + begin + "\nnew\n" + end + "\nb\n"; err != nil || got != want {
		t.Errorf("splice = %q, %v, want %q", got, err, want)
	}
}
