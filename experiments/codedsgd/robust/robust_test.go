package robust

import (
	"math"
	"slices"
	"testing"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	_ "gradsync/shared/tensor/engine/portable"
)

// Q serves every r; ways hold every r of each kind once.
func TestPlans(t *testing.T) {
	for n, want := range map[int]int{4: 12, 5: 10, 6: 60, 8: 280} {
		if got := piecesOf(n); got != want {
			t.Errorf("%d nodes: %d pieces, want %d", n, got, want)
		}
		if got := len(ways(n, false)); got != 2*n-1 || len(ways(n, true)) != 4*n-3 {
			t.Errorf("%d nodes: %d ways, want n−2 coded, n multicast, one unicast, in rounds all but r = n twice", n, got)
		}
	}
	for _, profile := range exp.Profiles {
		p, q := exchangesOf(profile), trainingsOf(profile)
		if !slices.Contains(p.Nodes, p.Anchor) || !slices.Contains(p.Ratios, 1) {
			t.Errorf("%s: anchor %d at ratio 1 is not in %v, %v", profile, p.Anchor, p.Nodes, p.Ratios)
		}
		for _, n := range p.Nodes {
			if setup.DNN.Batch(n) < piecesOf(n) {
				t.Errorf("%s: pieces of %d nodes without samples", profile, n)
			}
		}
		if q.Batch%q.Pieces != 0 || q.Bad[0] != 0 || len(q.Bad) < 2 || q.Updates < 3 {
			t.Errorf("%s: %+v", profile, q)
		}
	}
	if r := ruleOf(codedsgd.Krum, 12); r.Bad != 4 {
		t.Errorf("Krum of 12 pieces is told of %d bad ones, want 4", r.Bad)
	}
}

// With pencil: 4 nodes at r = 3 compute 3/4 and send 1/3; 6 at 4 compute 2/3 and send 1/2; on
// a switch 4 at 2 receive 2/3. Coding's load (n−r)/r is never below (n−r)/(n−1), and equal for
// r = n−1 alone, once per n.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		n, r  int
		saved float64
		sw    bool
	}{{4, 3, 25, false}, {6, 4, 100. / 3, false}, {8, 5, 37.5, false}, {4, 2, 100. / 3, true}} {
		load := codedsgd.LikeForLike
		if c.sw {
			load = line
		}
		if r, saved := overlapBound(c.n, load); r != c.r || math.Abs(saved-c.saved) > 1e-9 {
			t.Errorf("%+v: r = %d saves %g %%", c, r, saved)
		}
	}
	// No ratio beats the one at n: the bound is one.
	for _, n := range []int{4, 5, 8} {
		_, bound := overlapBound(n, codedsgd.LikeForLike)
		for rho := 0.1; rho < 4*float64(n); rho += 0.1 {
			for r := 2; r < n; r++ {
				load, _ := codedsgd.LikeForLike(n, r).Float64()
				plain := min(max(1, rho), float64(n))
				if saved := 100 * (1 - max(float64(r), rho*load)/plain); saved > bound+1e-9 {
					t.Errorf("n = %d, r = %d at %g: saves %g %%, bound %g", n, r, rho, saved, bound)
				}
			}
		}
	}
	if pairs, below, on := lineCounts(); pairs != 741 || below != 0 || on != 38 {
		t.Errorf("%d pairs, %d below, %d on", pairs, below, on)
	}
}

// Links have the ratio: without overlap and jitter a plain multicast takes Tcalc·(1 + ratio·n)
// and what aggregating and the update take; on a switch receiving takes that long.
func TestLinksHaveTheRatio(t *testing.T) {
	for _, c := range []carrier{{Shared: true, Ideal: true}, {Ideal: true}} {
		s := setting{4, 2, c, codedsgd.Mean}
		it, err := timing.Run(t.Context(), exp.Env{}, timed{s, way{Method: codedsgd.SSGDMulticast, R: 1}}.config(0))
		if err != nil {
			t.Fatal(err)
		}
		want := it.Compute*(1+2*4) + compared{setting: s}.aggregating()
		if math.Abs(it.Seconds/want-1) > 0.02 {
			t.Errorf("%+v: %g s, want %g", c, it.Seconds, want)
		}
	}
}

