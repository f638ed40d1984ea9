//gradsync:pure

package ringsparse

import (
	"slices"
	"time"

	"gradsync/shared/cluster"
)

// Choice is one decision about one block: what was sent, or would be on a ring of
// one.
//
// Source: S52
type Choice struct {
	Step         int64
	Layer, Block int
	Hop          int  // receives already in the sum: 0 … N−1
	Gather       bool // the owner's choice for the all-gather
	Kind         Kind
	Codec        uint8 // codec.Codec.ID
	Tie          bool  // the kind was taken by the tie rule alone
	// Densities of both kinds after conversion; 0 of a kind that may not be sent.
	WeightDensity, GradientDensity float64
	Contributors                   int
	Bytes, DenseBytes              int
}

// Tally counts blocks and their bytes, coded and as they would be uncoded.
//
// Source: ours: what tables of traffic are made of
type Tally struct {
	Blocks, Bytes, DenseBytes int64
}

func (t *Tally) add(bytes, dense int) {
	t.Blocks++
	t.Bytes += int64(bytes)
	t.DenseBytes += int64(dense)
}

// Totals are the sums of one rank's run. Messages are those it sent, forwarded ones
// included; choices are its own, of blocks that have entries.
//
// Source: ours: what tables of traffic and decisions are made of
type Totals struct {
	Sent    Tally    // all messages
	Hops    []Tally  // reduce-scatter's, by hop
	Gather  Tally    // all-gather's
	Kinds   [3]Tally // messages by Kind
	Codecs  []Tally  // messages by codec.Codec.ID
	Choices int64
	Chosen  [3]int64 // choices by Kind
	Ties    int64    // choices by the tie rule alone
	// Conversions of S51, and how many entries they turned.
	ToWeights, ToGradients int64
	Converted              int64
}

// Log is one rank's record of a run.
//
// Source: ours: what tables and time lines are made of
type Log struct {
	Ends    []time.Duration // of each step, its update included
	Choices []Choice        // in order; empty unless Options.LogChoices
	Totals  Totals
	Lossy   bool // Options.Threshold dropped gradients, with error feedback

	Decisions []Decision // in order; empty unless Job.Keep
	Residual  []float32  // what a threshold dropped and the next gradient gets; the run's own; nil without
}

// Merge adds another rank's totals.
//
// Source: ours: tables are over all ranks
func (t *Totals) Merge(o Totals) {
	sum := func(a *Tally, b Tally) {
		a.Blocks, a.Bytes, a.DenseBytes = a.Blocks+b.Blocks, a.Bytes+b.Bytes, a.DenseBytes+b.DenseBytes
	}
	list := func(a *[]Tally, b []Tally) {
		*a = append(*a, make([]Tally, max(len(b)-len(*a), 0))...)
		for i := range b {
			sum(&(*a)[i], b[i])
		}
	}
	t.Hops, t.Codecs = slices.Clone(t.Hops), slices.Clone(t.Codecs)
	sum(&t.Sent, o.Sent)
	sum(&t.Gather, o.Gather)
	list(&t.Hops, o.Hops)
	list(&t.Codecs, o.Codecs)
	for k := range o.Kinds {
		sum(&t.Kinds[k], o.Kinds[k])
		t.Chosen[k] += o.Chosen[k]
	}
	t.Choices += o.Choices
	t.Ties += o.Ties
	t.ToWeights += o.ToWeights
	t.ToGradients += o.ToGradients
	t.Converted += o.Converted
}

// sent notes a message that ReadHeader or Meta vouches for; hop is −1 in the
// all-gather.
func (t *Totals) sent(m *cluster.Msg, hop int) {
	kind, codec, bytes, dense := m.Meta[0], int(m.Meta[1]), m.Size(), 4*int(m.Meta[3])
	t.Sent.add(bytes, dense)
	t.Kinds[kind].add(bytes, dense)
	for len(t.Codecs) <= codec {
		t.Codecs = append(t.Codecs, Tally{})
	}
	t.Codecs[codec].add(bytes, dense)
	if hop < 0 {
		t.Gather.add(bytes, dense)
		return
	}
	for len(t.Hops) <= hop {
		t.Hops = append(t.Hops, Tally{})
	}
	t.Hops[hop].add(bytes, dense)
}

// note logs the choice of message 0, and what decided it if the step may have to be made again. Blocks without entries
// are nobody's choice.
func (x *ring) note(h Header, i, hop int, gather, tie bool) {
	bytes, all := x.msg[0].Size(), x.job.Options.LogChoices
	if x.job.Keep && x.computes() {
		d := Decision{Kind: h.Kind, Codec: h.Codec, Tie: tie, Bytes: bytes}
		if all {
			d.Weights, d.Gradients = x.dw[i], x.dg[i]
		}
		x.log.Decisions = append(x.log.Decisions, d)
	}
	if h.Elements == 0 {
		return
	}
	t := &x.log.Totals
	t.Choices++
	t.Chosen[h.Kind]++
	if tie {
		t.Ties++
	}
	if !all {
		return
	}
	block := i
	if x.rival {
		block = x.rank
	}
	x.log.Choices = append(x.log.Choices, Choice{Step: x.step, Layer: x.layer, Block: block, Hop: hop, Gather: gather,
		Kind: h.Kind, Codec: h.Codec, Tie: tie, WeightDensity: x.dw[i], GradientDensity: x.dg[i],
		Contributors: h.Contributors, Bytes: bytes, DenseBytes: 4 * h.Elements})
}
