package convergence

import (
	"cmp"
	"math"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
)

// plan is how a profile trains a network for table 2 and the figures of
// training. All of it was written before the first run of any two methods.
type plan struct {
	Net   setup.Network `json:"net"`
	Width float64       `json:"width,omitempty"` // share of the hidden units and channels; 0: all
	Rate  float64       `json:"rate"`            // η, of all methods
	// Nodes, ascending. On the last the trainings are whole, Updates long; on the
	// others they end at the target.
	Nodes   []int `json:"nodes"`
	Updates int64 `json:"updates"` // of a synchronous training, which ASGD's is as long as in samples
	// Every is how many updates lie between two evaluations, of ASGD n times as many
	// pushes: the same samples.
	Every  int64 `json:"every"`
	Images int   `json:"images"` // test images per evaluation
	// Seeds bounds how many of the command's seeds are used, 0: all; Runs is how many
	// times ASGD is trained on each number of nodes, over all seeds together, at least
	// once for each.
	Seeds int `json:"seeds,omitempty"`
	Runs  int `json:"runs"`
	// From Coarse nodes on the batch is cut into Blocks micro-blocks, a divisor of Q, since
	// Q of them would take too long to train: parameters differ by int32's rounding and
	// clipping alone. 0: never.
	Coarse int `json:"coarse,omitempty"`
	Blocks int `json:"blocks,omitempty"`
	// Alone is how many times as many updates the network alone is trained for in table
	// 2: the paper gave it unlimited time.
	Alone int64 `json:"alone"`
	// Part is the number of parts of which the first alone is trained again with whole
	// gradients.
	Part int64 `json:"part"`
	// Target is the test accuracy that times and traffic are taken at; 0: what the
	// paper's rule picks. Data names the set, "" the paper's or the embedded one.
	Target float64 `json:"target,omitempty"`
	Data   string  `json:"data"`
}

// planOf returns a profile's training of a network.
//
// At these lengths the runs by which the rate was chosen hardly rose any more; those of
// standard had passed the stated targets.
func planOf(profile string, net setup.Network) plan {
	s := plan{Net: net, Rate: setup.Rate, Nodes: net.Nodes(profile), Every: 1, Images: 1000, Alone: 2, Part: 1, Data: net.Dataset(profile)}
	large := net.Key == setup.CNN.Key
	switch profile {
	case "ci":
		s.Updates, s.Every, s.Images, s.Runs, s.Width = 6, 2, 200, 1, 1./16
	case "quick":
		s.Updates, s.Runs, s.Width = 240, 10, 0.125
		if large {
			s.Updates, s.Every, s.Runs, s.Width, s.Alone = 240, 2, 3, 0.25, 1
		}
	case "standard":
		s.Updates, s.Runs, s.Target = 160, 10, statedTarget(net)
		s.Coarse, s.Blocks, s.Alone = 10, 120, 1
		if large {
			s.Updates, s.Every, s.Runs, s.Seeds, s.Blocks, s.Part = 1200, 10, 1, 1, 40, 12
		}
	default: // paper
		s.Updates, s.Runs, s.Target = 1200, 10, statedTarget(net)
		if large {
			s.Updates, s.Every = 6000, 10
		}
	}
	return s
}

// statedTarget returns the paper's benchmark accuracy (§3.2.1).
func statedTarget(net setup.Network) float64 {
	return map[string]float64{setup.DNN.Key: 0.82, setup.CNN.Key: 0.7}[net.Key]
}

func (s plan) most() int { return s.Nodes[len(s.Nodes)-1] }

// blocks returns into how many micro-blocks the batch of n nodes is cut.
func (s plan) blocks(n int) int {
	if s.Coarse > 0 && n >= s.Coarse {
		return s.Blocks
	}
	return setup.Q(n)
}

func (s plan) seedsOf(seeds []uint64) []uint64 {
	return seeds[:min(cmp.Or(s.Seeds, len(seeds)), len(seeds))]
}

// synchronous configures the one training that stands for every synchronous method on n
// nodes: the integer sum of the same micro-blocks' gradients has the same bits in
// whatever order and packets they came, so that one node which computes all of them
// itself has the parameters of all n. A test holds it so.
func (s plan) synchronous(n int, seed uint64) train.Config {
	return train.Config{Sync: codedsgd.SSGDMulticast, Model: s.Net.Model, Width: s.Width, Classes: setup.Classes(n), Data: s.Data,
		Platform: setup.First(setup.Calm(setup.Platform()), 1), Workers: 1, Seed: seed, BatchSize: s.Net.Batch(n), Rate: s.Rate,
		MaxUpdates: s.Updates, EvalEvery: s.Every, EvalImages: s.Images, Launch: -1, Overhead: -1,
		CodedSGD: train.CodedSGD{Coded: &codedsgd.Options{Redundancy: 1, MicroBlocks: s.blocks(n)}}}
}

// serial configures the network alone: the same batches, nothing cut, quantised or sent.
func (s plan) serial(n int, seed uint64) train.Config {
	c := s.synchronous(n, seed)
	c.Sync, c.Coded, c.MaxUpdates = "ring", nil, s.Alone*s.Updates
	return c
}

