package timing

import (
	"math/big"
	"testing"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/kit/kittest"
	"gradsync/papers/codedsgd"
)

// The floats are the paper package's exact model.
func TestFormsAreTheModel(t *testing.T) {
	for n := 2; n <= 10; n++ {
		for r := 1; r <= n; r++ {
			rho := big.NewRat(21, 4)
			for _, f := range []Form{Exact, Short} {
				exact := codedsgd.BatchTime(n, r, big.NewRat(1, 1), rho)
				if f.Short {
					exact = codedsgd.ShortBatchTime(n, r, big.NewRat(1, 1), rho)
				}
				want, _ := exact.Float64()
				kittest.Near(t, f.Key, f.Batch(n, r, 5.25), want, 1e-12)
			}
		}
	}
}

// At the ends of a range the two neighbours take the same time.
func TestRatiosAreEnds(t *testing.T) {
	for r := 1; r < setup.Anchor; r++ {
		_, rho := Exact.Ratios(r)
		kittest.Near(t, "neighbours", Exact.Batch(setup.Anchor, r, rho), Exact.Batch(setup.Anchor, r+1, rho), 1e-12*rho)
	}
}
