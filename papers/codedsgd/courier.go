package codedsgd

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"gradsync/shared/cluster"
)

// flight is one message of an exchange. All ranks have those that concern them in the
// same order.
type flight struct {
	id      int // of what the cargo has
	layer   int
	round   int
	from    int
	group   []int // sender and receivers, ascending
	header  Header
	size    int // bytes of the content
	numbers int // int32 terms in it, of all that are summed
	// needs is the stage of this rank's device that computes the last gradient it is
	// decoded with; 0: none.
	needs int
}

// cargo fills and empties a courier's messages.
type cargo interface {
	// await waits until all gradients of an own message are there.
	await(f *flight) error
	// load appends an own message's content to body; not in a timing-only run: body is
	// nil, and the work is charged.
	load(f *flight, body []byte) ([]byte, error)
	// unload takes a message's content, nil in a timing-only run, and returns how many
	// bytes of it were new. The stage that the flight needs has passed.
	unload(f *flight, body []byte) (useful int, err error)
}

// inFlight is how many own messages are sent at a time: one on the link and one that
// follows it at once.
const inFlight = 2

// courier sends and receives the messages of a plan: own ones as the link is free,
// in the plan's order; messages of others are taken as they come, in the plan's order
// too. It never waits for a message before it has sent all its own, so no rank
// waits for another in a circle.
type courier struct {
	x    *node
	plan []flight
	cargo
	out    [inFlight]cluster.Msg
	bufs   [inFlight][]byte
	sent   [inFlight]cluster.Req
	posted []arrival // receives
	oldest int       // of posted that was not taken
	free   []*cluster.Msg
}

func newCourier(x *node) courier {
	c := courier{x: x}
	for i := range c.bufs {
		c.bufs[i] = []byte{} // an empty body is not a declared one
	}
	return c
}

type arrival struct {
	req cluster.Req
	msg *cluster.Msg
	f   *flight
}

// deliver makes one exchange of the plan and returns when all messages are unloaded.
func (c *courier) deliver() error {
	for i, own := 0, 0; i < len(c.plan); i++ {
		f := &c.plan[i]
		if f.from != c.x.rank {
			c.post(f)
			continue
		}
		if err := c.await(f); err != nil {
			return err
		}
		if err := c.send(f, own%inFlight); err != nil {
			return err
		}
		own++
	}
	for c.oldest < len(c.posted) {
		if err := c.x.reach(c.posted[c.oldest].f.needs); err != nil {
			return err
		}
		if err := c.x.wait(c.posted[c.oldest].req); err != nil {
			return err
		}
		if err := c.take(); err != nil {
			return err
		}
	}
	for _, r := range c.sent {
		if r != nil {
			if err := c.x.wait(r); err != nil {
				return err
			}
		}
	}
	c.sent = [inFlight]cluster.Req{}
	return nil
}

// post posts the receive of f.
func (c *courier) post(f *flight) {
	m := &cluster.Msg{}
	if last := len(c.free) - 1; last >= 0 {
		m, c.free = c.free[last], c.free[:last]
	}
	c.posted = append(c.posted, arrival{c.x.transfer(f, m), m, f})
}

// transfer posts f as an operation of this rank: a broadcast, or for one receiver a
// plain message.
func (x *node) transfer(f *flight, m *cluster.Msg) cluster.Req {
	tag := cluster.Tag(f.layer)
	switch {
	case len(f.group) > 2:
		return x.team.Ibcast(f.group, f.from, tag, m)
	case f.from != x.rank:
		return x.team.Irecv(f.from, tag, m)
	case f.group[0] == x.rank:
		return x.team.Isend(f.group[1], tag, m)
	}
	return x.team.Isend(f.group[0], tag, m)
}

