//gradsync:pure

package dasp

import "time"

// New returns DASP as a Policy: Algorithm 1 decides each arrival, Algorithm 2
// makes the updates, and what the paper leaves open is settled so:
//
//   - A QIS gradient is applied alone and answered at once.
//   - The gradients of waiting nodes form one group. When the first of its
//     members is due the group becomes one update of weight 1/K and answers all
//     members that are due; the others keep waiting, and are answered later
//     without a further version.
//   - A WSS node is due after T_wait, an FSS node as soon as the version it
//     would be handed is at most Smax ahead of everybody who stays behind. WSS
//     answers are held to the same test.
//
// Right after a WSS or FSS answer v_n − min(v) ≤ Smax, by that test. QIS
// answers are not tested. At every instant v_new − min(v) ≤ Smax + N − 2: let
// m = min(v) now, and τ the last instant with v_new ≤ m + Smin. Whoever was
// answered after τ holds more than m + Smin, so takes no further QIS step while
// min(v) ≤ m; nor has the holder of m been answered since. So after τ at most
// N − 1 QIS updates follow, or, after the last group's answer (which left v_new
// ≤ m + Smax), at most N − 2.
//
// Source: §2
func New(cfg Config) (Policy, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &policy{cfg: cfg, view: NewView(cfg.Workers), held: make([]held, cfg.Workers)}, nil
}

// held is one waiting node.
type held struct {
	waiting bool
	applied bool // its gradient went into a group's update before it was due
	due     bool // WSS: T_wait is over; FSS, literal: the oldest node completed
	awaits  int  // FSS: id_min when it arrived
	timer   time.Duration
	Decision
}

// policy is DASP's server state.
type policy struct {
	cfg  Config
	view View
	held []held
	wait int // how many nodes wait
	out  []Action
	last Decision // on the latest push
}

// Name returns "dasp".
func (p *policy) Name() string { return "dasp" }

// View returns the node state, for tests and displays.
func (p *policy) View() View { return p.view }

// Decided returns what Algorithm 1 decided on the latest push.
func (p *policy) Decided() Decision { return p.last }

// Step consumes one event. It panics on a push of a node that is waiting or
// absent: the server answers every push before the next.
func (p *policy) Step(ev Event) []Action {
	p.out = p.out[:0]
	n := ev.Worker
	switch ev.Kind {
	case EventPush: // Alg. 1, line 1
		p.push(n, ev)
	case EventTimer:
		// Alg. 1, line 12: T_wait is over
		if h := &p.held[n]; h.waiting && h.State == WSS && ev.At >= h.timer {
			h.due = true
		}
	case EventJoin:
		p.view.Join(n)
		p.reply(n, QIS, 0)
	case EventLeave:
		p.leave(n)
	}
	p.release()
	return p.out
}

// push is lines 1–16 of Algorithm 1.
func (p *policy) push(n int, ev Event) {
	if p.held[n].waiting || !p.view.Present[n] {
		panicPush("dasp", n)
	}
	p.view.Finished(n, ev.Compute) // Alg. 1, line 2
	p.completed(n)
	// Alg. 2, line 2: Algorithm 1
	d := p.cfg.Decide(p.view, n)
	p.last = d
	if d.State == QIS && !(p.cfg.Join && p.groupWaits()) { // Alg. 2, line 3
		p.apply(QIS, n) // Alg. 2, line 4
		p.reply(n, QIS, d.Gap)
		return
	}
	// Alg. 2, line 5
	h := held{waiting: true, Decision: d, awaits: d.Until}
	switch d.State {
	// Alg. 1, line 12: wait T_wait
	case WSS:
		h.timer = ev.At + d.Wait
		h.due = d.Wait <= 0
		if !h.due {
			p.out = append(p.out, Action{Kind: SetTimer, Workers: []int{n}, At: h.timer})
		}
	case FSS:
		// An oldest node that itself waits has completed its iteration already.
		// Alg. 1, line 15: otherwise wait for it, in the literal reading
		h.due = !p.cfg.LiteralFSS || p.held[d.Until].waiting
	}
	p.held[n] = h
	p.wait++
}

// completed tells the nodes in literal FSS that n's iteration is complete.
func (p *policy) completed(n int) {
	if p.wait == 0 {
		return
	}
	for i := range p.held {
		if h := &p.held[i]; h.waiting && h.State == FSS && h.awaits == n {
			h.due = true // Alg. 1, line 15
		}
	}
}

// leave takes n out; a gradient of it that no update has used is discarded.
func (p *policy) leave(n int) {
	p.view.Leave(n)
	if h := &p.held[n]; h.waiting && !h.applied {
		p.out = append(p.out, Action{Kind: Drop, Workers: []int{n}})
	}
	p.free(n)
	p.completed(n)
}

// groupWaits reports whether a WSS or FSS gradient waits for its update.
func (p *policy) groupWaits() bool {
	if p.wait == 0 {
		return false
	}
	for _, h := range p.held {
		if h.waiting && !h.applied && h.State != QIS {
			return true
		}
	}
	return false
}

// apply makes one version of the gradients of workers, in that order.
func (p *policy) apply(s State, workers ...int) {
	p.view.Updated()
	p.out = append(p.out, Action{Kind: Apply, Workers: workers, Weight: p.cfg.Weight(s, len(workers))})
}

// reply hands the newest weights to n.
func (p *policy) reply(n int, s State, gap int64) {
	p.view.Handed(n)
	p.free(n)
	p.out = append(p.out, Action{Kind: Reply, Workers: []int{n}, State: s, Gap: gap})
}

// free lets n wait no longer.
func (p *policy) free(n int) {
	if p.held[n].waiting {
		p.wait--
	}
	p.held[n] = held{}
}

// panicPush reports a push that no server may deliver.
func panicPush(name string, n int) {
	panic(name + ": push from worker " + itoa(n) + ", which waits or has left")
}
