package survival

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

// learnt is the end of a training in earnest that loses nodes.
type learnt struct {
	R        int // 0: the ring
	Lost     int
	Same     bool    // the bits of the undisturbed training of this r
	Refused  bool    // it ended by the name of a block that is lost
	Accuracy float64 // per cent, on all test images
}

// trainings makes all trainings of a seed.
type trainings struct {
	Ends   []learnt
	Data   *result.Data
	Engine string
}

// latest is the share of an undisturbed training before which its nodes are lost: losses only make it longer.
const latest = 0.95

// lose draws k different nodes, and when each is lost.
func (p plan) lose(seed uint64, r, k int, whole time.Duration) (out []train.Crash) {
	draw := cluster.Stream(seed, 100*r+k, "", "codedsgd/survival/trainings")
	for _, rank := range draw.Perm(p.Nodes)[:k] {
		micros := int64(latest * float64(whole/time.Microsecond))
		out = append(out, train.Crash{Rank: rank, At: time.Duration(1+draw.Int64N(micros)) * time.Microsecond})
	}
	return out
}

// training configures one in earnest: by coded SGD at r, or by a ring (r = 0).
func (p plan) training(r int, seed uint64) train.Config {
	c := p.config(settings[0], r, p.Nodes, seed, nil)
	t := p.Bits
	if r == 0 {
		t = p.Path
	}
	c.TimingOnly, c.BatchSize, c.MaxUpdates, c.Data, c.EvalEvery = false, t.Batch, int64(t.Updates), t.Data, -1
	return c
}

// train makes the trainings of a seed: every r undisturbed, with 1 … r losses, and the ring with up to PathLost.
func (p plan) train(ctx context.Context, env exp.Env, seed uint64) (out trainings, err error) {
	env.Progress = nil
	rs := append([]int{0}, judged...)
	parts := make([]trainings, len(rs))
	err = kit.AtOnce(len(rs), func(i int) error {
		var err error
		parts[i], err = train.KeptBy(ctx, env, p.training(rs[i], seed), func(c train.Config) (trainings, error) {
			return p.lossy(ctx, c, rs[i])
		}, "codedsgd/survival", latest, p.PathLost)
		return err
	})
	for _, part := range parts {
		out.Ends, out.Data, out.Engine = append(out.Ends, part.Ends...), part.Data, part.Engine
	}
	return out, err
}

// lossy makes a training without losses and then with each number of them.
func (p plan) lossy(ctx context.Context, c train.Config, r int) (t trainings, err error) {
	whole, err := train.Run(ctx, c)
	if err != nil {
		return t, err
	}
	t = trainings{[]learnt{{R: r, Same: true, Accuracy: accuracyOf(whole)}}, whole.Data, whole.Engine}
	most := r
	if r == 0 {
		most = p.PathLost
	}
	for k := 1; k <= most; k++ {
		c.Crashes = p.lose(c.Seed, r, k, whole.Ends[len(whole.Ends)-1])
		out, err := train.Run(ctx, c)
		var block *codedsgd.BlockLostError
		switch {
		case errors.As(err, &block):
			t.Ends = append(t.Ends, learnt{R: r, Lost: k, Refused: true})
			continue
		case err != nil:
			return t, fmt.Errorf("r = %d, losses %v: %w", r, c.Crashes, err)
		case len(out.Lost) != k || len(out.Ends) != len(whole.Ends):
			return t, fmt.Errorf("codedsgd/survival: r = %d, losses %v: lost %v in %d updates", r, c.Crashes, out.Lost, len(out.Ends))
		}
		t.Ends = append(t.Ends, learnt{R: r, Lost: k, Same: out.ParamsSHA256 == whole.ParamsSHA256, Accuracy: accuracyOf(out)})
	}
	return t, nil
}

// accuracyOf returns the test accuracy in per cent.
func accuracyOf(o *train.Outcome) float64 {
	if o.TestAccuracy == nil {
		return 0
	}
	return 100 * *o.TestAccuracy
}

// bitsFrame counts, by r and losses, the trainings that end with the undisturbed bits, and those that name a lost block.
func bitsFrame(all []trainings) (result.Frame, []result.Fact) {
	f := kit.NewSheet("bits", "r lost runs same refused")
	runs, same, fatal, refused := 0, 0, 0, 0
	for _, r := range judged {
		for k := 1; k <= r; k++ {
			n, s, x := 0, 0, 0
			for _, t := range all {
				for _, e := range t.Ends {
					if e.R == r && e.Lost == k {
						n, s, x = n+1, s+setup.One(e.Same), x+setup.One(e.Refused)
					}
				}
			}
			if f.Add(r, k, n, s, x); k < r {
				runs, same = runs+n, same+s
			} else {
				fatal, refused = fatal+n, refused+x
			}
		}
	}
	f.Kind = result.Trained
	return f.Frame, kit.Facts("bits.runs", runs, "bits.same", same, "bits.fatal", fatal, "bits.refused", refused,
		"bits", runs == same && fatal == refused)
}

// pathFrame sets the elastic ring's accuracy after k losses beside the undisturbed one's.
func pathFrame(p plan, all []trainings) result.Frame {
	f := kit.NewSheet("path", "lost accuracy~/%.1 change~/points.2 path:path")
	accuracy := func(k int) (s kit.Sample) {
		for _, t := range all {
			for _, e := range t.Ends {
				if e.R == 0 && e.Lost == k {
					s = append(s, e.Accuracy)
				}
			}
		}
		return s
	}
	for k := range p.PathLost + 1 {
		change := accuracy(k).Minus(accuracy(0))
		if k == 0 {
			change = kit.Estimate{}
		}
		f.Add(k, accuracy(k).Mean(), change, pathOf(change, k))
	}
	f.Kind = result.Trained
	return f.Frame
}

// pathOf answers whether a change of accuracy is none.
func pathOf(change kit.Estimate, lost int) string {
	switch {
	case lost == 0:
		return ""
	case change.CI == nil:
		return "alone"
	case change.CI[0] > -margin && change.CI[1] < margin:
		return "equal"
	case change.CI[0] > margin || change.CI[1] < -margin:
		return "other"
	}
	return "undecided"
}
