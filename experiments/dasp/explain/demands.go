package explain

import (
	"math"

	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/papers/dasp"
)

// stated18 is the number of demands, D01–D18.
const stated18 = 18

// demand is one stated ratio of mean iteration times, DASP over a baseline.
type demand struct {
	setup.Reduction
	Platform  string
	Ratio     float64 // 1 − reduction/100
	Tolerance float64 // of the claim, on the ratio
}

// demands returns D01–D18.
func demands() (out [stated18]demand) {
	i := 0
	for _, platform := range []string{setup.Homogeneous, setup.Heterogeneous} {
		for _, c := range setup.Reductions(platform) {
			out[i] = demand{c, platform, 1 - setup.StatedNumber(c.ID)/100, claims.Tolerance(c.ID) / 100}
			i++
		}
	}
	return out
}

// meanings lists the readings of "mean iteration time" that are scored, all from the same runs: the
// tables' three, and the fastest worker alone (§3.2 speaks of the stragglers' influence on fast
// nodes). In the homogeneous cluster, where nobody is fastest, that is the first worker.
var meanings = [...]string{"per-worker", "per-push", "per-update", "fastest-worker"}

// means holds seconds by meaning; 0: no number.
type means [len(meanings)]float64

// meansOf returns the means of a run. If a worker has no counted iteration there is no mean over
// workers: the mean of the others would hide the very straggler.
func meansOf(byWorker []float64, perWorker, perPush, perUpdate float64) means {
	s := means{perWorker, perPush, perUpdate, byWorker[0]}
	for _, w := range byWorker {
		if w == 0 {
			s[0] = 0
		}
	}
	return s
}

// meansOfLog returns the means of a log.
func meansOfLog(l *dasp.Log, warmup int64) means {
	t := l.Stats(warmup).Iteration
	return meansOf(t.ByWorker, t.PerWorker, t.PerPush, t.PerUpdate)
}

// mask says which of the 18 demands count.
type mask [stated18]bool

// subset is a part of the demands, which may be easier to meet than all.
type subset struct {
	Key string
	Of  mask
}

// subsets returns all demands, then the demands of one cluster, of one model, of one baseline.
func subsets() (out []subset) {
	pick := func(key string, of func(d demand) bool) {
		s := subset{Key: key}
		for i, d := range demands() {
			s.Of[i] = of(d)
		}
		out = append(out, s)
	}
	pick("all", func(demand) bool { return true })
	for _, p := range []string{setup.Homogeneous, setup.Heterogeneous} {
		pick(p, func(d demand) bool { return d.Platform == p })
	}
	for _, m := range setup.Models {
		pick(m, func(d demand) bool { return d.Model == m })
	}
	for _, b := range setup.Baselines {
		pick(b, func(d demand) bool { return d.Against == b })
	}
	return out
}

// ratios holds DASP's time over the baseline's, per meaning and demand; 0: none.
type ratios [len(meanings)][stated18]float64

// loss returns the root mean square, over the demands of m, of
//
//	ln(ratio / stated)
//
// rounded to 1e-9. It returns noLoss if a ratio is no number, and panics on an empty mask.
func loss(found [stated18]float64, want [stated18]demand, m mask) float64 {
	sum, n := 0.0, 0
	for i, x := range found {
		if !m[i] {
			continue
		}
		if !(x > 0) {
			return noLoss
		}
		d := math.Log(x / want[i].Ratio)
		sum += float64(d * d)
		n++
	}
	if n == 0 {
		panic("dasp: a loss over no demand")
	}
	return math.Round(1e9*math.Sqrt(sum/float64(n))) / 1e9
}

// noLoss is larger than any loss; JSON has no infinity.
const noLoss = math.MaxFloat64

// worst returns the demand with the largest |ln(ratio/stated)|, and its ratio over the stated one.
func worst(found [stated18]float64, want [stated18]demand) (i int, factor float64) {
	factor = 1
	for j, x := range found {
		f := x / want[j].Ratio
		if math.Abs(math.Log(f)) > math.Abs(math.Log(factor)) {
			i, factor = j, f
		}
	}
	return i, factor
}

// extent holds the smallest and the largest ratio over candidates; Lo 0: none seen.
type extent struct{ Lo, Hi float64 }

func (s *extent) add(x float64) {
	if !(x > 0) {
		return
	}
	if s.Lo == 0 || x < s.Lo {
		s.Lo = x
	}
	s.Hi = max(s.Hi, x)
}

// reached reports whether a stated ratio lies within the extent, or as near to it as the claim's
// tolerance.
func (s extent) reached(d demand) bool {
	return s.Lo > 0 && s.Lo-d.Tolerance <= d.Ratio && d.Ratio <= s.Hi+d.Tolerance
}

// extents holds the ranges of all ratios.
type extents [len(meanings)][stated18]extent

func (s *extents) add(r *ratios) {
	for k := range r {
		for i, x := range r[k] {
			s[k][i].add(x)
		}
	}
}

func (s *extents) join(o *extents) {
	for k := range o {
		for i, x := range o[k] {
			s[k][i].add(x.Lo)
			s[k][i].add(x.Hi)
		}
	}
}
