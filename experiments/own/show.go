package own

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// profile is the profile of every result of Document: a comparison has one size, its own.
const profile = "quick"

// Result returns what was found as a result file: facts, frames and figures.
func (p *Plan) Result(rows []Row) *result.Result {
	kind := result.Trained
	if p.timing() {
		kind = result.TimingOnly
	}
	r := kit.Start(Document+"/"+p.Name, "gradsync compare", kind, exp.Env{Profile: profile, Seeds: p.Seeds}, p.configuration())
	r.Status = result.Complete
	for _, row := range rows {
		if len(row.Failed) > 0 {
			r.Status = result.Incomplete
		}
		for _, c := range row.Cells {
			if c.Failed == "" && c.Engine != "" {
				kit.MadeOf(r, c.Engine, c.Data)
			}
		}
	}
	r.Facts = p.facts(rows)
	r.Frames = []result.Frame{p.methodsFrame(rows), p.seedsFrame(rows)}
	if !p.timing() {
		r.Frames = append(r.Frames, p.curvesFrame(rows))
	}
	bands, lines := p.bandsFrames(rows)
	r.Frames = append(r.Frames, bands, lines, p.optionsFrame(), p.hostsFrame())
	r.Figures = p.figures(lines)
	return r
}

// configuration holds every parameter that decides the numbers.
func (p *Plan) configuration() map[string]any {
	runs, platforms := []any{}, []any{}
	for v := range p.Values {
		platforms = append(platforms, kit.Platform(p.Configs[Point{p.Methods[0], v}].Platform))
		for _, m := range p.Methods {
			runs = append(runs, map[string]any{"method": m, "value": p.Values[v], "training": bare(p.Configs[Point{m, v}])})
		}
	}
	return map[string]any{"command": p.Command, "methods": p.Methods, "axis": p.Axis, "values": p.Values, "accuracies": p.Accuracies(),
		"platforms": platforms, "runs": runs}
}

// bare returns a training as a configuration records it: without what is recorded elsewhere.
func bare(cfg train.Config) map[string]any {
	cfg.Platform = nil
	raw := kit.Must(json.Marshal(cfg)) // finite numbers and strings
	out := map[string]any{}
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err) // it was written a line above
	}
	for _, key := range []string{"platform", "seed", "engine"} {
		delete(out, key)
	}
	return out
}

// option is the axis of a method's own flag, which another fact names.
const option = "option"

// facts names what is common to all rows.
func (p *Plan) facts(rows []Row) []result.Fact {
	one := p.one()
	measure := "to-target"
	if p.timing() {
		measure = "per-gradients"
	}
	axis, flag := p.Axis, ""
	if strings.Contains(axis, ".") {
		axis, flag = option, axis
	}
	var first any // of a single method
	if len(p.Methods) == 1 {
		first = p.Values[0]
	}
	facts := kit.Facts("measure:measure", measure, "reference:method", p.Methods[0], "reference_value", first, "methods", len(p.Methods), "seeds", len(p.Seeds),
		"axis:axis", axis, "axis_flag", flag, "model:model", one.Model, "platform", word(one.Platform.Name), "workers", one.Workers,
		"batch/images", one.Batch, "rate", one.Rate, "momentum", one.Momentum, "horizon/gradients", one.MaxPushes)
	if p.timing() {
		facts = append(facts, kit.Facts("timed/gradients", gradientsTimed)...)
	} else {
		accuracies := p.Accuracies()
		facts = append(facts, kit.Facts("target/%", 100*one.TargetAccuracy, "lowest/%", 100*accuracies[0], "step/points", 100*kit.TargetStep(one.TargetAccuracy),
			"accuracies", len(accuracies), "every/gradients", one.EvalEvery, "evaluation_images", p.EvaluationImages(rows))...)
	}
	for _, f := range findings { // how many comparisons have which finding
		facts = append(facts, kit.Facts("found."+f, kit.CountIf(rows, func(r Row) bool { return r.Finding == f }))...)
	}
	return facts
}

// EvaluationImages returns on how many test images runs were evaluated on the way: as many as asked for or, where the set
// has fewer, all of it.
func (p *Plan) EvaluationImages(rows []Row) int {
	most := p.one().EvalImages
	for _, r := range rows {
		for _, c := range r.Cells {
			if c.Data != nil {
				return min(most, c.Data.Test)
			}
		}
	}
	return most
}

// word returns the name of a platform as a key: without what a variant adds to it, and without spaces.
func word(s string) string {
	s, _, _ = strings.Cut(s, ", ")
	return strings.Join(strings.Fields(s), "-")
}

