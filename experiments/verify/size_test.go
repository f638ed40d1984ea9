package verify

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/internal/oktest"
)

// TestSizesCountWhatIsWorkedOutByHand: numbers of small sizes, from neither the formulas nor the code.
func TestSizesCountWhatIsWorkedOutByHand(t *testing.T) {
	coded := oktest.Must(CountCoded(t.Context(), 4, 2, "lenet5"))(t)
	ring, sparse := oktest.Must(CountRing(t.Context(), 3, 48))(t), oktest.Must(CountSparse(t.Context(), 2, 1))(t)
	for _, c := range []struct {
		size *Size
		what string
		want int64
	}{
		{coded, "blocks of the batch", 6}, {coded, "blocks that a node has", 3}, {coded, "groups of r+1 nodes", 4}, // 12 13 14 23 24 34; 123 124 134 234
		{coded, "packets", 12}, {coded, "bytes of a packet", 16}, {coded, "unicast: messages", 24}, // 3 in a group; half of 32 bytes; 2 receivers
		{coded, "bytes, multicast", 192}, {coded, "unicast: bytes", 384}, {coded, "uncoded, unicast: messages", 12}, // 12·16; 24·16; 6 blocks, 2 lack each
		{coded, "lenet5, an iteration: packets", 60}, // 5 layers
		{ring, "messages of a rank", 4}, {ring, "bytes of all ranks", 192}, {ring, "bytes of the busiest rank", 64}, {ring, "one reducer: bytes into it", 96},
		{ring, "numbers that are not Σ x_n at the end", 0},
		{sparse, "messages of all ranks", 4}, {sparse, "density of a sum of 2", 1}, {sparse, "dense: bytes of all ranks", 160000},
		{sparse, "pairs: bytes of all ranks", 320000}, {sparse, "bitmap: bytes of all ranks", 160000 + 4*1250},
		{sparse, "all-gather of pairs: bytes of all ranks", 320000},
	} {
		found := false
		for _, n := range c.size.Counts {
			if n.What == c.what {
				found = true
				if n.Counted.Cmp(whole(c.want)) != 0 || n.Verdict == claims.Differs {
					t.Errorf("%s, %s: counted %s, %s, want %d", c.size.Group, c.what, n.Counted.RatString(), n.Verdict, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%s does not count %q", c.size.Group, c.what)
		}
	}
}

// TestAWrongCountDiffers: neither a number that is off by one, nor one beyond its tolerance, passes.
func TestAWrongCountDiffers(t *testing.T) {
	for name, add := range map[string]func(s *Size){
		"equal":  func(s *Size) { s.equal("x", "", whole(7), "", whole(8)) },
		"within": func(s *Size) { s.within("x", "", big.NewRat(101, 100), "", one, 0.009) },
	} {
		s := &Size{}
		add(s)
		s.equal("y", "", one, "", one)
		if s.Counts[0].Verdict != claims.Differs || s.Counts[1].Verdict != claims.Equal || !s.Differs() {
			t.Errorf("%s: %+v", name, s)
		}
	}
	s := &Size{}
	s.within("x", "", big.NewRat(101, 100), "", one, 0.011)
	if s.Differs() || s.Counts[0].Verdict != claims.Within {
		t.Errorf("%+v", s)
	}
	text, err := json.Marshal(s)
	if err != nil || !strings.Contains(string(text), `"counted":1.01,`) || !strings.Contains(string(text), `"by_formula":1,`) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestGrouped writes numbers for people.
func TestGrouped(t *testing.T) {
	for want, x := range map[string]*big.Rat{"0": whole(0), "999": whole(999), "1,000": whole(1000), "-1,234,567": whole(-1234567),
		"0.9375": big.NewRat(15, 16), "1,714,285.7": big.NewRat(12000000, 7)} {
		if got := Grouped(x); got != want {
			t.Errorf("%s is written %q, want %q", x.RatString(), got, want)
		}
	}
}
