package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"gradsync/shared/cluster"
)

// coordinator is the rendezvous: one goroutine that hears of everything through
// events, so that the first failure is the one that all ranks are told.
type coordinator struct {
	cfg    *Config
	run    int
	rank   int // of the process that it runs in; −1: none
	ln     net.Listener
	events chan event
	over   chan struct{} // closed when the loop ends
	quit   chan struct{} // closed when this process gives up
	group  sync.WaitGroup

	door    door // connections that have not introduced themselves
	leaving door // refused ones that have not gone

	members []*member // by rank, nil: not here yet
	refused []string
	strays  map[int]string // addresses of refused connections, by the rank they claim
	here    int
	ready   int
	done    int
	begun   bool
	wave    int
	answers int
	unmoved time.Time // since when messages have been on their way and not a byte came
	ended   bool
	verdict *failure // nil: the run ended well, or has not

	// Of an elastic run:
	lost     []int // ranks that it goes on without, in order
	losses   []Loss
	inform   Events
	watchers []*wire
	since    time.Time     // the run began
	elapsed  time.Duration // of a run that ended well
	cause    func() error  // why a rendezvous of no rank was told to give up
}

// member is a rank that was welcomed.
type member struct {
	rank    int
	addr    string // of its data listener
	wire    *wire
	last    state // as it reported when idle
	answer  state // to the wave
	report  []byte
	elapsed time.Duration
	lost    bool
}

// event is a frame of a connection, or its end.
type event struct {
	m    *member // nil: an introduction
	wire *wire
	who  string // whose certificate it showed; "": in the clear
	h    cluster.Header
	body []byte
	err  error
}

func newCoordinator(cfg *Config, run int, ln net.Listener) *coordinator {
	return &coordinator{cfg: cfg, run: run, rank: cfg.Rank, ln: ln, events: make(chan event), over: make(chan struct{}), quit: make(chan struct{}),
		door: door{ranks: cfg.Size}, leaving: door{ranks: cfg.Size}, strays: map[int]string{}, members: make([]*member, cfg.Size)}
}

// serve runs the rendezvous to its end, calls ended at once and leaves nothing
// behind.
func (c *coordinator) serve(ended func()) {
	c.group.Add(1)
	go c.accept()
	expired := time.NewTimer(c.cfg.Join)
	defer expired.Stop()
	look := time.NewTicker(c.cfg.Timeout / 8)
	defer look.Stop()
	for !c.ended {
		select {
		case e := <-c.events:
			c.handle(e)
		case <-expired.C:
			if c.here < c.cfg.Size {
				c.incomplete()
			}
		case <-look.C:
			c.startWave(true)
		case <-c.quit:
			c.giveUp()
		}
	}
	close(c.over)
	ended()
	_ = c.ln.Close()
	c.door.close()
	// Each member closes its end when it has heard the verdict. Whoever is silent
	// is not waited for longer than a fraction of the time-out.
	grace := time.AfterFunc(max(c.cfg.Timeout/20, 50*time.Millisecond), func() {
		if c.verdict != nil {
			c.hangUp()
		}
	})
	defer grace.Stop()
	farewell := time.AfterFunc(lastWord, c.leaving.close)
	defer farewell.Stop()
	for _, m := range c.members {
		if m != nil {
			m.wire.finish()
		}
		if m != nil && m.lost {
			_ = m.wire.conn.Close()
		}
	}
	for _, w := range c.watchers {
		w.finish()
	}
	c.group.Wait()
}

// giveUp ends the run because this process was told to.
func (c *coordinator) giveUp() {
	c.fail(&failure{Rank: c.rank, Addr: c.cfg.name(c.rank, c.cfg.Rendezvous), Op: "rendezvous", Text: c.whyGivenUp(), Origin: -1})
}

// whyGivenUp says why this process ends the run.
func (c *coordinator) whyGivenUp() string {
	text := "the process of the rendezvous gave up"
	if c.cause != nil {
		if err := c.cause(); err != nil && !errors.Is(err, context.Canceled) {
			text += ": " + err.Error()
		}
	}
	return text
}

