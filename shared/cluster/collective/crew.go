package collective

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/tensor/vec"
)

// Crew holds the living ranks of a synchronous training together. Its Proc is one of the living alone, numbered anew, on
// which an exchange of this package closes without the lost; a call of it ends with ErrLost as soon as a rank is lost.
// Then all call Regroup, and repeat the step that none of them has made.
//
// Each loss begins an epoch, whose messages have tags of their own: none of an exchange that was given up is taken for
// one of its repetition. No rank may be more than one step ahead of another, which an all-reduce in each step sees to.
// Where some have made the step and others have not, these are sent what it led to: nothing that a rank has made is undone.
//
// Source: ours: a ring that closes without the lost, as communicators shrink in ULFM's MPI
type Crew struct {
	p      cluster.Survivor
	span   cluster.Tag
	alive  []int
	epoch  int
	alarm  cluster.Req
	late   bool          // ranks were lost before this one began: the others wait for it to regroup
	open   []operation   // of the exchange under way
	tidy   int           // open is tidied when it is so long
	over   []cluster.Req // by rank: it has made all steps; nil while this one has not
	member member
}

// operation is something that an exchange has begun.
type operation struct {
	cluster.Req
	receive, compute bool
}

// tagOver says that a rank has made all steps. No exchange uses it.
const tagOver = cluster.MaxTag - 2

// NewCrew returns the crew of all living ranks, nil if p is no cluster.Survivor. Exchanges use tags below tags.
//
// Source: ours: as Crew
func NewCrew(p cluster.Proc, tags cluster.Tag) (*Crew, error) {
	s, ok := p.(cluster.Survivor)
	if !ok {
		return nil, nil
	}
	c := &Crew{p: s, span: tags + 2}
	if int64(c.span)*int64(p.Size()) > int64(tagOver) {
		return nil, fmt.Errorf("collective: %d tags for each of %d epochs are too many", c.span, p.Size())
	}
	c.member = member{Proc: s, c: c}
	c.look()
	c.late = c.epoch > 0
	return c, nil
}

// Proc returns the Proc of the living, valid until the next Regroup. Its threads (Go) have the run's own Proc.
//
// Source: ours: as Crew
func (c *Crew) Proc() cluster.Proc { return &c.member }

// Alive returns the living ranks, ascending, by their numbers in the run.
//
// Source: ours: as Crew
func (c *Crew) Alive() []int { return c.alive }

// Regroup gives up the exchange under way, after a loss, and agrees with the living where to go on: it returns how many
// steps all of them have made. This rank has made `made`; where another has made one more, state, which is the same on
// all ranks that have made as many steps, is filled with what that one has.
//
// Source: ours: as Crew
func (c *Crew) Regroup(made int64, state ...[]float32) (int64, error) {
	for {
		if err := c.giveUp(); err != nil {
			return made, err
		}
		c.look()
		now, err := c.meet(made, state)
		if err == nil || !errors.Is(err, cluster.ErrLost) {
			return now, err
		}
	}
}

// Close waits until all the living have made all steps, of which this rank has made the last: until then another may need
// its state. Who has heard so of everybody goes, for then nobody needs anything.
//
// Source: ours: as Crew
func (c *Crew) Close(made int64, state ...[]float32) error {
	c.over = make([]cluster.Req, c.p.Size())
	for _, k := range c.others() {
		c.p.Isend(k, tagOver, &cluster.Msg{Body: []byte{}})
		c.over[k] = c.p.Irecv(k, tagOver, &cluster.Msg{})
	}
	for {
		var err error
		for _, k := range c.others() {
			if err == nil && !c.isOver(k) {
				err = c.wait(c.over[k])
			}
		}
		if err == nil || !errors.Is(err, cluster.ErrLost) {
			return err
		}
		if err := c.giveUp(); err != nil {
			return err
		}
		c.look()
		if !slices.ContainsFunc(c.others(), func(k int) bool { return !c.isOver(k) }) {
			return nil
		}
		if _, err := c.meet(made, state); err != nil && !errors.Is(err, cluster.ErrLost) {
			return err
		}
	}
}

// look takes note of the losses so far.
func (c *Crew) look() {
	c.alive = c.p.Alive()
	c.epoch, c.alarm = c.p.Size()-len(c.alive), c.p.Lost()
	c.member.rank = slices.Index(c.alive, c.p.Rank())
}

// meet compares steps and brings those forward that are behind.
func (c *Crew) meet(made int64, state [][]float32) (int64, error) {
	size := 0
	for _, s := range state {
		size += len(s)
	}
	steps, err := c.compare(made)
	if err != nil {
		return made, err
	}
	most, from := made, -1
	for _, k := range c.alive {
		most = max(most, steps[k])
	}
	for _, k := range c.alive {
		switch {
		case steps[k] == most && from < 0:
			from = k
		case steps[k] < most-1:
			return made, fmt.Errorf("collective: rank %d has made %d steps and another %d: they can be one apart", k, steps[k], most)
		}
	}
	tag := c.base() + c.span - 1
	if made < most {
		m := cluster.Msg{Body: make([]byte, 0, vec.Bytes(size))}
		q := c.p.Irecv(from, tag, &m)
		if err := c.wait(q); err != nil {
			c.p.Cancel(q)
			return made, err
		}
		if m.Meta[0] != most || len(m.Body) != vec.Bytes(size) {
			return made, fmt.Errorf("collective: rank %d sent %d bytes of step %d, want %d of step %d", from, len(m.Body), m.Meta[0], vec.Bytes(size), most)
		}
		for _, s := range state {
			if err := vec.FromBytes(s, m.Body[:vec.Bytes(len(s))]); err != nil {
				return made, err
			}
			m.Body = m.Body[vec.Bytes(len(s)):]
		}
		return most, nil
	}
	if from != c.p.Rank() {
		return most, nil
	}
	var body []byte
	for _, k := range c.others() {
		if steps[k] == most {
			continue
		}
		if body == nil {
			body = make([]byte, 0, vec.Bytes(size))
			for _, s := range state {
				body = vec.AppendBytes(body, s)
			}
		}
		c.p.Isend(k, tag, &cluster.Msg{Meta: [4]int64{most}, Body: body})
	}
	return most, nil
}