// What counts as paying: the whole interval above 0, and a mean of the least saving at least.
func TestPays(t *testing.T) {
	of := func(coded ...float64) compared {
		return compared{CodedS: coded, PlainS: kit.Sample{1, 1, 1}[:len(coded)]}
	}
	for _, c := range []struct {
		c    compared
		want bool
	}{{of(0.9, 0.91, 0.9), true}, {of(0.995, 0.995, 0.995), false}, {of(0.5, 1, 1.2), false}, {of(1.1, 1.1, 1.1), false}, {of(0.5), false}} {
		if got := c.c.pays(); got != c.want {
			t.Errorf("%v: pays %v, saved %+v", c.c.CodedS, got, c.c.saved())
		}
	}
	if k := (compared{setting: setting{N: 4}, Plain: way{Method: codedsgd.SSGDMulticast, R: 4}}).plainKey(); k != "alone" {
		t.Errorf("r = n is %q", k)
	}
}

// A rule withstands what it withstands without a gap from the least f on.
func TestWithstood(t *testing.T) {
	p := trainingPlan{Bad: []int{0, 1, 2, 4}, Pieces: 12, Attacks: []string{"labels"}}
	l := learnt{at: map[attacked]kit.Sample{}}
	put := func(f int, by float64) {
		l.at[at(codedsgd.Median, "labels", f)] = kit.Sample{80 + by, 81 + by, 82 + by}
	}
	for _, c := range []struct {
		by   [4]float64
		want any
	}{{[4]float64{0, 0, -4, -5.5}, 2}, {[4]float64{0, -20, 0, 0}, 0}, {[4]float64{0, 1, 0, -1}, 4}} {
		for i, f := range p.Bad {
			put(f, c.by[i])
		}
		if got := l.withstood(p, codedsgd.Median, "labels"); got != c.want {
			t.Errorf("%v: withstands %v, want %v", c.by, got, c.want)
		}
	}
	if k := l.kept(at(codedsgd.Median, "labels", 4)); k != "above" || p.largest(codedsgd.Median) != 4 || p.largest(codedsgd.Mean) != 0 {
		t.Errorf("kept %q, largest %d", k, p.largest(codedsgd.Median))
	}
	// Nothing is decided by an interval on both sides, nor by one seed.
	l.at[at(codedsgd.Median, "labels", 1)] = kit.Sample{80, 60, 90}
	if got := l.withstood(p, codedsgd.Median, "labels"); got != nil {
		t.Errorf("undecided: withstands %v", got)
	}
	one := learnt{at: map[attacked]kit.Sample{at(codedsgd.Median, "labels", 0): {80}, at(codedsgd.Median, "labels", 1): {20}}}
	if got := one.withstood(p, codedsgd.Median, "labels"); got != nil {
		t.Errorf("one seed: withstands %v", got)
	}
	// Of f = 1, 2, 4 under one attack the median's, open, kept, kept, and Krum's; clip's, of a bound of ours, apart.
	for _, rule := range codedsgd.Rules() {
		for _, f := range p.Bad {
			if a := at(rule, "labels", f); l.at[a] == nil {
				l.at[a] = kit.Sample{70, 71, 72}
			}
		}
	}
	l.at[at(codedsgd.Clip, "labels", 4)] = kit.Sample{20, 21, 22}
	if got := [2]tally{l.tolerated(p, false), l.tolerated(p, true)}; got != [2]tally{{6, 5, 0, 1}, {3, 2, 1, 0}} {
		t.Errorf("tallies %+v", got)
	}
	put(4, -5.5)
	if k := l.kept(at(codedsgd.Median, "labels", 4)); k != "below" {
		t.Errorf("5.5 points less are %q", k)
	}
}

// A training that diverges is one that guesses, not an error; the same seed gives the same.
func TestDivergedTrainingGuesses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	p := trainingsOf("ci")
	p.Rate, p.Updates = 1e6, 30
	env := exp.Env{Profile: "ci", Engine: "portable"}
	e, err := p.train(t.Context(), env, attacked{codedsgd.Mean, "flipped", 4}, 0)
	if err != nil || !e.Diverged || e.Accuracy != 100./classes {
		t.Errorf("%+v, %v", e, err)
	}
	p = trainingsOf("ci")
	var ends [3]ended
	for i, seed := range []uint64{1, 1, 2} {
		c := p.config(attacked{codedsgd.Median, "gaussian", 4}, seed, env)
		o, err := train.Run(t.Context(), c) // not by p.train, which would remember
		if err != nil {
			t.Fatal(err)
		}
		ends[i] = ended{Engine: o.ParamsSHA256}
	}
	if ends[0] != ends[1] || ends[0] == ends[2] {
		t.Errorf("parameters of seeds 1, 1 and 2: %v", ends)
	}
}
