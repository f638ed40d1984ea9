package codedsgd_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gradsync/papers/codedsgd"
)

// Pieces k = 0 … r−1 follow each other, cover the length and differ by one at most,
// the longer first; more pieces than numbers leaves empty ones.
func TestEquation10SegmentsCoverTheLength(t *testing.T) {
	for length := range 30 {
		for r := 1; r <= 9; r++ {
			next, before := 0, length+1
			for k := range r {
				lo, hi := codedsgd.Segment(length, r, k)
				if lo != next || hi-lo > before || hi-lo < length/r || hi-lo > (length+r-1)/r {
					t.Errorf("piece %d of %d of %d: %d to %d", k, r, length, lo, hi)
				}
				next, before = hi, hi-lo
			}
			if next != length {
				t.Errorf("%d pieces of %d end at %d", r, length, next)
			}
		}
	}
}

// The figure's cut: a matrix by columns, here of 3 × 4 in 2 with a bias of 3. Each
// segment has its columns of every row, and its part of the bias behind.
func TestFigure3SplitsByColumns(t *testing.T) {
	layer := []int32{11, 12, 13, 14, 21, 22, 23, 24, 31, 32, 33, 34, 1, 2, 3}
	for split, want := range map[string][][]int32{
		"columns": {{11, 12, 21, 22, 31, 32, 1, 2}, {13, 14, 23, 24, 33, 34, 3}},
		"rows":    {{11, 12, 13, 14, 21, 22, 23, 24, 1, 2}, {31, 32, 33, 34, 3}},
	} {
		cut := sure(codedsgd.NewCut(len(layer), [2]int{3, 4}, 2, split))(t)
		for k := range want {
			got := make([]int32, cut.Len(k))
			cut.Gather(got, layer, k)
			if !slices.Equal(got, want[k]) {
				t.Errorf("%s: segment %d is %v, want %v", split, k, got, want[k])
			}
		}
	}
	for _, bad := range []struct {
		length int
		shape  [2]int
		r      int
	}{{11, [2]int{3, 4}, 2}, {12, [2]int{-1, 4}, 2}, {12, [2]int{3, -4}, 2}, {12, [2]int{3, 4}, 0}, {12, [2]int{1 << 62, 4}, 1}} {
		if _, err := codedsgd.NewCut(bad.length, bad.shape, bad.r, "rows"); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

// "Merged by the rule of splitting": segments gathered and scattered again are the
// layer, whatever its shape; they can be added and subtracted in place, modulo 2³².
func TestEquation16SegmentsMakeTheLayerWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := [2]int{rapid.IntRange(0, 9).Draw(t, "rows"), rapid.IntRange(0, 9).Draw(t, "columns")}
		layer := rapid.SliceOfN(rapid.Int32(), shape[0]*shape[1], 99).Draw(t, "layer")
		r := rapid.IntRange(1, 12).Draw(t, "r")
		cut := sure(codedsgd.NewCut(len(layer), shape, r, rapid.SampledFrom([]string{"rows", "columns"}).Draw(t, "split")))(t)
		whole, sum, numbers := make([]int32, len(layer)), make([]int64, len(layer)), 0
		for k := range r {
			n := cut.Len(k)
			if numbers += n; k > 0 && n > cut.Len(0) {
				t.Errorf("segment %d has %d numbers, the first %d", k, n, cut.Len(0))
			}
			part, twice := make([]int32, n), make([]int32, n)
			cut.Gather(part, layer, k)
			cut.AddTo(twice, layer, k)
			cut.AddTo(twice, layer, k)
			cut.SubtractFrom(twice, layer, k)
			if !slices.Equal(part, twice) {
				t.Errorf("segment %d is %v, added twice and subtracted once %v", k, part, twice)
			}
			cut.Scatter(whole, part, k)
			cut.AccumulateTo(sum, part, k)
		}
		for i, v := range sum {
			if v != int64(layer[i]) {
				t.Errorf("sum %v, want %v", sum, layer)
			}
		}
		if numbers != len(layer) || !slices.Equal(whole, layer) {
			t.Errorf("%d numbers, %v, want %v", numbers, whole, layer)
		}
	})
}

// "G is split in r" by a node, who sends the part of its own place in the block's
// ascending holders: α of N1 in {N1, N2, N3} is 0, that of N3 2.
func TestEquation11PositionIsTheRankAmongHolders(t *testing.T) {
	a := assignment(t, 4, 3)
	q := a.Index([]int{1, 2, 3})
	if got := fmt.Sprint(a.Position(q, 1), a.Position(q, 2), a.Position(q, 3)); got != "0 1 2" {
		t.Errorf("positions of nodes 1, 2, 3: %s", got)
	}
}

// The pieces that are subtracted carry their positions: H less the known segments at
// theirs is the unknown one; with other positions it is not.
func TestEquation15SubtractsEachAtItsPosition(t *testing.T) {
	a := assignment(t, 4, 3) // blocks 012 013 023 123
	grads := [][]int32{{1, 2, 3}, {10, 20, 30}, {100, 200, 300}, {1000, 2000, 3000}}
	cut, err := codedsgd.NewCut(3, [2]int{3, 1}, 3, "rows")
	must(t, err)
	p := a.Packets([]int{0, 1, 2, 3})[2] // node 2: blocks 012 at 2, 023 at 1, 123 at 1
	got := make([]int32, 1)
	if err := codedsgd.Encode(got, p, held{a, 2, grads, 1}, 0, cut, 1); err != nil || got[0] != 2203 {
		t.Fatalf("%+v holds %v, want 3 + 200 + 2000; %v", p, got, err)
	}
	term, err := codedsgd.Decode(got, p, held{a, 1, grads, 1}, 0, cut, 1) // node 1 lacks 023
	if err != nil || term != (codedsgd.Term{Block: 2, Position: 1}) || got[0] != 200 {
		t.Errorf("node 1 decodes %v as %+v, want 200; %v", got, term, err)
	}
	p.Terms[0].Position = 0
	got[0] = 2203
	if _, err := codedsgd.Decode(got, p, held{a, 1, grads, 1}, 0, cut, 1); err != nil || got[0] != 202 {
		t.Errorf("with a wrong position %v is left, %v", got, err)
	}
}