// hangUp closes every member's connection.
func (c *coordinator) hangUp() {
	for _, m := range c.members {
		if m != nil {
			_ = m.wire.conn.Close()
		}
	}
	for _, w := range c.watchers {
		_ = w.conn.Close()
	}
}

// accept greets every connection until the listener closes.
func (c *coordinator) accept() {
	defer c.group.Done()
	acceptAll(c.ln, c.over, func(conn net.Conn) {
		if c.door.enter(conn) {
			c.group.Add(1)
			go c.greet(conn)
		}
	})
}

// greet reads an introduction and hands it to the loop.
func (c *coordinator) greet(conn net.Conn) {
	defer c.group.Done()
	e := event{}
	e.err = hear(conn, c.cfg.Timeout, func() (err error) {
		spoken, who, err := c.cfg.host.take(conn, c.cfg.Timeout)
		w := newWire(spoken, c.cfg)
		if e.wire, e.who = w, who; err != nil {
			return err
		}
		if b, _ := w.r.Peek(1); who == "" && len(b) > 0 && b[0] == handshake {
			return errTLS
		}
		e.h, e.body, err = readControl(w.r, maxText)
		return err
	})
	if here := c.door.leave(conn); !here && e.err == nil || !c.tell(e) {
		_ = conn.Close()
	}
}

// tell hands an event to the loop and reports whether it took it.
func (c *coordinator) tell(e event) bool {
	select {
	case c.events <- e:
		return true
	case <-c.over:
		return false
	}
}

// listen reads a member's frames until its connection ends.
func (c *coordinator) listen(m *member) {
	defer c.group.Done()
	defer m.wire.conn.Close()
	for {
		e := event{m: m, wire: m.wire}
		e.h, e.body, e.err = m.wire.read(cluster.MaxPiece)
		c.tell(e)
		if e.err != nil {
			return
		}
	}
}

func (c *coordinator) handle(e event) {
	if e.m == nil {
		c.introduce(e)
		return
	}
	m := e.m
	var err error
	switch {
	case m.lost:
		return // whatever it says, the run goes on without it
	case e.err != nil:
		c.lose(m.rank, -1, e.err)
		return
	case e.h.Tag == kindReady:
		c.isReady()
	case e.h.Tag == kindIdle:
		if _, err = decode(e.h, e.body, &m.last); err == nil {
			c.startWave(false)
		}
	case e.h.Tag == kindState:
		m.answer = state{}
		if _, err = decode(e.h, e.body, &m.answer); err == nil && m.answer.Wave == c.wave {
			c.answered()
		}
	case e.h.Tag == kindFail:
		var f failure
		if _, err = decode(e.h, e.body, &f); err != nil {
			break
		}
		switch {
		case f.Leaves:
			c.leaves(m, &f)
		case f.Lost != nil:
			c.without(&f)
		default:
			c.fail(&f)
		}
	case e.h.Tag == kindDone:
		err = c.isDone(m, e)
	default:
		err = fmt.Errorf("%w: kind %d of a rank", errFrame, e.h.Tag)
	}
	if err != nil {
		c.lose(m.rank, -1, err)
	}
}

