package dasp

import (
	"encoding/json"
	"fmt"
	result "gradsync/experiments/result1"
	"math"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/platforms"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// Three workers under DASP with Smin = 1, Smax = 3, α = ½, worked out on paper;
// worker 2's computation takes 10 ms, the others' 2 ms.
func TestCountWaitsByHand(t *testing.T) {
	ms := time.Millisecond
	l := &dasp.Log{Workers: 3}
	push := func(w int, pulled int64, sent, received, compute int, s dasp.State) {
		l.Pushes = append(l.Pushes, dasp.Push{Worker: w, Pulled: pulled, Sent: time.Duration(sent) * ms, Received: time.Duration(received) * ms,
			Compute: time.Duration(compute) * ms, State: s})
	}
	push(0, 0, 0, 4, 2, dasp.QIS)
	push(1, 0, 0, 5, 2, dasp.QIS)
	push(1, 2, 5, 10, 2, dasp.WSS)   // v 1 2 0; f of worker 2 unknown: T_wait 0
	push(2, 0, 0, 12, 10, dasp.QIS)  //
	push(1, 3, 10, 15, 2, dasp.WSS)  // v 1 3 4; worker 0 is as fast: T_wait 0, but 5 − 1 > Smax holds it
	push(0, 1, 4, 16, 2, dasp.QIS)   // releases it: versions 5 and 6
	push(1, 6, 16, 20, 2, dasp.WSS)  // v 5 6 4; T_wait = ½·(10 − 2) = 4 ms, then 8 − 4 > Smax holds it
	push(0, 5, 16, 22, 2, dasp.QIS)  // version 7
	push(2, 4, 12, 30, 10, dasp.QIS) // version 8 releases it: 9
	push(1, 9, 30, 33, 2, dasp.WSS)  // v 7 9 8; T_wait = ½·(2.4 − 2) ms, short beside worker 0's 6 ms
	l.Pushes[7].Compute = 2400 * time.Microsecond
	for v := int64(1); v <= 10; v++ {
		u := dasp.Update{Version: v, Workers: []int{0}, Weight: 1. / 3}
		if v == 3 || v == 6 || v == 9 {
			u.Weight = 1
		}
		if v == 10 { // as if another waited too
			u.Workers, u.Weight = []int{0, 1}, 0.5
		}
		l.Updates = append(l.Updates, u)
	}
	o := rivals.Defaults(3)
	o.Smin, o.Smax, o.Alpha = 1, 3, 0.5
	w, err := countWaits(l, o, 0)
	// The oldest's whole last iterations: none yet, 4, 12 and 6 ms.
	if err != nil || w.WSS != 4 || w.Zero != 2 || w.Short != 3 || math.Abs(w.Wait-0.0042) > 1e-12 || math.Abs(w.Oldest-0.022) > 1e-12 {
		t.Errorf("%+v (%v), want 4 in WSS, 2 without a wait, 3 with next to none, 4.2 ms beside 22 ms", w, err)
	}
	if w.Groups != 4 || w.Members != 5 || w.Solo != 3 {
		t.Errorf("%+v: want 4 groups of 5 gradients, 3 of them alone", w)
	}
	if w, err = countWaits(l, o, 2); err != nil || w.WSS != 3 || w.Zero != 1 {
		t.Errorf("%+v (%v): without each worker's first two pushes 3 and 1 are left", w, err)
	}
	l.Pushes[9].Pulled = 8
	if _, err = countWaits(l, o, 0); err == nil {
		t.Error("a log that is not DASP's passes")
	}
}

// One worker alone never queues, however its link is; six equal ones before one
// link as wide as theirs do, and the server's link is then nearly full.
func TestQueues(t *testing.T) {
	for _, v := range networks("quick") {
		cfg := timing(v.Platform, "asp", "resnet18", 0)
		cfg.Workers = 1
		o := loggedTiming(t, cfg)
		if q := linkQueues(o.Log, v.Platform)[0]; q > 1e-6 {
			t.Errorf("%s: a worker alone queues %g s", v.Name, q)
		}
		p := o.Log.Pushes[20]
		if got := (p.Received - p.Sent - p.Compute).Seconds(); math.Abs(got-2*transferAlone(v.Platform.Server, &v.Platform.Workers[0], 4*float64(o.Log.Params))) > 1e-6 {
			t.Errorf("%s: transfers last %g s", v.Name, got)
		}
	}
	full := loggedTiming(t, timing(load(homogeneous), "asp", "vgg19_bn", 0))
	for w, q := range linkQueues(full.Log, load(homogeneous)) {
		if q < 0.05 { // two transfers of 80 MB by six at 10 Gb/s: 64 ms each, one's own apart
			t.Errorf("worker %d queues %g s, want most of five others' transfers", w, q)
		}
	}
	if b := linkBusy(full.Log, load(homogeneous).Server); b < 0.85 || b > 1 {
		t.Errorf("the full link is busy %g of the time", b)
	}
}

// made is a cell of hand: iteration time, shares of QIS and FSS.
func made(seconds, qis, fss float64) linkCell {
	return linkCell{Cell: cell{Iteration: train.IterationTime{PerWorker: seconds, ByWorker: []float64{1, 1, 1, 1, 1, seconds}},
		Share: map[string]float64{"QIS": qis, "FSS": fss}}}
}

func TestHypotheses(t *testing.T) {
	type cells = map[string][]linkCell
	one := func(c linkCell) []linkCell { return []linkCell{c} }
	asked := func(wss, short int) []linkCell {
		return []linkCell{{Waits: wssWaits{WSS: wss, Short: short}}, {Waits: wssWaits{WSS: wss, Short: short}}}
	}
	compute, iteration, untimed := computeForm.key, iterationForm.key, untimedForm.key
	for name, c := range map[string]struct {
		test     func(string, map[string][]linkCell) (bool, string, bool)
		model    string
		cells    cells
		ok, any  bool
		measured string
	}{
		"blind":            {blindToLinks, "", cells{compute: asked(100, 95)}, true, true, "95.0 % of 200"},
		"not blind":        {blindToLinks, "", cells{compute: asked(100, 94)}, false, true, "94.0 %"},
		"never asked":      {blindToLinks, "", cells{compute: asked(0, 0)}, false, false, "no push"},
		"bound alone":      {boundAlone, "", cells{compute: one(made(1.009, 0.5, 0)), untimed: one(made(1, 0.5, 0))}, true, true, "×1.0090"},
		"more than bound":  {boundAlone, "", cells{compute: one(made(1.011, 0.5, 0)), untimed: one(made(1, 0.5, 0))}, false, true, "×1.0110"},
		"less than bound":  {boundAlone, "", cells{compute: one(made(0.98, 0.5, 0)), untimed: one(made(1, 0.5, 0))}, false, true, "×0.9800"},
		"nobody waits":     {boundAlone, "", cells{compute: one(made(2, 1, 0)), untimed: one(made(1, 1, 0))}, false, false, "QIS"},
		"fewer FSS":        {fewerFSS, "", cells{compute: one(made(1, 0, 0.4)), iteration: one(made(1, 0, 0.3))}, true, true, "30.0 % against 40.0 %"},
		"as many FSS":      {fewerFSS, "", cells{compute: one(made(1, 0, 0.4)), iteration: one(made(1, 0, 0.4))}, false, true, "40.0 %"},
		"no FSS":           {fewerFSS, "", cells{compute: one(made(1, 0, 0)), iteration: one(made(1, 0, 0))}, false, false, "no push"},
		"longer":           {longerIteration, "", cells{compute: {made(1, 0, 0), made(1, 0, 0)}, iteration: {made(1.1, 0, 0), made(1.11, 0, 0)}}, true, true, "×1.105"},
		"longer by chance": {longerIteration, "", cells{compute: {made(1, 0, 0), made(1, 0, 0)}, iteration: {made(1.3, 0, 0), made(0.9, 0, 0)}}, false, true, "×1.082"},
		"longer, one seed": {longerIteration, "", cells{compute: one(made(1, 0, 0)), iteration: one(made(1.1, 0, 0))}, true, true, "×1.100"},
		"shorter":          {longerIteration, "", cells{compute: one(made(1, 0, 0)), iteration: one(made(0.9, 0, 0))}, false, true, "×0.900"},
		"neither waits":    {longerIteration, "", cells{compute: one(made(1, 1, 0)), iteration: one(made(1, 1, 0))}, false, false, "QIS"},
		"keeps half":       {keepsSaving, "", cells{"bsp": one(made(1, 0, 0)), "asp": one(made(0.2, 0, 0)), compute: one(made(0.59, 0, 0))}, true, true, "51 %"},
		"keeps less":       {keepsSaving, "", cells{"bsp": one(made(1, 0, 0)), "asp": one(made(0.2, 0, 0)), compute: one(made(0.7, 0, 0))}, false, true, "38 %"},
		"nothing to keep":  {keepsSaving, "", cells{"bsp": one(made(1, 0, 0)), "asp": one(made(1, 0, 0)), compute: one(made(1, 0, 0))}, false, false, "saves nothing"},
		"even":             {evensOut, "", cells{"asp": one(made(1.5, 0, 0))}, true, true, "×1.50"},
		"uneven":           {evensOut, "", cells{"asp": one(made(1.6, 0, 0))}, false, true, "×1.60"},
		"no iteration":     {evensOut, "", cells{"asp": one(made(0, 0, 0))}, false, false, "NaN"},
		"remote straggler": {latencyStraggler, "lenet5", cells{compute: one(made(1, 0.89, 0))}, true, true, "89.0 %"},
		"no straggler":     {latencyStraggler, "lenet5", cells{compute: one(made(1, 0.9, 0))}, false, true, "90.0 %"},
		"large unharmed":   {latencyStraggler, "vgg19_bn", cells{compute: one(made(1, 0.995, 0))}, true, true, "99.5 %"},
		"large harmed":     {latencyStraggler, "vgg19_bn", cells{compute: one(made(1, 0.99, 0))}, false, true, "99.0 %"},
	} {
		ok, measured, any := c.test(c.model, c.cells)
		if any != c.any || any && ok != c.ok || !strings.Contains(measured, c.measured) {
			t.Errorf("%s: holds %t, a case %t, %q; want %t, %t, …%q…", name, ok, any, measured, c.ok, c.any, c.measured)
		}
	}
}

// A sentence holds only if it does wherever there is a case.
func TestAnswers(t *testing.T) {
	h := hypothesis{clusters: []string{unequalWide, unequalNarrow}, models: models[:2],
		test: func(_ string, cells map[string][]linkCell) (bool, string, bool) {
			x := cells["asp"][0].Cell.Iteration.PerWorker
			return x > 1, fmt.Sprint(x), x != 0
		}}
	for _, c := range []struct {
		seconds []float64 // 0: no case
		want    string
	}{{[]float64{2, 3}, holdsTrue}, {[]float64{2, 0.5}, holdsFalse}, {[]float64{0.5, 2}, holdsFalse}, {[]float64{0, 2}, holdsTrue}, {[]float64{0, 0}, noCase}} {
		g := linkGrid{unequalNarrow: {}}
		for i, m := range models[:2] {
			g[unequalNarrow][m] = map[string][]linkCell{"asp": {made(c.seconds[i], 0, 0)}}
		}
		if got := h.answer(g); got.answer != c.want || !strings.HasPrefix(got.measured, unequalNarrow+": LeNet-5 ") {
			t.Errorf("%v: %+v, want %s", c.seconds, got, c.want)
		}
	}
	if got := h.answer(linkGrid{}); got.answer != noCase || got.measured != "" {
		t.Errorf("no cluster was run: %+v", got)
	}
}

// boundGrid has one case, ResNet-18 on unequal links: times of f = compute and of
// T_wait = 0, and DASP's share in QIS.
func boundGrid(compute, untimed, qis float64) linkGrid {
	g := linkGrid{unequalWide: {}}
	for _, m := range models {
		c, u := made(1, 1, 0), made(1, 1, 0)
		if m == "resnet18" {
			c, u = made(compute, qis, 0), made(untimed, qis, 0)
		}
		g[unequalWide][m] = map[string][]linkCell{computeForm.key: {c}, untimedForm.key: {u}}
	}
	return g
}

func TestBoundNote(t *testing.T) {
	mixed := boundGrid(1, 1, 0.5)
	mixed[unequalNarrow] = boundGrid(2, 1, 0.5)[unequalWide]
	for want, g := range map[string]linkGrid{
		"Yes: wherever anybody waits": boundGrid(1.001, 1, 0.5),
		"No: switching":               boundGrid(1.5, 1, 0.5),
		"in 1 of 2 cases; not in ResNet-18 (unequal links, server 10 Gb/s, ×2.0000)": mixed,
		"no push waits anywhere": boundGrid(1.5, 1, 1),
		"plain ASP, every push in QIS, in LeNet-5 (unequal links, serv": boundGrid(1, 1, 0.5),
	} {
		if got := boundNote(g); !strings.Contains(got, want) {
			t.Errorf("%q, want …%s…", got, want)
		}
	}
}

// A worker without an iteration after the warm-up has no ratio, and the note says
// so.
func TestEvenNoteWithoutAnIteration(t *testing.T) {
	g := linkGrid{unequalWide: {}, unequalNarrow: {}}
	for _, m := range models {
		g[unequalWide][m] = map[string][]linkCell{"asp": {made(2, 0, 0)}}
		g[unequalNarrow][m] = map[string][]linkCell{"asp": {made(0, 0, 0)}}
	}
	got := evenNote(g)
	if strings.Contains(got, "NaN") || !strings.Contains(got, "LeNet-5 2.00 and none (a worker never got past the warm-up);") {
		t.Errorf("%q", got)
	}
}

// blindNote prints the measured shares and no other.
func TestBlindNote(t *testing.T) {
	g := linkGrid{unequalWide: {}, unequalNarrow: {}}
	if got := blindNote(g); !strings.Contains(got, "eq. (1) was never asked") {
		t.Errorf("%q", got)
	}
	g[unequalWide]["lenet5"] = map[string][]linkCell{computeForm.key: {{Waits: wssWaits{WSS: 200, Zero: 150, Short: 180, Wait: 0.4, Oldest: 8}}}}
	if got := blindNote(g); !strings.Contains(got, "200 pushes in WSS to wait: 75 % of them not at all, and 90 % for less than 5 %") ||
		!strings.Contains(got, "the mean was 2 ms beside an iteration of 40 ms") || strings.Contains(got, "half") {
		t.Errorf("%q", got)
	}
}

func TestTransferAlone(t *testing.T) {
	a := &cluster.Host{Bandwidth: 1e9, Latency: 3 * time.Millisecond, Overhead: time.Millisecond}
	b := &cluster.Host{Bandwidth: 1e8, Latency: 20 * time.Millisecond, Overhead: 2 * time.Millisecond}
	if got := transferAlone(a, b, 1e6); math.Abs(got-(0.026+0.010)) > 1e-12 {
		t.Errorf("%g s, want 23 ms of latency, 3 ms of overhead and 10 ms over the slower link", got)
	}
}

// The clusters that hypotheses and notes speak of are among those that run.
func TestNetworksAreThere(t *testing.T) {
	for profile, n := range map[string]int{"ci": 3, "quick": 6, "paper": 6} {
		names := map[string]bool{}
		for _, v := range networks(profile) {
			names[v.Name] = true
		}
		if len(names) != n {
			t.Errorf("%s runs %d clusters, want %d", profile, len(names), n)
		}
		for _, h := range hypotheses {
			for _, c := range h.clusters {
				if !names[c] {
					t.Errorf("%s does not run %s", profile, c)
				}
			}
		}
	}
	if !strings.HasPrefix(unequalWide, platforms.UnequalLinkSet) || len(platforms.UnequalLinks) != workers {
		t.Errorf("%d links for %d workers", len(platforms.UnequalLinks), workers)
	}
}

func TestNetworkResult(t *testing.T) {
	r := testRuns("ci", 0)
	res, err := network().Old(r.ctx, r.env)
	if err != nil {
		t.Fatal(err)
	}
	rectangular(t, res)
}

// Every form is recorded with its own parameters.
func TestFormsAreRecorded(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range formConfigs() {
		raw, err := json.Marshal(f["options"])
		if err != nil {
			t.Fatal(err)
		}
		seen[fmt.Sprint(f["method"], string(raw))] = true
	}
	if want := len(networkForms()) + len(printedForms); len(seen) != want {
		t.Errorf("%d forms differ by their record, want %d", len(seen), want)
	}
}

// rectangular complains of a table whose rows are not as wide as its head.
func rectangular(t *testing.T, r *result.Result) {
	t.Helper()
	for _, tab := range r.Tables {
		if len(tab.Rows) == 0 {
			t.Errorf("%s is empty", tab.ID)
		}
		for i, row := range tab.Rows {
			if len(row) != len(tab.Columns) {
				t.Errorf("%s: row %d has %d entries, the head %d", tab.ID, i, len(row), len(tab.Columns))
			}
		}
	}
	for _, f := range r.Figures {
		for _, s := range f.Series {
			if len(s.X) == 0 || len(s.X) != len(s.Y) || f.Alt == "" {
				t.Errorf("%s, %s: %d and %d values, text %q", f.ID, s.Name, len(s.X), len(s.Y), f.Alt)
			}
		}
	}
	if r.Status != complete || len(r.Notes) == 0 {
		t.Errorf("status %s, %d notes", r.Status, len(r.Notes))
	}
}
