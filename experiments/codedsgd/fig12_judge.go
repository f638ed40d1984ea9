package codedsgd

import (
	"fmt"
	"math"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/papers/codedsgd"
)

// judgeBest is C10 or C11: the r with the least mean time per batch of the judged
// variant. Seeds that have another are named. The platform was fitted to the claim.
func judgeBest(id string, s *study) result.Claim {
	v := s.judged()
	f := claims.Number(float64(v.best()), nil, nil, len(v[0]))
	f.Network, f.Differs = s.Net.Model, []result.Reason{result.Because("fitted")}
	f.Notes = []result.Reason{result.Because("chosen-ratio")}
	for i := range v[0] {
		var one []float64
		for _, seconds := range v {
			one = append(one, seconds[i])
		}
		if b := bestOf(one); b != v.best() {
			f.Notes = append(f.Notes, result.Because("seed-has", "r", b))
		}
	}
	f.Notes = append(f.Notes, result.Because("best-elsewhere"))
	return claims.Verdict(id, f)
}

// modelTolerance is C19's: at every r the simulated time is so near the model's.
const modelTolerance = 0.05

// offBy returns the relative difference of simulated times from a form at the measured
// Tcalc and Tcomm that is largest in size, a share of the form's time and less than 0
// where the simulation is sooner, and the r where it is.
func offBy(f form, s *study) (worst float64, at int) {
	for i, t := range s.Ideal {
		want := s.modelled(f, i+1)
		if d := (t - want) / want; math.Abs(d) > math.Abs(worst) || at == 0 {
			worst, at = d, i+1
		}
	}
	return worst, at
}

// sideOf is on which side of a form's time the simulated one is.
func sideOf(d float64) string {
	if d < 0 {
		return "below"
	}
	return "above"
}

// receivers returns the time per batch on a switch, in units of Tcalc: every node takes
// in (n−r)/n of the batch's gradients by its own link, whatever they are coded in.
func receivers(n, r int, rho float64) float64 {
	return float64(r) + rho*float64(n-r)/float64(n-1)
}

// judgeModel is C19: the printed form decides, the exact one stands beside it. Both
// networks; the simulation has neither overlap nor latency.
func judgeModel(nets []*study) result.Claim {
	var short, exact float64
	var at int
	for _, s := range nets {
		if d, r := offBy(forms[1], s); math.Abs(d) > math.Abs(short) || at == 0 {
			short, at = d, r
		}
		d, _ := offBy(forms[0], s)
		exact = max(exact, math.Abs(d))
	}
	f := claims.Identity(math.Abs(short) <= modelTolerance, result.Because("C19-found", "off", 100*math.Abs(short), "side", sideOf(short), "r", at))
	f.Notes = []result.Reason{result.Because("C19"), result.Because("C19-exact", "exact", 100*exact), result.Because("C19-run", "nodes", anchor)}
	return claims.Verdict("C19", f)
}

// ends returns the ratios from and to which r is the best of 8 nodes, by the exact form.
func ends(r int) [2]float64 {
	lo, hi := forms[0].ratios(r)
	return [2]float64{lo, hi}
}

// judgeRange is C25 or C26: the ratios at which r is the best of 8 nodes, derived anew
// from both forms, and what is saved at their ends.
func judgeRange(id string, r int, s *study) result.Claim {
	ranges, text := make([][]float64, 2), make([]string, 2)
	for i := range ranges {
		lo, hi := codedsgd.RhoRange(anchor, r, i == 1)
		a, _ := lo.Float64()
		b, _ := hi.Float64()
		ranges[i], text[i] = []float64{a, b}, fmt.Sprintf("%g-%g", a, b)
	}
	c, _ := claims.Get(id)
	found := result.Because("range-found", "exact", ranges[0], "short", ranges[1])
	f := claims.Identity(text[0]+" (exact) / "+text[1]+" (1/r model)" == c.Value, found)
	saved := make([][]float64, 2)
	for i, form := range forms[:2] {
		lo, hi := form.ratios(r)
		saved[i] = []float64{100 * form.saving(anchor, lo), 100 * form.saving(anchor, hi)}
	}
	inside := 0
	for _, p := range s.Sweep {
		if in := p.Ratio >= ends(r)[0] && p.Ratio <= ends(r)[1]; in == (p.Medium == r) {
			inside++
		}
	}
	f.Network = s.Net.Model
	f.Notes = []result.Reason{result.Because("range-saved", "exact", saved[0], "short", saved[1]),
		result.Because("range-simulated", "r", r, "inside", inside, "of", len(s.Sweep))}
	return claims.Verdict(id, f)
}

// oneBest reports whether times fall strictly to one minimum and rise strictly after.
func oneBest(seconds []float64) bool {
	best := bestOf(seconds) - 1
	for i := 1; i < len(seconds); i++ {
		if i <= best && !(seconds[i] < seconds[i-1]) || i > best && !(seconds[i] > seconds[i-1]) {
			return false
		}
	}
	return true
}

// judgeOneBest is C34, of the judged variant and both networks.
func judgeOneBest(nets []*study, seeds int) result.Claim {
	var f claims.Found
	ok := true
	var each []map[string]any
	for _, s := range nets {
		one, best := oneBest(s.judged().means()), s.judged().best()
		ok = ok && one
		each = append(each, map[string]any{"model": s.Net.Model, "one": one, "r": best})
		f.Parts = append(f.Parts, result.Part{Of: map[string]string{"model": s.Net.Model}, Value: best, Holds: &one})
	}
	found := result.Because("C34-found", "networks", each)
	f.Holds, f.Words, f.Seeds, f.Notes = &ok, &found, seeds, []result.Reason{result.Because("C34")}
	return claims.Verdict("C34", f)
}