// introduce decides on a newcomer.
func (c *coordinator) introduce(e event) {
	from := e.wire.conn.RemoteAddr()
	var h hello
	err := e.err
	if err == nil && e.h.Tag != kindHello {
		err = fmt.Errorf("%w: kind %d, want an introduction", errFrame, e.h.Tag)
	}
	if err == nil {
		_, err = decode(e.h, e.body, &h)
	}
	if err != nil {
		c.note(fmt.Sprintf("%v: %v", from, err))
		c.refuse(e.wire, err.Error(), true, false)
		return
	}
	who := fmt.Sprintf("rank %d of job %.64q at %v", h.Rank, h.Job, from)
	if h.Watch {
		who = "the launch of " + who
	}
	switch {
	case e.who != "" && e.who != holderOf(h.Rank):
		c.note(fmt.Sprintf("%s: its certificate is of %s", who, e.who))
		c.refuse(e.wire, "its certificate is of "+e.who, true, false)
	case !sameJob(h.Job, c.cfg.Job):
		c.note(who + ": " + anotherJob)
		c.refuse(e.wire, anotherJob, true, false)
	case h.Run > c.run:
		c.refuse(e.wire, who+": the run before has not ended", false, true)
	case h.Run < c.run || c.begun:
		c.note(who + ": the run has begun")
		c.refuse(e.wire, who+": the run has begun", false, false)
	case h.Watch && (h.Size != c.cfg.Size || h.Rank < 0 || h.Rank >= c.cfg.Size):
		c.note(who + ": another number of ranks") // it can end nobody's run
		c.refuse(e.wire, fmt.Sprintf("%s: it counts %d ranks, the job has %d", who, h.Size, c.cfg.Size), false, false)
	case h.Watch:
		c.watch(e.wire)
		return
	case h.Size != c.cfg.Size || h.Rank < 0 || h.Rank >= c.cfg.Size:
		c.mistaken(e.wire, h, fmt.Sprintf("%s: it counts %d ranks, the job has %d", who, h.Size, c.cfg.Size))
	case h.Elastic != c.cfg.Elastic:
		c.mistaken(e.wire, h, fmt.Sprintf("%s: elastic %v, the job %v", who, h.Elastic, c.cfg.Elastic))
	case c.members[h.Rank] != nil:
		c.mistaken(e.wire, h, fmt.Sprintf("%s: there is a rank %d at %s already", who, h.Rank, c.members[h.Rank].addr))
	default:
		c.welcome(e.wire, h)
		return
	}
	c.strays[h.Rank] = fmt.Sprint(from)
}

// note remembers who was refused, for those who wait in vain.
func (c *coordinator) note(refused string) {
	if len(c.refused) < 16 {
		c.refused = append(c.refused, brief(refused))
	}
}

// refuse says why, and to a stranger nothing of the job, not even the hash that
// all frames of the job carry.
func (c *coordinator) refuse(w *wire, reason string, stranger, later bool) {
	if stranger {
		w.job = 0
	}
	_ = w.send(kindRefuse, refusal{Reason: brief(reason), Later: later})
	w.finish()
	if !c.leaving.enter(w.conn) {
		return
	}
	c.group.Add(1)
	go func() {
		defer c.group.Done()
		w.write()
		w.drain()
		c.leaving.leave(w.conn)
	}()
}

// mistaken refuses a rank of this very job: the others can never be complete.
func (c *coordinator) mistaken(w *wire, h hello, reason string) {
	c.note(reason)
	c.refuse(w, reason, false, false)
	c.fail(&failure{Rank: h.Rank, Addr: c.cfg.name(h.Rank, h.Addr), Op: "rendezvous", Text: "refused " + reason, Origin: -1})
}

func (c *coordinator) welcome(w *wire, h hello) {
	m := &member{rank: h.Rank, addr: h.Addr, wire: w}
	c.members[h.Rank] = m
	c.here++
	_ = w.send(kindWelcome, book{HostRank: c.rank})
	c.group.Add(2)
	go c.listen(m)
	go func() {
		defer c.group.Done()
		w.write()
	}()
	if c.here < c.cfg.Size {
		return
	}
	b := book{HostRank: c.rank, Addrs: make([]string, c.cfg.Size)}
	for i, m := range c.members {
		b.Addrs[i] = m.addr
	}
	c.all(kindBook, b)
}

// incomplete ends a rendezvous to which not all ranks came.
func (c *coordinator) incomplete() {
	var missing []string
	first := -1
	for i, m := range c.members {
		if m == nil {
			if first < 0 {
				first = i
			}
			missing = append(missing, fmt.Sprint(i))
		}
	}
	text := fmt.Sprintf("rank %s of %d did not come to %s within %v", strings.Join(missing, ", "), c.cfg.Size, c.cfg.Rendezvous, c.cfg.Join)
	if len(c.refused) > 0 {
		text += "; refused " + strings.Join(c.refused, "; refused ")
	}
	addr := "no address known"
	if a := c.strays[first]; a != "" {
		addr = a
	}
	c.fail(&failure{Rank: first, Addr: c.cfg.name(first, addr), Op: "rendezvous", Text: text, Origin: -1})
}

// all sends a frame to every member but the lost.
func (c *coordinator) all(kind cluster.Tag, v any) {
	for _, m := range c.members {
		if m != nil && !m.lost {
			_ = m.wire.send(kind, v)
		}
	}
}
