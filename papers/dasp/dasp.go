//gradsync:pure

package dasp

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gradsync/papers/dasp/formula"
)

// This file is the paper in the paper's order: what the server knows of its nodes (§2.1), Algorithm 1 with
// equation (1), Algorithm 2 with equation (2). It knows no clock, no message and no gradient: server.go tells it
// what happens and does what it says. What we read into the paper stands in Config and, with its reasons, in doc.go.
//
//	   the state of node n (Algorithm 1)                   the update (Algorithm 2)
//	 1 while a gradient of node n arrives do             1 while a gradient g of node n arrives do
//	 2   f_n ← duration of its iteration                 2   P_n ← Algorithm 1
//	 3   v_n ← IdToV(v, n)                               3   if P_n = QIS then
//	 4   v_min ← min(v)                                  4     Δw ← (1/N)·g
//	 5   if v_n − v_min ≤ Smin then                      5   else
//	 6     P_n ← QIS                                     6     Δw ← (1/K)·Σ_{k≤K} g_k
//	 7   else if Smin < v_n − v_min ≤ Smax then          7   w ← w − γ·Δw
//	 8     P_n ← WSS                                     8   Send(w, n)
//	 9     id_min ← VToId(v_min)                         9   v_n ← v_new + 1
//	10     f_i ← f[n], f_j ← f[id_min]
//	11     T_wait ← α·(f_j − f_i)                        (1)
//	12     wait T_wait
//	13   else
//	14     P_n ← FSS
//	15     wait until id_min has completed its iteration

// State is a worker's synchronisation state.
//
// Source: §2.2
type State uint8

// The three states, from free to held.
const (
	QIS State = iota + 1 // quick iteration: v_n − v_min ≤ Smin; answered at once
	WSS                  // weak synchronisation: Smin < v_n − v_min ≤ Smax; answered after T_wait
	FSS                  // force synchronisation: beyond Smax; answered when the oldest has completed its iteration
)

// String returns the paper's abbreviation, "-" for no state.
func (s State) String() string {
	if s < QIS || s > FSS {
		return "-"
	}
	return [...]string{"QIS", "WSS", "FSS"}[s-QIS]
}

// View holds all that the server knows of the nodes, with one entry per worker:
//
//	v = ⟨v_1 … v_n⟩, f = ⟨f_1 … f_n⟩, v_new
//
// V[i] is the number of global updates in the weights that worker i was last handed, F[i] how long its last
// iteration took, 0 while unknown. Only workers that are Present count in min(v).
//
// Source: §2.1
type View struct {
	V       []int64
	F       []time.Duration
	Present []bool
	Newest  int64
}

// NewView returns the state at the start of training: n workers that all hold version 0.
//
// Source: §2.2
func NewView(n int) View {
	return View{V: make([]int64, n), F: make([]time.Duration, n), Present: slices.Repeat([]bool{true}, n)}
}

// Oldest returns min(v) over the workers present and the lowest id that holds it, (Newest, −1) when nobody is.
//
// Source: Alg. 1, line 4
func (v View) Oldest() (vmin int64, id int) { return v.oldestBut(-1) }

// oldestBut returns Oldest without worker skip. Each gradient asks this of all workers: eight at a time, of whom
// mostly none is older.
func (v View) oldestBut(skip int) (vmin int64, id int) {
	vmin, id = math.MaxInt64, -1
	older := func(from, to int) {
		for i := from; i < to; i++ {
			if v.V[i] < vmin && i != skip && v.Present[i] {
				vmin, id = v.V[i], i
			}
		}
	}
	i := 0
	for ; i+8 <= len(v.V); i += 8 {
		c := v.V[i : i+8 : i+8]
		if min(min(c[0], c[1], c[2], c[3]), min(c[4], c[5], c[6], c[7])) < vmin {
			older(i, i+8)
		}
	}
	if older(i, len(v.V)); id < 0 {
		return v.Newest, id
	}
	return vmin, id
}

// Finished records the duration of worker n's iteration: f_n ← f.
//
// Source: Alg. 1, line 2
func (v *View) Finished(n int, f time.Duration) { v.F[n] = f }

// Updated records one global update: v_new ← v_new + 1.
//
// Source: §2.1
func (v *View) Updated() { v.Newest++ }

// Handed records that worker n was given the newest weights: after an update with its gradient, v_n ← v_new + 1.
//
// Source: Alg. 2, line 9
func (v *View) Handed(n int) { v.V[n] = v.Newest } // Alg. 2, line 9

