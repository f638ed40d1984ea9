package kit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The order of a pair is known or not, by hand.
func TestBeside(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b Time
		want Signs
	}{
		{"sooner", Time{1, false}, Time{2, false}, Signs{Sooner: 1}},
		{"later", Time{3, false}, Time{2, false}, Signs{Later: 1}},
		{"equal", Time{2, false}, Time{2, false}, Signs{Tied: 1}},
		{"over before the other's end", Time{1, false}, Time{2, true}, Signs{Sooner: 1}},
		{"over just at the other's end", Time{2, false}, Time{2, true}, Signs{Sooner: 1}},
		{"over after the other's end", Time{3, false}, Time{2, true}, Signs{Unknown: 1}},
		{"not over when the other was", Time{2, true}, Time{1, false}, Signs{Later: 1}},
		{"not over just when the other was", Time{2, true}, Time{2, false}, Signs{Later: 1}},
		{"ended too early to tell", Time{2, true}, Time{3, false}, Signs{Unknown: 1}},
		{"neither over", Time{2, true}, Time{9, true}, Signs{Unknown: 1}},
	} {
		if got := (Times{c.a}).Beside(Times{c.b}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Exact values of the binomial distribution, by hand: 2·(1 + 10)/2^10 and so on.
func TestSignTest(t *testing.T) {
	for _, c := range []struct {
		s    Signs
		p    float64
		want string
	}{
		{Signs{}, 1, "none"},
		{Signs{Unknown: 3}, 1, "undecided"},
		{Signs{Sooner: 5}, 2.0 / 32, "undecided"},
		{Signs{Sooner: 6, Unknown: 4, Tied: 2}, 2.0 / 64, "below"},
		{Signs{Later: 6}, 2.0 / 64, "above"},
		{Signs{Sooner: 9, Later: 1}, 22.0 / 1024, "below"},
		{Signs{Sooner: 2, Later: 8}, 112.0 / 1024, "undecided"},
		{Signs{Sooner: 15, Later: 5}, 2 * 21700.0 / 1048576, "below"},
		{Signs{Sooner: 14, Later: 6}, 2 * 60460.0 / 1048576, "undecided"},
		{Signs{Sooner: 4, Later: 4}, 1, "undecided"},
	} {
		if p := c.s.P(); math.Abs(p-c.p) > 1e-12 || c.s.Against() != c.want {
			t.Errorf("%+v: p %g, %s; want %g, %s", c.s, p, c.s.Against(), c.p, c.want)
		}
	}
}

func TestTimesTogether(t *testing.T) {
	got := Together([]Times{{{1, false}, {2, false}}, {{4, false}, {8, true}}})
	if got[0] != (Time{2, false}) || got[1].Beyond != true || math.Abs(got[1].At-4) > 1e-12 {
		t.Errorf("%v, want 2, and beyond 4", got)
	}
	if got.Sample() != nil || got.Missed() != 1 || len(got.Bounds()) != 2 || Together(nil) != nil {
		t.Errorf("a bound passed for a time: %v", got.Sample())
	}
	base := Times{{1, false}, {1, false}}
	if e := got.Over(base); e.CI != nil || math.Abs(e.Value-math.Sqrt(8)) > 1e-12 || got.Against(base) != "undecided" {
		t.Errorf("over a base: %+v, %s", e, got.Against(base))
	}
	whole := Times{{2, false}, {2.1, false}}
	if e := whole.Over(base); e.CI == nil || whole.Against(base) != "above" {
		t.Errorf("without a bound: %+v, %s", e, whole.Against(base))
	}
}

// In pairs whose order is a coin's the sign test decides in at most 5 % of cases, and where nine in
// ten are sooner it mostly does.
func TestSignTestsLevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 3))
	decided := func(chance float64) (share float64) {
		for range 4000 {
			var s Signs
			for range 12 {
				if rng.Float64() < chance {
					s.Sooner++
				} else {
					s.Later++
				}
			}
			if s.Against() != "undecided" {
				share += 1.0 / 4000
			}
		}
		return share
	}
	if level, power := decided(0.5), decided(0.9); level > 0.05 || level < 0.02 || power < 0.85 {
		t.Errorf("decides %g of fair pairs and %g of unfair ones; want at most 0.05 and at least 0.85", level, power)
	}
}