// valued puts the column of the axis, if there is one, before others.
func (p *Plan) valued(columns string) string {
	switch {
	case p.Axis == "":
		return columns
	case p.Unit != "":
		return "value/" + p.Unit + " " + columns
	}
	return "value " + columns
}

// cells puts the axis' value, if there is one, before others.
func (p *Plan) cells(value int, more ...any) []any {
	if p.Axis == "" {
		return more
	}
	return append([]any{p.Values[value]}, more...)
}

// sample returns of of every run of r, nothing where one failed.
func (r Row) sample(of func(Cell) float64) kit.Estimate {
	if len(r.Failed) > 0 {
		return kit.Estimate{}
	}
	return kit.Each(r.Cells, of).Mean()
}

// times returns t as an estimate, nothing where r has no times to compare.
func (r Row) times(t kit.Times) kit.Estimate {
	if !r.compared() {
		return kit.Estimate{}
	}
	return t.Sample().Mean()
}

// Seconds returns the estimate of what r is compared by, nothing where a time is only bounded.
func (r Row) Seconds() kit.Estimate { return r.times(r.Times) }

// OnceSeconds returns the estimate of the first crossing of the target, likewise.
func (r Row) OnceSeconds() kit.Estimate { return r.times(r.Once) }

// The estimates of what a run took and had at its end, over seeds.
func (r Row) Accuracy() kit.Estimate {
	return r.sample(func(c Cell) float64 { return 100 * orNaN(c.Accuracy) })
}
func (r Row) Updates() kit.Estimate {
	return r.sample(func(c Cell) float64 { return float64(c.Updates) })
}
func (r Row) Gradients() kit.Estimate {
	return r.sample(func(c Cell) float64 { return float64(c.Pushes) })
}
func (r Row) Bytes() kit.Estimate { return r.sample(func(c Cell) float64 { return float64(c.Bytes) }) }
func (r Row) Staleness() kit.Estimate {
	return r.sample(func(c Cell) float64 { return orNaN(c.Staleness) })
}

// held returns how many gradients an update holds.
func (r Row) held() kit.Estimate {
	return r.sample(func(c Cell) float64 { return float64(c.Pushes) / float64(max(c.Updates, 1)) })
}

// orNaN returns *x, NaN for nil.
func orNaN(x *float64) float64 {
	if x == nil {
		return kit.OnlyIf(false, 0)
	}
	return *x
}

// methodsFrame is the table: a row per value and method.
func (p *Plan) methodsFrame(rows []Row) result.Frame {
	s := kit.NewSheet("methods", p.valued("method:method seconds±/s.3 over~/.3 finding:finding decide/seeds once±/s.3 accuracy±/%.2 "+
		"updates±/.0 gradients±/.0 held/.2 bytes±/MB.2 staleness±/versions.2 missed diverged failed first"))
	for _, r := range rows {
		var decides any
		if r.Decide > 0 {
			decides = r.Decide
		}
		s.Add(p.cells(r.Value, r.Method, r.Seconds(), r.Over, r.Finding, decides, r.OnceSeconds(), r.Accuracy(), r.Updates(), r.Gradients(),
			r.held(), r.Bytes().Times(1e-6), r.Staleness(), r.Missed, len(r.Diverged), len(r.Failed), r.First)...)
	}
	return s.Frame
}

// How a run ended.
const (
	reached = "reached" // the target
	horizon = "horizon" // its last gradient, before it had the target
	timed   = "timed"   // its last gradient: nothing was trained
)

// seedsFrame has every run: what the table's estimates are made of. A time that is bounded is the bound.
func (p *Plan) seedsFrame(rows []Row) result.Frame {
	s := kit.NewSheet("per-seed", p.valued("method:method seed end:ending seconds/s.4 bounded once/s.4 once_bounded accuracy/%.2 updates gradients "+
		"bytes staleness/versions.2 diverged/gradients"))
	for _, r := range rows {
		for i, c := range r.Cells {
			if c.Failed != "" {
				s.Add(p.cells(r.Value, r.Method, p.Seeds[i], Failed, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil)...)
				continue
			}
			var at, once, onceBounded, diverged any
			at = r.Times[i].At
			end := timed
			if !p.timing() {
				once, onceBounded, end = r.Once[i].At, r.Once[i].Beyond, horizon
				if !r.Once[i].Beyond {
					end = reached
				}
			}
			if c.Diverged != nil {
				end, diverged = Diverged, c.Diverged.Pushes
			}
			s.Add(p.cells(r.Value, r.Method, p.Seeds[i], end, at, r.Times[i].Beyond, once, onceBounded, 100*orNaN(c.Accuracy), c.Updates, c.Pushes,
				c.Bytes, orNaN(c.Staleness), diverged)...)
		}
	}
	return s.Frame
}

