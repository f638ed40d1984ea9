package codedsgd

import (
	"context"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

// Fig. 3's matrix: the last layer of the DNN with 8 hidden units, 10 × 8 weights and
// 10 biases. Three does not divide 8, 10 or 10, two divides all.
const smallWidth = 8. / 512

// most segments that gradients are cut in; the paper's clusters have ten nodes.
const mostSegments = 10

// splits are the ways that the paper names ("by row vectors or by column vectors").
var splits = []string{codedsgd.Columns, codedsgd.Rows}

// splitPlan is what a profile computes.
type splitPlan struct {
	Images int       `json:"images"` // of the gradients, the first of the set
	Widths []float64 `json:"widths"` // of the networks that are cut in all ways
}

func planSplit(profile string) splitPlan {
	if profile == "ci" {
		return splitPlan{Images: 4, Widths: []float64{0.125, 0.25}}
	}
	return splitPlan{Images: 16, Widths: []float64{1, 1}}
}

// fig3 cuts a real gradient by columns and by rows.
func fig3() exp.Experiment {
	e := exp.Experiment{ID: "codedsgd/fig3", Title: "Splitting a gradient matrix by column", Source: "CSSGD, Fig. 3", Profiles: exp.Profiles}
	e.Seconds = func(profile string, _ int) float64 {
		switch profile {
		case "ci":
			return 0.5
		case "quick":
			return 3
		}
		return 6 // reads both sets
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planSplit(env.Profile)
		res := exp.NewResult(e, env, result.Trained, map[string]any{"plan": plan, "small_width": smallWidth, "networks": networks(), "segments": mostSegments, "range": fixedRange, "seed": env.Seeds[0], "padding": paddingNodes})
		res.Seeds = env.Seeds[:1]
		small, err := gradientsOf(env, dnn, smallWidth, plan.Images, res)
		if err != nil {
			return res, err
		}
		last := small[len(small)-1]
		var all []reassembly
		for i, w := range networks() {
			if err := ctx.Err(); err != nil {
				return res, err
			}
			layers, err := gradientsOf(env, w, plan.Widths[i], plan.Images, res)
			if err != nil {
				return res, err
			}
			for _, s := range splits {
				x, err := reassemble(layers, s)
				if err != nil {
					return res, err
				}
				all = append(all, x)
			}
		}
		var eq16 []printed
		for _, r := range redundancies {
			x, err := tryPrinted(last, r)
			if err != nil {
				return res, err
			}
			eq16 = append(eq16, x)
		}
		pads, err := paddings()
		if err != nil {
			return res, err
		}
		if err := drawSplits(res, last); err != nil {
			return res, err
		}
		res.Tables = append(res.Tables, reassemblyTable(all), printedTable(eq16), paddingTable(pads))
		res.Notes = fig3Notes(last, all, eq16, pads)
		res.Status = complete
		return res, nil
	}
	return e
}
