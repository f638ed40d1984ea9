// Package survival asks what redundancy costs against how many losses of a node it survives, beside
// checkpoints, beside rings that go on without the lost, and beside starting anew. The paper does not ask this: it
// computes blocks several times to save bytes.
//
// Coded SGD's and the elastic ring's runs are runs of the virtual cluster, whose nodes crash by a schedule. What
// checkpoints, a share that is taken over, and starting anew cost follows by a loop over the iteration times of such
// runs: no implementation of them is run here.
package survival

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/shared/cluster"
)

// The questions, how they are answered, and all grids. They were committed before the first run of this experiment;
// what was known then are the undisturbed times of 50 updates of the ring and of coded SGD at r = 1 … 4 on this
// platform, and that a run with two crashes ends.
//
// A cell is a setting and a mean time between losses. In each cell every r of judged stands beside a rival, paired by
// seed: both meet the same losses until a run begins anew. It is sooner if the whole interval of the ratio of times is
// below 1, later if above, else nobody can tell; where a run did not end by the cap, the sign test decides in place of the
// interval. Intervals and tests of the judged r and the times between losses of one setting and rival hold at once
// (Bonferroni). A cell's answer is yes if one r is sooner, no if all are later, else "cannot tell".
//
//   - redundancy: does r > 1 end sooner than coded SGD at r = 1, which computes nothing twice?
//   - anew: does coded SGD end sooner than a ring that starts anew after each loss?
//   - checkpoint: does it end sooner than a ring with a checkpoint at Daly's interval, which knows the rate of losses
//     but not when they come? The best interval of the grid in hindsight stands beside it and decides nothing.
//   - takeover: does it end sooner than a ring whose living nodes take over the share of the lost?
//   - bits: does every training with at most r − 1 losses, and none with r, end with the parameters of the undisturbed
//     one, to the bit? One exception is a no.
//   - trajectory: a ring that goes on with fewer ranks has smaller batches. After k losses its accuracy is the undisturbed
//     one's if the whole interval of the difference, paired by seed, is within ±margin; it is another if the whole
//     interval is outside; else nobody can tell.
const margin = 1. // points

// judged are the redundancies that are judged; r = 1 stands beside them.
var judged = []int{2, 3, 4}

// plan says what a profile runs. Times without a unit are shares of T0, the time in which an undisturbed ring makes
// the updates on that link.
type plan struct {
	Nodes    int       `json:"nodes"`
	PerNode  int       `json:"per_node"` // samples of a batch for each node
	Width    float64   `json:"width"`    // of the paper's DNN: computing over bytes does not depend on it
	Updates  int       `json:"updates"`
	Between  []float64 `json:"between"` // mean times between the losses of a whole cluster
	Settings []setting `json:"settings"`
	Notice   float64   `json:"notice"`    // until a loss is noticed, in which nothing goes on: in every method
	Cap      float64   `json:"cap"`       // a run that has not ended by then is given up
	Every    []int     `json:"every"`     // updates between checkpoints, beside Daly's
	Bits     trained   `json:"bits"`      // trainings whose parameters are compared
	Path     trained   `json:"path"`      // trainings whose accuracies are
	PathLost int       `json:"path_lost"` // losses of those, at most
}

// trained says how a training goes.
type trained struct {
	Updates int    `json:"updates"`
	Batch   int    `json:"batch"`
	Data    string `json:"data"`
}

// setting is one in which all methods run.
type setting struct {
	Key     string  `json:"key"`     // of the enumeration setting
	Link    float64 `json:"link"`    // bandwidth over the platform's
	Restart float64 `json:"restart"` // until a cluster runs again, lost hosts replaced
	Disk    float64 `json:"disk"`    // a checkpoint's cost over that of disk
}

// settings vary one thing each. That a training here takes seconds and a restart elsewhere minutes matters only by
// their ratio: an hour's restart of a day's training is 4 %.
var settings = []setting{
	{Key: "base", Link: 1, Restart: 0.05, Disk: 1},
	{Key: "slow-link", Link: 0.1, Restart: 0.05, Disk: 1},
	{Key: "quick-restart", Link: 1, Restart: 0.005, Disk: 1},
	{Key: "dear-disk", Link: 1, Restart: 0.05, Disk: 10},
}

