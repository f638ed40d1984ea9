package multiverse

import (
	"math"
	"slices"
	"testing"
)

// Every level of an axis stands equally often in every block, blocks and axes differ, and a smaller
// profile has the first readings of a larger one.
func TestDesignIsBalanced(t *testing.T) {
	for _, platform := range []bool{false, true} {
		block := map[bool]string{false: allAxes, true: platformAxes}[platform]
		all := design(block, platform, 3*blockSize)
		for from := 0; from < len(all); from += blockSize {
			for a, x := range axes {
				counts := make([]int, len(x.Levels))
				for _, r := range all[from : from+blockSize] {
					counts[r[a]]++
				}
				want := blockSize / len(x.Levels)
				for l, n := range counts {
					switch {
					case platform && !x.Platform:
						if (n == blockSize) != (l == standing[a]) {
							t.Errorf("%s: %s stands %d times", block, x.Levels[l].Key, n)
						}
					case platform && x.Key == "noise":
						if l == 3 && n != 0 || l < 3 && n != blockSize/3 {
							t.Errorf("%s: %s stands %d times", block, x.Levels[l].Key, n)
						}
					case n != want:
						t.Errorf("%s from %d: %s stands %d times, want %d", block, from, x.Levels[l].Key, n, want)
					}
				}
			}
		}
		if !slices.EqualFunc(design(block, platform, 7), all[:7], slices.Equal) {
			t.Errorf("%s: the first readings depend on how many there are", block)
		}
		if slices.EqualFunc(all[:blockSize], all[blockSize:2*blockSize], slices.Equal) {
			t.Errorf("%s: two blocks are equal", block)
		}
	}
	if e := efforts["standard"]; e.Readings < 700 || e.Platforms < 96 || efforts["quick"].Readings < 60 {
		t.Errorf("too few readings: %+v, %+v", e, efforts["quick"])
	}
}

// Weights are shares of their axis, and likely is their product over what the design gives each.
func TestWeights(t *testing.T) {
	keys := map[string]bool{}
	for _, x := range axes {
		sum, some := 0.0, false
		for _, l := range x.Levels {
			if keys[l.Key] {
				t.Errorf("%s stands twice", l.Key)
			}
			keys[l.Key] = true
			sum += l.Weight
			some = some || l.Weight > 0
		}
		if some && math.Abs(sum-1) > 1e-12 || blockSize%len(x.Levels) != 0 {
			t.Errorf("%s: weights add up to %g, %d levels", x.Key, sum, len(x.Levels))
		}
	}
	want := 0.58 * 4 * 0.7 * 2 * 0.65 * 3 * 0.6 * 3
	if got := standing.likely(); math.Abs(got-want) > 1e-12 {
		t.Errorf("the standing reading counts %g, want %g", got, want)
	}
	mean := 0.0
	for _, r := range design(allAxes, false, 100*blockSize) {
		mean += r.likely() / (100 * blockSize)
	}
	if math.Abs(mean-1) > 0.1 {
		t.Errorf("readings count %g on average", mean)
	}
}