// send sends f by a slot once that is free, and takes what has come meanwhile.
func (c *courier) send(f *flight, slot int) error {
	if r := c.sent[slot]; r != nil {
		if err := c.x.wait(r); err != nil {
			return err
		}
	}
	if err := c.drain(); err != nil {
		return err
	}
	m := &c.out[slot]
	m.Meta, m.Declared = c.x.sign(f.header), f.size
	body, err := c.load(f, c.bufs[slot][:0])
	if err != nil {
		return err
	}
	if c.x.store != nil {
		m.Body, c.bufs[slot] = body, body
	}
	if err := c.x.pass(); err != nil {
		return err
	}
	c.sent[slot] = c.x.transfer(f, m)
	t := &c.x.log.Totals
	t.Packets++
	t.Bytes += int64(f.size)
	t.Delivered += int64(f.size * (len(f.group) - 1))
	return nil
}

// drain takes the oldest messages that are there and can be decoded.
func (c *courier) drain() error {
	for c.oldest < len(c.posted) && c.posted[c.oldest].f.needs <= c.x.passed && c.posted[c.oldest].req.Done() {
		if err := c.posted[c.oldest].req.Err(); err != nil {
			return err
		}
		if err := c.take(); err != nil {
			return err
		}
	}
	return nil
}

// take checks and unloads the oldest message, which is there.
func (c *courier) take() error {
	m, f := c.posted[c.oldest].msg, c.posted[c.oldest].f
	if c.x.sign(m.Meta) != f.header || m.Size() != f.size || (m.Body == nil) != (c.x.store == nil) {
		return c.unexpected(m, f)
	}
	useful, err := c.unload(f, m.Body)
	if err != nil {
		return err
	}
	t := &c.x.log.Totals
	t.Received += int64(f.size)
	t.Useful += int64(useful)
	c.free = append(c.free, m)
	if c.oldest++; c.oldest == len(c.posted) {
		c.posted, c.oldest = c.posted[:0], 0
	}
	return c.x.pass()
}

// unexpected says what came in f's place.
func (c *courier) unexpected(m *cluster.Msg, f *flight) error {
	h := c.x.sign(m.Meta)
	what := fmt.Sprintf("header %v", h)
	if signature := h[0] ^ f.header[0]; h[1] == f.header[1] && h[2] == f.header[2] && h[3] == f.header[3] && signature != 0 && signature<<(64-c.x.n) == 0 {
		what = "what is due, but by other options or another job,"
	} else if p, err := c.x.a.ReadHeader(h, m.From); err == nil {
		what = fmt.Sprintf("segments %v for nodes %v", p.Terms, p.To)
	}
	return fmt.Errorf("layer %d: rank %d sent %s in %d bytes, want %v in %d for nodes %v: do all ranks have the same options?",
		f.layer, m.From, what, m.Size(), f.header, f.size, f.group)
}

// agreement hashes all in which ranks must agree, or their parameters drift apart: the
// options that do more than take time, the micro-blocks' bounds, the model's layers and
// shapes, and the step of descent.
func (x *node) agreement() int64 {
	o, job, h := x.o, x.job, fnv.New64a()
	o.NoOverlap, o.Charge, o.Rate = false, false, 0
	o.Speeds = nil // they are in the bounds
	fmt.Fprint(h, x.n, o, job.Shapes, job.Batch, job.Rate, job.WeightDecay, job.Steps)
	for _, l := range job.Layers {
		fmt.Fprint(h, " ", l.Length)
	}
	var word [8]byte
	for _, b := range x.bounds {
		binary.LittleEndian.PutUint64(word[:], uint64(b))
		h.Write(word[:])
	}
	return int64(h.Sum64())
}

// sign puts the hash of the rank's options and job into the bits of a header's first
// word that the set of n receivers leaves, and takes it out of a header that a rank of
// the same hash has signed. So every packet says whether its sender has the same, and is
// no longer. The word leaves 64−n bits: another job passes once in 2⁶⁴⁻ⁿ times.
func (x *node) sign(h Header) Header {
	h[0] ^= x.agreed << x.n
	return h
}
