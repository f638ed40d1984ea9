package dasp

import (
	"fmt"
	"strings"

	"gradsync/experiments/platforms"
	result "gradsync/experiments/result1"
)

// The clusters that the hypotheses speak of.
var (
	unequalWide   = platforms.UnequalLinkSet + ", server " + wideServer
	unequalNarrow = platforms.UnequalLinkSet + ", server " + narrowServer
	remoteWide    = platforms.RemoteWorker + ", server " + wideServer
)

// Answers to a hypothesis.
const (
	holdsTrue  = "holds"
	holdsFalse = "does not hold"
	noCase     = "no case"
)

// hypothesis was written before the first run. test looks at one model's cells
// in a cluster: whether it holds there, what was measured, and whether there was
// anything to measure.
type hypothesis struct {
	text     string
	clusters []string
	models   []string
	test     func(model string, cells map[string][]linkCell) (ok bool, measured string, any bool)
}

// The criteria of the hypotheses.
const (
	mostWaits  = 0.95 // of T_waits must be next to nothing
	sameTime   = 0.01 // relative difference of two iteration times that count as the same
	keptSaving = 0.5  // of ASP's saving
	evened     = 1.5  // slowest over fastest worker that counts as even
	nearlyAll  = 0.99 // of pushes in QIS
	notNearly  = 0.9  // of pushes in QIS
)

var hypotheses = []hypothesis{
	{fmt.Sprintf("f = compute is blind to links: at least %g %% of T_waits are below %g %% of the oldest worker's iteration", 100*mostWaits, 100*shortWait),
		[]string{unequalWide, unequalNarrow}, models, blindToLinks},
	{fmt.Sprintf("DASP with f = compute is ASP with the bound Smax: its iteration time is within %g %% of DASP's with every T_wait 0", 100*sameTime),
		[]string{unequalWide, unequalNarrow, remoteWide}, models, boundAlone},
	{"f = iteration sees the links: it has fewer pushes in FSS than f = compute", []string{unequalWide}, models, fewerFSS},
	{"f = iteration costs time: a longer iteration than f = compute", []string{unequalWide, unequalNarrow}, models, longerIteration},
	{fmt.Sprintf("DASP with f = compute keeps at least %g %% of the time that ASP saves over BSP", 100*keptSaving), []string{unequalWide}, models, keepsSaving},
	{fmt.Sprintf("A server's link of 10 Gb/s evens the workers out: under ASP the slowest iteration is at most %g times the fastest", evened),
		[]string{unequalNarrow}, models[1:], evensOut},
	{fmt.Sprintf("20 ms of latency make a straggler for LeNet-5 (under %g %% of pushes in QIS) and none for the large models (over %g %%)", 100*notNearly, 100*nearlyAll),
		[]string{remoteWide}, models, latencyStraggler},
}

// testedHypothesis is a hypothesis with its answer.
type testedHypothesis struct{ text, answer, measured string }

// testHypotheses answers each.
func testHypotheses(g linkGrid) (out []testedHypothesis) {
	for _, h := range hypotheses {
		out = append(out, h.answer(g))
	}
	return out
}

// answer tests h on the clusters and models it names, of those that were run. It
// holds if it does wherever there is a case.
func (h hypothesis) answer(g linkGrid) testedHypothesis {
	t := testedHypothesis{text: h.text, answer: noCase}
	var parts []string
	for _, c := range h.clusters {
		if g[c] == nil {
			continue
		}
		var found []string
		for _, m := range h.models {
			ok, measured, any := h.test(m, g[c][m])
			found = append(found, title[m]+" "+measured)
			switch {
			case any && !ok:
				t.answer = holdsFalse
			case any && t.answer == noCase:
				t.answer = holdsTrue
			}
		}
		parts = append(parts, c+": "+strings.Join(found, ", "))
	}
	t.measured = strings.Join(parts, ". ")
	return t
}

func hypothesisTexts() (texts []string) {
	for _, h := range hypotheses {
		texts = append(texts, h.text)
	}
	return texts
}

func hypothesisTable(tested []testedHypothesis) result.Table {
	t := result.Table{ID: "network-hypotheses", Title: "What we expected, and what came", Kind: result.TimingOnly,
		Caption: "Sentences and criteria were fixed before the first run; a sentence holds if it does for every model and cluster that it names and that has a case.",
		Columns: []result.Column{{Key: "hypothesis", Title: "expected"}, {Key: "answer", Title: "answer"}, {Key: "measured", Title: "measured"}}}
	for _, h := range tested {
		t.Rows = append(t.Rows, []any{h.text, h.answer, h.measured})
	}
	return t
}
