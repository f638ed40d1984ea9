package where

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// job returns what every rank runs of a way at a rate set and link.
func job(p *cluster.Platform, o ringsparse.Options, rates string, layers []cluster.Layer) ringsparse.Job {
	o.Bandwidth, o.Rates, o.Charge = p.Workers[0].Bandwidth, ratesOf(rates), true
	return ringsparse.Job{Layers: layers, Rate: 0.05, Steps: 1, Options: o}
}

// time runs every way of a point, timing-only, on virtual time.
func (p plan) time(ctx context.Context, c point) (times, error) {
	on := setup.WithLink(setup.Platform(), c.Gbps)
	these := p.layers(c)
	seconds := func(way string, these ...layer) (float64, error) {
		j := job(on, setup.WayOf(way).Options, c.Rates, nil)
		for _, x := range these {
			n := int(x.elements)
			j.Layers = append(j.Layers, cluster.Layer{Name: "layer", Offset: n * len(j.Layers), Length: n})
		}
		j.Density = func(l int) (float64, float64) { return these[l].weights, these[l].gradients }
		x, err := setup.Iterate(ctx, on, virtual.Config{Workers: c.Nodes}, j, nil)
		if err != nil {
			return 0, fmt.Errorf("ringsparse: %s at %v: %w", way, c, err)
		}
		return x.Seconds, nil
	}
	t := times{}
	var err error
	for _, way := range ways {
		if t[way], err = seconds(way, these...); err != nil {
			return nil, err
		}
	}
	for _, x := range these {
		least := math.Inf(1)
		for _, way := range []string{"dense", "gradients", "weights"} {
			s, err := seconds(way, x)
			if err != nil {
				return nil, err
			}
			least = min(least, s)
		}
		t[perKind] += least
	}
	return t, nil
}

// trained holds the real network on one link at one rate set: seconds and bytes of one step by way, over
// seeds, and the seconds by the formulas at the densities that its own gradients have.
type trained struct {
	Rates             string
	Gbps              float64
	Seconds, Formulas map[string]kit.Sample
	Bytes             map[string]kit.Sample
}

// closeness holds how far the parameters of RingSparse lie from the dense ring's on one seed.
type closeness struct {
	Gradients, Pruned float64 // densities: of the embedding's gradient and of the pruned layers' weights
	Dense             float64 // of the pruned layers' gradients
	Share             float64 // largest distance after one step over its bound
	First, Last       float64 // largest distance after one step and after all
	Moved             float64 // how far the dense ring's parameters went
}

// network is the embedding beside pruned layers, as one seed draws it.
type network struct {
	plan   plan
	seed   uint64
	start  []float32
	mask   []bool
	layers []cluster.Layer // that take no time to compute
}

func (p plan) network(seed uint64) network {
	x := network{plan: p, seed: seed, start: p.Real.Start(seed)}
	for _, l := range p.Real.Layers(p.RealBatch) {
		x.layers = append(x.layers, cluster.Layer{Name: l.Name, Offset: l.Offset, Length: l.Length})
	}
	first := x.layers[1].Offset
	tail := slices.Clone(x.layers[1:])
	for i := range tail {
		tail[i].Offset -= first
	}
	x.mask = append(slices.Repeat([]bool{true}, first), setup.Prune(x.start[first:], tail, p.Keep)...)
	return x
}

// run trains for some steps by a way and returns what it took and rank 0's parameters.
func (x network) run(ctx context.Context, way, rates string, gbps float64, steps int64) (setup.Iteration, []float32, error) {
	on := setup.WithLink(setup.Platform(), gbps)
	j := job(on, setup.WayOf(way).Options, rates, x.layers)
	j.Mask, j.Rate, j.Steps = x.mask, x.plan.Rate, steps
	texts := x.plan.Real.Texts(x.seed)
	var params []float32
	out, err := setup.Iterate(ctx, on, virtual.Config{Workers: x.plan.RealNodes}, j, func(rank int) cluster.Task {
		task := texts.Task(rank, x.plan.RealBatch, x.start)
		if rank == 0 {
			params = task.Params()
		}
		return task
	})
	if err != nil {
		return out, nil, fmt.Errorf("ringsparse: %s at %g Gb/s, %s rates: %w", way, gbps, rates, err)
	}
	return out, params, nil
}

