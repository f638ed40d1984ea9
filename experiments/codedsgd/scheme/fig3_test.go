package scheme

import (
	"slices"
	"testing"

	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/papers/codedsgd"
	_ "gradsync/shared/tensor/engine/portable"
)

// The picture's matrix by hand: 10 × 8 weights and 10 biases. By columns in two:
// 4 columns each, 40 weights and 5 biases. In three: 3, 3 and 2 columns, 30, 30 and
// 20 weights, with 4, 3 and 3 biases. By rows in three: 4, 3 and 3 rows.
func TestFig3ByHand(t *testing.T) {
	oktest.Slow(t)
	r := kittest.Ran(t, fig3(), "ci", 0)
	kittest.WantCells(t, r, "segments", "split", "columns", "columns", "columns", "columns", "columns", "rows", "rows", "rows", "rows", "rows")
	kittest.WantCells(t, r, "segments", "weights", 40, 40, 30, 30, 20, 40, 40, 32, 24, 24)
	kittest.WantCells(t, r, "segments", "biases", 5, 5, 4, 3, 3, 5, 5, 4, 3, 3)
	kittest.WantCells(t, r, "segments", "padded", 45, 45, 34, 34, 34, 45, 45, 36, 36, 36)
	kittest.WantCells(t, r, "printed", "begin", 90, 90)   // behind the last
	kittest.WantCells(t, r, "printed", "missing", 23, 22) // 2 of 8 columns and 3 of 10 biases; the last 2 of 8 and 2 of 10
	kittest.WantCells(t, r, "reassembled", "wrong", 0, 0, 0, 0)
	kittest.WantFact(t, r, "right", true)
	kittest.WantFact(t, r, "fits", false)
	m := r.Frame("matrix")
	if len(m.Rows) != 10 || len(m.Columns) != 10 {
		t.Fatalf("matrix of %d rows, %d columns", len(m.Rows), len(m.Columns))
	}
	different := map[any]bool{}
	for _, row := range m.Rows {
		for _, v := range row[1:] {
			different[v] = true
		}
	}
	if len(different) < 50 {
		t.Errorf("%d different numbers in a gradient of 90", len(different))
	}
	drawn := map[any]int{}
	for _, row := range r.Frame("drawn").Rows {
		drawn[row[0]]++
	}
	if len(r.Figures) != 3 || drawn["columns-2"] != 90 || drawn["columns-3"] != 90 || drawn["rows-3"] != 90 {
		t.Errorf("%d figures, numbers drawn %v, want 90 in each", len(r.Figures), drawn)
	}
}

// A gradient that comes back wrong is counted: by columns as if they were rows.
func TestReassemblyFindsAFault(t *testing.T) {
	l := layerGradient{Shape: [2]int{3, 5}, Fixed: gradientOf(0, 17)}
	for _, s := range splits {
		if x := reassemble([]layerGradient{l}, s); x.Wrong != 0 || x.Cuts != mostSegments || x.Numbers != 170 {
			t.Errorf("%s: %+v", s, x)
		}
	}
	if at := segmentsOf(l, 2, codedsgd.Columns); !slices.Equal(at, []int32{0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1}) {
		t.Errorf("segments %v", at)
	}
	var r result.Result
	showCuts(&r, l, []reassembly{{Numbers: 170, Wrong: 3}}, []printedPieces{{R: 2, Length: 17, Begin: 16}}, []padding{{Exact: 4, Sent: 4}})
	for key, want := range map[string]any{"right": false, "wrong": 3, "fits": true, "padded": false} {
		kittest.WantFact(t, &r, key, want)
	}
	kittest.WantCells(t, &r, "padding", "worst", false)
}

// Padding is never less than (28). The DNN's rows, 512, 512 and 8, in three: of a
// group's four packets three have a segment of the longer kind, the last node's has
// only last segments, so 70 · (785·(3·171+170) + 513·(3·171+170) + 513·(3·3+2)). By rows at r = 2 all layers of the DNN but the last
// have an even number of rows, and so has the last on 8 nodes: nothing is added.
func TestPadding(t *testing.T) {
	all := paddings()
	if len(all) != 8 {
		t.Fatal(len(all))
	}
	for _, p := range all {
		if p.Sent < p.Exact || p.percent() > 5 {
			t.Errorf("%+v: %.3f %%", p, p.percent())
		}
		if p.Network.Key == "dnn" && p.Redundancy == 2 && p.Split == codedsgd.Rows && p.Sent != p.Exact {
			t.Errorf("%+v: %d zeros", p, p.Sent-p.Exact)
		}
		if p.Network.Key == "dnn" && p.Redundancy == 3 && p.Split == codedsgd.Rows && p.Sent != 62452390 {
			t.Errorf("%+v: sent %d, want 62,452,390", p, p.Sent)
		}
		if want := map[int]int{2: 56 * 3, 3: 70 * 4}[p.Redundancy] * map[string]int{"dnn": 3, "cnn": 4}[p.Network.Key]; p.Packets != want {
			t.Errorf("%+v: want %d packets times layers", p, want)
		}
	}
}
