package survival

import (
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/combin"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// view holds all measurements, and the result to fill.
type view struct {
	*kit.View[point, cells]
	plan
}

// in returns what each seed gave in a setting.
func (v view) in(setting string) []cell {
	return kit.Map(v.At(point{}), func(c cells) cell { return c.Settings[setting] })
}

func show(kv *kit.View[point, cells]) {
	v := view{kv, planOf(kv.Profile)}
	made := kit.Map(v.At(point{true}), func(c cells) trainings { return c.trainings })
	kit.MadeOf(v.Result, made[0].Engine, made[0].Data)
	bits, facts := bitsFrame(made)
	answers, counts := v.answersFrame()
	v.Facts = append(v.Facts, append(append(v.facts(), facts...), counts...)...)
	v.Frames = []result.Frame{v.priceFrame(), v.lackingFrame(), v.timesFrame(), v.ratesFrame(), v.judgedFrame(), answers, v.intervalsFrame(), v.firstFrame(),
		v.breakEvenFrame(), bits, pathFrame(v.plan, made)}
	v.Figures = []result.Figure{
		{ID: "times", Form: "line", Frame: "times", Where: map[string]any{"setting": "base"}, X: "between", Y: []string{"time"}, By: []string{"way"}, Log: "xy"},
		{ID: "intervals", Form: "line", Frame: "intervals", X: "every", Y: []string{"time"}, By: []string{"between"}, Log: "xy"}}
}

func (v view) facts() []result.Fact {
	base := v.in("base")[0].Calm
	size := base.Ring.Bytes / float64(v.Updates) / float64(2*(v.Nodes-1))
	return kit.Facts("nodes", v.Nodes, "updates", v.Updates, "batch", v.Nodes*v.PerNode, "one", len(v.Seeds) < 2, "cap", v.Cap,
		"settings", len(v.Settings), "rates", len(v.Between), "typical", v.Between[(len(v.Between)-1)/2], "notice/%.1", 100*v.Notice,
		"restart/%.0", 100*v.Settings[0].Restart, "sync/ms.0", 1e3*diskSync.Seconds(), "rate/MB/s.0", diskRate/1e6, "size/kB.0", size/1e3,
		"write/ms.1", 1e3*v.Settings[0].write(size).Seconds(), "tick/ms.1", 1e3*base.Ring.tick().Seconds(), "whole/s.2", base.Ring.whole().Seconds(),
		"margin/points.0", margin, "comparisons", v.comparisons(), "bits.updates", v.Bits.Updates, "path.updates", v.Path.Updates,
		"path.batch", v.Path.Batch, "least_between", v.Between[0], "most_between", v.Between[len(v.Between)-1],
		"daly.off/%.0", v.dalyOff(), "first.off/points.0", v.firstOff())
}

// links lists the settings that differ in what a run without losses takes.
func (v view) links() (out []setting) {
	for _, s := range v.Settings {
		if s.Key == "base" || s.Link != 1 {
			out = append(out, s)
		}
	}
	return out
}

// priceFrame lists what each way costs if nothing is lost, over a ring, and what it keeps.
func (v view) priceFrame() result.Frame {
	f := kit.NewSheet("price", "setting:setting way:way survives slower/.2 bytes/.2 computed held/%.0 kept")
	for _, s := range v.links() {
		cells := v.in(s.Key)
		row := func(way string, r int, of func(c cell) run) {
			slower := kit.Each(cells, func(c cell) float64 { return float64(of(c).whole()) / float64(c.Calm.Ring.whole()) }).Mean()
			blocks, survives := 1, 0
			if r > 0 {
				blocks, survives = combin.Binomial(v.Nodes-1, r-1), r-1
			}
			f.Add(s.Key, way, survives, slower, of(cells[0]).Bytes/cells[0].Calm.Ring.Bytes, max(r, 1), 100*float64(max(r, 1))/float64(v.Nodes), blocks)
		}
		row("ring", 0, func(c cell) run { return c.Calm.Ring })
		for r := 1; r <= judged[len(judged)-1]; r++ {
			row(coded(r), r, func(c cell) run { return c.Calm.Lacks[r][0] })
		}
	}
	return f.Frame
}

// lackingFrame lists how long an update takes without some nodes, over a whole ring's.
func (v view) lackingFrame() result.Frame {
	f := kit.NewSheet("lacking", "setting:setting way:way lost tick/.2")
	for _, s := range v.links() {
		cells := v.in(s.Key)
		row := func(way string, k int, of func(c cell) run) {
			f.Add(s.Key, way, k, kit.Each(cells, func(c cell) float64 { return float64(of(c).tick()) / float64(c.Calm.Ring.tick()) }).Mean())
		}
		for r := 1; r <= judged[len(judged)-1]; r++ {
			for k := range r {
				row(coded(r), k, func(c cell) run { return c.Calm.Lacks[r][k] })
			}
		}
		for k := 1; k < v.Nodes; k++ {
			row(elastic, k, func(c cell) run { return c.Calm.Lacks[0][k] })
			row(takeover, k, func(c cell) run { return c.Calm.Fewer[k] })
		}
	}
	return f.Frame
}

// timesFrame lists every way in every cell.
func (v view) timesFrame() result.Frame {
	f := kit.NewSheet("times", "setting:setting between way:way run:bool time~/.2 ended/%.0 same/%.0 losses/.1 restarts/.1 bytes/.2 computed/.2 written")
	for _, s := range v.Settings {
		cells := v.in(s.Key)
		for i, m := range v.Between {
			for _, way := range ways() {
				number := func(of func(c cell, e ended) float64) float64 { return mean(cells, i, way, of).Value }
				f.Add(s.Key, m, way, simulated(way), took(times(cells, i, way)),
					share(cells, i, way, func(e ended) bool { return !e.Beyond }),
					share(cells, i, way, func(e ended) bool { return sameBits(way, e) }),
					number(func(_ cell, e ended) float64 { return float64(e.Losses) }),
					number(func(_ cell, e ended) float64 { return float64(e.Restarts) }),
					number(func(c cell, e ended) float64 { return e.Bytes / c.Calm.Ring.Bytes }),
					number(func(_ cell, e ended) float64 { return e.Computed }),
					number(func(c cell, e ended) float64 {
						return e.Written / (c.Calm.Ring.Bytes / float64(v.Updates*2*(v.Nodes-1)))
					}))
			}
		}
	}
	return f.Frame
}

// ratesFrame lists the times of the first setting, a row per mean time between losses.
func (v view) ratesFrame() result.Frame {
	columns := []string{coded(2), coded(3), coded(4), elastic, takeover, checkpoint, anew}
	f := kit.NewSheet("rates", "between "+strings.ReplaceAll(strings.Join(columns, "~/.2 "), "-", "_")+"~/.2").Plain()
	cells := v.in(v.Settings[0].Key)
	for i, m := range v.Between {
		row := []any{m}
		for _, way := range columns {
			row = append(row, took(times(cells, i, way)))
		}
		f.Add(row...)
	}
	return f.Frame
}

// judgedFrame sets every judged r beside every rival in every cell.
func (v view) judgedFrame() result.Frame {
	f := kit.NewSheet("judged", "setting:setting between rival:rival r ratio~/.2 side:side")
	v.judge(func(s setting, m float64, rival string, r int, e kit.Estimate, side string) {
		f.Add(s.Key, m, rival, r, e, side)
	}, nil)
	return f.Frame
}

// judge visits every comparison, and then every cell with its answer.
func (v view) judge(one func(s setting, m float64, rival string, r int, e kit.Estimate, side string), all func(s setting, m float64, rival, answer string)) {
	for _, s := range v.Settings {
		cells := v.in(s.Key)
		for i, m := range v.Between {
			for _, rival := range rivals {
				var sides []string
				for _, r := range judged {
					e, side := v.compared(cells, i, r, rival.Way)
					if sides = append(sides, side); one != nil {
						one(s, m, rival.Key, r, e, side)
					}
				}
				if all != nil {
					all(s, m, rival.Key, answer(sides))
				}
			}
		}
	}
}

// answersFrame lists the answers, a row per cell, and counts them.
func (v view) answersFrame() (result.Frame, []result.Fact) {
	f := kit.NewSheet("answers", "setting:setting between redundancy:answer anew:answer checkpoint:answer takeover:answer")
	counts := map[string]int{}
	var row []any
	v.judge(nil, func(s setting, m float64, rival, answer string) {
		if row == nil {
			row = []any{s.Key, m}
		}
		counts[answer+"."+rival]++
		counts[s.Key+"."+answer+"."+rival]++
		if row = append(row, answer); len(row) == 2+len(rivals) {
			f.Add(row...)
			row = nil
		}
	})
	facts := kit.Facts("cells", len(f.Rows))
	for _, rival := range rivals {
		for _, a := range []string{"yes", "no", "cannot"} {
			facts = append(facts, kit.Facts(a+"."+rival.Key, counts[a+"."+rival.Key])...)
		}
	}
	return f.Frame, facts
}

// intervalsFrame lists rings by the updates between two checkpoints, in the first setting, and which one is Daly's.
func (v view) intervalsFrame() result.Frame {
	f := kit.NewSheet("intervals", "between every time~/.2 ended/%.0 daly:bool")
	cells := v.in(v.Settings[0].Key)
	for i, m := range v.Between {
		for _, k := range v.Every {
			f.Add(m, k, took(times(cells, i, everyKey(k))), share(cells, i, everyKey(k), func(e ended) bool { return !e.Beyond }), false)
		}
		f.Add(m, cells[0].Daly[i], took(times(cells, i, checkpoint)), share(cells, i, checkpoint, func(e ended) bool { return !e.Beyond }), true)
	}
	return kit.As(result.Modelled, f.Frame)
}

// dalyOff returns by how many per cent Daly's interval takes longer at most than the best of the grid in hindsight.
func (v view) dalyOff() (off float64) {
	for _, s := range v.Settings {
		cells := v.in(s.Key)
		for i := range v.Between {
			best := math.Inf(1)
			for _, k := range v.Every {
				best = min(best, times(cells, i, everyKey(k)).Bounds().Mean().Value)
			}
			off = max(off, 100*(times(cells, i, checkpoint).Bounds().Mean().Value/best-1))
		}
	}
	return off
}

// firsts visits the shares of first attempts that end, and what first expects.
func (v view) firsts(of func(s setting, m float64, r int, share, expected float64)) {
	for _, s := range v.links() {
		cells := v.in(s.Key)
		for i, m := range v.Between {
			for r := 1; r <= judged[len(judged)-1]; r++ {
				var ticks []float64
				for k := range r {
					ticks = append(ticks, kit.Each(cells, func(c cell) float64 {
						return float64(c.Calm.Lacks[r][k].tick()) / float64(c.Calm.Ring.whole()) / m
					}).Mean().Value)
				}
				of(s, m, r, share(cells, i, coded(r), func(e ended) bool { return e.First }), 100*first(v.Nodes, v.Updates, ticks))
			}
		}
	}
}

func (v view) firstFrame() result.Frame {
	f := kit.NewSheet("first", "setting:setting between r ended/%.0 expected/%.0")
	v.firsts(func(s setting, m float64, r int, share, expected float64) { f.Add(s.Key, m, r, share, expected) })
	return f.Frame
}

// firstOff returns by how many points the two differ at most.
func (v view) firstOff() (off float64) {
	v.firsts(func(_ setting, _ float64, _ int, share, expected float64) { off = max(off, math.Abs(share-expected)) })
	return off
}

// breakEvenFrame lists how long a restart must take before redundancy costs no more than checkpoints.
func (v view) breakEvenFrame() result.Frame {
	f := kit.NewSheet("break-even", "setting:setting between r_2/%.0 r_3/%.0 r_4/%.0")
	for _, s := range v.links() {
		c := v.in(s.Key)[0].Calm
		w := float64(s.write(c.Ring.Bytes/float64(v.Updates*2*(v.Nodes-1)))) / float64(c.Ring.whole())
		for _, m := range v.Between {
			row := []any{s.Key, m}
			for _, r := range judged {
				row = append(row, 100*breakEven(float64(c.Lacks[r][0].whole())/float64(c.Ring.whole()), w, m, v.Notice))
			}
			f.Add(row...)
		}
	}
	return kit.As(result.Modelled, f.Frame)
}
