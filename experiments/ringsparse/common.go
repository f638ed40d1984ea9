package ringsparse

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
)

const (
	complete   = "complete"
	unfinished = "incomplete"
)

// reference is the platform of every timed run here.
const reference = "sparse32"

// gigabit is 1 Gb/s in bytes per second.
const gigabit = 1e9 / 8

// links are the bandwidths of the experiments' axis in Gb/s, fixed before their first
// run; the first is the platform's own.
var links = []float64{1, 10, 25}

// referencePlatform loads it; it is embedded, so a failure is a programmer's mistake.
func referencePlatform() *cluster.Platform {
	p, err := platforms.Load(reference)
	if err != nil {
		panic(err)
	}
	return p
}

// withLink is p without jitter and with links of so many Gb/s: the same work
// always takes the same time, so that differences are the exchange's.
func withLink(p *cluster.Platform, gbps float64) *cluster.Platform {
	return p.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth, h.Jitter = gbps*gigabit, 0 })
}

// newResult starts a result; it is incomplete until its last line.
func newResult(e exp.Experiment, env exp.Env, kind string, config any) *result.Result {
	return &result.Result{ID: e.ID, Title: e.Title, Source: e.Source, Profile: env.Profile, Kind: kind,
		Status: unfinished, Seeds: env.Seeds, Config: config,
		Claims: []result.Claim{}, Tables: []result.Table{}, Figures: []result.Figure{}, Notes: []string{}}
}

// bar tells how far an experiment is; a part costs 1.
type bar struct {
	env         exp.Env
	done, total float64
}

func (b *bar) step(what string) {
	b.done++
	if b.env.Progress != nil {
		b.env.Progress(b.done, b.total, what)
	}
}

// holds judges a qualitative claim from so many seeds (0: deterministic);
// measured is what was found, in a few words.
func holds(id string, ok bool, seeds int, measured any, note string) result.Claim {
	return claims.Judge(id, claims.Evidence{Value: measured, Holds: &ok, Seeds: seeds, Note: note})
}

// identity judges a claim whose value is a formula or a rule in words: it is equal
// if ok, and otherwise differs with the sentence found.
func identity(id string, ok bool, found, note string) result.Claim {
	c, known := claims.Get(id)
	if !known {
		panic("ringsparse: no claim " + id)
	}
	if ok {
		found = c.Value
	}
	return claims.Judge(id, claims.Evidence{Value: found, Note: note})
}

// tolerance is what tolerances.csv fixed for a claim.
func tolerance(id string) float64 {
	c, ok := claims.Get(id)
	if !ok || c.Tolerance == nil {
		panic("ringsparse: " + id + " has no tolerance")
	}
	return *c.Tolerance
}

// meanAndHalf returns the mean of x and the half-width of its 95 % Student
// interval; half is no number for a single value.
func meanAndHalf(x []float64) (mean, half float64) {
	mean = stat.Mean(x, nil)
	if len(x) < 2 {
		return mean, math.NaN()
	}
	n := float64(len(x))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return mean, t * stat.StdDev(x, nil) / math.Sqrt(n)
}

// interval is mean ± half, nil where one seed has none.
func interval(mean, half float64) *[2]float64 {
	if math.IsNaN(half) {
		return nil
	}
	return &[2]float64{mean - half, mean + half}
}

// orNone is x as a table's entry: empty where it is no number.
func orNone(x float64) any {
	if math.IsNaN(x) {
		return nil
	}
	return x
}

// linkName spells a bandwidth.
func linkName(gbps float64) string { return fmt.Sprintf("%g Gb/s", gbps) }
