package codedsgd

import (
	"slices"
	"strings"
	"testing"

	"gradsync/papers/codedsgd"
)

// The exchange of three nodes at r = 2 by hand. Blocks 0 = {0,1}, 1 = {0,2},
// 2 = {1,2}. Node 0, which is first of both its blocks, sends segments 0 of them to
// nodes 2 (lacks 0) and 1 (lacks 1), and so on.
func TestFig2OfThreeByHand(t *testing.T) {
	r := runProfile(t, fig2(), "ci")
	x := tableOf(t, r, "packets-3-2")
	wantColumn(t, x, "step", 1, 2, 3)
	wantColumn(t, x, "from", 0, 1, 2)
	wantColumn(t, x, "to", "1, 2", "0, 2", "0, 1")
	wantColumn(t, x, "content", "G{0,1}[0] + G{0,2}[0]", "G{0,1}[1] + G{1,2}[0]", "G{0,2}[1] + G{1,2}[1]")
	wantColumn(t, x, "decoded", "node 1: G{0,2}[0]; node 2: G{0,1}[0]", "node 0: G{1,2}[0]; node 2: G{0,1}[1]", "node 0: G{1,2}[1]; node 1: G{0,2}[1]")
	wantColumn(t, x, "subtracted", "node 1: G{0,1}[0]; node 2: G{0,2}[0]", "node 0: G{0,1}[1]; node 2: G{1,2}[0]", "node 0: G{0,2}[1]; node 1: G{1,2}[1]")
	wantColumn(t, x, "bytes", 250000, 250000, 250000)
	wantColumn(t, x, "wrong", 0, 0, 0)
	// Two blocks of 2 ms each, then at once 2 ms on each link; a receiver takes its two
	// packets one after the other.
	for i, begin := range column(t, x, "begin") {
		if b, e := begin.(float64), column(t, x, "end")[i].(float64); b < 3.99 || b > 4.02 || e < 6 || e > 8.2 {
			t.Errorf("packet %d is on its way from %.3f to %.3f ms", i+1, b, e)
		}
	}
	wantColumn(t, tableOf(t, r, "complete-3-2"), "block", 2, 1, 0)
	wantColumn(t, tableOf(t, r, "complete-3-2"), "segment0", "packet 2, node 1", "packet 1, node 0", "packet 1, node 0")
	if n := len(tableOf(t, r, "packets-4-2").Rows); n != 12 { // C(4,3) groups of three
		t.Errorf("%d packets of four nodes, want 12", n)
	}
	begins := column(t, tableOf(t, r, "packets-4-2"), "begin")
	for i := range begins[1:] {
		if begins[i].(float64) > begins[i+1].(float64) {
			t.Errorf("packets begin at %v, want them in order", begins)
		}
	}
	m := tableOf(t, r, "methods")
	wantColumn(t, m, "sent", 3.0, 3.0, 1.5, 12.0, 6.0, 6.0)
	wantColumn(t, m, "delivered", 3.0, 3.0, 3.0, 12.0, 12.0, 12.0)
	wantColumn(t, m, "messages", 3, 3, 3, 12, 6, 12)
	for i, want := range []string{"node 0 sends G{0,1}[0] + G{0,2}[0] once, to nodes 1, 2; node 1 subtracts G{0,1}[0], which it computed itself, and has G{0,2}[0]", "none wrong", "a gain against both", "no gain against multicast", "wrap around", "bit for bit"} {
		if !strings.Contains(r.Notes[i], want) {
			t.Errorf("note %d: %q, want %q in it", i, r.Notes[i], want)
		}
	}
	for _, f := range r.Figures {
		for _, state := range []string{"compute", "send", "receive"} {
			n := 0
			for _, b := range f.Bands {
				if b.State == state && b.To > b.From && b.From >= 0 {
					n++
				}
			}
			packets := map[string]int{"exchange-3-2": 3, "exchange-4-2": 12}[f.ID]
			if want := map[string]int{"send": packets, "receive": 2 * packets}[state]; state != "compute" && n != want || n == 0 {
				t.Errorf("%s: %d bands of %s, want %d", f.ID, n, state, want)
			}
		}
	}
}

// What comes back wrong is found: a packet with one number changed, one with another
// node's header, one that did not go where its header says.
func TestFollowFindsFaults(t *testing.T) {
	x, err := show(t.Context(), 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	if w, c, p := x.wrong(); w != 0 || c != 6*shownNumbers/2 || p != 3 || !x.Same {
		t.Fatalf("%d of %d numbers wrong in %d packets, same %v", w, c, p, x.Same)
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
	packets, err := spoiled(func(n *sentNote) { n.Body[4*17]++ })
	if err != nil {
		t.Fatal(err)
	}
	y := x
	y.Packets, y.Same = packets, false
	if w, _, _ := y.wrong(); w != 2 { // at both receivers
		t.Errorf("%d numbers wrong, want 2", w)
	}
	if n := strings.Join(fig2Notes([]shownExchange{y}), "\n"); !strings.Contains(n, "2 of 375000 decoded numbers are wrong, 0 segments") || !strings.Contains(n, "1 of 1 clusters") {
		t.Errorf("notes %s", n)
	}
	y.Packets = x.Packets[1:]
	if n := fig2Notes([]shownExchange{y}); !strings.Contains(n[1], "2 segments never arrive") {
		t.Errorf("notes %q", n)
	}
	if c := column(t, completeTable(y), "complete"); c[1] != nil || c[0] == nil {
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

// A node's knowledge ends at its own blocks.
func TestOwnIsOwn(t *testing.T) {
	a, _ := codedsgd.Assign(3, 2)
	o := own{a, 0, map[int][]int32{2: {1}}}
	if g, err := o.Layer(2, 0, 0); err == nil || o.Has(2) {
		t.Errorf("node 0 reads block 2 of nodes 1 and 2: %v", g)
	}
}
