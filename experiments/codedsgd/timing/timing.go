// Package timing tells how long an iteration takes: simulated, for an exchange on a number
// of nodes (timing.go), and by the time model of §3.2.4 (model.go).
package timing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

// Ring names the pre-summed ring all-reduce beside codedsgd.Methods().
const Ring = "ring"

// Exchange is a method of synchronous SGD that is timed.
type Exchange struct {
	Method     string `json:"method"`     // of codedsgd.Methods(), or "ring"
	Redundancy int    `json:"redundancy"` // r; 0: 1
	// Whole: one message per gradient of a block. Else the paper's message model, the
	// gradient of each of Q(n) micro-blocks by itself. The ring always sums first.
	Whole bool `json:"whole,omitempty"`
	// NoOverlap exchanges when the backward pass is over.
	NoOverlap bool `json:"no_overlap,omitempty"`
}

// Unicast and Multicast are SSGD; a variant says what travels.
var (
	Unicast   = Exchange{Method: codedsgd.SSGDUnicast, Redundancy: 1}
	Multicast = Exchange{Method: codedsgd.SSGDMulticast, Redundancy: 1}
)

// Coded returns CSSGD at redundancy r; a variant says what travels.
func Coded(r int) Exchange { return Exchange{Method: codedsgd.CSSGD, Redundancy: r} }

// Key names x in the enumeration method; it fixes the colour of a series.
func (x Exchange) Key() string {
	if x.Method == codedsgd.CSSGD {
		return fmt.Sprintf("cssgd-r%d", x.Redundancy)
	}
	return x.Method
}

// Iteration holds the cost of one iteration of an exchange, a mean over several.
type Iteration struct {
	Seconds   float64 `json:"seconds"`
	Compute   float64 `json:"compute"`   // seconds of one node's device, without jitter: r·Tcalc
	Packets   float64 `json:"packets"`   // sent by all ranks together, a multicast once
	Bytes     float64 `json:"bytes"`     // of them, a multicast once
	Delivered float64 `json:"delivered"` // of them, once per receiver
	Coding    float64 `json:"coding"`    // bytes of int32 terms that a node quantises, adds, subtracts and sums
}

// Iterations is how many iterations a mean is over: computations are jittered by 2 %, and
// an iteration waits for the slowest node.
const Iterations = 4

// Config holds everything that decides an iteration's time.
type Config struct {
	Net      setup.Network `json:"net"`
	Nodes    int           `json:"nodes"`
	Exchange Exchange      `json:"exchange"`
	// Micro is Q; 0: setup.Q. Grow is how many batches' samples are computed at once: an
	// iteration's numbers are divided by it, so that a larger Q has micro-blocks of the
	// same size. 0: 1.
	Micro int     `json:"micro,omitempty"`
	Grow  int     `json:"grow,omitempty"`
	Link  float64 `json:"link,omitempty"` // bandwidth over the platform's; 0: 1
	// Shared: one medium with the capacity of all links together. Else a switch.
	Shared bool `json:"shared,omitempty"`
	// Links is how many links' capacity the medium has; 0: all nodes'.
	Links int `json:"links,omitempty"`
	// Ideal leaves out jitter, latencies, time per message, frame headers and coding:
	// what remains is computing and bytes.
	Ideal bool `json:"ideal,omitempty"`
	// Speeds are the nodes' speeds over the platform's; nil: 1. Uneven cuts the blocks by
	// them.
	Speeds []float64 `json:"speeds,omitempty"`
	Uneven bool      `json:"uneven,omitempty"`
	Steps  int       `json:"steps,omitempty"` // 0: Iterations
	Seed   uint64    `json:"seed,omitempty"`  // of the jitter
}

// Variant is a way in which the redundancies are timed.
type Variant struct {
	Key     string `json:"key"` // of the enumeration setting
	Whole   bool   `json:"whole"`
	Shared  bool   `json:"shared"`
	Overlap bool   `json:"overlap"`
	// Even: as many micro-blocks on any number of nodes (setup.Even), in the place of Q(n).
	Even bool `json:"even,omitempty"`
	// Fixed: a medium of the capacity of setup.Anchor links, on any number of nodes.
	Fixed bool `json:"fixed,omitempty"`
}

