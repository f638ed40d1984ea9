package dasp

import (
	"fmt"
	"path/filepath"
	"testing"

	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

const committed = "../results"

// Every number and sentence of the paper, and of DSSP's that its set-up is anchored to, has exactly one verdict among
// the committed results: none is passed over, none is judged where it looks best.
func TestEveryClaimIsJudgedOnce(t *testing.T) {
	kittest.Paper{List: Experiments, Letters: "DX", Rows: 63 + 13, Gaps: true, Results: committed}.Committed(t, "quick", "standard")
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
		if files := oktest.Must(filepath.Glob(path))(t); has != (len(files) == 1) {
			t.Errorf("%s: profile ci %t, committed %s", e.ID, has, fmt.Sprint(files))
		}
	}
}
