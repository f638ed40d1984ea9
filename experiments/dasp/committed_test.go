package dasp

import (
	"fmt"
	"path/filepath"
	"testing"

	"gradsync/experiments/kit"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
)

const committed = "../results"

// Every number and sentence of the paper, and of DSSP's that its set-up is
// anchored to, has exactly one verdict among the committed results: none is
// passed over, none is judged where it looks best.
func TestEveryClaimIsJudgedOnce(t *testing.T) {
	kittest.Paper{List: Experiments, Letters: "DX", Rows: 59 + 13, Gaps: true, Results: committed}.Committed(t, "quick", "standard")
}

// On the real data training reaches its floors, and a network that stays below is told.
func TestFloorsAreReached(t *testing.T) {
	study, at := accuracy(), map[size][]cell{}
	for i, s := range longer("standard") {
		at[s] = []cell{{Accuracy: floors[s.Model] + 0.01*float64(i-1), Data: &result.Data{Name: "x", Train: 1000}}}
	}
	v := kit.NewView(&result.Result{Profile: "standard"}, at)
	study.Show(v)
	f := v.Frame("floors")
	for i, row := range f.Rows {
		if row[f.At("reached")] != (i > 0) {
			t.Errorf("%v: reached %v", row, i > 0)
		}
	}
	r, err := result.Read(result.Path(committed, study.ID, "standard"))
	if err != nil {
		t.Fatal(err)
	}
	f = r.Frame("floors")
	for _, row := range f.Rows {
		if row[f.At("reached")] != true {
			t.Errorf("%v: below the floor", row)
		}
	}
	if len(f.Rows) != len(floors) || len(r.Data) != 2 || r.Data[0].Train != 60000 || r.Data[1].Train != 50000 {
		t.Errorf("%d networks on %+v, want %d on the whole of MNIST and CIFAR-10", len(f.Rows), r.Data, len(floors))
	}
}

// Every experiment has a committed result of profile ci, which the CI script
// compares byte by byte, unless it has no such profile.
func TestCIResultsAreCommitted(t *testing.T) {
	for _, e := range Experiments() {
		has := false
		for _, p := range e.Profiles {
			has = has || p == "ci"
		}
		path := result.Path(committed, e.ID, "ci")
		files, err := filepath.Glob(path)
		if err != nil {
			t.Fatal(err)
		}
		if has != (len(files) == 1) {
			t.Errorf("%s: profile ci %t, committed %s", e.ID, has, fmt.Sprint(files))
		}
	}
}