// The store of checkpoints, an assumption of low confidence: a file is written at diskRate and synced with its folder in
// diskSync, while training waits; it is read as fast, without the sync.
const (
	diskRate = 200e6 // bytes per second
	diskSync = 10 * time.Millisecond
)

func planOf(profile string) plan {
	p := plan{Nodes: 6, PerNode: setup.DNN.PerNode, Width: 0.125, Updates: 100, Between: []float64{0.2, 0.5, 1, 2, 5, 10}, Settings: settings,
		Notice: 0.005, Cap: 10, Every: []int{1, 2, 5, 10, 20, 50}, PathLost: 3,
		Bits: trained{Updates: 30, Batch: 240, Data: setup.DNN.Dataset(profile)}, Path: trained{Updates: 100, Batch: 240, Data: setup.DNN.Dataset(profile)}}
	if profile == "ci" {
		p.Updates, p.Between, p.Settings, p.Every = 12, []float64{0.5, 2}, settings[:1], []int{2, 5}
		p.Bits.Updates, p.Path.Updates, p.PathLost = 4, 6, 1
	}
	return p
}

// profiles names them for this experiment: on real data the trainings in earnest alone would differ.
var profiles = []string{"ci", "quick"}

// ownSeeds returns the seeds of a run for which nobody names any.
func ownSeeds(profile string) (seeds []uint64) {
	for s := range setup.Pick(profile, 1, 20) {
		seeds = append(seeds, uint64(s))
	}
	return seeds
}

// comparisons counts those that hold at once.
func (p plan) comparisons() int { return len(judged) * len(p.Between) }

// platform returns the first nodes, at a setting's link.
func (s setting) platform(nodes int) *cluster.Platform {
	return setup.First(setup.Platform(), nodes).WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth *= s.Link })
}

// write and read return the time that a checkpoint of some bytes takes.
func (s setting) write(bytes float64) time.Duration { return s.read(bytes) + s.times(diskSync) }

func (s setting) read(bytes float64) time.Duration {
	return s.times(time.Duration(math.Round(bytes / diskRate * 1e9)))
}

func (s setting) times(d time.Duration) time.Duration {
	return time.Duration(math.Round(s.Disk * float64(d)))
}

// daly returns the near-optimal time of work between two checkpoints that take w each, m between losses:
//
//	√(2·w·m)·(1 + ⅓·√(w/2m) + ⅑·(w/2m)) − w, and m where w ≥ 2m
//
// The leading term is Young's. Source: J. T. Daly, A higher order estimate of the optimum checkpoint interval for restart
// dumps, Future Generation Computer Systems 22 (2006) 303–312, eq. (37); J. W. Young, A first order approximation to the
// optimum checkpoint interval, Communications of the ACM 17 (1974) 530–531
func daly(w, m float64) float64 {
	if w >= 2*m {
		return m
	}
	x := w / (2 * m)
	series := 1 + float64(math.Sqrt(x)/3) + float64(x/9)
	return float64(math.Sqrt(2*w*m)*series) - w
}

// every returns Daly's interval in whole updates of a ring that makes one in each time tick.
func every(w, m, tick time.Duration, updates int) int {
	k := int(math.Round(daly(float64(w), float64(m)) / float64(tick)))
	return min(max(k, 1), updates)
}

// crash is the loss of a node at a time after its cluster began.
type crash struct {
	Rank int
	At   time.Duration
}

// crashes returns when each node of a cluster is lost that begins for the attempt-th time, soonest first. Lives are
// exponential, so that those of nodes that lived on are like new ones'; the first loss of n nodes comes after between
// on average. Unit lives depend on the seed, the node and the attempt alone: longer times between losses stretch them.
func (p plan) crashes(seed uint64, attempt int, between time.Duration) (all []crash) {
	for rank := range p.Nodes {
		r := cluster.Stream(seed, rank, fmt.Sprint(attempt), "codedsgd/survival")
		life := math.Round(-1e6*math.Log(1-r.Float64())) / 1e6
		all = append(all, crash{rank, max(time.Duration(life*float64(p.Nodes)*float64(between)), 1)})
	}
	slices.SortStableFunc(all, func(a, b crash) int { return int(min(max(a.At-b.At, -1), 1)) })
	return all
}
