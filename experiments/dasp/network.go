package dasp

import (
	"context"

	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/papers/dasp/rivals"
)

// networkForm is a method in one reading.
type networkForm struct {
	key, title string
	sync       string
	set        func(*rivals.Options)
}

// The forms of the experiment. T_wait of eq. (1) is made of iteration times: by
// our default reading of the computation alone, by the other of the whole
// iteration with its transfers. α = 0 makes every T_wait nothing and leaves the
// bound Smax: what DASP is if eq. (1) says nothing.
var (
	computeForm   = networkForm{"dasp", "DASP, f = compute", "dasp", func(o *rivals.Options) { o.Duration = "compute" }}
	iterationForm = networkForm{"dasp-iteration", "DASP, f = iteration", "dasp", func(o *rivals.Options) { o.Duration = "iteration" }}
	untimedForm   = networkForm{"dasp-untimed", "DASP, T_wait = 0", "dasp", func(o *rivals.Options) { o.Alpha = 0 }}
	daspForms     = []networkForm{computeForm, iterationForm, untimedForm}
)

// printedForms are DASP without the re-check that holds WSS and FSS answers to
// Smax, Algorithm 1 as printed. They were added after the first run, which showed
// that the re-check decides nearly alone.
var printedForms = []networkForm{
	asPrinted("compute", computeForm), asPrinted("iteration", iterationForm), asPrinted("untimed", untimedForm),
}

func asPrinted(key string, f networkForm) networkForm {
	return networkForm{"printed-" + key, f.title + ", as printed", f.sync, func(o *rivals.Options) { f.set(o); o.FSS = "literal" }}
}

// formsOn are the forms that run on v.
func formsOn(v platforms.Variant) []networkForm {
	forms := networkForms()
	if v.Workers == platforms.UnequalLinkSet {
		forms = append(forms, printedForms...)
	}
	return forms
}

// networkForms are the paper's methods in its order, DASP in its three forms.
func networkForms() []networkForm {
	var out []networkForm
	for _, m := range methods {
		if m != "dasp" {
			out = append(out, networkForm{m, title[m], m, func(*rivals.Options) {}})
		}
	}
	return append(out, daspForms...)
}

// formConfigs are the methods' parameters in every form.
func formConfigs() (out []map[string]any) {
	for _, f := range append(networkForms(), printedForms...) {
		o := options()
		f.set(&o)
		out = append(out, map[string]any{"form": f.key, "method": f.sync, "options": o})
	}
	return out
}

// networks are the clusters of a profile: ci leaves out the equal links and the
// remote worker's second server.
func networks(profile string) []platforms.Variant {
	all, err := platforms.Networks()
	if err != nil {
		panic(err) // embedded files: only a programmer can break them
	}
	if profile != "ci" {
		return all
	}
	var out []platforms.Variant
	for _, v := range all {
		if v.Workers == platforms.UnequalLinkSet || v.Workers == platforms.RemoteWorker && v.Link == wideServer {
			out = append(out, v)
		}
	}
	return out
}

// The servers' links, as platforms.ServerLinks names them.
const wideServer, narrowServer = "100 Gb/s", "10 Gb/s"

// network asks what DASP makes of equal devices behind unequal links, which §1
// names as a motive and eq. (1), read by computation times, cannot see.
func network() exp.Experiment {
	e := exp.Experiment{ID: "dasp/network", Title: "Equal devices, unequal links", Source: "ours: §1 names unequal networks as a motive; no table of the paper varies them", Profiles: exp.Profiles}
	cells := func(profile string) (n float64) {
		for _, v := range networks(profile) {
			n += float64(len(models) * len(formsOn(v)))
		}
		return n
	}
	e.Seconds = func(profile string, seeds int) float64 { return 0.016 * cells(profile) * float64(seeds) }
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		vs := networks(env.Profile)
		r := &runs{ctx: ctx, env: env, total: cells(env.Profile) * float64(len(env.Seeds))}
		res := exp.NewResult(e, env, result.TimingOnly, map[string]any{"platforms": vs, "methods": methods, "models": models, "options": options(),
			"forms": formConfigs(), "batch": fullBatch, "gradients": workers * perWorker, "warmup": warmup,
			"launch": train.DefaultLaunch, "overhead": train.DefaultOverhead, "short": shortWait, "same_time": sameTime, "hypotheses": hypothesisTexts(), "seeds": env.Seeds})
		g, err := r.linkGrid(vs)
		if err != nil {
			return incomplete(res), err
		}
		tested := testHypotheses(g)
		res.Tables = []result.Table{linkTimes(vs, g), hypothesisTable(tested), waitTable(vs, g), printedTable(vs, g), serverTable(vs, g), workerTable(vs, g)}
		for _, set := range []string{platforms.UnequalLinkSet, platforms.RemoteWorker} {
			res.Figures = append(res.Figures, linkFigure(set, vs, g))
		}
		res.Notes = networkNotes(vs, g, tested)
		res.Status = complete
		return res, nil
	}
	return e
}
