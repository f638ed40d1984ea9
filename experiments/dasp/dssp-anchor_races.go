package dasp

import (
	"fmt"
	"math"

	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
)

// raceRows are the races: the pair's factor with three jitters, and the 6-fold
// straggler. A factor of 0 is the pair's own.
var raceRows = []struct {
	Factor float64 `json:"factor"`
	Jitter float64 `json:"jitter"`
}{{0, 0}, {0, 0.01}, {0, 0.05}, {6, 0}, {6, 0.05}}

const racesPerSeed = 10 // rows, each capped and as printed

// pairFactor is how much slower the slow card computes.
func pairFactor() float64 {
	w := load(mixedPair).Workers
	return w[0].FLOPS / w[1].FLOPS
}

// raceTable plays DSSP with its range capped and as printed, without a network.
func raceTable(n int64, seeds []uint64) (result.Table, []string) {
	t := result.Table{ID: "printed", Title: "DSSP [3, 15] as printed and with its range as a cap", Kind: result.Modelled,
		Caption: fmt.Sprintf("Two workers without network whose iterations differ by the factor, %d gradients, mean over seeds (largest: over all): the arithmetic of DSSP's Algorithms 1 and 2, nothing trained. "+
			"As printed, every stop may grant up to r_max = 12 more iterations, again and again; capped, no grant leads beyond s_U = 15 (r ← min(r*, s_U − gap)). BSP = 1, the slow worker's mean iteration twice per two gradients; ASP = 2/(1 + f).", n),
		Columns: []result.Column{{Key: "factor", Title: "factor", Digits: 2}, {Key: "jitter", Title: "jitter", Unit: "%"}, {Key: "form", Title: "form"}, {Key: "ratio", Title: "time, BSP = 1", Digits: 3},
			{Key: "asp", Title: "ASP", Digits: 3}, {Key: "largest", Title: "most clocks ahead"}, {Key: "waits", Title: "stops that waited"}, {Key: "waited", Title: "fast worker waits", Unit: "% of the time", Digits: 1}}}
	shown := map[float64]map[bool]raceMean{} // of the pair's factor: [jitter][capped]
	for _, row := range raceRows {
		f := row.Factor
		if f == 0 {
			f = pairFactor()
			shown[row.Jitter] = map[bool]raceMean{}
		}
		for _, capped := range []bool{true, false} {
			m := raceOver(race{f, dsspLower, dsspUpper, capped, cluster.Host{Jitter: row.Jitter}}, n, seeds)
			t.Rows = append(t.Rows, []any{f, 100 * row.Jitter, map[bool]string{true: "capped", false: "as printed"}[capped], m.ratio, aspRatio(f), m.largest, math.Round(m.waits), 100 * m.waited})
			if row.Factor == 0 {
				shown[row.Jitter][capped] = m
			}
		}
	}
	return t, raceNotes(shown[0][false], shown[0.01][false], shown[0.05][false], shown[0.05][true])
}

// raceMean is over seeds.
type raceMean struct {
	ratio, waits, waited float64
	largest              int64
}

func raceOver(x race, n int64, seeds []uint64) (m raceMean) {
	k := float64(len(seeds))
	for _, seed := range seeds {
		o := x.run(n, cluster.Stream(seed, 0, "dssp-anchor", "race"))
		m.ratio += o.time / (float64(n) * x.f / 2) / k
		m.waits += float64(o.waits) / k
		m.waited += o.waited / o.time / k
		m.largest = max(m.largest, o.largest)
	}
	return m
}

// raceNotes say how fast the printed form is with regular iterations, with 1 %
// jitter and with 5 %, and the capped one with 5 %.
func raceNotes(steady, near, shaken, capped raceMean) []string {
	asp := aspRatio(pairFactor())
	return []string{fmt.Sprintf("Could DSSP as printed, without the cap, be as fast as Table I says? By arithmetic without network it takes %.3f of BSP's time (ASP %.3f) if iterations are perfectly regular, and the fast worker is up to %d clocks ahead of a range that ends at 15; "+
		"with 1 %% jitter %.3f, up to %d clocks; with 5 %% %.3f, up to %d; with the cap and 5 %% %.3f, at most %d. %s", steady.ratio, asp, steady.largest, near.ratio, near.largest, shaken.ratio, shaken.largest, capped.ratio, capped.largest,
		raceReading(steady, near, shaken, asp))}
}

// raceReading says what jitter does to the printed form.
func raceReading(steady, near, shaken raceMean, asp float64) string {
	const lost = "the first stop with a grant of 0 makes the fast worker wait until it is within s_L again, and the whole lead is lost."
	is := func(m raceMean) bool { return m.ratio <= asp*1.05 }
	switch {
	case !is(steady):
		return "Even without jitter the printed form is not ASP."
	case is(shaken):
		return "So without the cap it is ASP, and its range bounds nothing."
	case is(near):
		return "So Table I's DSSP, hardly slower than ASP, is what the printed form does on regular machines, where its range bounds nothing; it is not what a bounded staleness can do. With more jitter even that form loses its speed: " + lost
	}
	return "So it is as fast as ASP on perfectly regular machines alone; else " + lost
}
