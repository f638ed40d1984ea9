package scheme

import (
	"fmt"
	"slices"
	"testing"

	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/papers/codedsgd"
)

// The exchange of three nodes at r = 2 by hand. Blocks 0 = {0,1}, 1 = {0,2}, 2 = {1,2}. Node 0, which is first of both
// its blocks, sends segments 0 of them to nodes 2 (lacks 0) and 1 (lacks 1), and so on.
func TestFig2OfThreeByHand(t *testing.T) {
	oktest.Slow(t)
	r := kittest.Ran(t, fig2(), "ci")
	const x = "packets-3-2"
	kittest.WantCells(t, r, x, "step", 1, 2, 3)
	kittest.WantCells(t, r, x, "from", 0, 1, 2)
	kittest.WantCells(t, r, x, "to", "1,2", "0,2", "0,1")
	kittest.WantCells(t, r, x, "content", "G{0,1}[0]+G{0,2}[0]", "G{0,1}[1]+G{1,2}[0]", "G{0,2}[1]+G{1,2}[1]")
	kittest.WantCells(t, r, x, "decoded", "1:G{0,2}[0];2:G{0,1}[0]", "0:G{1,2}[0];2:G{0,1}[1]", "0:G{1,2}[1];1:G{0,2}[1]")
	kittest.WantCells(t, r, x, "subtracted", "1:G{0,1}[0];2:G{0,2}[0]", "0:G{0,1}[1];2:G{1,2}[0]", "0:G{0,2}[1];1:G{1,2}[1]")
	kittest.WantCells(t, r, x, "bytes", 250000, 250000, 250000)
	kittest.WantCells(t, r, x, "wrong", 0, 0, 0)
	// Two blocks of 2 ms each, then at once 2 ms on each link; a receiver takes its two packets one after the other.
	for i, begin := range kittest.Cells(t, r, x, "begin") {
		if b, e := begin.(float64), kittest.Cells(t, r, x, "end")[i].(float64); b < 3.99 || b > 4.02 || e < 6 || e > 8.2 {
			t.Errorf("packet %d is on its way from %.3f to %.3f ms", i+1, b, e)
		}
	}
	kittest.WantCells(t, r, "complete-3-2", "block", 2, 1, 0)
	kittest.WantCells(t, r, "complete-3-2", "segment0", 2, 1, 1)
	kittest.WantCells(t, r, "complete-3-2", "sender0", 1, 0, 0)
	begins := kittest.Cells(t, r, "packets-4-2", "begin")
	if len(begins) != 12 { // C(4,3) groups of three
		t.Errorf("%d packets of four nodes, want 12", len(begins))
	}
	for i := range begins[1:] {
		if begins[i].(float64) > begins[i+1].(float64) {
			t.Errorf("packets begin at %v, want them in order", begins)
		}
	}
	kittest.WantCells(t, r, "methods", "sent", 3, 3, 1.5, 12, 6, 6)
	kittest.WantCells(t, r, "methods", "delivered", 3, 3, 3, 12, 12, 12)
	kittest.WantCells(t, r, "methods", "messages", 3, 3, 3, 12, 6, 12)
	kittest.WantCells(t, r, "gains", "gain", "both", "none")
	kittest.WantCells(t, r, "gains", "alike", true, true)
	kittest.WantCells(t, r, "reading", "decoded", "G{0,2}[0]", "G{0,1}[0]")
	for key, want := range map[string]any{"right": true, "wraps": true, "lossless": true, "bitwise": true, "receivers": 2} {
		kittest.WantFact(t, r, key, want)
	}
	bands := map[any]int{}
	for _, row := range r.Frame("bands").Rows {
		if row[3].(float64) > row[2].(float64) && row[2].(float64) >= 0 {
			bands[fmt.Sprint(row[0], row[4])]++
		}
	}
	if bands["3-2send"] != 3 || bands["3-2receive"] != 6 || bands["4-2send"] != 12 || bands["4-2receive"] != 24 || bands["3-2compute"] == 0 {
		t.Errorf("bands %v", bands)
	}
}

// What comes back wrong is found: a packet with one number changed, one with another
// node's header, one that did not go where its header says.
func TestFollowFindsFaults(t *testing.T) {
	x := oktest.Must(show(t.Context(), 3, 2))(t)
	shown := func(x shownExchange) *result.Result {
		var r result.Result
		showExchanges(&r, []shownExchange{x})
		return &r
	}
	sound := shown(x)
	for key, want := range map[string]any{"wrong": 0, "compared.numbers": 6 * shownNumbers / 2, "packets": 3, "bitwise": true} {
		kittest.WantFact(t, sound, key, want)
	}
	spoiled := func(spoil func(n *sentNote)) ([]shownPacket, error) {
		r := x.Run
		r.Ranks = slices.Clone(r.Ranks)
		r.Ranks[1].Notes = slices.Clone(r.Ranks[1].Notes)
		n := &r.Ranks[1].Notes[0]
		n.Body, n.To = slices.Clone(n.Body), slices.Clone(n.To)
		spoil(n)
		return follow(r, x.A, x.Batch)
	}
	packets := oktest.Must(spoiled(func(n *sentNote) { n.Body[4*17]++ }))(t)
	y := x
	y.Packets, y.Same = packets, false
	spoilt := shown(y)
	for key, want := range map[string]any{"wrong": 2, "right": false, "lossless": false, "bitwise": false, "unlike": 1} { // at both receivers
		kittest.WantFact(t, spoilt, key, want)
	}
	y.Packets = x.Packets[1:]
	spoilt = shown(y)
	kittest.WantFact(t, spoilt, "missing", 2)
	kittest.WantFact(t, spoilt, "right", false)
	if c := kittest.Cells(t, spoilt, "complete-3-2", "complete"); c[1] != nil || c[0] == nil {
		t.Errorf("complete at %v, want none for node 1", c)
	}
	if _, err := spoiled(func(n *sentNote) { n.To = []int{0} }); err == nil {
		t.Error("a packet that went elsewhere was taken")
	}
	if _, err := spoiled(func(n *sentNote) { n.Meta = x.Run.Ranks[0].Notes[0].Meta }); err == nil {
		t.Error("another node's header was taken")
	}
}

// Blocks' gradients could not be taken for one another: no number stands in two of
// them in one place, hardly one in one of them twice, and none is beyond the range.
func TestToldGradientsDiffer(t *testing.T) {
	a, _ := codedsgd.Assign(4, 2)
	blocks, err := blocksInFixed(a, shownSamples*a.Blocks())
	if err != nil || len(blocks) != 6 {
		t.Fatalf("%d blocks, %v", len(blocks), err)
	}
	different := map[int32]bool{}
	for i, v := range blocks[0] {
		different[v] = true
		for q := 1; q < len(blocks); q++ {
			if blocks[q][i] == v {
				t.Fatalf("number %d of blocks 0 and %d is %d", i, q, v)
			}
		}
	}
	if len(different) < shownNumbers*99/100 {
		t.Errorf("%d different numbers of %d", len(different), shownNumbers)
	}
}
