package codedsgd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

// ringMethod names the pre-summed ring all-reduce beside codedsgd.Methods().
const ringMethod = "ring"

// exchange is a method of synchronous SGD that is timed.
type exchange struct {
	Method     string `json:"method"`     // of codedsgd.Methods(), or "ring"
	Redundancy int    `json:"redundancy"` // r; 0: 1
	// Whole: one message per gradient of a block. Else the paper's message model, the
	// gradient of each of Q(n) micro-blocks by itself. The ring always sums first.
	Whole bool `json:"whole,omitempty"`
	// NoOverlap exchanges when the backward pass is over.
	NoOverlap bool `json:"no_overlap,omitempty"`
}

// iteration is what one of an exchange's iterations takes, a mean over several.
type iteration struct {
	Seconds   float64 `json:"seconds"`
	Compute   float64 `json:"compute"`   // seconds of one node's device, without jitter: r·Tcalc
	Packets   float64 `json:"packets"`   // sent by all ranks together, a multicast once
	Bytes     float64 `json:"bytes"`     // of them, a multicast once
	Delivered float64 `json:"delivered"` // of them, once per receiver
	Coding    float64 `json:"coding"`    // bytes of int32 terms that a node quantises, adds, subtracts and sums
}

// timedIterations are what a mean is over: computations are jittered by 2 %, and an
// iteration waits for the slowest node.
const timedIterations = 4

// setting is everything that decides an iteration's time.
type setting struct {
	Net      network  `json:"net"`
	Nodes    int      `json:"nodes"`
	Exchange exchange `json:"exchange"`
	// Micro is Q; 0: that of r = 2 and 3. Grow is how many batches' samples are
	// computed at once: an iteration's numbers are divided by it, so that a larger Q
	// has micro-blocks of the same size. 0: 1.
	Micro int     `json:"micro,omitempty"`
	Grow  int     `json:"grow,omitempty"`
	Link  float64 `json:"link,omitempty"` // so many times the platform's bandwidth; 0: 1
	// Shared: one medium with the capacity of all links together. Else a switch.
	Shared bool `json:"shared,omitempty"`
	// Ideal leaves out jitter, latencies, time per message, frame headers and coding:
	// what remains is computing and bytes.
	Ideal bool `json:"ideal,omitempty"`
	// Speeds are the nodes', relative to the platform's; nil: 1. Uneven makes the
	// blocks by them.
	Speeds []float64 `json:"speeds,omitempty"`
	Uneven bool      `json:"uneven,omitempty"`
	Steps  int       `json:"steps,omitempty"` // 0: timedIterations
	Seed   uint64    `json:"seed,omitempty"`  // of the jitter
}

// timeSetting times an iteration of the network at full width: a timing-only run of a few
// iterations, made once.
func timeSetting(ctx context.Context, env exp.Env, s setting) (iteration, error) {
	p := s.platform()
	return kit.Keep(ctx, env, []any{s, timedIterations, train.CodingRate, p}, func(string) (iteration, error) {
		it, err := s.run(ctx, p)
		if err != nil {
			return it, fmt.Errorf("codedsgd: %s, %d nodes, %s r = %d: %w", s.Net.Key, s.Nodes, s.Exchange.Method, s.redundancy(), err)
		}
		return it, nil
	})
}

func (s *setting) redundancy() int { return max(s.Exchange.Redundancy, 1) }
func (s *setting) grow() int       { return max(s.Grow, 1) }

// micro is Q of the messages; 0: whole gradients.
func (s *setting) micro() int {
	if s.Exchange.Whole {
		return 0
	}
	return cmp.Or(s.Micro, qOf(s.Nodes))
}

// platform is the reference's, changed as s says.
func (s *setting) platform() *cluster.Platform {
	p := referencePlatform()
	p.Workers = p.Workers[:s.Nodes]
	for i := range p.Workers {
		h := &p.Workers[i]
		if s.Link > 0 {
			h.Bandwidth *= s.Link
		}
		if s.Ideal {
			h.Jitter, h.Latency, h.Overhead = 0, 0, 0
		}
		if s.Speeds != nil {
			h.FLOPS *= s.Speeds[i]
		}
	}
	return p
}

