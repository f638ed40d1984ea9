package dasp

import (
	"math"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// Answers to a hypothesis.
const (
	holdsTrue  = "holds"
	holdsFalse = "does-not-hold"
	noCase     = "no-case"
)

// criteria are those of the hypotheses.
var criteria = map[string]float64{
	"most_waits":  0.95, // of T_waits must be next to nothing
	"same_time":   0.01, // relative difference of two iteration times that count as the same
	"kept_saving": 0.5,  // of ASP's saving
	"evened":      1.5,  // slowest over fastest worker that counts as even
	"nearly_all":  0.99, // of pushes in QIS
	"not_nearly":  0.9,  // of pushes in QIS
}

// hypothesis was written before the first run. test looks at one model's cells
// in a cluster.
type hypothesis struct {
	key    string
	sites  []site
	models []string
	test   func(model string, cells map[string][]linkCell) finding
}

// finding is what a test measured; no number says that there was nothing to measure.
type finding struct {
	kit.Estimate
	holds  bool
	beside float64 // what the number is set beside, NaN for nothing
}

// plainly returns a finding whose number has no interval.
func plainly(holds bool, x, beside float64) finding {
	return finding{kit.Estimate{Value: x, N: 1}, holds, beside}
}

var noFinding = finding{beside: math.NaN()}

var hypotheses = []hypothesis{
	{"blind", []site{unequalWide, unequalNarrow}, models, blindToLinks},
	{"bound", []site{unequalWide, unequalNarrow, remoteWide}, models, boundAlone},
	{"fewer-fss", []site{unequalWide}, models, fewerFSS},
	{"longer", []site{unequalWide, unequalNarrow}, models, longerIteration},
	{"keeps", []site{unequalWide}, models, keepsSaving},
	{"evens", []site{unequalNarrow}, models[1:], evensOut},
	{"latency", []site{remoteWide}, models, latencyStraggler},
}

func blindToLinks(_ string, cells map[string][]linkCell) finding {
	w := allWaits(cells[computeForm.key])
	if w.WSS == 0 {
		return noFinding
	}
	x := float64(w.Short) / float64(w.WSS)
	return plainly(x >= criteria["most_waits"], 100*x, float64(w.WSS))
}

func boundAlone(_ string, cells map[string][]linkCell) finding {
	if onlyQIS(cells[computeForm.key]) {
		return noFinding
	}
	e := timesOf(cells[computeForm.key]).Over(timesOf(cells[untimedForm.key]))
	return finding{e, math.Abs(e.Value-1) <= criteria["same_time"], math.NaN()}
}

func fewerFSS(_ string, cells map[string][]linkCell) finding {
	blind, sees := stateShare(cells[computeForm.key], "FSS"), stateShare(cells[iterationForm.key], "FSS")
	if blind == 0 && sees == 0 {
		return noFinding
	}
	return plainly(sees < blind, 100*sees, 100*blind)
}

// longerIteration holds if the interval excludes 1, or where one seed has noFinding,
// if the ratio is above 1.
func longerIteration(_ string, cells map[string][]linkCell) finding {
	if onlyQIS(cells[computeForm.key]) && onlyQIS(cells[iterationForm.key]) {
		return noFinding
	}
	e := timesOf(cells[iterationForm.key]).Over(timesOf(cells[computeForm.key]))
	return finding{e, e.Value > 1 && (e.CI == nil || e.CI[0] > 1), math.NaN()}
}

func keepsSaving(_ string, cells map[string][]linkCell) finding {
	bsp := timesOf(cells["bsp"])
	free, ours := timesOf(cells["asp"]).Over(bsp).Value, timesOf(cells[computeForm.key]).Over(bsp).Value
	if free >= 1 {
		return noFinding
	}
	x := (1 - ours) / (1 - free)
	return plainly(x >= criteria["kept_saving"], 100*x, math.NaN())
}

func evensOut(_ string, cells map[string][]linkCell) finding {
	x := unevenness(cells["asp"])
	if math.IsNaN(x) {
		return noFinding
	}
	return plainly(x <= criteria["evened"], x, math.NaN())
}

func latencyStraggler(model string, cells map[string][]linkCell) finding {
	x := stateShare(cells[computeForm.key], "QIS")
	if model == models[0] {
		return plainly(x < criteria["not_nearly"], 100*x, math.NaN())
	}
	return plainly(x > criteria["nearly_all"], 100*x, math.NaN())
}

// timesOf returns the iteration times per worker.
func timesOf(cells []linkCell) kit.Sample {
	return kit.Each(cells, func(c linkCell) float64 { return perIteration(c.Cell) })
}

// stateShare is the mean over seeds of a state's share of pushes.
func stateShare(cells []linkCell, state string) float64 {
	return kit.Each(cells, func(c linkCell) float64 { return c.Cell.Share[state] }).Mean().Value
}

// test is a hypothesis tested with one network in one cluster.
type testRow struct {
	lane
	hypothesis string
	finding
}

type testRows []testRow

// test tests every hypothesis on the clusters and networks it names, of those that were
// run.
func (v linkView) test() (out testRows) {
	for _, h := range hypotheses {
		for _, s := range h.sites {
			for _, m := range h.models {
				cells := map[string][]linkCell{}
				for _, f := range append(networkForms(), printedForms...) {
					cells[f.key] = v.At(lane{s, m, f.key})
				}
				if len(cells["bsp"]) > 0 {
					out = append(out, testRow{lane{s, m, ""}, h.key, h.test(m, cells)})
				}
			}
		}
	}
	return out
}

// answer tells whether a hypothesis holds: it does if it does wherever there is a case.
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

// bound answers whether DASP by computation times is ASP with the bound Smax: yes, no,
// partly, or never where no push waits anywhere.
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
	var keys []string
	for _, h := range hypotheses {
		keys = append(keys, h.key)
	}
	word := func(key, enum string, of func(testRow) string) kit.Col[testRow] { return kit.Word(key, enum, of) }
	return []result.Frame{
		kit.Frame("network-hypotheses", keys, kit.Word("hypothesis", "hypothesis", func(k string) string { return k }),
			kit.Word("answer", "answer", t.answer)),
		kit.Frame("tested", t, word("hypothesis", "hypothesis", func(r testRow) string { return r.hypothesis }),
			word("links", "links", func(r testRow) string { return r.Links }),
			kit.Num("server", "Gb/s", kit.AsIs, func(r testRow) float64 { return r.Server }),
			word("model", "model", func(r testRow) string { return r.Model }),
			kit.Interval("value", "", kit.AsIs, func(r testRow) kit.Estimate { return r.Estimate }),
			kit.Num("beside", "", kit.AsIs, func(r testRow) float64 { return r.beside }),
			kit.Flag("case", func(r testRow) bool { return r.N > 0 }), kit.Flag("holds", func(r testRow) bool { return r.holds }))}
}
