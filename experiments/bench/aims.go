package bench

import "fmt"

// Measure is what an aim looks at.
type Measure int

// The measures, of one engine in one case.
const (
	Speed  Measure = iota // as a multiple of the peer's
	GFLOPS                // per second
	Memory                // peak resident set as a multiple of the peer's, at most
	Allocs                // heap objects per step, at most
)

// Aim is a number that was set before it was measured.
type Aim struct {
	Measure   Measure
	Bound     float64
	Contender string // "" is the engine
}

// Verdict is an aim beside what was reached.
type Verdict struct {
	Case, Aim, Reached string
	Held               bool
}

// Judge sets the aims of an outcome beside what the engine reached. An aim
// without a measurement is not held.
func (o *Outcome) Judge(engine string) []Verdict {
	var out []Verdict
	for _, a := range o.Aims {
		who := a.Contender
		if who == "" {
			who = engine
		}
		v := Verdict{Case: o.Title, Aim: a.words(who, o.Peer), Reached: "not measured"}
		if r := o.Find(who); r != nil {
			a.judge(&v, r, o.Find(o.Peer))
		}
		out = append(out, v)
	}
	return out
}

func (a Aim) words(who, peer string) string {
	switch a.Measure {
	case Speed:
		if peer == Copy {
			return fmt.Sprintf("%s ≥ %g %% of copy()'s bandwidth", who, 100*a.Bound)
		}
		return fmt.Sprintf("%s ≥ %g× %s", who, a.Bound, peer)
	case GFLOPS:
		return fmt.Sprintf("%s ≥ %g GFLOP/s", who, a.Bound)
	case Memory:
		return fmt.Sprintf("%s's peak memory ≤ %s's", who, peer)
	}
	return fmt.Sprintf("%s: %g heap allocations a step", who, a.Bound)
}

func (a Aim) judge(v *Verdict, r, peer *Result) {
	switch a.Measure {
	case Speed:
		if r.Ratio != nil {
			v.Held, v.Reached = r.Ratio.Median >= a.Bound, spread(*r.Ratio, "×")
			if peer.Contender == Copy {
				v.Reached = spread(r.Ratio.Scaled(100), " %")
			}
		}
	case GFLOPS:
		s := r.rate(r.StepFLOP / 1e9)
		v.Held, v.Reached = s.Median >= a.Bound, spread(s, " GFLOP/s")
	case Memory:
		if peer != nil && peer.PeakBytes > 0 && r.PeakBytes > 0 {
			v.Held = float64(r.PeakBytes) <= a.Bound*float64(peer.PeakBytes)
			v.Reached = fmt.Sprintf("%s MiB beside %s MiB", mib(r.PeakBytes), mib(peer.PeakBytes))
		}
	case Allocs:
		if r.Allocs >= 0 {
			v.Held, v.Reached = r.Allocs <= a.Bound, allocs(r.Allocs)
		}
	}
}

// rate is so much work over the step's time.
func (r *Result) rate(work float64) Spread {
	t := r.StepTime
	return Spread{work / t.Max, work / t.Median, work / t.Min}
}
