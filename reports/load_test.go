package reports

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
)

func TestProfilesAndTheirAnchors(t *testing.T) {
	root := t.TempDir()
	write := func(dir, profile, stem string) {
		r := exampleStated()
		r.ID, r.Profile = "dasp/"+stem, profile
		put(t, filepath.Join(root, "dasp", dir, stem+".json"), r)
	}
	write("", "quick", "table10")
	write("", "quick", "table2")
	write("", "quick", "fig1")
	write("paper", "paper", "table2")
	write("ci", "ci", "table2") // hidden: another profile of it is there
	write("ci", "ci", "table3") // shown: there is nothing else
	all, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range all["dasp"] {
		got = append(got, l.Anchor())
	}
	want := []string{"table2", "table2-paper", "table3-ci", "table10", "fig1"}
	if !slices.Equal(got, want) {
		t.Errorf("anchors %v, want %v", got, want)
	}
}

func TestUnknownPaperAndMissingFolder(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "nobody", "table1.json"), exampleStated())
	if _, err := load(root); err == nil || !strings.Contains(err.Error(), `unknown paper "nobody"`) {
		t.Errorf("error %v", err)
	}
	if _, err := load(filepath.Join(root, "absent")); err == nil || !strings.Contains(err.Error(), "no results to read") {
		t.Errorf("error %v", err)
	}
}

// Where a result has no record of its run, or that of other bytes, or one of a
// changed tree, the page says so instead of showing facts that may be wrong.
func TestProvenanceWarns(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "dasp", "table1.json")
	r := exampleStated()
	r.ID = "dasp/table1"
	put(t, file, r)
	warnings := func() string {
		l, err := loadFile(file, "dasp", "quick")
		if err != nil {
			t.Fatal(err)
		}
		var ws []string
		for _, f := range provenance(l) {
			if f.Warn {
				ws = append(ws, f.Value)
			}
		}
		return strings.Join(ws, "\n")
	}
	if w := warnings(); !strings.Contains(w, "No record of the run") {
		t.Errorf("without a sidecar: %q", w)
	}
	l, err := loadFile(file, "dasp", "quick")
	if err != nil {
		t.Fatal(err)
	}
	side := filepath.Join(root, "dasp", "table1.run.json")
	put(t, side, result.Run{Command: "c", Commit: "abc", ResultSHA256: l.SHA256})
	if w := warnings(); w != "" {
		t.Errorf("with its own sidecar: %q", w)
	}
	put(t, side, result.Run{Command: "c", Commit: "abc", Dirty: true, ResultSHA256: strings.Repeat("0", 64)})
	if w := warnings(); !strings.Contains(w, "no commit holds") || !strings.Contains(w, "names another result") {
		t.Errorf("changed tree, other bytes: %q", w)
	}
	if err := os.WriteFile(side, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := loadFile(file, "dasp", "quick"); err == nil {
		t.Error("a broken sidecar was read")
	}
}

// Clauses that many claims of a result share stand once, with the ids they
// hold for; none gets lost.
func TestCommonClausesAreSaidOnce(t *testing.T) {
	long := "a clause that is long enough to be worth moving"
	row := func(id, why string) claimRow { return claimRow{ID: id, Found: []found{{Why: why}}} }
	rows := []claimRow{row("D1", "a; "+long+"; b"), row("D2", long+"; a"), row("D3", long+"; a"), row("D4", ""), row("D5", long+"; a")}
	got := hoist(rows, 0)
	if want := []commonWhy{{"D1–D3, D5", long}}; !slices.Equal(got, want) {
		t.Errorf("common %v, want %v", got, want)
	}
	for i, want := range []string{"a; b", "a", "a", "", "a"} {
		if rows[i].Found[0].Why != want {
			t.Errorf("%s: %q, want %q", rows[i].ID, rows[i].Found[0].Why, want)
		}
	}
	all := []claimRow{row("D1", "x; y"), row("D2", "y; x"), row("D3", "x; y"), row("D4", "x; y")}
	if got, want := hoist(all, 0), []commonWhy{{"Each of these", "x; y"}}; !slices.Equal(got, want) {
		t.Errorf("common %v, want %v", got, want)
	}
	gap := []claimRow{{ID: "D09"}, {ID: "D10"}, {ID: "D11"}, {ID: "D45"}, {ID: "D46"}}
	if got := span(gap, []int{0, 1, 2, 3, 4}); got != "D09–D11, D45, D46" {
		t.Errorf("span %q", got)
	}
	// X05's own number is not left alone: what stands between the reason and it stays too.
	timing := "timing alone: it takes 0.997 of the time of BSP"
	x := []claimRow{row("X1", long+"; "+timing+"; stated: 1"), row("X2", long+"; "+timing+"; stated: 2"), row("X3", long+"; "+timing+"; stated: 3"), row("X4", long+"; "+timing), row("X5", "another; "+timing)}
	if got, want := hoist(x, 0), []commonWhy{{"X1–X4", long}}; !slices.Equal(got, want) {
		t.Errorf("common %v, want %v", got, want)
	}
	if f := x[1].Found[0]; f.Why != timing+"; stated: 2" || !f.Above || x[4].Found[0].Above || x[4].Found[0].Why != "another; "+timing {
		t.Errorf("%+v, %+v", f, x[4].Found[0])
	}
	x[1].settle([]judge{{Profile: "quick"}})
	if want := []reason{{besides, timing + "; stated: 2"}}; !slices.Equal(x[1].Reasons, want) {
		t.Errorf("%v, want %v", x[1].Reasons, want)
	}
	few := []claimRow{row("", "shared"), row("", "shared"), row("", "shared")}
	if got := hoist(few, 0); got != nil || few[0].Found[0].Why != "shared" {
		t.Errorf("three rows: common %v", got)
	}
}
