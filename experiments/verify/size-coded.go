package verify

import (
	"context"
	"fmt"
	"math/big"

	"gradsync/experiments/eval"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/model"
)

// modelWork is how often coded packets of all layers of a network may be received.
const modelWork = 3 * pairWork

// CountCoded counts the blocks, groups, packets and bytes of coded SGD's exchange at n nodes and
// redundancy r, and the packets of one iteration of a network, by its name. A size outside the
// limits is a SizeError.
func CountCoded(ctx context.Context, n, r int, network string) (_ *Size, err error) {
	defer caught(&err)

	pairAllowed(n, r)
	layers := layersOf(network)
	work := mul(codedsgd.UsefulPackets(n, r), whole(int64(r*len(layers))))
	if work.Cmp(whole(modelWork)) > 0 {
		sizef("n = %d, r = %d: coded packets of the %d layers of %s are received %s times, want at most %s: choose a smaller --model",
			n, r, len(layers), network, Grouped(work), Grouped(whole(modelWork)))
	}
	only := []cluster.Layer{{Name: "only", Length: n * r}} // n slices of r segments: no packet is padded
	s := &Size{Group: "codedsgd", Of: fmt.Sprintf("one exchange of %d nodes at redundancy %d, of gradients of %s bytes, on virtual time", n, r,
		Grouped(whole(int64(4*n*r)))), LeftOut: []LeftOut{}}
	s.codedSets(n, r)
	coded := codedsgd.Options{Method: codedsgd.CSSGD, Redundancy: r}
	once := codedRunOf(ctx, n, true, only, coded)
	each := codedRunOf(ctx, n, false, only, coded)
	plain := codedRunOf(ctx, n, false, only, codedsgd.Options{Method: codedsgd.SSGDUnicast, Redundancy: r})
	s.codedTraffic(n, r, once, each, plain)
	s.codedNetwork(ctx, n, r, network, layers, coded)
	return s, nil
}

// layersOf returns the layers of a network, which are exchanged one by one.
func layersOf(network string) (out []cluster.Layer) {
	m, err := model.Build(model.Spec{Name: network})
	if err != nil {
		sizef("%v", err)
	}
	for _, l := range m.Layers() {
		out = append(out, cluster.Layer{Name: l.Name, Offset: l.Offset, Length: l.Length})
	}
	return out
}

// codedTrace holds the traffic of one step: as its nodes count it, and as the network does.
type codedTrace struct {
	codedsgd.Totals
	messages, bytes *big.Rat
}

// codedRunOf runs one step without arithmetic on n nodes, whose network copies a packet to its
// receivers (multicast) or does not.
func codedRunOf(ctx context.Context, n int, multicast bool, layers []cluster.Layer, o codedsgd.Options) (t codedTrace) {
	network := even(n)
	network.Multicast = multicast
	logs, trace, err := cluster.Run(ctx, virtual.New(network, virtual.Config{Headerless: true}), func(p cluster.Proc) (*codedsgd.Log, error) {
		return codedsgd.Run(p, codedsgd.Job{Layers: layers, Batch: 2000, Rate: 0.125, Steps: 1, Options: o})
	})
	must(err)
	for _, l := range logs {
		t.Merge(l.Totals)
	}
	t.messages, t.bytes = sentAll(trace)
	return t
}

// codedSets compares the sets of blocks and nodes.
func (s *Size) codedSets(n, r int) {
	c := countExchange(n, r)
	const dealt = "enumerated from what Algorithm 2 deals out"
	for _, x := range []struct {
		what, formula, name string
		counted             int
	}{
		{"blocks of the batch", "C(n,r)", "blocks", c.Blocks},
		{"blocks that a node has", "C(n−1,r−1)", "have", c.Have},
		{"blocks that a node lacks", "C(n−1,r)", "left", c.Left},
		{"groups of r+1 nodes", "C(n,r+1)", "groups", c.Groups},
	} {
		want := ok(eval.Exact("codedsgd."+x.name, codedArgs(n, r)))
		s.equal(x.what, dealt, whole(int64(x.counted)), x.formula, want)
	}

}

