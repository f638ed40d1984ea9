package ringsparse

import (
	"fmt"

	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// circulate leaves in forms[r] the message of rank r, of n elements, whose own is
// there already. sent, if not nil, is told of every message.
func circulate(p cluster.Proc, tag cluster.Tag, forms []cluster.Msg, n int, sent func(*cluster.Msg)) error {
	ranks, r := p.Size(), p.Rank()
	for i := range ranks - 1 {
		in, out := &forms[mod(r-i-1, ranks)], &forms[mod(r-i, ranks)]
		*in = cluster.Msg{Body: in.Body}
		received := p.Irecv(mod(r-1, ranks), tag, in)
		if sent != nil {
			sent(out)
		}
		if err := cluster.Wait(p, received, p.Isend(mod(r+1, ranks), tag, out)); err != nil {
			return err
		}
		if _, _, err := ReadHeader(in, 1, n); err != nil {
			return err
		}
	}
	return nil
}

// takeIn adds m, whose header was read, to x, or stores it there.
func takeIn(x []float32, m *cluster.Msg, sum bool) error {
	c, err := codec.ByID(uint8(m.Meta[1]))
	if err == nil && sum {
		err = c.Accumulate(x, m.Body)
	} else if err == nil {
		err = c.Decode(x, m.Body)
	}
	if err != nil {
		return fmt.Errorf("ringsparse: gradient from rank %d: %w", m.From, err)
	}
	return nil
}

// allGather is exchange for the rival: one block per layer and rank, all gradients.
func (x *ring) allGather() error {
	if err := x.local(); err != nil {
		return err
	}
	x.measure(0, 1)
	if err := x.pack(0, 0, true); err != nil {
		return err
	}
	if x.forms == nil {
		x.forms = make([]cluster.Msg, x.n)
	}
	x.forms[x.rank] = x.msg[0]
	sent := func(m *cluster.Msg) { x.log.Totals.sent(m, -1) }
	if err := circulate(x.p, cluster.Tag(x.layer), x.forms, x.length, sent); err != nil {
		return err
	}
	x.tags[x.layer][0] = Gradients
	for r := range x.forms {
		if id := x.forms[r].Meta[1]; id != 0 {
			x.spend(entryBytes*x.length, x.coders[id].Decode)
		}
		if !x.computes() {
			continue
		}
		if err := takeIn(x.own.part(Gradients, 0), &x.forms[r], r > 0); err != nil {
			return err
		}
	}
	return x.wait()
}
