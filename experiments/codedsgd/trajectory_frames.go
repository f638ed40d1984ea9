package codedsgd

import (
	"fmt"
	"math"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

func codedKey(r int) string { return fmt.Sprintf("cssgd-r%d", r) }

func secondsIn(it iteration) float64 { return it.Seconds }
func bytesIn(it iteration) float64   { return it.Bytes }

// facts returns how a network was trained, and how far whole gradients' own training is
// from the shared one.
func (w *largest) facts() []result.Fact {
	p, n := w.plan, w.plan.most()
	whole := w.whole
	var narrower, micro any
	if p.Width > 0 {
		narrower = 1 / p.Width
	}
	if whole.equal {
		micro = whole.micro.Clipped
	}
	out := []result.Fact{
		kit.Finding("data", "data", w.ssgd[0].Data.Name),
		kit.Counted("nodes", "", n), kit.Counted("batch", "", p.Net.PerNode), kit.Number("rate", "", kit.AsIs, p.Rate),
		{Key: "narrower", Value: narrower}, kit.Counted("updates", "", p.Updates), kit.Counted("every", "", p.Every), kit.Counted("images", "", p.Images),
		kit.Counted("blocks", "", p.blocks(n)), kit.Counted("q", "", microBlocks(n, redundancies...)),
		kit.Whether("coarse", p.blocks(n) != microBlocks(n, redundancies...)),
		kit.Counted("runs", "", len(w.asgd)),
		kit.Number("target", "%", kit.AsIs, 100*w.target), kit.Number("target.stated", "%", kit.AsIs, 100*statedTarget(p.Net)),
		kit.Whether("target.is-stated", p.Target > 0), kit.Whether("two-nodes", p.Nodes[0] == 2),
		kit.Number("whole.seed", "", 0, float64(whole.seed)), kit.Counted("whole.updates", "", whole.updates),
		kit.Number("whole.best", "%", 1, 100*whole.whole.bestIn(whole.updates)), kit.Number("micro.best", "%", 1, 100*whole.micro.bestIn(whole.updates)),
		kit.Whether("clips", whole.whole.Clipped > 0 || whole.micro.Clipped > 0),
		kit.Counted("whole.clipped", "", whole.whole.Clipped), {Key: "micro.clipped", Value: micro},
	}
	return out
}

// wholeFrame sets the two trainings beside each other.
func (w *largest) wholeFrame() result.Frame {
	type row struct {
		pieces  int
		t       trajectory
		clipped any
	}
	whole := w.whole
	rows := []row{{whole.parts, whole.micro, nil}, {whole.blocks, whole.whole, whole.whole.Clipped}}
	if whole.equal {
		rows[0].clipped = whole.micro.Clipped
	}
	f := kit.Frame("whole-gradients", rows, kit.Count("pieces", "", func(r row) int { return r.pieces }),
		kit.Num("updates", "", 1, func(r row) float64 { return updatesTo(r.t.Curve, w.target) }),
		kit.Num("best", "%", 2, func(r row) float64 { return 100 * r.t.bestIn(whole.updates) }),
		kit.Num("last", "%", 2, func(r row) float64 { return 100 * r.t.lastIn(whole.updates) }),
		kit.Any("clipped", "", func(r row) any { return r.clipped }))
	f.Kind = result.Trained
	return f
}

// change returns two columns that say a saving in words: its size, and whether that is
// more or less than the rival's.
func change[R any](key string, of func(R) float64) []kit.Col[R] {
	return []kit.Col[R]{kit.Num(key, "%", 1, func(r R) float64 { return math.Abs(of(r)) }),
		kit.Word(key+"_than", "than", func(r R) string { return than(of(r)) })}
}

// changed returns the facts that say a saving in words, and the saving itself.
func changed(key string, e kit.Estimate) []result.Fact {
	if e.N == 0 {
		return []result.Fact{kit.Fact(key, "%", 1, e), {Key: key + ".size", Unit: "%"}, {Key: key + ".than", Enum: "than"}}
	}
	return []result.Fact{kit.Fact(key, "%", 1, e), kit.Number(key+".size", "%", 1, math.Abs(e.Value)), kit.Finding(key+".than", "than", than(e.Value))}
}

// exactly is a number that has no spread; NaN is none.
func exactly(x float64) (e kit.Estimate) {
	if !math.IsNaN(x) {
		e = kit.Estimate{Value: x, N: 1}
	}
	return e
}

// than says on which side of a rival what saves x per cent of it is.
func than(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case x < 0:
		return "more"
	}
	return "less"
}