// compare tells the living how many steps this rank has made and returns how many each has, by rank.
func (c *Crew) compare(made int64) ([]int64, error) {
	tag := c.base() + c.span - 2
	steps, in, reqs := make([]int64, c.p.Size()), make([]cluster.Msg, c.p.Size()), make([]cluster.Req, c.p.Size())
	for _, k := range c.others() {
		c.p.Isend(k, tag, &cluster.Msg{Meta: [4]int64{made}, Body: []byte{}})
	}
	for _, k := range c.others() {
		reqs[k] = c.p.Irecv(k, tag, &in[k])
	}
	var err error
	for _, k := range c.others() {
		if err == nil && !c.isOver(k) {
			wait := []cluster.Req{reqs[k]}
			if c.over != nil {
				wait = append(wait, c.over[k])
			}
			err = c.wait(wait...)
		}
		c.p.Cancel(reqs[k]) // harmless if it is done; of one that is over none may come
		steps[k] = made     // it is over, as this one
		if reqs[k].Err() == nil {
			steps[k] = in[k].Meta[0]
		}
	}
	steps[c.p.Rank()] = made
	return steps, err
}

// isOver reports whether a rank is known to have made all steps, and may have gone.
func (c *Crew) isOver(k int) bool { return c.over != nil && c.over[k].Done() && c.over[k].Err() == nil }

// wait waits for one of reqs, or a loss.
func (c *Crew) wait(reqs ...cluster.Req) error {
	_, err := c.member.WaitAny(0, reqs...)
	return err
}

// others returns the other living ranks, from this one's neighbour on.
func (c *Crew) others() []int {
	return slices.Concat(c.alive[c.member.rank+1:], c.alive[:c.member.rank])
}

// base returns the first tag of this epoch.
func (c *Crew) base() cluster.Tag { return cluster.Tag(c.epoch) * c.span }

// begun keeps an operation, to be ended if the exchange is given up.
func (c *Crew) begun(o operation) cluster.Req {
	if len(c.open) >= max(c.tidy, 64) {
		c.open = slices.DeleteFunc(c.open, func(o operation) bool { return o.Done() })
		c.tidy = 2 * len(c.open)
	}
	c.open = append(c.open, o)
	return o.Req
}

// giveUp ends all that the exchange has begun: afterwards nobody reads or writes its memory.
func (c *Crew) giveUp() error {
	c.late = false
	for _, o := range c.open {
		if o.receive {
			c.p.Cancel(o.Req)
		}
		_, err := c.p.WaitAny(0, o.Req)
		if abort := (*cluster.AbortError)(nil); err != nil && (o.compute || errors.As(err, &abort) || errors.Is(err, cluster.ErrCrashed)) {
			return err
		}
	}
	c.open = c.open[:0]
	return nil
}

// member is the Proc of one of the living.
type member struct {
	cluster.Proc
	c    *Crew
	rank int
	list []cluster.Req
}

func (m *member) Rank() int { return m.rank }

func (m *member) Size() int { return len(m.c.alive) }

func (m *member) Start(f func(done func(stage int)) error, stages ...cluster.Work) []cluster.Req {
	reqs := m.Proc.Start(f, stages...)
	for _, q := range reqs {
		m.c.begun(operation{Req: q, compute: true})
	}
	return reqs
}

func (m *member) Isend(to int, tag cluster.Tag, msg *cluster.Msg) cluster.Req {
	return m.c.begun(operation{Req: m.Proc.Isend(m.c.alive[to], m.tag(tag), msg)})
}

func (m *member) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	if from != cluster.Any {
		from = m.c.alive[from]
	}
	return m.c.begun(operation{Req: m.Proc.Irecv(from, m.tag(tag), into), receive: true})
}

// Ibcast cannot be withdrawn: once an exchange is given up, its broadcasts' messages are used for nothing else.
func (m *member) Ibcast(group []int, root int, tag cluster.Tag, msg *cluster.Msg) cluster.Req {
	living := make([]int, len(group))
	for i, k := range group {
		living[i] = m.c.alive[k]
	}
	return m.Proc.Ibcast(living, m.c.alive[root], m.tag(tag), msg)
}

func (m *member) WaitAny(until time.Duration, reqs ...cluster.Req) (int, error) {
	if m.c.late {
		return -1, cluster.ErrLost
	}
	m.list = append(append(m.list[:0], reqs...), m.c.alarm)
	i, err := m.Proc.WaitAny(until, m.list...)
	if i == len(reqs) && err == nil {
		return -1, cluster.ErrLost
	}
	return i, err
}

// tag returns an exchange's tag in this epoch.
func (m *member) tag(tag cluster.Tag) cluster.Tag {
	if tag < 0 || tag >= m.c.span-2 {
		panic(fmt.Sprintf("collective: tag %d of a crew's exchange, want 0 ≤ tag < %d", tag, m.c.span-2))
	}
	return m.c.base() + tag
}
