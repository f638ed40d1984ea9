package setup

import (
	"fmt"
	"math"
	"testing"

	"gradsync/shared/cluster"
)

// By hand: two layers, the largest quarter and half of each, signs ignored, of equals
// the first, dropped ones +0.
func TestPrune(t *testing.T) {
	layers := []cluster.Layer{{Offset: 0, Length: 4}, {Offset: 4, Length: 3}}
	for _, c := range []struct {
		keep   float64
		mask   string
		params string
	}{
		{0.25, "[false true false false true false false]", "[0 -3 0 0 5 0 0]"},
		{0.5, "[true true false false true true false]", "[2 -3 0 0 5 -5 0]"}, // ⌈1.5⌉ = 2 of the second
		{1, "[true true true true true true true]", "[2 -3 -1 2 5 -5 1]"},
	} {
		params := []float32{2, -3, -1, 2, 5, -5, 1}
		mask := Prune(params, layers, c.keep)
		if fmt.Sprint(mask) != c.mask || fmt.Sprint(params) != c.params {
			t.Errorf("keep %g: %v %v, want %s %s", c.keep, mask, params, c.mask, c.params)
		}
		for i, keep := range mask {
			if !keep && math.Float32bits(params[i]) != 0 {
				t.Errorf("entry %d is %g, want +0", i, params[i])
			}
		}
	}
}
