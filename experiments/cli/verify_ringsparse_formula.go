package cli

import (
	"context"
	"math"
	"math/big"

	"gradsync/papers/ringsparse/formula"
)

// sparseFormulaFloats compares the float64 forms that the method, pages and
// experiments compute with eval's exact rationals. Powers of two as arguments
// leave the forms' own roundings alone; differences that cancel are compared to
// the size of what they are of.
func sparseFormulaFloats(context.Context) (t tally, err error) {
	t.within = true
	compare := func(name string, got, scale float64, v values) error {
		want, err := exactly(name, v)
		if err == nil {
			t.add(math.Abs(got-want) <= 1e-12*max(scale, math.Abs(want)), "%s of %v: %g, exactly %g", name, v, got, want)
		}
		return err
	}
	for _, part := range []func(*tally, compareFloat) error{costFloats, conversionFloats, sizeFloats, breakEvenFloats} {
		if err := part(&t, compare); err != nil {
			return t, err
		}
	}
	return t, nil
}

// compareFloat adds a case: eval's formula of v against a float64 near it, to
// 1e-12 of the larger of the value and scale.
type compareFloat func(name string, got, scale float64, v values) error

func costFloats(t *tally, compare compareFloat) error {
	for n := int64(1); n <= 32; n++ {
		for _, d := range []int64{0, 24, 61706 * 4, 1_200_000_000} {
			reduce, gather := formula.Steps(int(n))
			t.add(int64(reduce) == n-1 && int64(gather) == n-1, "N=%d: %d and %d exchanges", n, reduce, gather)
			v := values{"n": whole(n), "d": whole(d), "bandwidth": whole(125e6), "size": whole(0), "compressed": whole(d), "tc": big.NewRat(1, 8), "td": big.NewRat(1, 4)}
			f := float64(d)
			for name, got := range map[string]float64{"ringsparse.T": formula.T(int(n), f, 125e6), "ringsparse.Ta": formula.Ta(f/float64(n), 125e6),
				"ringsparse.Tb": formula.Tb(0.125, f, 125e6, 0.25), "ring.bytes": formula.Dense(int(n), f)} {
				v["k"] = whole(d) // the ring's K
				if err := compare(name, got, 0, v); err != nil {
					return err
				}
			}
			if err := compare("ringsparse.all-gather", formula.GatherSparse(int(n), f), 0, values{"n": whole(n), "size": whole(d)}); err != nil {
				return err
			}
		}
	}
	return nil
}

func conversionFloats(_ *tally, compare compareFloat) error {
	for k := int64(1); k <= 16; k++ {
		for sign, s := range []int{-1, +1} {
			v := values{"k": whole(k), "eta": big.NewRat(1, 1024), "w0": big.NewRat(3, 8), "own": big.NewRat(5, 16), "received": big.NewRat(-7, 4), "sign": whole(int64(sign))}
			sum := 5./16 - 7./4
			if err := compare("ringsparse.pw", formula.Pw(3./8, 1./1024, sum, int(k)+1, s), 1, v); err != nil {
				return err
			}
			if err := compare("ringsparse.pg", formula.Pg(3./8, 1./1024, sum, int(k)+1, s), 1024, v); err != nil {
				return err
			}
		}
		e := values{"m": whole(k), "eta": big.NewRat(1, 1024), "w0": big.NewRat(-3, 8), "g": big.NewRat(1, 64)}
		if err := compare("ringsparse.conversion-error", formula.ConversionError(-3./8, 1./1024, 1./64, int(k)), 0, e); err != nil {
			return err
		}
	}
	return nil
}

func sizeFloats(_ *tally, compare compareFloat) error {
	for _, percent := range []int64{0, 1, 8, 50, 99, 100} {
		density, f := big.NewRat(percent, 100), float64(percent)/100
		for k := int64(0); k <= 40; k++ {
			if err := compare("ringsparse.fillin", formula.FillIn(f, int(k)), 0, values{"density": density, "k": whole(k)}); err != nil {
				return err
			}
		}
		for _, n := range []int64{0, 8, 800, 1 << 20} { // whole bytes of bits
			v := values{"elements": whole(n), "density": density}
			if err := compare("ringsparse.bitmap", formula.BitmapBytes(float64(n), f), 0, v); err != nil {
				return err
			}
			if err := compare("ringsparse.coo", formula.COOBytes(float64(n), f), 0, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func breakEvenFloats(t *tally, compare compareFloat) error {
	for _, gbits := range []int64{1, 10, 25} { // 2 GB/s each way, as in the design's example
		const d = 1 << 20
		v := values{"d": whole(d), "bandwidth": whole(gbits * 125e6), "tc": big.NewRat(d, 2e9), "td": big.NewRat(d, 2e9), "codec": whole(0)}
		if err := compare("ringsparse.break-even", formula.BitmapBreakEven(float64(gbits)*125e6, 2e9, 2e9), 1, v); err != nil {
			return err
		}
		for percent := range int64(101) {
			even, err := exactRat("ringsparse.break-even", v)
			if err != nil {
				return err
			}
			pays := formula.BitmapSaves(float64(percent)/100, d, float64(gbits)*125e6, d/2e9, d/2e9)
			t.add(pays == (big.NewRat(percent, 100).Cmp(even) < 0), "%d %% at %d Gb/s: saves %v, break-even %s", percent, gbits, pays, even.RatString())
		}
	}
	return nil
}