// Join makes worker n present, registered at min(v) until its weights leave the server, so that a late joiner
// never is the oldest node by itself.
//
// Source: ours: the paper has no joining; at v = 0 a joiner would hold everybody in FSS
func (v *View) Join(n int) {
	vmin, _ := v.oldestBut(n)
	v.V[n], v.F[n], v.Present[n] = vmin, 0, true
}

// Leave takes worker n out of min(v).
//
// Source: ours: the paper has no failures; a dead oldest node would hold everybody in FSS
func (v *View) Leave(n int) { v.Present[n] = false }

// Config are DASP's parameters and the switches between readings of the paper. The zero value of every switch is
// the default reading.
//
// Source: §2
type Config struct {
	Workers int     // N
	Smin    int64   // lower state threshold, in versions (global updates)
	Smax    int64   // upper state threshold, in versions; Smin < Smax
	Alpha   float64 // α of eq. (1), a weight

	Wait          WaitForm // reading of eq. (1)
	PostUpdateGap bool     // tests the version n is about to hold, not the one it computed its gradient on
	// LiteralFSS releases FSS after one completion of the oldest, WSS when its time is over, however large the gap is.
	LiteralFSS  bool
	Join        bool  // lets QIS arrivals join a group that waits and be answered with it
	QISWeight   Scale // default 1/N
	GroupWeight Scale // default 1/K
}

// DefaultConfig returns the default reading for n workers. The thresholds scale with n because one round of n
// workers makes n versions; for the paper's 6 workers they are 3 and 6. α = 0.5.
//
// Source: ours: the paper's thresholds and α are lost; with (3, 6) a cluster of unequal GPUs visits all three states
func DefaultConfig(n int) Config {
	lo := int64(n+1) / 2
	return Config{Workers: n, Smin: lo, Smax: max(int64(n), lo+1), Alpha: 0.5}
}

// Validate returns an error of one line if the parameters are out of range.
//
// Source: §2.2
func (c Config) Validate() error {
	switch {
	case c.Workers < 1:
		return fmt.Errorf("dasp: %d workers, want at least 1", c.Workers)
	case c.Smin < 0:
		return fmt.Errorf("dasp: Smin = %d versions, want at least 0: the oldest node must not wait", c.Smin)
	case c.Smax <= c.Smin:
		return fmt.Errorf("dasp: Smax = %d versions, want more than Smin = %d", c.Smax, c.Smin)
	case math.IsNaN(c.Alpha) || math.IsInf(c.Alpha, 0) || c.Alpha < 0:
		return fmt.Errorf("dasp: alpha = %g, want a finite number from 0", c.Alpha)
	case c.Wait == WaitConvex && c.Alpha > 1:
		return fmt.Errorf("dasp: alpha = %g, want at most 1 for the convex form", c.Alpha)
	case int(c.Wait) >= len(waitNames):
		return fmt.Errorf("dasp: unknown T_wait form %d", c.Wait)
	case c.QISWeight > ScaleGroup || c.GroupWeight > ScaleGroup:
		return fmt.Errorf("dasp: unknown gradient weight %d, %d", c.QISWeight, c.GroupWeight)
	}
	return nil
}

// Decision is the outcome of Algorithm 1 for one arrived gradient.
//
// Source: Alg. 1
type Decision struct {
	State State
	Gap   int64         // v_n − v_min, in versions
	Wait  time.Duration // T_wait of eq. (1); WSS only
	Until int           // id_min, the oldest node; −1 when the node itself is alone
}

// Decide is Algorithm 1 for a gradient of node n, without the loop and the waiting. It reads v and changes nothing.
//
// v_n is the version that n computed its gradient on: Algorithm 1 runs before Algorithm 2 renews it. With
// PostUpdateGap it is the version n would be handed, v_new + 1. id_min is set for every state (the paper sets it in
// WSS only, line 9, and uses it in FSS, line 15); ties go to the lowest id.
//
// Source: Alg. 1
func (c Config) Decide(v View, n int) Decision {
	vn := v.V[n]              // Alg. 1, line 3: v_n ← IdToV(v, n)
	vmin, idMin := v.Oldest() // Alg. 1, lines 4, 9: v_min ← min(v), id_min
	if c.PostUpdateGap {      // as if lines 7–9 of Algorithm 2 had run
		vn = v.Newest + 1
		if vmin, idMin = v.oldestBut(n); idMin < 0 {
			vmin = vn
		}
	}
	d := Decision{Gap: vn - vmin, Until: idMin}
	switch {
	case d.Gap <= c.Smin: // Alg. 1, line 5
		d.State = QIS // Alg. 1, line 6
	case d.Gap <= c.Smax: // Alg. 1, line 7
		d.State = WSS                                     // Alg. 1, line 8
		d.Wait = c.Wait.Wait(c.Alpha, v.F[n], v.F[idMin]) // Alg. 1, lines 10, 11
	default: // Alg. 1, line 13
		d.State = FSS // Alg. 1, line 14
	}
	return d
}