// meansFrame holds what CSSGD saves of rivals on the mean over node counts, by r.
func meansFrame(cs []timing, of func(iteration) float64, rivals ...exchange) result.Frame {
	type row struct {
		rival exchange
		r     int
		saved float64
	}
	var rows []row
	for _, rival := range rivals {
		for _, r := range redundancies {
			if x := meanSavedBy(cs, judged, r, rival, of); !math.IsNaN(x) {
				rows = append(rows, row{rival, r, x})
			}
		}
	}
	return kit.Frame("means", rows, append([]kit.Col[row]{kit.Word("rival", "method", func(r row) string { return r.rival.key() }),
		kit.Word("method", "method", func(r row) string { return codedKey(r.r) })},
		change("saved", func(r row) float64 { return r.saved })...)...)
}

// belowRow is a redundancy with the numbers of nodes on which CSSGD is below a rival.
type belowRow struct {
	v     variant
	what  string // the rival, or how bytes are counted
	r     int
	nodes []any
}

// belowFrame holds where CSSGD is below rivals; key and enum are of the column of what.
func belowFrame(id, key, enum string, rows []belowRow, where kit.Col[belowRow]) result.Frame {
	return kit.Frame(id, rows, where, kit.Word(key, enum, func(b belowRow) string { return b.what }),
		kit.Word("method", "method", func(b belowRow) string { return codedKey(b.r) }), kit.Any("nodes", "", func(b belowRow) any { return b.nodes }))
}

// belowRows returns the rows of a rival.
func belowRows(cs []timing, v variant, what string, rival exchange, of func(iteration) float64) (out []belowRow) {
	for _, l := range lowerOn(cs, v, rival, of) {
		row := belowRow{v: v, what: what, r: l["r"].(int)}
		for _, n := range l["nodes"].([]int) {
			row.nodes = append(row.nodes, n)
		}
		out = append(out, row)
	}
	return out
}

// nodesAt is a variant on a number of nodes.
type nodesAt struct {
	v  variant
	on timing
}

func everyNodesAt(cs []timing) (out []nodesAt) {
	for _, v := range fourVariants {
		for _, on := range cs {
			out = append(out, nodesAt{v, on})
		}
	}
	return out
}

// saved returns what CSSGD at the better r saves of a rival's time.
func (a nodesAt) saved(rival exchange) float64 {
	_, it := a.on.optimal(a.v)
	return saved(it.Seconds, a.on.Of[a.v.Key][rival].Seconds)
}

// betterFrame holds CSSGD at the better r of 2 and 3 beside SSGD, in every variant.
func betterFrame(cs []timing) result.Frame {
	return kit.Frame("better", everyNodesAt(cs), kit.Word("setting", "setting", func(a nodesAt) string { return a.v.Key }),
		kit.Count("nodes", "", func(a nodesAt) int { return a.on.Nodes }),
		kit.Count("r", "", func(a nodesAt) int { r, _ := a.on.optimal(a.v); return r }),
		kit.Num("multicast", "%", 1, func(a nodesAt) float64 { return a.saved(multicast) }),
		kit.Num("unicast", "%", 1, func(a nodesAt) float64 { return a.saved(unicast) }),
		kit.Flag("ahead", func(a nodesAt) bool { return a.saved(multicast) > 0 }),
		kit.Flag("r1_faster", func(a nodesAt) bool {
			_, it := a.on.optimal(a.v)
			return a.on.Of[a.v.Key][unicast].Seconds < it.Seconds
		}))
}

// switchFacts say whether CSSGD is ahead of SSGD Multicast on the switch, and elsewhere.
func switchFacts(cs []timing) []result.Fact {
	ahead, elsewhere := false, false
	for _, a := range everyNodesAt(cs) {
		if a.v.Key == switched.Key {
			ahead = ahead || a.saved(multicast) > 0
		} else if _, it := a.on.optimal(a.v); it.Seconds < a.on.Of[a.v.Key][multicast].Seconds {
			elsewhere = true
		}
	}
	return []result.Fact{kit.Whether("switch.ahead", ahead), kit.Whether("elsewhere.ahead", elsewhere),
		kit.Number("switch.mean", "%", 1, meanSaved(cs, multicast, switched))}
}

// loadFrame says how Q, and with it communication over computation, goes with the nodes.
func loadFrame(cs []timing) result.Frame {
	return kit.Frame("load", cs, kit.Count("nodes", "", func(c timing) int { return c.Nodes }),
		kit.Count("q", "", func(c timing) int { return microBlocks(c.Nodes, redundancies...) }),
		kit.Num("ratio", "", 3, func(c timing) float64 {
			it := c.Of[judged.Key][unicast]
			return it.Seconds/it.Compute - 1
		}))
}
