package swarm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"time"

	"gradsync/experiments/method"
	"gradsync/papers/codedsgd"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/faults"
	"gradsync/shared/cluster/virtual"
)

// What all runs without a server have.
const (
	steps    = 6
	perBlock = 2  // samples of a batch, for each block and one more
	fixed    = 10 // range of coded SGD's fixed point
)

// ofRanks are the faults of methods without a server; their ranks crash, too, where others go on without them.
var ofRanks = faults.Mix{Within: 120 * time.Millisecond, Pause: 0.4, Longest: 60 * time.Millisecond, Late: 0.1, Slow: 0.4, Factor: 8}

// crashes is the probability that a rank of an elastic run crashes.
const crashes = 0.3

// survive lists the methods whose ranks go on without those that are lost.
var survive = []string{codedsgd.CSSGD, "ring", "ringsparse", "naive"}

// group is one run without a server.
type group struct {
	method  method.Method
	n       int
	perNode int // hierarchical
	sparse  ringsparse.Options
	coded   codedsgd.Options
	batch   int
	stopped bool // by OnStep, before the last of the job's steps
	elastic bool // ranks crash, and the others are told, each somewhat later
	notice  time.Duration
}

// outcome holds what a run without a server leaves, by rank.
type outcome struct {
	params [][]float32
	ends   [][]time.Duration // of steps
	totals []any             // of methods that count
	sent   []cluster.Traffic
	end    time.Duration
	lost   []int // ranks, in order of loss
}

// onRanks runs a seed of a method without a server.
func onRanks(ctx context.Context, m method.Method, seed uint64, cores int) (s Seed) {
	g := drawGroup(cluster.Stream(seed, 0, m.Name, "swarm"), m)
	g.notice = drawNotice(seed, m.Name)
	if r := cluster.Stream(seed, 0, m.Name, "threshold"); g.sparse.Kinds == "gradients" {
		g.sparse.Threshold = float64(r.IntN(4)) / 4
	}
	s = Seed{Method: m.Name, Seed: seed, Cluster: g.describe()}
	mix := ofRanks
	if g.elastic {
		mix.Crash = crashes
		s.Cluster += fmt.Sprintf(", told within %v", g.notice)
	}
	hosts, told := schedule(seed, g.n, func(int) faults.Mix { return mix })
	s.Faults = told
	o, err := g.run(ctx, hosts, seed, cores)
	s.Left = len(o.lost)
	if err != nil {
		s.Digest = digest(err)
		if s.Ended = g.refused(err, hosts); s.Ended == "" && (errors.Is(err, errEndless) || ctx.Err() == nil) {
			s.Broken = ending(err)
		}
		return s
	}
	s.Updates, s.End = steps, o.end
	s.Digest = digest(o.params, o.ends, o.totals, o.sent, o.end)
	s.Broken = first(o.check, func() string { return g.checkFaultFree(ctx, o) }, func() string { return g.checkSum(o) })
	return s
}

// drawGroup draws the ranks and the method's options.
func drawGroup(r *rand.Rand, m method.Method) *group {
	g := &group{method: m, n: 2 + r.IntN(5), perNode: 1, elastic: slices.Contains(survive, m.Name) && r.IntN(2) == 0}
	switch {
	case m.Name == "hierarchical":
		g.perNode = 1 + r.IntN(2)
		g.n = g.perNode * (1 + r.IntN(3))
	case m.Name == "ringsparse":
		g.sparse = ringsparse.Options{Kinds: []string{"both", "gradients", "weights"}[r.IntN(3)], Bandwidth: 125e6, NoOverlap: r.IntN(4) == 0}
	case m.Family == method.Coded:
		g.n = 2 + r.IntN(4)
		g.coded = codedsgd.Options{Method: m.Name, Redundancy: 1 + r.IntN(g.n), NoOverlap: r.IntN(4) == 0, Charge: true, Rate: 2e9, Range: fixed,
			Split: []string{codedsgd.Rows, codedsgd.Columns}[r.IntN(2)]}
		a, err := codedsgd.Assign(g.n, g.coded.Redundancy)
		if err != nil {
			panic(err) // of sizes that are drawn within bounds
		}
		g.coded.MicroBlocks = a.Blocks() * r.IntN(3)
		g.coded.Rounds = m.Name != codedsgd.Compressed && r.IntN(3) == 0
		g.coded.Literal = m.Name == codedsgd.CSSGD && g.n <= 4 && !g.coded.Rounds && r.IntN(4) == 0
		g.batch = perBlock*max(a.Blocks(), g.coded.MicroBlocks) + 1
	}
	g.stopped = (m.Name == "ringsparse" || m.Family == method.Coded) && r.IntN(4) == 0
	return g
}