// curvesFrame holds the test accuracy of every run, seed by seed, and in the mean, in rows without a seed, as far as all
// seeds have one: all are evaluated after the same number of gradients, give or take a group.
func (p *Plan) curvesFrame(rows []Row) result.Frame {
	s := kit.NewSheet("curves", p.valued("method:method seed seconds/s.4 gradients/.0 accuracy~/%.2")).Plain()
	accuracy := func(b train.Point) float64 { return 100 * b.Accuracy }
	for _, r := range rows {
		shortest := len(r.Cells[0].Curve)
		for i, c := range r.Cells {
			shortest = min(shortest, len(c.Curve))
			for _, b := range c.Curve {
				s.Add(p.cells(r.Value, r.Method, p.Seeds[i], b.Seconds, float64(b.Pushes), kit.Sample{accuracy(b)}.Mean())...)
			}
		}
		for i := range shortest {
			at := kit.Map(r.Cells, func(c Cell) train.Point { return c.Curve[i] })
			s.Add(p.cells(r.Value, r.Method, nil, kit.Each(at, func(b train.Point) float64 { return b.Seconds }).Mean().Value,
				kit.Each(at, func(b train.Point) float64 { return float64(b.Pushes) }).Mean().Value, kit.Each(at, accuracy).Mean().Clamp(0, 100))...)
		}
	}
	return s.Frame
}

// bandsFrames hold the first seconds of every method, by rank, of the first seed at the first value, and how long they are.
func (p *Plan) bandsFrames(rows []Row) (bands, lines result.Frame) {
	b := kit.NewSheet("bands", "method:method worker:worker from/ms to/ms state:state label")
	l := kit.NewSheet("lines", "method:method end/ms.1")
	for _, r := range rows {
		if r.Value != 0 || len(r.Cells[0].Line) == 0 {
			continue
		}
		end := 0.0
		for _, s := range r.Cells[0].Line {
			var label any
			if hasServer(r.Method) {
				label = []any{s.Step, s.Pulled, s.Applied, s.Gap}
			}
			b.Add(r.Method, strconv.Itoa(s.Worker+1), s.From, s.To, s.State, label)
			end = max(end, s.To)
		}
		l.Add(r.Method, end)
	}
	return b.Frame, l.Frame
}

// optionsFrame lists what each method was run with.
func (p *Plan) optionsFrame() result.Frame {
	return kit.Rows("options", "method:method flag value given", p.Options, func(o Option) []any { return []any{o.Method, o.Flag, o.Value, o.Given} })
}

// hostsFrame lists the machines of the platform at the first value.
func (p *Plan) hostsFrame() result.Frame {
	s := kit.NewSheet("hosts", "host speed/TFLOP/s.3 memory/GB/s.0 link/Gb/s.2 latency/ms.4 jitter/%.1")
	one := p.one()
	add := func(name string, h cluster.Host) {
		var memory any // nothing where it never limits
		if h.Memory > 0 {
			memory = h.Memory / 1e9
		}
		s.Add(name, h.FLOPS/1e12, memory, 8*h.Bandwidth/1e9, 1e3*h.Latency.Seconds(), 100*h.Jitter)
	}
	for i, h := range one.Platform.Workers[:one.Workers] {
		add(strconv.Itoa(i+1), h)
	}
	if h := one.Platform.Server; h != nil {
		add("server", *h)
	}
	return s.Frame
}

// figures says what is drawn: accuracy over time at each value, times, and the first seconds of each method.
func (p *Plan) figures(lines result.Frame) (out []result.Figure) {
	times := result.Figure{ID: "times", Form: "bar", Frame: "methods", X: "method", Y: []string{"seconds"}}
	if p.Axis != "" {
		times.Form, times.X, times.By = "line", "value", []string{"method"}
		if _, number := p.Values[0].(float64); !number {
			times.Form = "bar"
		}
	}
	out = append(out, times)
	for v := range p.Values {
		if p.timing() {
			break
		}
		f := result.Figure{ID: "curves", Form: "line", Frame: "curves", X: "seconds", Y: []string{"accuracy"}, By: []string{"method"}, Seed: "seed"}
		if p.Axis != "" {
			f.ID, f.Where = fmt.Sprintf("curves-%d", v+1), map[string]any{"value": p.Values[v]}
		}
		out = append(out, f)
	}
	for _, row := range lines.Rows {
		m := row[0].(string)
		out = append(out, result.Figure{ID: "timeline-" + m, Form: "gantt", Frame: "bands", Where: map[string]any{"method": m}, X: "from", Y: []string{"to"},
			Lane: "worker", State: "state", Label: "label"})
	}
	return out
}
