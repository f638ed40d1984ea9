package cli

import (
	"context"
	"fmt"
	"math/big"

	"gradsync/papers/codedsgd"
)

// amount is one number of a side.
type amount struct {
	what  string
	value *big.Rat
	// printed is what stands in the paper in the value's place, of a computed side; nil
	// where that is the value, or says nothing at this n and r.
	printed *big.Rat
}

// side is what is counted, or computed, for n nodes at redundancy r.
type side func(ctx context.Context, n, r int) ([]amount, error)

// twoSided is a check that what is counted is what is computed, amount by amount, at
// every redundancy of least to most nodes, from small to large. Both sides are functions,
// so that a test can put a wrong one in the place of either.
type twoSided struct {
	id, equation      string
	least, most       int
	counted, computed side
}

func (c twoSided) run(ctx context.Context) (t tally, err error) {
	for n := c.least; n <= c.most; n++ {
		for r := 1; r <= n; r++ {
			if err := ctx.Err(); err != nil {
				return t, err
			}
			if err := c.compare(ctx, &t, n, r); err != nil {
				return t, fmt.Errorf("n = %d, r = %d: %w", n, r, err)
			}
		}
	}
	return t, nil
}

// compare adds the amounts of one n and r to the tally.
func (c twoSided) compare(ctx context.Context, t *tally, n, r int) error {
	counted, err := c.counted(ctx, n, r)
	if err != nil {
		return err
	}
	computed, err := c.computed(ctx, n, r)
	if err != nil {
		return err
	}
	if len(counted) != len(computed) {
		return fmt.Errorf("%d amounts counted, %d computed", len(counted), len(computed))
	}
	for i, got := range counted {
		want := computed[i]
		if got.what != want.what {
			return fmt.Errorf("%q counted, %q computed", got.what, want.what)
		}
		t.add(got.value.Cmp(want.value) == 0, "n = %d, r = %d, %s: counted %s, computed %s", n, r, got.what, got.value.RatString(), want.value.RatString())
		if want.printed != nil {
			t.asPrinted(got.value.Cmp(want.printed) == 0, "n = %d, r = %d, %s: counted %s, as printed %s", n, r, got.what, got.value.RatString(), want.printed.RatString())
		}
	}
	return nil
}

// stepSides are the sides of a step of the proof. Both come from one evaluation, of the
// last n and r that were asked for.
func stepSides(s *codedsgd.Step) (counted, computed side) {
	var last []codedsgd.Side
	var size [2]int
	at := func(n, r int) error {
		if size == [2]int{n, r} {
			return nil
		}
		e, err := codedsgd.Enumerate(n, r)
		if err == nil {
			last, size = s.Sides(e), [2]int{n, r}
		}
		return err
	}
	counted = func(_ context.Context, n, r int) (out []amount, err error) {
		err = at(n, r)
		for _, x := range last {
			out = append(out, amount{what: x.What, value: x.Left})
		}
		return out, err
	}
	computed = func(_ context.Context, n, r int) (out []amount, err error) {
		err = at(n, r)
		for _, x := range last {
			out = append(out, amount{x.What, x.Right, x.Printed})
		}
		return out, err
	}
	return counted, computed
}