// describe says what a seed has drawn.
func (g *group) describe() string {
	text := fmt.Sprintf("%d ranks", g.n)
	switch {
	case g.method.Name == "hierarchical":
		text += fmt.Sprintf(", %d per node", g.perNode)
	case g.method.Name == "ringsparse":
		text += ", kinds " + g.sparse.Kinds
		if g.sparse.Threshold > 0 {
			text += fmt.Sprintf(", threshold %g", g.sparse.Threshold)
		}
	case g.method.Family == method.Coded:
		text += fmt.Sprintf(", redundancy %d, %d micro-blocks, %s", g.coded.Redundancy, g.coded.MicroBlocks, g.coded.Split)
	}
	for _, f := range []struct {
		on   bool
		name string
	}{{g.coded.Rounds, "in rounds"}, {g.coded.Literal, "literal"}, {g.coded.NoOverlap || g.sparse.NoOverlap, "no overlap"},
		{g.stopped, "stopped"}, {g.elastic, "elastic"}} {
		if f.on {
			text += ", " + f.name
		}
	}
	return text
}

// run trains on all ranks under the faults.
func (g *group) run(ctx context.Context, hosts []faults.Host, seed uint64, cores int) (o outcome, err error) {
	o = outcome{params: make([][]float32, g.n), ends: make([][]time.Duration, g.n), totals: make([]any, g.n)}
	host := cluster.Host{Name: "w", FLOPS: 1e9, Memory: 1e9, Bandwidth: 125e6, Latency: 50 * time.Microsecond, Jitter: 0.2}
	p := cluster.Uniform(g.n, host, nil)
	p.Multicast = g.method.Multicast
	rt := faults.On(virtual.New(p, virtual.Config{Seed: seed, Cores: cores, Elastic: g.elastic, Notice: g.notice}),
		func(rank int) faults.Host { return hosts[rank] })
	left, err := rt.Run(ctx, func(p cluster.Proc) ([]byte, error) {
		k, planned := p.Rank(), int64(steps)
		if g.stopped {
			planned += 2
		}
		stop := func(step int64) (bool, error) { return step == steps-1, nil }
		var err error
		switch {
		case g.method.Family == method.Coded:
			task := samples{begin()}
			o.params[k] = task.params
			var log *codedsgd.Log
			if log, err = codedsgd.Run(p, codedsgd.Job{Task: task, Batch: g.batch, Rate: rate, Steps: planned, Options: g.coded, OnStep: stop}); err == nil {
				o.ends[k], o.totals[k] = log.Ends, log.Totals
			}
		case g.method.Name == "ringsparse":
			task := newQuadratic(k)
			o.params[k] = task.params
			var log *ringsparse.Log
			job := ringsparse.Job{Task: task, Layers: task.Layers(), Rate: rate, Steps: planned,
				Options: g.sparse, OnStep: stop, Log: &ringsparse.Log{}}
			if log, err = ringsparse.Run(p, job); err == nil {
				o.ends[k], o.totals[k] = log.Ends, fmt.Sprint(log.Totals)
			}
		default:
			task := newQuadratic(k)
			o.params[k] = task.params
			o.ends[k], err = g.dense(p, task)
		}
		return nil, err
	})
	if left.Trace != nil {
		o.sent, o.lost = left.Trace.Sent, left.Trace.Lost
	}
	o.end = left.Elapsed
	return o, err
}

// refused returns why a run with losses rightly ends before its steps, nothing if it had to go on: a block is lost
// with all that computed it, each of which crashed; or all ranks did.
func (g *group) refused(err error, hosts []faults.Host) string {
	crashed := func(rank int) bool { return hosts[rank].Crash > 0 }
	all := true
	for rank := range hosts {
		all = all && crashed(rank)
	}
	var abort *cluster.AbortError
	var block *codedsgd.BlockLostError
	switch {
	case all && errors.As(err, &abort) && abort.Op == "lost":
		return allLost
	case errors.As(err, &block) && !slices.ContainsFunc(block.Holders, func(rank int) bool { return !crashed(rank) }):
		return blockLost
	}
	return ""
}