func codedArgs(n, r int) eval.Args {
	return eval.Args{"n": whole(int64(n)), "r": whole(int64(r))}
}

// codedTraffic compares packets, messages and bytes of one layer: with multicast, without, and of the
// same blocks uncoded.
func (s *Size) codedTraffic(n, r int, once, each, plain codedTrace) {
	packets := ok(eval.Exact("codedsgd.packets", codedArgs(n, r)))
	load := ok(eval.Exact("codedsgd.load", codedArgs(n, r)))
	uncoded := ok(eval.Exact("codedsgd.uncoded", codedArgs(n, r)))
	receivers, gradient := whole(int64(r)), whole(int64(4*n*r))
	const nodes, net = "counted by the nodes as they send", "counted by the network"
	s.equal("packets", nodes, whole(once.Packets), "C(n,r+1)·(r+1)", packets)
	if once.Packets > 0 {
		s.equal("bytes of a packet", nodes, big.NewRat(once.Bytes, once.Packets), "K/r", new(big.Rat).Quo(gradient, receivers))
	}
	s.equal("bytes, multicast", net, once.bytes, "C(n,r+1)·(r+1)·K/r, (28)", mul(load, gradient))
	s.equal("unicast: messages", net, each.messages, "r·C(n,r+1)·(r+1)", mul(receivers, packets))
	s.equal("unicast: bytes", net, each.bytes, "(n−r)·C(n,r)·K", mul(uncoded, gradient))
	s.equal("uncoded, unicast: messages", net, plain.messages, "(n−r)·C(n,r), (29)", uncoded)
	s.equal("uncoded, unicast: bytes", net, plain.bytes, "(n−r)·C(n,r)·K, (29)", mul(uncoded, gradient))
	if once.Packets == 0 {
		s.Why = []string{"Every node has all blocks: nothing is sent."}
		return
	}
	s.Why = []string{fmt.Sprintf("K is the bytes of a gradient. Each of the %s packets is for the r = %d other nodes of its group. Where the network copies it "+
		"(multicast) it is sent once; on unicast links it is sent to each by itself, %s messages, and their bytes are those of the %s gradients "+
		"of the same blocks uncoded: there coding saves nothing.", Grouped(whole(once.Packets)), r, Grouped(each.messages), Grouped(plain.messages))}

}

// codedNetwork compares the packets of one iteration of a network, layer by layer.
func (s *Size) codedNetwork(ctx context.Context, n, r int, network string, layers []cluster.Layer, o codedsgd.Options) {
	packets := ok(eval.Exact("codedsgd.packets", codedArgs(n, r)))
	got := codedRunOf(ctx, n, false, layers, o)
	many := whole(int64(len(layers)))
	how := fmt.Sprintf("counted in one iteration of %s's %d layers", network, len(layers))
	s.equal(network+", an iteration: packets", how, whole(got.Packets), fmt.Sprintf("%d layers·C(n,r+1)·(r+1)", len(layers)), mul(many, packets))
	s.equal(network+", an iteration: unicast messages", how, got.messages, fmt.Sprintf("%d layers·r·C(n,r+1)·(r+1)", len(layers)),
		mul(mul(many, whole(int64(r))), packets))
	if got.Packets > 0 {
		s.Why = append(s.Why, fmt.Sprintf("Layers are exchanged one by one, so that `gradsync train --sync cssgd --redundancy %d --workers %d --model %s "+
			"--platform ring40 --timing-only --updates 1` prints %s packets, on any links: %d layers of %s. On unicast links those are %s messages.", r, n, network,
			Grouped(whole(got.Packets)), len(layers), Grouped(packets), Grouped(got.messages)))
	}
}