// densities returns the layers with the densities of the first gradients, mean over ranks, and the largest
// entry of all gradients.
func (x network) densities() (these []layer, largest float64, err error) {
	for _, l := range x.layers {
		these = append(these, layer{float64(l.Length), ringsparse.Density(x.start[l.Offset:l.Offset+l.Length], 0), 0})
	}
	texts := x.plan.Real.Texts(x.seed)
	for rank := range x.plan.RealNodes {
		task := texts.Task(rank, x.plan.RealBatch, x.start)
		if _, err := task.Grad(0, func(int) {}); err != nil {
			return nil, 0, err
		}
		for i, l := range x.layers {
			these[i].gradients += ringsparse.Density(task.Grads()[l.Offset:l.Offset+l.Length], 0) / float64(x.plan.RealNodes)
		}
		for _, g := range task.Grads() {
			largest = max(largest, math.Abs(float64(g)))
		}
	}
	return these, largest, nil
}

// train runs one seed's network by every way, and compares parameters with the dense ring's.
func (m *found) train(ctx context.Context, seed uint64, b *exp.Bar) error {
	x := m.plan.network(seed)
	these, largest, err := x.densities()
	if err != nil {
		return err
	}
	for i, c := range m.plan.realCases() {
		if len(m.real) == i {
			m.real = append(m.real, trained{c.Rates, c.Gbps, map[string]kit.Sample{}, map[string]kit.Sample{}, map[string]kit.Sample{}})
		}
		on := setup.WithLink(setup.Platform(), c.Gbps)
		by := linkOf(on, ratesOf(c.Rates)).iteration(on, m.plan.RealNodes, these)
		r := m.real[i]
		for _, way := range ways {
			out, _, err := x.run(ctx, way, c.Rates, c.Gbps, 1)
			if err != nil {
				return err
			}
			r.Seconds[way] = append(r.Seconds[way], out.Seconds)
			r.Bytes[way] = append(r.Bytes[way], float64(out.Totals.Sent.Bytes))
			r.Formulas[way] = append(r.Formulas[way], by[way])
		}
		b.Step(fmt.Sprintf("real gradients, %g Gb/s, %s rates, seed %d", c.Gbps, c.Rates, seed))
	}
	near, err := x.closeness(ctx, these, largest)
	if err != nil {
		return err
	}
	m.near = append(m.near, near)
	b.Step(fmt.Sprintf("parameters, seed %d", seed))
	return nil
}

// realCases lists the rates and links of the real network.
func (p plan) realCases() (out []point) {
	for _, r := range rateSets() {
		for _, gbps := range p.RealLinks {
			out = append(out, point{Rates: r.Key, Gbps: gbps, Nodes: p.RealNodes})
		}
	}
	return out
}

// closeness trains by RingSparse and by the dense ring. After one step every parameter must lie within
// twice formula.UpdateError of the other's, once for each exchange.
func (x network) closeness(ctx context.Context, these []layer, largest float64) (c closeness, err error) {
	c.Gradients = these[0].gradients
	all := 0.0
	for _, l := range these[1:] {
		c.Pruned, c.Dense = c.Pruned+float64(l.weights*l.elements), c.Dense+float64(l.gradients*l.elements)
		all += l.elements
	}
	c.Pruned, c.Dense = c.Pruned/all, c.Dense/all
	for _, steps := range []int64{1, x.plan.Steps} {
		_, mine, err := x.run(ctx, subject, "assumed", 1, steps)
		if err != nil {
			return c, err
		}
		_, dense, err := x.run(ctx, "dense", "assumed", 1, steps)
		if err != nil {
			return c, err
		}
		far := 0.0
		for i, w := range dense {
			d := math.Abs(float64(mine[i]) - float64(w))
			far = max(far, d)
			if steps == 1 {
				c.Share = max(c.Share, d/(2*formula.UpdateError(float64(x.start[i]), x.plan.Rate, largest, x.plan.RealNodes)))
			} else {
				c.Moved = max(c.Moved, math.Abs(float64(w)-float64(x.start[i])))
			}
		}
		if steps == 1 {
			c.First = far
		}
		c.Last = far
	}
	return c, nil
}
