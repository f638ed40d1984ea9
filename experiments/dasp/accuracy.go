package dasp

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
)

// floorRow is a longer training with the accuracy that it must reach: well
// below what the network is known for, well above what a wrong gradient gives.
type floorRow struct {
	model  string
	pushes int64
	floor  float64
}

// floorRows are trained by profiles standard and paper, on the real data.
var floorRows = []floorRow{{"lenet5", 11250, 0.985}, {"resnet18", 9360, 0.7}, {"vgg19_bn", 14040, 0.7}}

// accuracy asks whether training works at all: the tables above stop early,
// because they compare times.
func accuracy() exp.Experiment {
	e := exp.Experiment{ID: "dasp/accuracy", Title: "Accuracy that DASP reaches in longer training", Source: "ours: floors on the real data", Profiles: []string{"standard", "paper"}}
	sizeAt := func(profile string, f floorRow) size {
		s := sizeOf(profile, f.model)
		if profile == "standard" {
			s.Pushes, s.EvalEvery = f.pushes, f.pushes/6
		}
		return s
	}
	e.Seconds = func(profile string, _ int) (total float64) {
		for _, f := range floorRows {
			s := sizeAt(profile, f)
			total += s.seconds(s.Pushes)
		}
		return total
	}
	e.Run = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		r := &runs{ctx: ctx, env: env, total: e.Seconds(env.Profile, 1)}
		res := newResult(e, env, result.Trained, map[string]any{"options": options(), "seed": env.Seeds[0], "platform": load(heterogeneous)})
		res.Seeds = env.Seeds[:1]
		t := result.Table{ID: "floors", Title: "Final accuracy against the floor", Kind: result.Trained,
			Caption: "Accuracy of the final parameters on all test images, under DASP in the heterogeneous cluster, one seed, constant rate, no momentum, no augmentation. The floors were written before these runs.",
			Columns: []result.Column{{Key: "model", Title: "model"}, {Key: "gradients", Title: "gradients"},
				{Key: "epochs", Title: "epochs", Digits: 1}, {Key: "floor", Title: "floor", Unit: "%", Digits: 1},
				{Key: "accuracy", Title: "final accuracy", Unit: "%", Digits: 2}, {Key: "reached", Title: "reached"}}}
		var sets []*result.Data
		for _, f := range floorRows {
			s := sizeAt(env.Profile, f)
			c, err := r.get(title[f.model], s.seconds(s.Pushes), training(load(heterogeneous), "dasp", env.Seeds[0], s))
			if err != nil {
				return incomplete(res), err
			}
			sets, res.Engine = append(sets, c.Data), c.Engine
			reached := "yes"
			if c.Accuracy < f.floor {
				reached = "no"
				res.Notes = append(res.Notes, fmt.Sprintf("%s stays below its floor: %.2f of %g %%.", title[f.model], 100*c.Accuracy, 100*f.floor))
			}
			t.Rows = append(t.Rows, []any{title[f.model], s.Pushes, float64(s.Pushes) * float64(s.Batch) / float64(c.Data.Train), 100 * f.floor, 100 * c.Accuracy, reached})
			res.Notes = append(res.Notes, title[f.model]+": "+trainedOn(s, trainings{"bsp": {c}})+".")
		}
		setData(res, sets...)
		res.Tables, res.Status = []result.Table{t}, complete
		return res, nil
	}
	return e
}
