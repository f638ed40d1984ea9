package speed

import (
	"fmt"
	"testing"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit/kittest"
	"gradsync/internal/oktest"
	_ "gradsync/shared/tensor/engine/asm"
	_ "gradsync/shared/tensor/engine/portable"
)

// By hand: 3·1,280 samples over speeds of 7.5 are 512 per full node and 256 for the
// half one, and r = 1 gives whole samples within one of 1,280·v/Σv.
func TestHeldBySpeed(t *testing.T) {
	if held := heldBy(setup.DNN, patterns[0].Speeds, 3); fmt.Sprint(held) != "[512 512 512 512 512 512 512 256]" {
		t.Error(held)
	}
	for _, p := range patterns {
		for r := 1; r <= 4; r++ {
			if row := (timedCase{Net: setup.DNN, Pattern: p, R: r, Held: heldBy(setup.DNN, p.Speeds, r)}); furthest(row) > 1 {
				t.Errorf("%s, r = %d: %v, %g off", p.Key, r, row.Held, furthest(row))
			}
		}
	}
	if off := furthest(timedCase{Net: setup.DNN, Pattern: patterns[0], R: 3, Held: []int{512, 512, 512, 512, 512, 512, 500, 268}}); off != 12 {
		t.Errorf("off by %g, want 12", off)
	}
}

// Without overlap and at r = 1 the exchange, 1048.6 ms, follows the fast nodes' 128.2 ms
// with equal blocks, in which the slow one's 256.4 hide; by speed all compute 136.7 ms.
func TestSlowNodesHideBehindTheMedium(t *testing.T) {
	oktest.Slow(t)
	rows := oktest.Must(timeRows(t.Context(), exp.Env{Profile: "ci", Memo: kittest.Memo{}}))(t)
	kittest.Near(t, "equal", 1e3*rows[0].Equal[0], 128.19+1048.6, 0.3)
	kittest.Near(t, "by speed", 1e3*rows[0].Uneven[0], 136.73+1048.6, 0.3)
	kittest.Near(t, "slowest computes", 1e3*rows[0].Slowest, 256.38, 0.01)
	kittest.Near(t, "each computes", 1e3*rows[0].Each, 136.73, 0.01)
	for _, r := range rows {
		if r.Equal[1] > r.Equal[0]*(1+1e-9) || r.Uneven[1] > r.Uneven[0]*(1+1e-9) || r.Equal[1] < r.Slowest || r.Uneven[1] < 0.99*r.Each {
			t.Errorf("%s, %s, r = %d: %+v", r.Net.Title, r.Pattern.Key, r.R, r)
		}
	}
}

func TestBestOfEachWay(t *testing.T) {
	rows := []timedCase{
		{Net: setup.DNN, Pattern: patterns[0], R: 1, Equal: [2]float64{4, 3}, Uneven: [2]float64{5, 2}},
		{Net: setup.DNN, Pattern: patterns[0], R: 2, Equal: [2]float64{5, 4}, Uneven: [2]float64{3, 2.5}},
		{Net: setup.CNN, Pattern: patterns[0], R: 1, Equal: [2]float64{1, 1}, Uneven: [2]float64{1.1, 0.9}},
	}
	b := bestSpeeds(rows)
	if len(b) != 4 || b[0].REqual != 1 || b[0].RBest != 2 || b[0].saved() != 0.25 || b[2].RBest != 1 || b[2].Uneven != 2 {
		t.Errorf("%+v", b)
	}
}

// Uneven blocks are decoded to the bits of uncoded ones, and are not the equal ones.
func TestUnevenBlocksDecodeExactly(t *testing.T) {
	oktest.Slow(t)
	rows, err := exactRows(t.Context(), exp.Env{Seeds: []uint64{3}})
	if err != nil || len(rows) != 3 {
		t.Fatal(err, len(rows))
	}
	for _, e := range rows {
		if !e.same() || e.Coded == e.Even || e.Packets == 0 {
			t.Errorf("%+v", e)
		}
	}
	if (exactRow{Coded: "a", Uncoded: "b"}).same() || (exactRow{}).same() {
		t.Error("unlike, or no, parameters are the same")
	}
}