// Variants are all ways. C10, C11 and C34 are judged on the first: the paper's message
// model on one medium, without overlap, as its time model supposes (§3.2.4: computing plus
// communication, the latter linear in the amount of data). Jitter, latencies and coding are
// the platform's.
var Variants = []Variant{
	{Key: "micro-medium", Shared: true},
	{Key: "micro-medium-overlap", Shared: true, Overlap: true},
	{Key: "micro-switch"},
	{Key: "micro-switch-overlap", Overlap: true},
	{Key: "whole-medium", Whole: true, Shared: true},
	{Key: "whole-medium-overlap", Whole: true, Shared: true, Overlap: true},
	{Key: "whole-switch", Whole: true},
	{Key: "whole-switch-overlap", Whole: true, Overlap: true},
}

// EvenVariants are ways of constant cutting: on a medium of all links together, on one whose
// capacity does not grow with the nodes, and on a switch. No claim is judged on them.
var EvenVariants = []Variant{
	{Key: "even-medium", Shared: true, Even: true},
	{Key: "even-fixed", Shared: true, Even: true, Fixed: true},
	{Key: "even-switch-overlap", Overlap: true, Even: true},
}

// VariantOf returns the variant of a key.
func VariantOf(key string) Variant {
	return kit.Find(Variants, func(v Variant) bool { return v.Key == key })
}

// Judged is the variant on which claims are judged: a multicast costs its sender once and
// nobody else anything. In Switched micro-blocks travel over a switch, with overlap, and in
// Ethernet whole gradients, as the printed algorithm sends them; there every receiver's
// link carries a multicast too.
var Judged, Switched, Ethernet = Variants[0], VariantOf("micro-switch-overlap"), VariantOf("whole-switch-overlap")

// On returns the setting of x in variant v.
func (v Variant) On(net setup.Network, n int, x Exchange) Config {
	x.Whole, x.NoOverlap = v.Whole, !v.Overlap
	s := Config{Net: net, Nodes: n, Exchange: x, Shared: v.Shared}
	if v.Fixed {
		s.Links = setup.Anchor
	}
	switch {
	case v.Whole:
	case v.Even:
		s.Micro, s.Grow = setup.EvenCut(n)
	default:
		if micro, batches := setup.Cut(n, s.redundancy()); batches > 1 {
			s.Micro, s.Grow = micro, batches
		}
	}
	return s
}

// Messages returns the message model of a variant, a key of the enumeration messages:
// bytes do not depend on what carries them.
func (v Variant) Messages() string {
	if v.Whole {
		return "whole"
	}
	return "micro"
}

// AllRedundancies lists 1 to 8, Figure 12's axis.
func AllRedundancies() (rs []int) {
	for r := 1; r <= setup.Anchor; r++ {
		rs = append(rs, r)
	}
	return rs
}

// Anchored returns a setting of 8 nodes that serves every redundancy. C(8,4) = 70 does not
// divide Q(8) = 56 of the other figures: here Q = 280, and five batches' samples are
// computed at once, so that a micro-block has as many samples as there. Times are per
// batch.
func Anchored(net setup.Network, x Exchange, shared bool) Config {
	s := Config{Net: net, Nodes: setup.Anchor, Exchange: x, Shared: shared}
	if !x.Whole {
		s.Micro = setup.MicroBlocks(setup.Anchor, AllRedundancies()...)
		s.Grow = s.Micro / setup.Q(setup.Anchor)
	}
	return s
}

// Run times an iteration of the network at full width: a timing-only run of a few
// iterations, made once.
func Run(ctx context.Context, env exp.Env, s Config) (Iteration, error) {
	p := s.platform()
	return kit.Keep(ctx, env, []any{s, Iterations, train.CodingRate, p}, func(string) (Iteration, error) {
		it, err := s.run(ctx, p)
		if err != nil {
			return it, fmt.Errorf("codedsgd: %s, %d nodes, %s r = %d: %w", s.Net.Key, s.Nodes, s.Exchange.Method, s.redundancy(), err)
		}
		return it, nil
	})
}

func (s *Config) redundancy() int { return max(s.Exchange.Redundancy, 1) }