// layersOf are the layers of net on n nodes, with the works of one sample, and their
// weight matrices.
func layersOf(net network, n int) (out []cluster.Layer, shapes [][2]int) {
	m := net.network(n)
	for _, l := range m.Layers() {
		shapes = append(shapes, shapeOf(m, l))
		out = append(out, cluster.Layer{Name: l.Name, Offset: l.Offset, Length: l.Length,
			Forward: cluster.Work{FLOP: l.ForwardFLOP, Bytes: l.Bytes}, Backward: cluster.Work{FLOP: l.BackwardFLOP, Bytes: 2 * l.Bytes}})
	}
	return out, shapes
}

// sampleWork is what one sample costs, forward and backward.
func sampleWork(layers []cluster.Layer) (w cluster.Work) {
	for _, l := range layers {
		w.FLOP += l.Forward.FLOP + l.Backward.FLOP
		w.Bytes += l.Forward.Bytes + l.Backward.Bytes
	}
	return w
}

func elements(layers []cluster.Layer) (n int) {
	for _, l := range layers {
		n += l.Length
	}
	return n
}

func (s *setting) run(ctx context.Context, p *cluster.Platform) (it iteration, err error) {
	layers, shapes := layersOf(s.Net, s.Nodes)
	cfg := virtual.Config{Seed: s.Seed, Workers: s.Nodes, Headerless: s.Ideal}
	wrap := func(q cluster.Proc) cluster.Proc { return q }
	if s.Shared {
		var m *medium
		m, p = newMedium(p, s.Ideal)
		wrap = m.attach
	}
	steps := cmp.Or(s.Steps, timedIterations)
	job := codedsgd.Job{Layers: layers, Shapes: shapes, Batch: s.grow() * s.Net.batch(s.Nodes), Rate: 0.05, Steps: int64(steps),
		Options: codedsgd.Options{Method: s.Exchange.Method, Redundancy: s.redundancy(), MicroBlocks: s.micro(), NoOverlap: s.Exchange.NoOverlap,
			Charge: !s.Ideal, Rate: train.CodingRate}}
	if s.Uneven {
		job.Options.Speeds = slices.Clone(s.Speeds)
	}
	logs, trace, err := cluster.Run(ctx, virtual.New(p, cfg), func(q cluster.Proc) (*codedsgd.Log, error) {
		if s.Exchange.Method == ringMethod {
			return ringRun(wrap(q), job)
		}
		return codedsgd.Run(wrap(q), job)
	})
	if err != nil {
		return it, err
	}
	var t codedsgd.Totals
	for _, l := range logs {
		t.Merge(l.Totals)
		it.Seconds = max(it.Seconds, l.Ends[len(l.Ends)-1].Seconds())
	}
	if s.Exchange.Method == ringMethod {
		for _, sent := range trace.Sent {
			t.Packets += sent.Messages
		}
		t.Bytes = trace.BodyBytes()
		t.Delivered = t.Bytes
	}
	per := 1 / float64(steps*s.grow())
	it.Seconds *= per
	it.Packets, it.Bytes, it.Delivered = float64(t.Packets)*per, float64(t.Bytes)*per, float64(t.Delivered)*per
	it.Coding = float64(t.CodingBytes) * per / float64(s.Nodes)
	w := sampleWork(layers)
	samples := float64(s.redundancy()*s.Net.batch(s.Nodes)) / float64(s.Nodes)
	w.FLOP, w.Bytes = w.FLOP*samples, w.Bytes*samples
	it.Compute = referencePlatform().Workers[0].Seconds(w)
	return it, nil
}

