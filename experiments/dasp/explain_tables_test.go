package dasp

import (
	"math"
	"strings"
	"testing"

	"gradsync/experiments/exp"
)

// TestResiduals: a fit that is exact but for D01, a tenth too high, in a search
// that never saw anything near D02.
func TestResiduals(t *testing.T) {
	q := &inquiry{r: &runs{env: exp.Env{Seeds: []uint64{0, 1}}}, want: demands(), candidates: 7}
	w := &q.last[0]
	for i, d := range q.want {
		w.ratios[i] = d.Ratio
		q.seen[0][i] = span{d.Ratio / 2, d.Ratio + d.Tolerance/2}
	}
	w.ratios[0] *= 1.1                             // 0.914 for 0.831 ± 0.05
	w.ratios[2] += q.want[2].Tolerance * 0.9       // D03
	q.seen[0][1] = span{1, 1.2}                    // D02 is 0.985 ± 0.0075
	q.seen[0][2] = span{q.want[2].Ratio + 0.02, 1} // D03 is 0.953 ± 0.0235
	w.ci[0] = &[2]float64{0.9, 0.93}
	w.loss = loss(w.ratios, q.want, subsets()[0].Of)
	rows := q.residualTable(0).Rows
	if len(rows) != stated18 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, want := range map[int][3]string{0: {"D01", "no", "yes"}, 1: {"D02", "yes", "no"}, 2: {"D03", "yes", "yes"}, 17: {"D18", "yes", "yes"}} {
		if r := rows[i]; r[0] != want[0] || r[8] != want[1] || r[11] != want[2] {
			t.Errorf("row %d: %v, want %s, within %s, reachable %s", i, r, want[0], want[1], want[2])
		}
	}
	if x := rows[0][7].(float64); math.Abs(x-10) > 1e-9 || rows[0][6] != "0.900–0.930" || rows[1][6] != nil {
		t.Errorf("residual %v, intervals %v and %v", x, rows[0][6], rows[1][6])
	}
	if q.met(0) != 17 {
		t.Errorf("%d of 18 met, want 17", q.met(0))
	}
	if n := q.fitNote(0); !strings.Contains(n, "The furthest off is D01 (homogeneous, LeNet-5 against BSP): stated 0.831, found 0.914.") {
		t.Errorf("note %q", n)
	}
	if n := q.reachNotes(); len(n) != 1 || !strings.Contains(n[0], "No cluster of the search gives") || !strings.Contains(n[0], "D02 (stated 0.985, found 1.000 to 1.200)") || strings.Contains(n[0], "D03") {
		t.Errorf("notes %q", n)
	}
	q.seen[0][1] = span{0.5, 1}
	if n := q.reachNotes(); len(n) != 1 || !strings.Contains(n[0], "each of the 18 ratios by itself") {
		t.Errorf("notes %q", n)
	}
}

// A ratio without a number is met by nobody and leaves its cells empty.
func TestResidualWithoutNumber(t *testing.T) {
	q := &inquiry{r: &runs{}, want: demands()}
	q.last[0].loss = noLoss
	row := q.residualTable(0).Rows[4]
	if row[5] != nil || row[7] != nil || row[8] != "no" || row[9] != nil || row[11] != "no" {
		t.Errorf("row %v", row)
	}
	if n := q.fitNote(0); !strings.Contains(n, "no cluster was found that gives all 18 ratios a number") {
		t.Errorf("note %q", n)
	}
}
