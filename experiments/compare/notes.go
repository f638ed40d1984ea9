package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/exp"
)

// byRound sorts the methods by the time of a round on g; ties keep their order.
func (s *study) byRound(g ground) []method {
	all := methods()
	slices.SortStableFunc(all, func(a, b method) int {
		return cmp.Compare(mean(s.cells(g, a.Key), perRound), mean(s.cells(g, b.Key), perRound))
	})
	return all
}

// byTime sorts the methods that reach the target in every seed by the mean time to it,
// without ASGD, which is ASP.
func (s *study) byTime(g ground) (out []method) {
	at := map[string]float64{}
	for _, m := range methods() {
		if sec, _, _, ok := reached(s.cells(g, m.Key), s.Target); ok && m.Key != "asgd" {
			at[m.Key], _ = exp.MeanAndHalf(sec)
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b method) int { return cmp.Compare(at[a.Key], at[b.Key]) })
	return out
}

// near are the methods whose time to the target cannot be told from the first's: the
// interval of the ratio holds 1, or the ratio is a tie.
func (s *study) near(g ground, order []method) (out []string) {
	if len(order) == 0 {
		return nil
	}
	first, _, _, _ := reached(s.cells(g, order[0].Key), s.Target)
	for _, m := range order[1:] {
		sec, _, _, _ := reached(s.cells(g, m.Key), s.Target)
		if r, ci := ratio(sec, first); ci != nil && ci[0] <= 1 || r <= 1+tie {
			out = append(out, m.Title)
		}
	}
	return out
}

