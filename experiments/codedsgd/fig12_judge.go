package codedsgd

import (
	"fmt"
	"math"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

// chosenRatio stands beside every best redundancy that we measure.
const chosenRatio = "the platform's Tcomm/Tcalc was chosen inside the range that this best redundancy implies: that the simulated exchange follows the model is shown, not that the paper's cluster had this ratio"

// judgeBest is C10 or C11: the r with the least mean time per batch of the judged
// variant. By seed it must be the same, or the note says so.
func judgeBest(id string, s *study) result.Claim {
	v := &s.Variants[0]
	best, note := v.best(), chosenRatio
	for i := range v.Seconds[0] {
		var one []float64
		for _, seconds := range v.Seconds {
			one = append(one, seconds[i])
		}
		if b := bestOf(one); b != best {
			note += fmt.Sprintf("; one seed has r = %d", b)
		}
	}
	return claims.Judge(id, claims.Evidence{Value: best, Seeds: len(v.Seconds[0]), Fitted: true, Note: note + "; best r elsewhere: table “" + s.Net.Title + ": " + settingsTitle + "”"})
}

// modelTolerance is C19's: at every r the simulated time is so near the model's.
const modelTolerance = 0.05

// offBy is the relative difference of simulated times from a form at the measured Tcalc
// and Tcomm that is largest in size, a share of the form's time and less than 0 where
// the simulation is sooner, and the r where it is.
func offBy(f form, s *study) (worst float64, at int) {
	for i, t := range s.Ideal {
		want := s.Calc * f.batch(anchor, i+1, s.ratio())
		if d := (t - want) / want; math.Abs(d) > math.Abs(worst) || at == 0 {
			worst, at = d, i+1
		}
	}
	return worst, at
}

// receivers is the time per batch on a switch, in units of Tcalc: every node takes in
// (n−r)/n of the batch's gradients by its own link, whatever they are coded in.
func receivers(n, r int, rho float64) float64 {
	return float64(r) + rho*float64(n-r)/float64(n-1)
}

// judgeModel is C19: the printed form decides, the exact one stands beside it. Both
// networks; the simulation has neither overlap nor latency.
func judgeModel(nets []study) result.Claim {
	var short, exact float64
	var at int
	for i := range nets {
		if d, r := offBy(forms[1], &nets[i]); math.Abs(d) > math.Abs(short) || at == 0 {
			short, at = d, r
		}
		d, _ := offBy(forms[0], &nets[i])
		exact = max(exact, math.Abs(d))
	}
	found := fmt.Sprintf("the time is up to %s r*Tcalc + Tcomm/r (r = %d)", offText(short), at)
	note := fmt.Sprintf("percentages are of the form's time; simulated times are r·Tcalc + (n−r)/((n−1)r)·Tcomm, with Tcomm of unicasts, to %.2g %%; n = %d, one medium, no overlap, both networks", 100*exact, anchor)
	return identity("C19", math.Abs(short) <= modelTolerance, found, note)
}

// offText spells what offBy gives: "14.5 % below".
func offText(d float64) string {
	if d < 0 {
		return fmt.Sprintf("%.1f %% below", -100*d)
	}
	return fmt.Sprintf("%.1f %% above", 100*d)
}

// judgeRange is C25 or C26: the ratios at which r is the best of 8 nodes, derived anew
// from both forms, and what is saved at their ends.
func judgeRange(id string, r int, s *study) result.Claim {
	text := func(short bool) string {
		lo, hi := codedsgd.RhoRange(anchor, r, short)
		a, _ := lo.Float64()
		b, _ := hi.Float64()
		return fmt.Sprintf("%g-%g", a, b)
	}
	found := text(false) + " (exact) / " + text(true) + " (1/r model)"
	c, ok := claims.Get(id)
	if !ok {
		panic("codedsgd: no claim " + id)
	}
	var saved [2][2]float64
	for i, f := range forms[:2] {
		lo, hi := f.ratios(r)
		saved[i] = [2]float64{100 * f.saving(anchor, lo), 100 * f.saving(anchor, hi)}
	}
	inside, of := 0, 0
	lo, hi := forms[0].ratios(r)
	for _, p := range s.Sweep {
		if in := p.Ratio >= lo && p.Ratio <= hi; in == (p.Medium == r) {
			inside++
		}
		of++
	}
	note := fmt.Sprintf("saved there: %.1f-%.1f %% (exact), %.1f-%.1f %% (1/r); simulated on one medium, r = %d is the best inside the exact range and nowhere else in %d of %d ratios", saved[0][0], saved[0][1], saved[1][0], saved[1][1], r, inside, of)
	return identity(id, found == c.Value, found, note)
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
func judgeOneBest(judged []timedVariant, nets []network, seeds int) result.Claim {
	ok, found := true, ""
	for i := range judged {
		one := oneBest(judged[i].Mean)
		ok = ok && one
		shape := "falls to one minimum and rises after it"
		if !one {
			shape = "has more than one minimum"
		}
		if i > 0 {
			found += "; "
		}
		found += fmt.Sprintf("%s: the time %s, best r = %d", nets[i].Title, shape, judged[i].best())
	}
	return holds("C34", ok, seeds, found, "the paper's message model, one medium, no overlap; on a switch the least time that the receivers' links allow is linear in r")
}
