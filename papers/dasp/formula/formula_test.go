package formula

import "testing"

// TestByHand: α = 1/4, f_i = 20 and f_j = 60 or 12, by hand.
func TestByHand(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"difference, j slower", WaitDifference(0.25, 20, 60), 10},
		{"difference, j faster", WaitDifference(0.25, 20, 12), 0}, {"absolute, j slower", WaitAbsolute(0.25, 20, 60), 10},
		{"absolute, j faster", WaitAbsolute(0.25, 20, 12), 2}, {"convex", WaitConvex(0.25, 20, 60), 50},
		{"oldest", WaitOldest(0.25, 60), 15}, {"QIS of 8", QISWeight(8), 0.125}, {"group of 4", GroupWeight(4), 0.25},
		{"spread", float64(SpreadBound(6, 6)), 10},
	} {
		if c.got != c.want {
			t.Errorf("%s = %g, want %g", c.name, c.got, c.want)
		}
	}
}
