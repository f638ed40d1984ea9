package dasp

import (
	"fmt"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// table3 is the hyper-parameters of every run.
func table3() exp.Experiment {
	return stated("dasp/table3", "Training parameters", "DASP, Table 3", func(res *result.Result, env exp.Env) {
		sizes := sizesOf(res.Profile)
		res.Config = map[string]any{"options": options(), "sizes": sizes}
		res.Tables = []result.Table{{ID: "parameters", Title: "Parameters of every run", Kind: result.Stated,
			Caption: "The body of the paper's Table 3 is lost: what we chose, why, and how sure we are that it is what the authors used.",
			Columns: []result.Column{{Key: "parameter", Title: "parameter"}, {Key: "value", Title: "value"}, {Key: "why", Title: "why"},
				{Key: "confidence", Title: "confidence"}},
			Rows: parameterRows(res.Profile, sizes, fmt.Sprint(env.Seeds))}}
	})
}

// each is a value per network, in words.
func each(sizes []size, of func(size) string) string {
	var out []string
	for _, s := range sizes {
		out = append(out, title[s.Model]+" "+of(s))
	}
	return strings.Join(out, ", ")
}

// dataOf names the set that a network is trained on.
func dataOf(s size) string {
	if s.Data != "" {
		return s.Data
	}
	return "the paper's set where it is found, else the embedded Fashion-MNIST"
}

func parameterRows(profile string, sizes []size, seeds string) [][]any {
	f := func(x any) string { return fmt.Sprint(x) }
	return [][]any{
		{"workers N", f(workers), "§3.1 states 6 workers and one server", "certain"},
		{"Smin", f(smin) + " versions", "half a round of 6 workers; the number is also GSSP's bounded delay, which counts clocks; see dasp/thresholds", "low"},
		{"Smax", f(smax) + " versions", "one round of 6 workers; LeNet-5 visits all three states on the heterogeneous cluster; see dasp/thresholds", "low"},
		{"α", f(alpha), "eq. (1) calls it a weight and is lost; half of the time that the oldest node is slower", "low"},
		{"SSP's threshold s", f(sspBound) + " clocks", "bounded delay 3 of GSSP, which the paper cites as [23]", "medium"},
		{"DSSP's range", fmt.Sprintf("[%d, %d] clocks", dsspLower, dsspUpper), "the range of DSSP's own paper", "medium"},
		{"optimiser", "SGD without momentum or weight decay", "Algorithm 2, line 7; the published script of GSSP, same models, has momentum 0.9 and weight decay 5e-4", "medium"},
		{"learning rate γ", each(sizes, func(s size) string { return f(s.Rate) }), "dasp/tuning's rule, under BSP alone; shared by all methods", "low"},
		{"batch of the gradients", each(sizes, func(s size) string { return f(s.Batch) }), "what two CPU cores can do in minutes", "not the authors'"},
		{"batch of the clock, all tables", f(fullBatch), "the published script of GSSP, same models and data sets", "medium"},
		{"networks trained", each(sizes, func(s size) string {
			if s.Width == 0 {
				return "whole"
			}
			return fmt.Sprintf("with 1/%g of the channels on %d×%[2]d images", 1/s.Width, s.Image)
		}), "what two CPU cores can do in minutes; their events are the whole network's", "not the authors' unless whole"},
		{"gradients per run", each(sizes, func(s size) string { return f(s.Pushes) }), strings.TrimSpace("what two CPU cores can do in minutes. " + looked(profile)), "not the authors'"},
		{"data set", each(sizes, dataOf), "§3.1 states MNIST and CIFAR-10; they are not ours to ship", "the authors' where named"},
		{"form of T_wait", "α·(f_j − f_i), from 0 to f_j", "eq. (1) is lost; the other readings stand in dasp/switches", "medium"},
		{"f", "forward and backward pass, without transfers and waits", "“time of the last iteration”; what it includes is not stated", "low"},
		{"seeds", seeds, "the paper states none", "not the authors'"},
		{"target accuracy", each(sizes, size.percent), "the paper says only “the same accuracy”; round numbers, set before any comparison of methods", "low"},
		{"LeNet-5", "61,706 parameters, ReLU, max-pool", "the usual modern form; the paper gives none", "medium"},
		{"VGG-19-BN", "20,040,522 parameters, one 512 → 10 classifier", "the CIFAR-10 form; GSSP's has a 4096-wide head", "medium"},
		{"gradient weights", "1/N in QIS, 1/K in WSS and FSS; 1/N for ASP, SSP, DSSP; 1/N over a BSP round", "eq. (2) restored; the baselines share the step size", "medium"},
		{"cost of starting a layer", train.DefaultLaunch.String() + ", once forward, twice backward", "kernel launches of eager frameworks of 2021–22", "low"},
		{"cost of an iteration beside its layers", train.DefaultOverhead.String() + ", slower on slower machines", "data loading, optimiser and the interpreter's loop; set after a first timing trial in which LeNet-5 never left QIS, before any accuracy", "low"},
	}
}
