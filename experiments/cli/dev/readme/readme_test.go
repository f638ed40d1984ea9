package readme

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/internal/repo"
)

// TestFilesAreCurrent: README.md, REPRODUCIBILITY.md, COURSEWORK.md and reports/published.json are
// what the committed results make. If this fails, run `make reports` and commit them.
func TestFilesAreCurrent(t *testing.T) {
	oktest.Slow(t)
	root := oktest.Must(repo.Root())(t)
	files := oktest.Must(Files(root))(t)
	if len(files) != 4 {
		t.Errorf("%d files are made, want 4", len(files))
	}
	for name, want := range files {
		raw := oktest.Must(os.ReadFile(filepath.Join(root, filepath.FromSlash(name))))(t)
		text := strings.ReplaceAll(string(raw), "\r\n", "\n")
		if diff := cmp.Diff(string(want), text); diff != "" {
			t.Errorf("%s is not current, run `make reports` (-want +got):\n%s", name, diff)
		}
	}
}

// TestUpdateWritesWhatChanged: a repository of two results is renewed once, and a
// second time nothing is left to do.
func TestUpdateWritesWhatChanged(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"README.md": "a\n" + begin + "\n" + end + "\n", "REPRODUCIBILITY.md": "b\n" + beginMinutes + "\n" + endMinutes + "\n", "reports/.keep": "",
	} {
		oktest.Nil(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		oktest.Nil(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	results := filepath.Join(root, "experiments", "results")
	for _, r := range []*result.Result{
		{ID: "dasp/table4", Profile: "quick", Kind: result.Stated, Status: "complete", Seeds: []uint64{0, 1}},
		{ID: "ring/cost", Profile: "ci", Kind: result.Stated, Status: "complete"},
	} {
		oktest.Must(result.Write(results, r, &result.Run{CPU: "a CPU", WallSeconds: 90, PeakRSSBytes: 3 << 29}))(t)
	}
	changed, err := Update(root)
	if want := []string{"COURSEWORK.md", "README.md", "REPRODUCIBILITY.md", "reports/published.json"}; err != nil || !slices.Equal(changed, want) {
		t.Fatalf("changed %v (%v), want %v", changed, err, want)
	}
	table, _ := os.ReadFile(filepath.Join(root, "REPRODUCIBILITY.md"))
	if want := "| DASP | `quick` | 1 | 0, 1 | 90 s | 1.50 GiB | 0 |\n"; !strings.Contains(string(table), want) || !strings.Contains(string(table),
		"Machine: a CPU, ") {
		t.Errorf("no row %q and machine in\n%s", want, table)
	}
	list, _ := os.ReadFile(filepath.Join(root, "reports", "published.json"))
	for _, want := range []string{`"dasp/table4 quick"`, `"ring/cost ci"`} {
		if !strings.Contains(string(list), want) {
			t.Errorf("no %s in\n%s", want, list)
		}
	}
	if changed, err := Update(root); err != nil || len(changed) > 0 {
		t.Errorf("a second time changed %v (%v)", changed, err)
	}
}

// TestMinutesNeedTheirSidecar: a result without a record, or with another's, has no
// known time, and the table is not made without it.
func TestMinutesNeedTheirSidecar(t *testing.T) {
	root := t.TempDir()
	r := &result.Result{ID: "dasp/table4", Profile: "quick", Kind: result.Stated, Status: "complete"}
	path := oktest.Must(result.Write(root, r, nil))(t)
	if _, err := minutes(root); err == nil || !strings.Contains(err.Error(), "table4.run.json") {
		t.Errorf("without a sidecar: %v", err)
	}
	oktest.Nil(t, os.WriteFile(strings.TrimSuffix(path, ".json")+".run.json", []byte(`{"result_sha256": "0"}`), 0o644))
	if _, err := minutes(root); err == nil || !strings.Contains(err.Error(), "other bytes") {
		t.Errorf("with another's sidecar: %v", err)
	}
}

// TestTabulate counts, by hand, the claims of the profile that a page tells, standard before quick, in the words of pages;
// a restatement and a check are counted nowhere, and each document has a row, in the order of the table.
func TestTabulate(t *testing.T) {
	root := t.TempDir()
	for at, found := range map[[2]string][]string{{"dasp/table4", "quick"}: {"within", "differs"}, {"dasp/table4", "standard"}: {"same-sign", "equal"},
		{"dasp/table5", "quick"}: {"undecided", "holds"}, {"dasp/table5", "ci"}: {"equal"}, {"ring/cost", "quick"}: {"equal", "equal"}} {
		r := &result.Result{ID: at[0], Profile: at[1], Kind: result.Stated, Status: "complete"}
		for i, v := range found {
			r.Claims = append(r.Claims, result.Claim{ID: fmt.Sprint("D", i), Verdict: v})
		}
		if at[0] == "dasp/table5" {
			r.Claims[len(found)-1].Remark = claims.DerivedRemark
		}
		oktest.Must(result.Write(root, r, &result.Run{}))(t)
	}
	table := oktest.Must(tabulate(root))(t)
	at := 0
	for _, want := range []string{"| source | results | holds | holds in direction | does not hold | depends | cannot tell | no case | input | not run |\n",
		"(reports/html/dasp.html) | 2 | 1 | 1 | 0 | 0 | 1 | 0 | 0 | 0 |\n", "(reports/html/ring.html) | 1 | 2 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |\n",
		"| built; no committed results yet | | | | | | | | |\n"} {
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
	r := &result.Result{ID: "dasp/table4", Profile: "quick", Kind: result.Stated, Status: "complete", Claims: []result.Claim{{ID: "D13", Verdict: "nearly"}}}
	oktest.Must(result.Write(root, r, nil))(t)
	if _, err := tabulate(root); err == nil || !strings.Contains(err.Error(), `"nearly"`) {
		t.Errorf("tabulate gave %v, want an error naming the verdict", err)
	}
}

func TestSpliceNeedsMarkers(t *testing.T) {
	if _, err := splice("no markers", "table", begin, end); err == nil {
		t.Error("splice without markers gave no error")
	}
	got, err := splice("a\n"+begin+"\nold\n"+end+"\nb\n", "new\n", begin, end)
	if want := "a\n" + begin + "\nnew\n" + end + "\nb\n"; err != nil || got != want {
		t.Errorf("splice = %q, %v, want %q", got, err, want)
	}
}