// Wait returns T_wait of node i in WSS, given the weight α ≥ 0, its own iteration time fi and that of the oldest
// node, fj.
//
//	difference  α·(f_j − f_i)
//	absolute    α·|f_i − f_j|
//	convex      α·f_i + (1−α)·f_j
//	oldest      α·f_j
//
// The result lies in [0, f_j]: in f_j the oldest node has certainly completed an iteration, and nothing is gained
// by waiting longer. While either time is unknown (0) nobody waits.
//
// Source: Eq. (1)
func (w WaitForm) Wait(alpha float64, fi, fj time.Duration) time.Duration {
	if fi <= 0 || fj <= 0 {
		return 0
	}
	i, j := float64(fi), float64(fj)
	var t float64
	switch w {
	case WaitDifference:
		t = formula.WaitDifference(alpha, i, j)
	case WaitAbsolute:
		t = formula.WaitAbsolute(alpha, i, j)
	case WaitConvex:
		t = formula.WaitConvex(alpha, i, j)
	case WaitOldest:
		t = formula.WaitOldest(alpha, j)
	default:
		panic("dasp: unknown T_wait form " + w.String())
	}
	return time.Duration(math.Round(min(t, j)))
}

// Weight returns the factor of each of the k gradients of one update.
//
//	QIS:       Δw = (1/N) · g             k = 1
//	WSS, FSS:  Δw = (1/K) · Σ_{k≤K} g_k   k = K ≥ 1, the waiter's own included
//
// g is a mean over the mini-batch, (1/B)·Σ_j ∇ℓ_j. QISWeight and GroupWeight select the other readings. Weight
// panics if k < 1.
//
// Source: Eq. (2)
func (c Config) Weight(s State, k int) float64 {
	if k < 1 {
		panic(fmt.Sprintf("dasp: update of %d gradients", k))
	}
	scale := c.GroupWeight
	if s == QIS {
		scale = c.QISWeight
	}
	if scale == ScaleWorkers || scale == ScaleDefault && s == QIS {
		return formula.QISWeight(c.Workers) // Alg. 2, line 4
	}
	return formula.GroupWeight(k) // Alg. 2, line 6
}

// New returns DASP as a Policy: Algorithm 1 decides each arrival, Algorithm 2 makes the updates, and what the
// paper leaves open is settled so:
//
//   - A QIS gradient is applied alone and answered at once.
//   - The gradients of waiting nodes form one group. When the first of its members is due the group becomes one
//     update of weight 1/K and answers all members that are due; the others keep waiting, and are answered later
//     without a further version.
//   - A WSS node is due after T_wait, an FSS node as soon as the version it would be handed is at most Smax ahead
//     of everybody who stays behind. WSS answers are held to the same test.
//
// Right after a WSS or FSS answer v_n − min(v) ≤ Smax, by that test. QIS answers are not tested. At every instant
// v_new − min(v) ≤ Smax + N − 2: let m = min(v) now, and τ the last instant with v_new ≤ m + Smin. Whoever was
// answered after τ holds more than m + Smin, so takes no further QIS step while min(v) ≤ m; nor has the holder of m
// been answered since. So after τ at most N − 1 QIS updates follow, or, after the last group's answer (which left
// v_new ≤ m + Smax), at most N − 2.
//
// Source: §2
func New(cfg Config) (Policy, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &policy{cfg: cfg, view: NewView(cfg.Workers), held: make([]held, cfg.Workers)}, nil
}

// policy is DASP's server state.
type policy struct {
	cfg  Config
	view View
	held []held // by node
	wait int    // how many of them wait
	out  []Action
	last Decision // on the latest push
}

// held is a node that waits for its answer, and why.
type held struct {
	waiting bool
	applied bool // its gradient went into a group's update before it was due
	due     bool // WSS: T_wait is over; FSS, literal: the oldest node completed
	timer   time.Duration
	Decision
}

// Name returns "dasp".
func (p *policy) Name() string { return "dasp" }

