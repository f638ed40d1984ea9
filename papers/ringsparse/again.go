package ringsparse

import (
	"fmt"

	"gradsync/shared/cluster"
)

// Decision holds what a block's numbers decided when it was packed: S41's kind, S42's codec and the length that came of it.
// A run that makes a step again by its decisions sends the same messages at the same instants.
//
// Source: ours: a run that is killed goes on
type Decision struct {
	Kind               Kind
	Codec              uint8
	Tie                bool
	Bytes              int
	Weights, Gradients float64 // densities, where the log has choices, else 0
}

// again reports whether the step under way is made by decisions alone.
func (x *ring) again() bool { return x.job.Task != nil && x.step < x.job.Timed }

// timing reports whether the step under way computes nothing.
func (x *ring) timing() bool { return x.job.Task == nil || x.again() }

// checkDecisions refuses a log that has not the decisions of the steps to make again.
func (x *ring) checkDecisions() error {
	each := len(x.job.Layers) * x.n
	if x.rival {
		each = len(x.job.Layers)
	}
	if got, want := len(x.log.Decisions), int(x.job.Timed)*each; x.job.Task != nil && got != want {
		return fmt.Errorf("ringsparse: rank %d: %d decisions for %d steps to make again, want %d", x.rank, got, x.job.Timed, want)
	}
	return nil
}

// decided returns the decision about the next block that is packed again.
func (x *ring) decided() *Decision { return &x.log.Decisions[x.next] }

// encodeAgain makes a message without a body by the next decision.
func (x *ring) encodeAgain(h Header) (Header, cluster.Msg) {
	d := x.decided()
	x.next++
	h.Codec = d.Codec
	if h.Codec != 0 {
		x.spend(4*h.Elements, x.decoders[h.Codec].Encode)
	}
	return h, cluster.Msg{From: x.rank, Meta: h.Meta(), Declared: d.Bytes}
}

// decide notes a decision where the run may have to be made again.
func (x *ring) decide(h Header, i, bytes int, tie bool) {
	if !x.job.Keep || x.timing() {
		return
	}
	d := Decision{Kind: h.Kind, Codec: h.Codec, Tie: tie, Bytes: bytes}
	if x.job.Options.LogChoices {
		d.Weights, d.Gradients = x.dw[i], x.dg[i]
	}
	x.log.Decisions = append(x.log.Decisions, d)
}