// ringRun is synchronous SGD by ring all-reduce, timing-only: every rank sums the
// gradient of its share of the batch, and the ring sums those, layer by layer as the
// backward pass leaves them.
func ringRun(p cluster.Proc, job codedsgd.Job) (*codedsgd.Log, error) {
	last, share := len(job.Layers)-1, float64(job.Batch)/float64(p.Size())
	times := func(w cluster.Work) cluster.Work { return cluster.Work{FLOP: share * w.FLOP, Bytes: share * w.Bytes} }
	var forward cluster.Work
	stages := make([]cluster.Work, 1, last+2)
	for i := last; i >= 0; i-- {
		l := job.Layers[i]
		forward.FLOP += l.Forward.FLOP
		forward.Bytes += l.Forward.Bytes
		stages = append(stages, times(l.Backward))
	}
	stages[0] = times(forward)
	log := &codedsgd.Log{}
	for range job.Steps {
		reqs := p.Start(nil, stages...)
		if job.Options.NoOverlap {
			if err := cluster.Wait(p, reqs...); err != nil {
				return nil, err
			}
		}
		for i := last; i >= 0; i-- {
			if err := cluster.Wait(p, reqs[1+last-i]); err != nil {
				return nil, err
			}
			if err := collective.RingAllReduceTiming(p, cluster.Tag(i), job.Layers[i].Length); err != nil {
				return nil, err
			}
		}
		log.Ends = append(log.Ends, p.Now())
	}
	return log, nil
}

// medium is one that all nodes share, a bus or the air: it carries one transmission
// at a time, which every node hears, in the order in which they were handed over.
// Then, and only then, is "the time of communication linear in the amount of data"
// (§3.2.4): a multicast takes what a unicast takes, and no receiver is a bottleneck.
//
// A run in virtual time calls it from one coroutine at a time.
type medium struct {
	rate     float64 // bytes per second
	overhead float64 // seconds per transmission
	header   float64 // bytes per transmission
	free     float64 // when the last transmission that was handed over ends
}

// newMedium is p's nodes on one medium with the capacity of all their links
// together, time per message included, so that SSGD with unicasts takes there what
// it takes on a switch. The platform that it returns has NICs that never limit.
func newMedium(p *cluster.Platform, headerless bool) (*medium, *cluster.Platform) {
	m := &medium{header: cluster.HeaderBytes}
	if headerless {
		m.header = 0
	}
	for _, h := range p.Workers {
		m.rate += h.Bandwidth
		m.overhead = max(m.overhead, h.Overhead.Seconds())
	}
	m.overhead /= float64(len(p.Workers))
	return m, p.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth, h.Overhead = 1e18, 0 })
}

func (m *medium) attach(p cluster.Proc) cluster.Proc { return &station{Proc: p, medium: m} }

// station is a rank, or one of its threads, at a medium.
type station struct {
	cluster.Proc
	medium *medium
}

// after sends when the transmission of the message, handed over now, has ended.
func (s *station) after(m *cluster.Msg, send func(cluster.Proc) cluster.Req) cluster.Req {
	on := s.medium
	on.free = max(on.free, s.Proc.Now().Seconds()) + on.overhead + (float64(m.Size())+on.header)/on.rate
	end := time.Duration(on.free * 1e9)
	return s.Proc.Go("medium", func(q cluster.Proc) error {
		if err := cluster.Sleep(q, end-q.Now()); err != nil {
			return err
		}
		return cluster.Wait(q, send(q))
	})
}

// Isend sends after the message's turn; to oneself it is free.
func (s *station) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	if to == s.Rank() {
		return s.Proc.Isend(to, tag, m)
	}
	return s.after(m, func(q cluster.Proc) cluster.Req { return q.Isend(to, tag, m) })
}

// Ibcast is one transmission, however many hear it.
func (s *station) Ibcast(group []int, root int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	if root != s.Rank() {
		return s.Proc.Ibcast(group, root, tag, m)
	}
	return s.after(m, func(q cluster.Proc) cluster.Req { return q.Ibcast(group, root, tag, m) })
}

// Go begins a thread at the same medium.
func (s *station) Go(name string, body func(cluster.Proc) error) cluster.Req {
	return s.Proc.Go(name, func(q cluster.Proc) error { return body(s.medium.attach(q)) })
}
