package dasp

import (
	"math"
	"slices"
	"time"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// linkCell is a run on unequal links: a cell, what its waits in WSS were made
// of, and what the server's link took.
type linkCell struct {
	Cell  cell
	Waits wssWaits  // DASP only
	Busy  float64   // share of the run in which the server's link carries gradients in
	Queue []float64 // seconds of an iteration spent queueing at the server's link, mean per worker
}

func newLinkCell(o *train.Outcome, p *cluster.Platform, opts rivals.Options) (linkCell, error) {
	c := linkCell{Cell: reduce(o, false), Busy: linkBusy(o.Log, p.Server), Queue: linkQueues(o.Log, p)}
	if o.Sync != "dasp" {
		return c, nil
	}
	var err error
	c.Waits, err = countWaits(o.Log, opts, warmup)
	return c, err
}

// linkBusy is the share of the run that the gradients' bytes occupy the server's link:
//
//	gradients · 4P / bandwidth / length of the run
func linkBusy(l *dasp.Log, server *cluster.Host) float64 {
	bytes := float64(len(l.Pushes)) * 4 * float64(l.Params)
	return bytes / server.Bandwidth / l.End.Seconds()
}

// transferAlone is how long bytes take between the server and a worker that nobody else
// hinders: the latencies, the overheads and the bytes over the smaller bandwidth.
func transferAlone(a, b *cluster.Host, bytes float64) float64 {
	return (a.Latency + b.Latency + a.Overhead + b.Overhead).Seconds() + bytes/min(a.Bandwidth, b.Bandwidth)
}

// linkQueues returns what each worker's iterations last beside the computation and two
// transfers of a worker alone: the queue at the server's link, both directions,
// without the wait for the answer. Pushes of the warm-up are left out.
func linkQueues(l *dasp.Log, p *cluster.Platform) []float64 {
	sum, n, seen := make([]float64, l.Workers), make([]float64, l.Workers), make([]int, l.Workers)
	for _, push := range l.Pushes {
		w := push.Worker
		if seen[w]++; seen[w] <= warmup {
			continue
		}
		both := 2 * transferAlone(p.Server, &p.Workers[w], 4*float64(l.Params))
		sum[w] += (push.Received - push.Sent - push.Compute).Seconds() - both
		n[w]++
	}
	for w := range sum {
		sum[w] = max(sum[w], 0) / max(n[w], 1)
	}
	return sum
}

// meanByWorker is each worker's mean iteration in seconds, mean over seeds.
func meanByWorker(cells []linkCell, of func(linkCell) []float64) []float64 {
	out := make([]float64, workers)
	for w := range out {
		for _, c := range cells {
			out[w] += of(c)[w] / float64(len(cells))
		}
	}
	return out
}

func iterationsOf(c linkCell) []float64 { return c.Cell.Iteration.ByWorker }

// unevenness is the slowest worker's mean iteration over the fastest's, no
// number where a worker never got past the warm-up.
func unevenness(cells []linkCell) float64 {
	x := meanByWorker(cells, iterationsOf)
	if slices.Min(x) <= 0 {
		return math.NaN()
	}
	return slices.Max(x) / slices.Min(x)
}

// shortWait is the share of the oldest worker's whole iteration below which a
// T_wait counts as next to nothing.
const shortWait = 0.05

// wssWaits are DASP's waits in WSS by what eq. (1) asked for, and its groups.
// Pushes of the warm-up are in none of the first four.
type wssWaits struct {
	WSS    int     // pushes in WSS
	Zero   int     // of them, T_wait = 0
	Short  int     // of them, T_wait < shortWait of the oldest worker's last iteration, the zeros included
	Wait   float64 // Σ T_wait, seconds
	Oldest float64 // Σ the oldest worker's last iteration, transfers included, seconds

	Groups, Members, Solo int // updates of weight 1/K, their gradients, those of K = 1
}

// countWaits retraces a DASP run and repeats Algorithm 1's decisions, but for the
// waits of each worker's first skip pushes.
func countWaits(l *dasp.Log, o rivals.Options, skip int64) (wssWaits, error) {
	var out wssWaits
	c := kit.Must(o.Config())
	last := make([]time.Duration, l.Workers) // whole iterations
	err := retrace(l, policyOf("dasp", o), kit.Must(o.F()), func(s sight) {
		p := l.Pushes[s.Index]
		last[p.Worker] = p.Received - p.Sent
		d := c.Decide(s.View, p.Worker)
		if d.State != dasp.WSS || s.Clocks[p.Worker] <= skip {
			return
		}
		out.WSS++
		out.Wait += d.Wait.Seconds()
		out.Oldest += last[d.Until].Seconds()
		if d.Wait == 0 {
			out.Zero++
		}
		if d.Wait == 0 || d.Wait.Seconds() < shortWait*last[d.Until].Seconds() {
			out.Short++
		}
	}, nil)
	for _, u := range l.Updates {
		if k := len(u.Workers); u.Weight == c.Weight(dasp.WSS, k) {
			out.Groups++
			out.Members += k
			if k == 1 {
				out.Solo++
			}
		}
	}
	return out, err
}

// add joins the waits of several seeds.
func (w *wssWaits) add(x wssWaits) {
	w.WSS, w.Zero, w.Short = w.WSS+x.WSS, w.Zero+x.Zero, w.Short+x.Short
	w.Wait, w.Oldest = w.Wait+x.Wait, w.Oldest+x.Oldest
	w.Groups, w.Members, w.Solo = w.Groups+x.Groups, w.Members+x.Members, w.Solo+x.Solo
}

// allWaits joins the waits of all seeds.
func allWaits(cells []linkCell) (all wssWaits) {
	for _, c := range cells {
		all.add(c.Waits)
	}
	return all
}

// onlyQIS tells whether nobody is ever made to wait.
func onlyQIS(cells []linkCell) bool {
	return !slices.ContainsFunc(cells, func(c linkCell) bool { return c.Cell.Share["QIS"] < 1 })
}

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

// hypothesis was written before the first run. test looks at one model's cells in a cluster.
type hypothesis struct {
	key    string
	sites  []site
	models []string
	test   func(model string, cells map[string][]linkCell) finding
}

// finding holds what a test measured; no number says that there was nothing to measure.
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
	return mean(cells, func(c linkCell) float64 { return c.Cell.Share[state] }).Value
}

// testRow is a hypothesis tested with one network in one cluster.
type testRow struct {
	lane
	hypothesis string
	finding
}

type testRows []testRow

// test tests every hypothesis on the clusters and networks it names, of those that were run.
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