// dense is the loop of methods that sum gradients as they are, as experiments/train has it: without the lost it goes on
// by a crew.
func (g *group) dense(p cluster.Proc, task *quadratic) (ends []time.Duration, err error) {
	crew, err := collective.NewCrew(p, cluster.Tag(len(lengths)))
	if err != nil {
		return nil, err
	}
	team := p
	if crew != nil {
		team = crew.Proc()
	}
	var scratch collective.Scratch
	for step := int64(0); step < steps; {
		made, err := step+1, g.sum(team, task, step, &scratch)
		if err == nil {
			err = cluster.Compute(p, cluster.Work{FLOP: 2 * params}, func() error {
				for i := range task.params {
					task.params[i] -= float32(float32(rate/float64(team.Size())) * task.grads[i])
				}
				return nil
			})
		} else if crew != nil && errors.Is(err, cluster.ErrLost) {
			made, err = crew.Regroup(step, task.params)
		}
		if err != nil {
			return nil, err
		}
		if made > step {
			ends = append(ends, p.Now())
		}
		step = made
	}
	if crew != nil {
		err = crew.Close(steps, task.params)
	}
	return ends, err
}

// sum computes a step's gradient and sums it over the team, layer by layer, while the backward pass goes on.
func (g *group) sum(p cluster.Proc, task *quadratic, step int64, scratch *collective.Scratch) (err error) {
	ls := task.Layers()
	last := len(ls) - 1
	stages := make([]cluster.Work, len(ls))
	for i, l := range ls {
		stages[last-i] = cluster.Work{FLOP: l.Forward.FLOP + l.Backward.FLOP}
	}
	reqs := p.Start(func(done func(int)) error {
		_, err := task.Grad(step, func(layer int) { done(last - layer) })
		return err
	}, stages...)
	for i := last; i >= 0; i-- {
		if err := cluster.Wait(p, reqs[last-i]); err != nil {
			return err
		}
		x, tag := task.grads[ls[i].Offset:ls[i].Offset+ls[i].Length], cluster.Tag(i)
		switch g.method.Name {
		case "ring":
			err = collective.Ring{Scratch: scratch}.AllReduce(p, tag, x)
		case "halving-doubling":
			err = collective.HalvingDoubling(p, tag, x)
		case "hierarchical":
			err = collective.Hierarchical(p, tag, g.perNode, x)
		case "naive":
			err = collective.NaiveExchange(p, tag, 0, x)
		default:
			err = fmt.Errorf("swarm: it knows no loop of %s", g.method.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// survivor returns a rank that is not lost.
func (o outcome) survivor() (rank int) {
	for slices.Contains(o.lost, rank) {
		rank++
	}
	return rank
}

// check says whether a rank that is not lost lacks a step or has other bits than another.
func (o outcome) check() string {
	for rank, ends := range o.ends {
		if slices.Contains(o.lost, rank) {
			continue
		}
		if len(ends) != steps {
			return fmt.Sprintf("rank %d ended after %d steps of %d", rank, len(ends), steps)
		}
		for i := 1; i < len(ends); i++ {
			if ends[i] < ends[i-1] {
				return fmt.Sprintf("rank %d's step %d ended at %v, before step %d", rank, i, ends[i], i-1)
			}
		}
		if i, of := equalBits(o.params[rank], o.params[o.survivor()]), o.survivor(); i >= 0 {
			return fmt.Sprintf("parameter %d is %g at rank %d, %g at rank %d", i, o.params[rank][i], rank, o.params[of][i], of)
		}
	}
	return ""
}

// faultFreeRanks holds outcomes without faults by the group's description.
var faultFreeRanks sync.Map

// checkFaultFree says how a run differs from that without faults: time changes neither bits nor
// messages, and losses no bit of coded SGD.
func (g *group) checkFaultFree(ctx context.Context, o outcome) string {
	if len(o.lost) > 0 && g.method.Family != method.Coded {
		return ""
	}
	key := g.method.Name + " " + g.describe()
	known, ok := faultFreeRanks.Load(key)
	if !ok {
		calm, err := g.run(ctx, make([]faults.Host, g.n), 0, 1)
		if err != nil {
			return "without faults: " + ending(err)
		}
		known = calm
		faultFreeRanks.Store(key, calm)
	}
	calm := known.(outcome)
	x := o.params[o.survivor()]
	if i := equalBits(x, calm.params[0]); i >= 0 {
		return fmt.Sprintf("parameter %d is %g, %g without faults", i, x[i], calm.params[0][i])
	}
	if len(o.lost) > 0 {
		return ""
	}
	if !reflect.DeepEqual(o.sent, calm.sent) || !reflect.DeepEqual(o.totals, calm.totals) {
		return fmt.Sprintf("other messages than without faults: %v %v, want %v %v", o.sent, o.totals, calm.sent, calm.totals)
	}
	return ""
}

// checkSum says how the parameters differ from one rank's that sums all gradients alone: in their bits those of coded
// SGD, since sums of integers have no order, and of a ring of gradients, whose order is known, the others' within
// rounding; after losses from those of every course that they allow.
func (g *group) checkSum(o outcome) string {
	x := o.params[o.survivor()]
	if g.method.Family == method.Coded {
		if want, i := g.alone(), 0; !slices.Equal(x, want) {
			for x[i] == want[i] {
				i++
			}
			return fmt.Sprintf("parameter %d is %g, %g where one rank sums all gradients alone", i, x[i], want[i])
		}
		return ""
	}
	if !g.leads(begin(), make([][]float32, g.n), 0, nil, o.lost, x) {
		return fmt.Sprintf("it ends at %g: means of the living's gradients lead there by no course, lost in order %v", x, o.lost)
	}
	return ""
}

// leads reports whether steps from x on, of which the ranks hold back some, lead to end or near it, each with the mean
// over the ranks that are not gone when it is made; gone are the first of those that are lost, never fewer than in the
// step before.
func (g *group) leads(x []float32, held [][]float32, step int64, gone, lost []int, end []float32) bool {
	if step == steps {
		off := 1e-4
		if g.sparse.Kinds == "gradients" {
			off = 0
		}
		for i, v := range x {
			if d := math.Abs(float64(v) - float64(end[i])); !(d <= off*max(1, math.Abs(float64(v)))) {
				return false
			}
		}
		return true
	}
	for n := len(gone); n <= len(lost); n++ {
		next, back := g.mean(x, held, step, lost[:n])
		if g.leads(next, back, step+1, lost[:n], lost, end) {
			return true
		}
	}
	return false
}

// mean returns what a step of the ranks that are not gone makes of x, and what each then holds back for its next
// gradient. The sum of a block begins with the rank of its number and goes round: who has added to it holds back what
// is at most the threshold.
func (g *group) mean(x []float32, held [][]float32, step int64, gone []int) (next []float32, back [][]float32) {
	var alive []int
	grads, back := make([][]float32, g.n), make([][]float32, g.n)
	for rank := range g.n {
		if slices.Contains(gone, rank) {
			continue
		}
		alive = append(alive, rank)
		grads[rank], back[rank] = make([]float32, params), make([]float32, params)
		gradient(grads[rank], x, rank, step)
		for i, v := range held[rank] {
			grads[rank][i] += v
		}
	}
	n := len(alive)
	factor := -float32(rate * (1 / float64(n)))
	next = slices.Clone(x)
	for _, l := range layers() {
		for block := range n {
			lo, hi := ringsparse.Block(l.Length, n, block)
			for i := l.Offset + lo; i < l.Offset+hi; i++ {
				sum := float32(0)
				for hop := range n {
					rank := alive[(block+hop)%n]
					if sum += grads[rank][i]; math.Abs(float64(sum)) <= g.sparse.Threshold {
						back[rank][i], sum = sum, 0
					}
				}
				next[i] += float32(factor * sum)
			}
		}
	}
	return next, back
}

// alone makes all steps of coded SGD on one rank.
func (g *group) alone() []float32 {
	x, grads := begin(), make([]float32, params)
	a, err := codedsgd.Assign(g.n, g.coded.Redundancy)
	if err != nil {
		panic(err) // it ran
	}
	pieces, most := max(a.Blocks(), g.coded.MicroBlocks), float64(fixed)
	if g.method.Name == codedsgd.Compressed {
		most *= float64(int64(1) << bits.Len(uint(pieces-1)))
	}
	bounds, task := a.Split(g.batch, pieces, nil), samples{x}
	q := make([]int32, params)
	for step := range int64(steps) {
		sum := make([]int64, params)
		for b := range pieces {
			if _, err := task.BlockGrad(step, bounds[b], bounds[b+1], grads, func(int) {}); err != nil {
				panic(err) // it returns none
			}
			codedsgd.Quantise(q, grads, most)
			codedsgd.Accumulate(sum, q)
		}
		codedsgd.Update(x, sum, most, g.batch, rate, 0)
	}
	return x
}