// join lists words with "and" before the last.
func join(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// leadNote says who is first to the target on g, and who cannot be told apart.
func (s *study) leadNote(g ground) string {
	order := s.byTime(g)
	at := fmt.Sprintf("%s, %s", strings.ToUpper(clusterTitle[s.Set][:1])+clusterTitle[s.Set][1:], g.link())
	if len(order) == 0 {
		return fmt.Sprintf("%s: no method reaches %.0f %% in every seed.", at, 100*s.Target)
	}
	first := order[0]
	sec, _, _, _ := reached(s.cells(g, first.Key), s.Target)
	t, _ := exp.MeanAndHalf(sec)
	out := fmt.Sprintf("%s: first to %.0f %% is %s, %.3g s", at, 100*s.Target, first.Title, t)
	if base, _, _, ok := reached(s.cells(g, "bsp"), s.Target); ok && first.Key != "bsp" {
		r, ci := ratio(sec, base)
		out += fmt.Sprintf(", %.2f of BSP's time", r)
		if ci != nil {
			out += fmt.Sprintf(" [%.2f, %.2f]", ci[0], ci[1])
		}
	}
	switch near := s.near(g, order); {
	case len(s.Seeds) < 2:
		out += "; one seed has no interval"
	case len(near) > 0:
		out += "; within the noise of the seeds it cannot be told from " + join(near)
	default:
		out += "; every other method takes longer by more than the noise of the seeds"
	}
	var rounds []rank
	for _, m := range s.byRound(g) {
		if m.Key != "asgd" {
			rounds = append(rounds, rank{m, mean(s.cells(g, m.Key), perRound)})
		}
	}
	return out + ". The shortest round: " + best(rounds) + "."
}

// compareRounds is how many times as long a's round is as b's.
func (s *study) compareRounds(g ground, a, b string) float64 {
	return mean(s.cells(g, a), perRound) / mean(s.cells(g, b), perRound)
}

// times compares two methods' rounds on all links: "0.5 (10 Gb/s) and 0.7 (1 Gb/s)".
func (s *study) times(a, b string) string {
	var out []string
	for _, g := range s.Grounds {
		out = append(out, fmt.Sprintf("%.2f (%s)", s.compareRounds(g, a, b), g.link()))
	}
	return join(out)
}

// notes are the sentences of a study, each computed.
func (s *study) notes() (out []string) {
	for _, g := range s.Grounds {
		out = append(out, s.leadNote(g))
	}
	out = append(out, s.boundNote(), s.stepsNote(), s.accuracyNote(), s.ownNote(), s.multicastNote(), s.codingNote(), s.speedNote(), s.sparseNote(), s.sameNote(),
		"ASGD of the coded-SGD paper is ASP of the DASP paper, every gradient applied as it arrives, and is run once; its step is 1/N per gradient, as for all here.")
	if note := s.missing(); note != "" {
		out = append(out, note)
	}
	return append(out, s.paperNote())
}

// boundNote says what binds at each link.
func (s *study) boundNote() string {
	var out []string
	for _, g := range s.Grounds {
		share := func(k string) float64 { return 100 * mean(s.cells(g, k), func(c cell) float64 { return c.Compute }) }
		out = append(out, fmt.Sprintf("at %s BSP's workers compute %.0f %% of the time, ring's %.0f %%, ASP's %.0f %%", g.link(), share("bsp"), share("ring"), share("asp")))
	}
	return "What binds: " + join(out) + ". The rest is messages and waiting for others."
}

// stepsNote says how many gradients the asynchronous methods need against BSP.
func (s *study) stepsNote() string {
	var out []string
	above, of := 0, 0
	for _, g := range s.Grounds {
		var parts []string
		for _, k := range []string{"asp", "ssp", "dssp", "dasp"} {
			if r, ci, ok := s.moreSamples(g, k); ok {
				text := fmt.Sprintf("%s %.2f", methodOf(k).Title, r)
				if ci != nil {
					text += fmt.Sprintf(" [%.2f, %.2f]", ci[0], ci[1])
					of++
					if ci[0] > 1 {
						above++
					}
				}
				parts = append(parts, text)
			}
		}
		if len(parts) > 0 {
			out = append(out, fmt.Sprintf("at %s %s", g.link(), join(parts)))
		}
	}
	if len(out) == 0 {
		return "How many more samples staleness costs cannot be said: in some seed the target is not reached."
	}
	return "What staleness costs in samples, gradients to the target over BSP's: " + strings.Join(out, "; ") + ". " + costVerdict(above, of)
}

// costVerdict says what intervals show: above of so many lie above 1.
func costVerdict(above, of int) string {
	switch {
	case of == 0:
		return "One seed has no interval: no cost is shown."
	case above == 0:
		return "No interval lies above 1: with these seeds no cost can be shown, and one that lies below 1 is taken for chance."
	}
	return fmt.Sprintf("%d of %d intervals lie above 1: there staleness costs samples.", above, of)
}

// moreSamples is gradients to the target over BSP's, paired by seed.
func (s *study) moreSamples(g ground, k string) (r float64, ci *[2]float64, ok bool) {
	_, base, _, ok := reached(s.cells(g, "bsp"), s.Target)
	_, ours, _, found := reached(s.cells(g, k), s.Target)
	if !ok || !found {
		return 0, nil, false
	}
	r, ci = ratio(ours, base)
	return r, ci, true
}

// accuracyNote compares final accuracies after equal samples.
func (s *study) accuracyNote() string {
	acc := func(g ground, k string) float64 {
		return 100 * mean(s.cells(g, k), func(c cell) float64 { return c.Accuracy })
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	var least, most string
	for _, g := range s.Grounds {
		for _, m := range methods() {
			if a := acc(g, m.Key); a < lo {
				lo, least = a, m.Title
			}
			if a := acc(g, m.Key); a > hi {
				hi, most = a, m.Title
			}
		}
	}
	_, half := exp.MeanAndHalf(values(s.cells(s.Grounds[0], "bsp"), func(c cell) float64 { return 100 * c.Accuracy }))
	out := fmt.Sprintf("After the same number of samples all methods end between %.1f %% (%s) and %.1f %% (%s)", lo, least, hi, most)
	if !math.IsNaN(half) {
		verdict := "wider than"
		if hi-lo <= half {
			verdict = "no wider than"
		}
		out += fmt.Sprintf(", a span %s the interval of BSP's own seeds, ± %.1f points", verdict, half)
	}
	return out + "."
}

// ownNote says how far the synchronous methods' own trainings are apart.
func (s *study) ownNote() string {
	lo, hi := math.Inf(1), math.Inf(-1)
	g := s.Grounds[0]
	for _, m := range methods() {
		if own := mean(s.cells(g, m.Key), func(c cell) float64 { return c.Own }); !m.Async && m.Trajectory == m.Key {
			lo, hi = min(lo, own), max(hi, own)
		}
	}
	if !(lo <= hi) {
		return "In some synchronous training a seed does not reach the target by itself; all synchronous times to the target are those of BSP's updates."
	}
	return fmt.Sprintf("Chance: the synchronous methods' own trainings, which differ in rounding and the choice of samples, need %.0f to %.0f gradients (means over seeds). A smaller difference between asynchronous and synchronous methods says nothing.", lo, hi)
}
