package network

import (
	"math"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// The answers to a hypothesis.
const (
	holdsTrue  = "holds"
	holdsFalse = "does-not-hold"
	noCase     = "no-case"
)

// criteria holds the thresholds by which the hypotheses are tested.
var criteria = map[string]float64{
	"most_waits":  0.95, // of T_waits must be next to nothing
	"same_time":   0.01, // relative difference of two iteration times that count as the same
	"kept_saving": 0.5,  // of ASP's saving
	"evened":      1.5,  // slowest over fastest worker that counts as even
	"nearly_all":  0.99, // of pushes in QIS
	"not_nearly":  0.9,  // of pushes in QIS
}

// hypothesis was written before the first run. test looks at one model's runs in a cluster, by form.
type hypothesis struct {
	key    string
	sites  []linkSpeeds
	models []string
	test   func(model string, runs map[string][]measured) finding
}

// finding holds what a test measured; N is 0 where there was nothing to measure.
type finding struct {
	kit.Estimate
	holds  bool
	beside float64 // a number to compare it with, NaN for none
}

// plainly returns a finding whose number has no interval.
func plainly(holds bool, x, beside float64) finding {
	return finding{kit.Estimate{Value: x, N: 1}, holds, beside}
}

var noFinding = finding{beside: math.NaN()}

var hypotheses = []hypothesis{
	{"blind", []linkSpeeds{unequalWide, unequalNarrow}, setup.Models, blindToLinks},
	{"bound", []linkSpeeds{unequalWide, unequalNarrow, remoteWide}, setup.Models, boundAlone},
	{"fewer-fss", []linkSpeeds{unequalWide}, setup.Models, fewerFSS},
	{"longer", []linkSpeeds{unequalWide, unequalNarrow}, setup.Models, longerIteration},
	{"keeps", []linkSpeeds{unequalWide}, setup.Models, keepsSaving},
	{"evens", []linkSpeeds{unequalNarrow}, setup.Models[1:], evensOut},
	{"latency", []linkSpeeds{remoteWide}, setup.Models, latencyStraggler},
}

// blindToLinks tests that T_wait, made of computation times, is next to nothing behind unequal
// links.
func blindToLinks(_ string, runs map[string][]measured) finding {
	w := allWaits(runs[computeForm.key])
	if w.WSS == 0 {
		return noFinding
	}
	x := float64(w.Short) / float64(w.WSS)
	return plainly(x >= criteria["most_waits"], 100*x, float64(w.WSS))
}

// boundAlone tests that DASP by computation times takes as long as with the bound Smax alone.
func boundAlone(_ string, runs map[string][]measured) finding {
	if onlyQIS(runs[computeForm.key]) {
		return noFinding
	}
	e := timesOf(runs[computeForm.key]).Over(timesOf(runs[untimedForm.key]))
	return finding{e, math.Abs(e.Value-1) <= criteria["same_time"], math.NaN()}
}

// fewerFSS tests that fewer pushes are in FSS if f sees transfers.
func fewerFSS(_ string, runs map[string][]measured) finding {
	blind, sees := stateShare(runs[computeForm.key], "FSS"), stateShare(runs[iterationForm.key], "FSS")
	if blind == 0 && sees == 0 {
		return noFinding
	}
	return plainly(sees < blind, 100*sees, 100*blind)
}

// longerIteration tests that iterations last longer if f sees transfers: the ratio is above 1, and
// so is its interval if there is one.
func longerIteration(_ string, runs map[string][]measured) finding {
	if onlyQIS(runs[computeForm.key]) && onlyQIS(runs[iterationForm.key]) {
		return noFinding
	}
	e := timesOf(runs[iterationForm.key]).Over(timesOf(runs[computeForm.key]))
	return finding{e, e.Value > 1 && (e.CI == nil || e.CI[0] > 1), math.NaN()}
}

// keepsSaving tests that DASP keeps a share of what ASP saves over BSP.
func keepsSaving(_ string, runs map[string][]measured) finding {
	bsp := timesOf(runs["bsp"])
	free, ours := timesOf(runs["asp"]).Over(bsp).Value, timesOf(runs[computeForm.key]).Over(bsp).Value
	if free >= 1 {
		return noFinding
	}
	x := (1 - ours) / (1 - free)
	return plainly(x >= criteria["kept_saving"], 100*x, math.NaN())
}

// evensOut tests that ASP's workers are nearly equally fast.
func evensOut(_ string, runs map[string][]measured) finding {
	x := unevenness(runs["asp"])
	if math.IsNaN(x) {
		return noFinding
	}
	return plainly(x <= criteria["evened"], x, math.NaN())
}

// latencyStraggler tests that a remote worker makes LeNet-5 leave QIS, and the large networks stay
// in it.
func latencyStraggler(model string, runs map[string][]measured) finding {
	x := stateShare(runs[computeForm.key], "QIS")
	if model == setup.Models[0] {
		return plainly(x < criteria["not_nearly"], 100*x, math.NaN())
	}
	return plainly(x > criteria["nearly_all"], 100*x, math.NaN())
}

// timesOf returns the iteration times per worker, seed by seed.
func timesOf(runs []measured) kit.Sample {
	return kit.Each(runs, func(c measured) float64 { return setup.PerIteration(c.Summary) })
}

// stateShare returns a state's share of pushes, the mean over seeds.
func stateShare(runs []measured, state string) float64 {
	return kit.Each(runs, func(c measured) float64 { return c.Summary.Share[state] }).Mean().Value
}

// testRow is a hypothesis tested with one network in one cluster.
type testRow struct {
	point
	hypothesis string
	finding
}

type testRows []testRow

// test tests every hypothesis on its clusters and networks, as far as they were run.
func (v view) test() (out testRows) {
	for _, h := range hypotheses {
		for _, s := range h.sites {
			for _, m := range h.models {
				runs := map[string][]measured{}
				for _, f := range append(methodForms(), printedForms...) {
					runs[f.key] = v.At(point{s, m, f.key})
				}
				if len(runs["bsp"]) > 0 {
					out = append(out, testRow{point{s, m, ""}, h.key, h.test(m, runs)})
				}
			}
		}
	}
	return out
}

// answer says whether a hypothesis holds. It holds if it does wherever there is a case.
func (t testRows) answer(key string) string {
	holding, failing := t.count(key)
	switch {
	case failing > 0:
		return holdsFalse
	case holding > 0:
		return holdsTrue
	}
	return noCase
}

// count counts the cases in which a hypothesis holds and fails.
func (t testRows) count(key string) (holding, failing int) {
	for _, row := range t {
		switch {
		case row.hypothesis != key || row.N == 0:
		case row.holds:
			holding++
		default:
			failing++
		}
	}
	return holding, failing
}

// bound answers whether DASP by computation times is ASP with the bound Smax: yes, no, partly, or
// never where no push waits anywhere.
func (t testRows) bound() result.Fact {
	same, other := t.count("bound")
	word := "partly"
	switch {
	case same == 0 && other == 0:
		word = "never"
	case other == 0:
		word = "yes"
	case same == 0:
		word = "no"
	}
	return kit.Finding("bound", "bound", word)
}

func (t testRows) frames() []result.Frame {
	answers := kit.NewSheet("network-hypotheses", "hypothesis:hypothesis answer:answer")
	for _, h := range hypotheses {
		answers.Add(h.key, t.answer(h.key))
	}
	s := kit.NewSheet("tested", "hypothesis:hypothesis links:links server/Gb/s model:model value~ beside case:bool holds:bool")
	for _, r := range t {
		s.Add(r.hypothesis, r.Links, r.Server, r.Model, r.Estimate, r.beside, r.N > 0, r.holds)
	}
	return []result.Frame{answers.Frame, s.Frame}
}
