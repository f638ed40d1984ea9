package formula

import (
	"math"
	"testing"
)

// Worked by hand from the paper's equations.
func TestByHand(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"C(8,3)", Choose(8, 3), 56},
		{"C(62,31)", Choose(62, 31) / 465428353255261088, 1},
		{"C(5,−1)", Choose(5, -1), 0},
		{"C(5,6)", Choose(5, 6), 0},
		{"have, n = 8, r = 3", Have(8, 3), 21},
		{"left, n = 8, r = 3", Left(8, 3), 35},
		{"packets, n = 8, r = 3", Packets(8, 3), 280},
		{"(28), n = 8, r = 3", Coding(8, 3), 280. / 3},
		{"(28), n = 10, r = 9", Coding(10, 9), 10. / 9},
		{"(28), r = n", Coding(6, 6), 0},
		{"(29), n = 4, r = 2", Uncoding(4, 2), 12},
		{"(30), n = 4, r = 2", Normal(4, 2), 18},
		{"(19), n = 4, r = 2", Ratio(4, 2), 1. / 3},
		{"(28)/(30)", Coding(9, 4) / Normal(9, 4), Ratio(9, 4)},
		{"like for like, n = 8, r = 3", LikeForLike(8, 3), 5. / 3},
		{"sum only, n = 6, r = 3", Compressed(6, 3, 1), 4},
		{"code only, n = 6, r = 3", Compressed(6, 3, 3), 1 + (15.*4/3)/6},
		{"compressed, r = n", Compressed(6, 6, 2), 0},
		{"bound, n = 10, r = 5", Bound(10, 5), 0.1},
		{"bound·n·C = (28)", Bound(7, 3) * 7 * Choose(7, 3), Coding(7, 3)},
		{"time, n = 8, r = 3", Time(8, 3, 2, 21), 6 + 5},
		{"short time", ShortTime(3, 2, 21), 13},
		{"r*", Star(9, 2, 16), 3},
		{"short r*", shortStar(2, 18), 3},
		{"best, n = 8, ρ = 8", float64(Best(8, 1, 8)), 3},
		{"best, n = 8, ρ = 3", float64(Best(8, 1, 3)), 2},
		{"best, n = 8, ρ = 0.1", float64(Best(8, 1, 0.1)), 1},
		{"best, n = 4, ρ = 1000", float64(Best(4, 1, 1000)), 4},
		{"best, a tie", float64(Best(8, 1, 1.75)), 1}, // ρ = 7/8·1·2
	} {
		if math.Abs(c.got-c.want) > 1e-14*math.Abs(c.want) {
			t.Errorf("%s = %.17g, want %.17g", c.name, c.got, c.want)
		}
	}
}
