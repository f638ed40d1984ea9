package ringsparse

import (
	"math"

	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// AllGatherSparse is the rival: every rank's gradient goes coded and unsummed to all others, round the ring, and each
// rank sums all of them in rank order into its x. Nothing fills in on the wire, but every rank sends N−1 gradients:
//
//	(N−1)·size   against the ring's 2(N−1)/N·size
//
// All ranks call it with one tag and codec.
func AllGatherSparse(p cluster.Proc, tag cluster.Tag, c codec.Codec, x []float32) error {
	forms := make([]cluster.Msg, p.Size())
	h := Header{Kind: Gradients, Codec: c.ID(), Contributors: 1, Elements: len(x)}
	forms[p.Rank()] = cluster.Msg{Meta: h.Meta(), Body: c.Append([]byte{}, x)}
	if err := circulate(p, tag, forms, len(x), nil); err != nil {
		return err
	}
	for r := range forms {
		if err := takeIn(x, &forms[r], r > 0); err != nil {
			return err
		}
	}
	return nil
}

// AllGatherSparseTiming sends the messages of AllGatherSparse over n elements of the given density and sums nothing.
func AllGatherSparseTiming(p cluster.Proc, tag cluster.Tag, c codec.Codec, n int, density float64) error {
	forms := make([]cluster.Msg, p.Size())
	h := Header{Kind: Gradients, Codec: c.ID(), Contributors: 1, Elements: n}
	forms[p.Rank()] = cluster.Msg{Meta: h.Meta(), Declared: int(math.Round(c.SizeAt(n, density)))}
	return circulate(p, tag, forms, n, nil)
}