// View returns the node state, for tests and displays.
func (p *policy) View() View { return p.view }

// Decided returns what Algorithm 1 decided on the latest push.
func (p *policy) Decided() Decision { return p.last }

// Step consumes one event. It panics on a push of a node that is waiting or absent: the server answers every push
// before the next.
func (p *policy) Step(ev Event) []Action {
	p.out = p.out[:0]
	n := ev.Worker
	switch ev.Kind {
	case EventPush: // Alg. 1, line 1
		p.push(n, ev)
	case EventTimer: // Alg. 1, line 12: T_wait is over
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
		panic(fmt.Sprintf("dasp: push from worker %d, which waits or has left", n))
	}
	p.view.Finished(n, ev.Compute) // Alg. 1, line 2
	p.completed(n)
	d := p.cfg.Decide(p.view, n) // Alg. 2, line 2: Algorithm 1
	p.last = d
	if d.State == QIS && !(p.cfg.Join && p.groupWaits()) { // Alg. 2, line 3
		p.apply(QIS, n) // Alg. 2, line 4
		p.reply(n, QIS, d.Gap)
		return
	}
	h := held{waiting: true, Decision: d} // Alg. 2, line 5
	switch d.State {
	case WSS: // Alg. 1, line 12: wait T_wait
		h.timer, h.due = ev.At+d.Wait, d.Wait <= 0
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
		if h := &p.held[i]; h.waiting && h.State == FSS && h.Until == n {
			h.due = true // Alg. 1, line 15
		}
	}
}

// release answers the waiting nodes that are due and pass the test, until nobody more does. Ranks ascend within a
// group: a barrier group sums in rank order, whoever came first.
func (p *policy) release() {
	for p.wait > 0 {
		due, fresh := p.due(false)
		if len(due) > 0 && fresh && p.within(p.view.Newest+1, due) {
			p.apply(WSS, p.unapplied()...) // Alg. 2, line 6
		} else if due, _ = p.due(true); len(due) == 0 || !p.within(p.view.Newest, due) {
			return // nor may those go on whose gradient is in the model already, and who need no new version
		}
		for _, n := range due {
			p.reply(n, p.held[n].State, p.held[n].Gap)
		}
	}
}

// due returns the nodes that nothing but the test holds, and whether one of them needs a new version. With
// appliedOnly it returns those that do not. A QIS node that joined a group is due when another member is, or when
// it is left alone.
func (p *policy) due(appliedOnly bool) (nodes []int, fresh bool) {
	alone := !p.groupWaits()
	for i, h := range p.held {
		if joined := h.State == QIS; h.waiting && (h.applied || !appliedOnly) && (joined || h.due) {
			nodes = append(nodes, i)
			fresh = fresh || !h.applied && (!joined || alone)
		}
	}
	return nodes, fresh
}

// groupWaits reports whether a WSS or FSS gradient waits for its update.
func (p *policy) groupWaits() bool {
	waits := func(h held) bool { return h.waiting && !h.applied && h.State != QIS }
	return p.wait > 0 && slices.ContainsFunc(p.held, waits)
}

// within is the re-check: it reports whether v, handed to all of nodes, is at most Smax ahead of everybody else.
// The literal reading has no such test.
func (p *policy) within(v int64, nodes []int) bool {
	if p.cfg.LiteralFSS {
		return true
	}
	k := 0 // nodes ascend, so one walk suffices
	// Alg. 1, line 15: until the oldest has a newer version
	for i, held := range p.view.V {
		if k < len(nodes) && nodes[k] == i {
			k++
		} else if p.view.Present[i] && v-held > p.cfg.Smax {
			return false
		}
	}
	return true
}

// unapplied returns the waiting nodes whose gradient no update has used, and marks them used. It is the group: K
// is its size.
func (p *policy) unapplied() (nodes []int) {
	for i := range p.held {
		if h := &p.held[i]; h.waiting && !h.applied {
			h.applied = true
			nodes = append(nodes, i)
		}
	}
	return nodes
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

// leave takes n out; a gradient of it that no update has used is discarded.
func (p *policy) leave(n int) {
	p.view.Leave(n)
	if h := &p.held[n]; h.waiting && !h.applied {
		p.out = append(p.out, Action{Kind: Drop, Workers: []int{n}})
	}
	p.free(n)
	p.completed(n)
}

// free lets n wait no longer.
func (p *policy) free(n int) {
	if p.held[n].waiting {
		p.wait--
	}
	p.held[n] = held{}
}
