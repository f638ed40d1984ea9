package ringsparse

import (
	"math"
	"time"

	"gradsync/shared/cluster"
)

// ring is one rank's half of the exchange, S4 to S6: its stores and its buffers.
// Timing-only runs have no stores.
type ring struct {
	rules
	p       cluster.Proc
	all     cluster.Proc // of the whole run, where p is one of the living alone; nil: p is
	n, rank int
	job     *Job
	log     *Log
	step    int64
	next    int // of the decisions to follow

	params   []float32 // W0 while a step lasts
	grads    []float32 // of a block: local gradient, then partial sum, then sum
	weights  []float32 // the same of W′
	residual []float32 // what a threshold dropped
	before   []float32 // the same when the step began, where a step may be repeated
	given    bool      // another rank had made the step and gave its end
	tags     [][]Kind  // [layer][block]: which store holds the sum

	blocks Blocks // nil: grads has the gradient when its layer is there

	msg [2]cluster.Msg
	buf [2][]byte
	due time.Duration // charged and not yet passed

	// Of the layer under way:
	layer      int
	lo, length int
	dw, dg     []float64 // densities by block
	path       []hop     // timing-only: densities by contributors − 1

	forms []cluster.Msg // of the rival: what each rank sent
}

func newRing(p cluster.Proc, job *Job, r rules) *ring {
	x := &ring{rules: r, p: p, n: p.Size(), rank: p.Rank(), job: job, log: job.Log, step: job.From}
	if x.log == nil {
		x.log = &Log{}
	}
	x.log.Lossy = r.threshold > 0
	longest := 0
	x.dw, x.dg = make([]float64, x.n), make([]float64, x.n)
	for _, l := range job.Layers {
		x.tags = append(x.tags, make([]Kind, x.n))
		longest = max(longest, l.Length)
	}
	if job.Task == nil {
		return x
	}
	x.params, x.grads = job.Task.Params(), job.Task.Grads()
	if r.only != Gradients {
		x.weights = make([]float32, len(x.params))
	}
	if r.threshold > 0 {
		if x.residual = x.log.Residual; x.residual == nil {
			x.residual = make([]float32, len(x.params))
		}
		x.log.Residual = x.residual
	}
	block := (longest + x.n - 1) / x.n
	for i := range x.buf { // sums fill in: room for the longest block as bitmap and all values
		x.buf[i] = make([]byte, 0, 4*block+block/8+64)
	}
	return x
}

// block returns the bounds of block i within the parameters.
func (x *ring) block(i int) (lo, hi int) {
	lo, hi = Block(x.length, x.n, i) // S4–S6, step 1
	return x.lo + lo, x.lo + hi
}

// exchange sums layer l over the ring: reduce-scatter, then all-gather. At its
// end the sum of every block is in the store that its tag names, on every rank
// from the same bytes.
//
// At step i rank r sends block r−i and adds block r−i−1; in the all-gather it
// forwards block r+1−i as it came and takes over block r−i.
func (x *ring) exchange(l int) error {
	x.layer, x.lo, x.length = l, x.job.Layers[l].Offset, x.job.Layers[l].Length
	if err := x.enter(); err != nil {
		return err
	}
	for i := range x.n - 1 { // S4–S6, step 4
		received := x.post(1)
		// S4–S6, steps 2, 3, 8: from the second round on it is step 8
		if err := x.pack(x.rank-i, i, false); err != nil {
			return err
		}
		x.fetch(x.rank - i - 1)
		// S4–S6, steps 3, 5, 9: the last round receives and does not send on
		if err := x.arrive(received, 1, x.send(0, i)); err != nil {
			return err
		}
		// S4–S6, steps 5–7
		if err := x.reduce(x.rank-i-1, i+1); err != nil {
			return err
		}
	}
	if err := x.pack(x.rank+1, x.n-1, true); err != nil {
		return err
	}
	return x.gather()
}

// gather sends the owned block round the ring, message 0, and takes over the
// others. Bytes are forwarded as they came, never coded again.
func (x *ring) gather() error {
	// S4–S6, step 10
	for i, cur := 0, 0; ; i, cur = i+1, 1-cur {
		h, c, err := x.open(x.rank+1-i, cur, x.n)
		if err != nil {
			return err
		}
		if i == x.n-1 {
			return x.overwrite(x.rank+1-i, cur, h, c)
		}
		received := x.post(1 - cur)
		sent := x.send(cur, -1)
		// The block is decoded while its bytes travel on.
		if err := x.overwrite(x.rank+1-i, cur, h, c); err != nil {
			return err
		}
		if err := x.arrive(received, 1-cur, sent); err != nil {
			return err
		}
	}
}

// tag is the layer's, so that layers cannot be mixed up.
func (x *ring) tag() cluster.Tag { return cluster.Tag(x.layer) }

// post posts the receive from the left neighbour into buffer b.
func (x *ring) post(b int) cluster.Req {
	x.msg[b] = cluster.Msg{Body: x.buf[b]}
	return x.p.Irecv(mod(x.rank-1, x.n), x.tag(), &x.msg[b]) // S1–S7, step 1
}

// send sends message b to the right; hop is −1 in the all-gather.
func (x *ring) send(b, hop int) cluster.Req {
	x.log.Totals.sent(&x.msg[b], hop)
	return x.p.Isend(mod(x.rank+1, x.n), x.tag(), &x.msg[b]) // S1–S7, step 1
}

// arrive waits for a receive into buffer b and a send.
func (x *ring) arrive(received cluster.Req, b int, sent cluster.Req) error {
	if err := cluster.Wait(x.p, received, sent); err != nil {
		return err
	}
	if x.msg[b].Body != nil {
		x.buf[b] = x.msg[b].Body // it may have grown
	}
	return nil
}

// spend charges the time of `bytes` bytes at a rate. A ring of one has nobody to
// spare bytes, and so nothing to count, turn or pack.
func (x *ring) spend(bytes int, rate float64) {
	if x.charge && rate > 0 && x.n > 1 {
		x.due += time.Duration(math.Round(float64(bytes) / rate * 1e9))
	}
}

// pass lets the charged time pass.
func (x *ring) pass() error {
	d := x.due
	x.due = 0
	return cluster.Sleep(x.p, d)
}

func mod(a, n int) int { return ((a % n) + n) % n }
