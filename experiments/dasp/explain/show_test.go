package explain

import (
	"math"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// explained returns the result of a search and a reader of its cells.
func explained(t *testing.T, q *searcher) (*result.Result, func(frame string, row int, column string) any) {
	t.Helper()
	q.env = exp.Env{Seeds: []uint64{0, 1}}
	for s := range spaces {
		if q.last[s].fit.X == nil {
			q.last[s].fit.X = make([]float64, spaces[s].Free)
			q.last[s].lab = decode(q.last[s].fit.X)
		}
	}
	q.full = fullSizes()
	r := &result.Result{ID: "dasp/explain"}
	q.show(r)
	oktest.Nil(t, result.Check(r))
	return r, func(frame string, row int, column string) any {
		f := r.Frame(frame)
		if f == nil || f.At(column) < 0 {
			t.Fatalf("no column %s in a frame %s", column, frame)
		}
		return f.Rows[row][f.At(column)]
	}
}

// TestResiduals: a fit that is exact but for D01, a tenth too high, in a search that never saw anything near D02.
func TestResiduals(t *testing.T) {
	q := &searcher{want: demands(), candidates: 7}
	w := &q.last[0]
	var plain [stated18]float64
	for i, d := range q.want {
		plain[i] = d.Ratio
		q.seen[0][i] = extent{d.Ratio / 2, d.Ratio + d.Tolerance/2}
	}
	plain[0] *= 1.1                                  // 0.914 for 0.831 ± 0.05
	plain[2] += q.want[2].Tolerance * 0.9            // D03
	q.seen[0][1] = extent{1, 1.2}                    // D02 is 0.985 ± 0.0075
	q.seen[0][2] = extent{q.want[2].Ratio + 0.02, 1} // D03 is 0.953 ± 0.0235
	for i, x := range plain {
		w.ratios[i] = kit.Estimate{Value: x, N: 2}
	}
	w.ratios[0].CI = &[2]float64{0.9, 0.93}
	w.loss = loss(plain, q.want, subsets()[0].Of)
	r, cell := explained(t, q)
	if n := len(r.Frame("ratios").Rows); n != stated18 {
		t.Fatalf("%d rows", n)
	}
	for i, want := range map[int][3]any{0: {"D01", false, true}, 1: {"D02", true, false}, 2: {"D03", true, true}, 17: {"D18", true, true}} {
		got := [3]any{cell("ratios", i, "claim"), cell("ratios", i, "laboratory_within"), cell("ratios", i, "laboratory_reachable")}
		if got != want {
			t.Errorf("row %d: claim, within and reachable are %v, want %v", i, got, want)
		}
	}
	if x := cell("ratios", 0, "laboratory_residual").(float64); math.Abs(x-10) > 1e-9 || cell("ratios", 0, "laboratory_lo") != 0.9 ||
		cell("ratios", 1, "laboratory_lo") != nil {
		t.Errorf("residual %v, intervals from %v and %v", x, cell("ratios", 0, "laboratory_lo"), cell("ratios", 1, "laboratory_lo"))
	}
	if n := cell("closest", 0, "met"); n != 17 {
		t.Errorf("%v of 18 met, want 17", n)
	}
	if id, found := cell("closest", 0, "claim"), cell("closest", 0, "found").(float64); id != "D01" || math.Abs(found-0.9141) > 1e-4 {
		t.Errorf("the furthest off is %v with %g, want D01 with 0.914", id, found)
	}
}

// A ratio without a number is met by nobody and leaves its cells empty; a fit without a
// number for every ratio has no deviation.
func TestResidualWithoutNumber(t *testing.T) {
	q := &searcher{want: demands()}
	q.last[0].loss, q.last[0].fit.Loss = noLoss, noLoss
	_, cell := explained(t, q)
	for _, column := range []string{"laboratory", "laboratory_residual", "laboratory_min"} {
		if x := cell("ratios", 4, column); x != nil {
			t.Errorf("%s is %v, want nothing", column, x)
		}
	}
	if cell("ratios", 4, "laboratory_within") != false || cell("ratios", 4, "laboratory_reachable") != false {
		t.Error("a ratio without a number is within or reachable")
	}
	for _, column := range []string{"seeds", "seed", "claim", "found"} {
		if x := cell("closest", 0, column); x != nil {
			t.Errorf("closest, %s is %v, want nothing", column, x)
		}
	}
}

// A parameter is pinned down if it can be moved by at most a quarter of its range, of no
// consequence if by nearly all of it, fixed where the space does not free it.
func TestMoves(t *testing.T) {
	q := &searcher{want: demands()}
	for s, sp := range spaces {
		for a := range sp.Free {
			width := []float64{0.2, 0.5, 0.95}[a%3]
			q.last[s].slack = append(q.last[s].slack, extent{axes[a].value(0), axes[a].value(width)})
		}
	}
	_, cell := explained(t, q)
	for row, want := range map[int]string{0: "pinned", 1: "some", 2: "loose", firstOption: "fixed"} {
		if got := cell("laboratory", row, "laboratory_moves"); got != want {
			t.Errorf("%s moves: %v, want %s", axes[row].Key, got, want)
		}
	}
}
