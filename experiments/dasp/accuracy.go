package dasp

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// floors are accuracies that training must reach on the real data: well below
// what the networks are known for, well above what a wrong gradient gives.
var floors = map[string]float64{"lenet5": 0.985, "resnet18": 0.7, "vgg19_bn": 0.7}

// longer are the trainings that must reach them. The lengths of standard are
// those at which single BSP runs had passed the floors, half as much again for
// VGG-19-BN, which had passed by a tenth of a point, and twice as much for
// LeNet-5, which ended at 98.31 % in a first run under DASP.
func longer(profile string) []size {
	sizes := sizesOf(profile)
	if profile == "standard" {
		for i, pushes := range []int64{22500, 9360, 14040} {
			sizes[i].Pushes, sizes[i].EvalEvery = pushes, pushes/6
		}
	}
	return sizes
}

// accuracy asks whether training works at all: the tables above stop early,
// because they compare times.
func accuracy() exp.Experiment {
	e := exp.Experiment{ID: "dasp/accuracy", Title: "Accuracy that DASP reaches in longer training", Source: "ours: floors on the real data", Profiles: []string{"standard", "paper"}}
	e.Seconds = func(profile string, _ int) (total float64) {
		for _, s := range longer(profile) {
			total += s.seconds(s.Pushes)
		}
		return total
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		r := &runs{ctx: ctx, env: env, total: e.Seconds(env.Profile, 1)}
		res := exp.NewResult(e, env, result.Trained, map[string]any{"options": options(), "seed": env.Seeds[0], "platform": load(heterogeneous),
			"clock_batch": fullBatch, "sizes": longer(env.Profile), "floors": floors})
		res.Seeds = env.Seeds[:1]
		t := result.Table{ID: "floors", Title: "Final accuracy against the floor", Kind: result.Trained,
			Caption: "Accuracy of the final parameters on all test images, under DASP in the heterogeneous cluster, one seed, constant rate, no momentum, no augmentation. The floors were given; " +
				"that for CIFAR-10 is for both networks that the paper trains on it. The lengths were chosen from single BSP runs that had passed them; LeNet-5's was doubled after a first run under DASP, which ended at 98.31 %.",
			Columns: []result.Column{{Key: "model", Title: "model"}, {Key: "gradients", Title: "gradients"},
				{Key: "epochs", Title: "epochs", Digits: 1}, {Key: "floor", Title: "floor", Unit: "%", Digits: 1},
				{Key: "accuracy", Title: "final accuracy", Unit: "%", Digits: 2}, {Key: "reached", Title: "reached"}}}
		var sets []*result.Data
		for _, s := range longer(env.Profile) {
			c, err := r.get(title[s.Model], s.seconds(s.Pushes), training(load(heterogeneous), "dasp", env.Seeds[0], s))
			if err != nil {
				return incomplete(res), err
			}
			sets, res.Engine = append(sets, c.Data), c.Engine
			reached, floor := "yes", floors[s.Model]
			if c.Accuracy < floor {
				reached = "no"
				res.Notes = append(res.Notes, fmt.Sprintf("%s stays below its floor: %.2f of %.4g %%.", title[s.Model], 100*c.Accuracy, 100*floor))
			}
			t.Rows = append(t.Rows, []any{title[s.Model], s.Pushes, float64(s.Pushes) * float64(s.Batch) / float64(c.Data.Train), 100 * floor, 100 * c.Accuracy, reached})
			res.Notes = append(res.Notes, title[s.Model]+": "+trainedOn(s, trainings{"bsp": {c}})+".")
		}
		setData(res, sets...)
		res.Tables, res.Status = []result.Table{t}, complete
		return res, nil
	}
	return e
}