func (s *Config) grow() int { return max(s.Grow, 1) }

// micro returns Q of the messages; 0: whole gradients.
func (s *Config) micro() int {
	if s.Exchange.Whole {
		return 0
	}
	return cmp.Or(s.Micro, setup.Q(s.Nodes))
}

// platform returns the platform of every timed run, changed as s says.
func (s *Config) platform() *cluster.Platform {
	p := setup.Platform()
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

// Layers returns the layers of net on n nodes, with the work of one sample, and the shapes
// of their weight matrices.
func Layers(net setup.Network, n int) (out []cluster.Layer, shapes [][2]int) {
	m := net.Build(n)
	for _, l := range m.Layers() {
		shapes = append(shapes, setup.Shape(m, l))
		out = append(out, cluster.Layer{Name: l.Name, Offset: l.Offset, Length: l.Length,
			Forward: cluster.Work{FLOP: l.ForwardFLOP, Bytes: l.Bytes}, Backward: cluster.Work{FLOP: l.BackwardFLOP, Bytes: 2 * l.Bytes}})
	}
	return out, shapes
}

// SampleWork returns the work of one sample, forward and backward.
func SampleWork(layers []cluster.Layer) (w cluster.Work) {
	for _, l := range layers {
		w.FLOP += l.Forward.FLOP + l.Backward.FLOP
		w.Bytes += l.Forward.Bytes + l.Backward.Bytes
	}
	return w
}

// Elements counts the parameters.
func Elements(layers []cluster.Layer) (n int) {
	for _, l := range layers {
		n += l.Length
	}
	return n
}

func (s *Config) run(ctx context.Context, p *cluster.Platform) (it Iteration, err error) {
	layers, shapes := Layers(s.Net, s.Nodes)
	cfg := virtual.Config{Seed: s.Seed, Workers: s.Nodes, Headerless: s.Ideal}
	wrap := func(q cluster.Proc) cluster.Proc { return q }
	if s.Shared {
		var m *medium
		m, p = newMedium(p, s.Ideal, cmp.Or(s.Links, s.Nodes))
		wrap = m.attach
	}
	steps := cmp.Or(s.Steps, Iterations)
	job := codedsgd.Job{Layers: layers, Shapes: shapes, Batch: s.grow() * s.Net.Batch(s.Nodes), Rate: 0.05, Steps: int64(steps),
		Options: codedsgd.Options{Method: s.Exchange.Method, Redundancy: s.redundancy(), MicroBlocks: s.micro(), NoOverlap: s.Exchange.NoOverlap,
			Charge: !s.Ideal, Rate: train.CodingRate}}
	if s.Uneven {
		job.Options.Speeds = slices.Clone(s.Speeds)
	}
	logs, trace, err := cluster.Run(ctx, virtual.New(p, cfg), func(q cluster.Proc) (*codedsgd.Log, error) {
		if s.Exchange.Method == Ring {
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
	if s.Exchange.Method == Ring {
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
	w := SampleWork(layers)
	samples := float64(s.redundancy()*s.Net.Batch(s.Nodes)) / float64(s.Nodes)
	w.FLOP, w.Bytes = w.FLOP*samples, w.Bytes*samples
	it.Compute = setup.Platform().Workers[0].Seconds(w)
	return it, nil
}

// ringRun runs synchronous SGD by ring all-reduce, timing-only: every rank sums the
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

// medium is shared by all nodes, a bus or the air: it carries one transmission
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

// newMedium puts p's nodes on one medium with the capacity of a number of their links, time
// per message included: of all of them, and SSGD with unicasts takes as long there as on a
// switch. It returns the medium, and p with NICs that never limit.
func newMedium(p *cluster.Platform, headerless bool, links int) (*medium, *cluster.Platform) {
	m := &medium{header: cluster.HeaderBytes}
	if headerless {
		m.header = 0
	}
	for _, h := range p.Workers {
		m.rate += h.Bandwidth
		m.overhead = max(m.overhead, h.Overhead.Seconds())
	}
	m.overhead /= float64(links)
	if links != len(p.Workers) {
		m.rate *= float64(links) / float64(len(p.Workers))
	}
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

// Ibcast makes one transmission, however many hear it.
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