// asynchronous configures ASGD on n nodes and a server: each push is the mean gradient of a
// node's own batch and moves the weights by η/n of it, so that n pushes are worth an
// update of the synchronous methods. Events and clock are the full network's.
func (s plan) asynchronous(n int, seed uint64, updates int64) train.Config {
	return train.Config{Sync: "asp", Model: s.Net.Model, Width: s.Width, Classes: setup.Classes(n), Data: s.Data,
		Platform: setup.First(setup.Platform(), n), Workers: n, Seed: seed, Batch: s.Net.PerNode, Rate: s.Rate,
		MaxPushes: int64(n) * updates, EvalEvery: int64(n) * s.Every, EvalImages: s.Images, Launch: -1, Overhead: -1,
		Clock: &train.Clock{}}
}

// trajectory is a training in the numbers that the figures need.
type trajectory struct {
	Curve     []train.Point
	Accuracy  float64 // of the final parameters on all test images
	SHA256    string
	Clipped   int64 // elements of gradients that int32 could not hold, not finite ones among them
	Seconds   float64
	Staleness float64 // mean, in versions
	Data      *result.Data
	Engine    string
}

func trajectoryOf(o *train.Outcome) trajectory {
	t := trajectory{Curve: o.Curve, Accuracy: *o.TestAccuracy, SHA256: o.ParamsSHA256, Staleness: o.Staleness.Mean, Data: o.Data, Engine: o.Engine}
	if o.VirtualSeconds != nil {
		t.Seconds = *o.VirtualSeconds
	}
	if o.Coded != nil {
		t.Clipped = o.Coded.Totals.Saturated + o.Coded.Totals.NotFinite
	}
	return t
}

// best returns the highest accuracy on the way, a share.
func (t trajectory) best() float64 { return t.bestIn(math.MaxInt64) }

// bestIn returns the highest accuracy within a number of updates.
func (t trajectory) bestIn(updates int64) (a float64) {
	for _, p := range t.Curve {
		if p.Updates <= updates {
			a = max(a, p.Accuracy)
		}
	}
	return a
}

// lastIn returns the accuracy of the last evaluation within a number of updates.
func (t trajectory) lastIn(updates int64) (a float64) {
	for _, p := range t.Curve {
		if p.Updates <= updates {
			a = p.Accuracy
		}
	}
	return a
}

// updatesTo and secondsTo return where a curve first has an accuracy; NaN: never.
func updatesTo(curve []train.Point, accuracy float64) float64 {
	return train.ReachOr(curve, accuracy).Updates
}

func secondsTo(curve []train.Point, accuracy float64) float64 {
	return train.ReachOr(curve, accuracy).Seconds
}

// clocked returns a copy of curve on a clock whose update takes the given seconds.
func clocked(curve []train.Point, seconds float64) []train.Point {
	out := make([]train.Point, len(curve))
	for i, p := range curve {
		p.Seconds = float64(p.Updates) * seconds
		out[i] = p
	}
	return out
}

// The paper's rule for the benchmark accuracy (§3.2.1): "near the target accuracy, a
// level at which the three algorithms differ most, from their original results". Made
// a program before the first run: of the whole per cents from levelsBelow points
// below the best accuracy that any of the trainings reaches on the largest number of
// nodes, up to it, those that all three reach in every seed; of these the one at
// which the spread of the mean times is largest, the highest of equals (to equalSpread:
// ratios of the same clocks at several levels differ by their rounding). If all three
// reach none of them, the highest whole per cent that they do reach.
const levelsBelow = 10

// equalSpread is the relative difference up to which two spreads are equal.
const equalSpread = 1e-9

// level is a candidate, in per cent, with the mean seconds of each algorithm, NaN
// where a training does not reach it.
type level struct {
	Percent int
	Seconds []float64
	Spread  float64 // (slowest − fastest)/fastest; NaN unless all reach it
}

// pickedLevel holds the rule's outcome for the trainings of several algorithms.
type pickedLevel struct {
	Best   float64 // accuracy, a share
	Levels []level // the candidates, ascending
	Picked int     // per cent; 0: none
	Below  bool    // no candidate is reached by all: Picked lies below them
}

// lowest reports whether the lowest candidate was picked: one below might have been.
func (c pickedLevel) lowest() bool {
	return !c.Below && len(c.Levels) > 0 && c.Picked == c.Levels[0].Percent
}

// pickLevel applies the rule to curves whose clocks run: [algorithm][run].
func pickLevel(curves [][][]train.Point) pickedLevel {
	var c pickedLevel
	all := 1.0 // that every run reaches
	for _, runs := range curves {
		for _, curve := range runs {
			top := trajectory{Curve: curve}.best()
			c.Best, all = max(c.Best, top), min(all, top)
		}
	}
	highest := int(math.Floor(100*c.Best + 1e-9))
	most := math.Inf(-1)
	for percent := max(highest-levelsBelow, 1); percent <= highest; percent++ {
		l := levelAt(curves, percent)
		if !math.IsNaN(l.Spread) && (math.IsInf(most, -1) || l.Spread >= most*(1-equalSpread)) {
			most, c.Picked = max(most, l.Spread), percent
		}
		c.Levels = append(c.Levels, l)
	}
	if c.Picked == 0 {
		c.Picked, c.Below = int(math.Floor(100*all+1e-9)), true
	}
	return c
}

func levelAt(curves [][][]train.Point, percent int) level {
	l := level{Percent: percent}
	least, most := math.Inf(1), 0.0
	for _, runs := range curves {
		sum := 0.0
		for _, curve := range runs {
			sum += secondsTo(curve, float64(percent)/100)
		}
		mean := sum / float64(len(runs))
		l.Seconds = append(l.Seconds, mean)
		least, most = min(least, mean), max(most, mean)
	}
	l.Spread = (most - least) / least
	return l
}
