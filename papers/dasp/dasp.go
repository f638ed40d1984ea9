//gradsync:pure

package dasp

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gradsync/papers/dasp/formula"
)

// This file is the paper in the paper's order: what the server knows of its nodes (§2.1), then Algorithms 1 and 2 with
// equations (1) and (2). A node is a worker. The file knows no clock, message or gradient: server.go tells it what
// happens (Event) and does what it says (Action, both in policy.go). What we read into the paper stands in Config, its
// forms in readings.go, its reasons and which lines were lost in doc.go. P_n is the paper's P_state^n.
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

// View holds all that the server knows of the nodes, with one entry per worker:
//
//	v = ⟨v_1 … v_n⟩, f = ⟨f_1 … f_n⟩, v_new
//
// V[i] is the number of global updates in the weights that worker i was last handed, Newest (v_new) how many there are,
// F[i] how long its last iteration took (Job.F), 0 while unknown. Only workers that are Present count in min(v).
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

// Oldest returns min(v) over the workers present and the lowest id that holds it, (Newest, −1) when nobody is present.
//
// Source: Alg. 1, line 4
func (v View) Oldest() (vmin int64, id int) { return v.oldestBut(-1) }

// oldestBut returns Oldest without worker skip. It looks closer at eight entries only if their minimum is below vmin.
func (v View) oldestBut(skip int) (vmin int64, id int) {
	vmin, id = math.MaxInt64, -1
	scan := func(from, to int) {
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
			scan(i, i+8)
		}
	}
	scan(i, len(v.V))
	if id < 0 {
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

// Handed records that worker n was given the newest weights: v_n ← v_new, to which Updated has added the paper's 1.
//
// Source: Alg. 2, line 9
func (v *View) Handed(n int) { v.V[n] = v.Newest } // Alg. 2, line 9

// Join makes worker n present at min(v) of the others; Step answers it in the same event, so that it holds v_new.
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

// State is a worker's synchronisation state.
//
// Source: §2.2
type State uint8

// The three states, from free to held; New says what the re-check is.
const (
	QIS State = iota + 1 // quick iteration: v_n − v_min ≤ Smin; answered at once
	WSS                  // weak synchronisation: Smin < v_n − v_min ≤ Smax; answered after T_wait, if the re-check passes
	FSS                  // force synchronisation: beyond Smax; answered when the re-check passes
)

// String returns the paper's abbreviation, "-" for no state.
func (s State) String() string {
	if s < QIS || s > FSS {
		return "-"
	}
	return [...]string{"QIS", "WSS", "FSS"}[s-QIS]
}

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
	// LiteralFSS answers WSS after T_wait, FSS after one completion of the oldest, without the re-check (New).
	LiteralFSS  bool
	Join        bool  // lets QIS arrivals join a group that waits: answered with it, by its weight
	QISWeight   Scale // default 1/N
	GroupWeight Scale // default 1/K
}

// DefaultConfig returns the default reading for n workers. One round of n workers makes n versions: Smin is half a
// round, rounded up, Smax one round; for the paper's 6 workers they are 3 and 6. α = 0.5.
//
// Source: ours: the paper's thresholds and α are lost; with (3, 6) six unequal GPUs visit all three states
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
	Until int           // id_min, which may be n itself; with PostUpdateGap the oldest of the others, −1: there are none
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
//	difference  max(0, α·(f_j − f_i))
//	absolute    α·|f_i − f_j|
//	convex      α·f_i + (1−α)·f_j
//	oldest      α·f_j
//
// The result lies in [0, f_j]: within f_j the oldest node completes an iteration if it is as fast as last time, and
// nothing is gained by waiting longer. While either time is unknown (0) nobody waits.
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
	if scale == ScaleWorkers || (scale == scaleDefault && s == QIS) {
		return formula.QISWeight(c.Workers) // Alg. 2, line 4
	}
	return formula.GroupWeight(k) // Alg. 2, line 6
}

// New returns DASP as a Policy: Algorithm 1 decides each arrival, Algorithm 2 makes the updates, and what the
// paper leaves open is settled so:
//
//   - A QIS gradient is applied alone and answered at once.
//   - A WSS node is ready after T_wait, an FSS node at once. Ready nodes are answered if the version that they would
//     be handed is at most Smax ahead of everybody who stays behind. That is the re-check.
//   - The gradients of waiting nodes form one group. When a member may be answered, the group becomes one update of
//     weight 1/K and answers its ready members; the others are answered later, without a further version.
//
// Right after a WSS or FSS answer v_n − min(v) ≤ Smax, by the re-check; QIS answers are not tested. For N ≥ 2, after
// every Step, v_new − min(v) ≤ Smax + N − 2. Proof: min(v) never falls. Let m = min(v) now, h a worker that holds m,
// and τ the last Step after which v_new ≤ m + Smin. Whoever is answered after τ gets more than m + Smin: so h was not,
// and each other worker takes one QIS step at most, after which its gap is above Smin. If no group was answered after
// τ, v_new ≤ m + Smin + N − 1 ≤ m + Smax + N − 2. Else the last group left v_new ≤ m + Smax, and neither h nor a member
// of that group takes a QIS step after it: N − 2 workers do.
//
// Source: §2
func New(cfg Config) (Policy, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &policy{cfg: cfg, view: NewView(cfg.Workers), nodes: make([]waiter, cfg.Workers)}, nil
}

// policy is DASP's server state.
type policy struct {
	cfg   Config
	view  View
	nodes []waiter
	waits int // how many of them wait
	out   []Action
	last  Decision // on the latest push
}

// waiter is a node that waits for its answer, and why; the zero value does not wait.
type waiter struct {
	waiting bool
	applied bool          // its gradient went into a group's update before it was ready
	ready   bool          // WSS: T_wait is over; FSS: from the start; FSS with LiteralFSS: id_min has completed
	wakes   time.Duration // WSS: when T_wait is over, on the run's clock
	Decision
}

// Name returns "dasp".
func (p *policy) Name() string { return "dasp" }

// View returns the node state, for tests and displays.
func (p *policy) View() View { return p.view }

// Decided returns what Algorithm 1 decided on the latest push, for the cost of adjustment and the audit.
func (p *policy) Decided() Decision { return p.last }

// Step consumes one event and returns what is to be done, valid until the next Step. It panics on a push of a node
// that is waiting or absent: the server answers every push before the next.
func (p *policy) Step(ev Event) []Action {
	p.out = p.out[:0]
	n := ev.Worker
	switch ev.Kind {
	case EventPush: // Alg. 1, line 1
		p.push(n, ev)
	case EventTimer: // Alg. 1, line 12: T_wait is over
		if w := &p.nodes[n]; w.waiting && w.State == WSS && ev.At >= w.wakes {
			w.ready = true
		}
	case EventJoin:
		p.view.Join(n)
		p.reply(n, QIS, 0) // the log has its state as QIS
	case EventLeave:
		p.leave(n)
	}
	p.release()
	return p.out
}

// push takes in one gradient: Algorithm 1 decides, a QIS gradient is applied and answered, any other waits.
func (p *policy) push(n int, ev Event) {
	if p.nodes[n].waiting || !p.view.Present[n] {
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
	w := waiter{waiting: true, Decision: d} // Alg. 2, line 5
	switch d.State {                        // QIS: it joins the group
	case WSS: // Alg. 1, line 12: wait T_wait
		w.wakes, w.ready = ev.At+d.Wait, d.Wait <= 0
		if !w.ready {
			p.out = append(p.out, Action{Kind: SetTimer, Workers: []int{n}, At: w.wakes})
		}
	case FSS:
		// Alg. 1, line 15: the literal reading waits for id_min, unless that has completed and waits itself
		w.ready = !p.cfg.LiteralFSS || p.nodes[d.Until].waiting
	}
	p.nodes[n] = w
	p.waits++
}

// completed tells the nodes in literal FSS that n's iteration is complete.
func (p *policy) completed(n int) {
	if p.waits == 0 {
		return
	}
	for i := range p.nodes {
		if w := &p.nodes[i]; w.waiting && w.State == FSS && w.Until == n {
			w.ready = true // Alg. 1, line 15
		}
	}
}

// release answers the waiting nodes that are ready and pass the re-check, until nobody more does. A group's gradients
// are summed in order of worker id, whoever came first.
func (p *policy) release() {
	for p.waits > 0 {
		nodes, fresh := p.candidates(false)
		if fresh && p.withinSmax(p.view.Newest+1, nodes) {
			p.apply(WSS, p.takeGroup()...) // Alg. 2, line 6: WSS stands for FSS too
		} else { // those alone whose gradient is in the model already: they need no new version
			nodes, _ = p.candidates(true)
			if len(nodes) == 0 || !p.withinSmax(p.view.Newest, nodes) {
				return
			}
		}
		for _, n := range nodes {
			p.reply(n, p.nodes[n].State, p.nodes[n].Gap)
		}
	}
}

// candidates returns the nodes that nothing but the re-check holds, and whether one of them needs a new version; with
// appliedOnly those that need none. A QIS node that joined a group is always among them: it goes along with others, and
// asks for a version itself only when no WSS or FSS gradient is left in the group.
func (p *policy) candidates(appliedOnly bool) (nodes []int, fresh bool) {
	alone := !p.groupWaits()
	for i, w := range p.nodes {
		if joined := w.State == QIS; w.waiting && (w.applied || !appliedOnly) && (joined || w.ready) {
			nodes = append(nodes, i)
			fresh = fresh || !w.applied && (!joined || alone)
		}
	}
	return nodes, fresh
}

// groupWaits reports whether a WSS or FSS gradient waits for its update.
func (p *policy) groupWaits() bool {
	waits := func(w waiter) bool { return w.waiting && !w.applied && w.State != QIS }
	return p.waits > 0 && slices.ContainsFunc(p.nodes, waits)
}

// withinSmax is the re-check: it reports whether v, handed to all of nodes, is at most Smax ahead of everybody else.
// The literal reading has no such test.
func (p *policy) withinSmax(v int64, nodes []int) bool {
	if p.cfg.LiteralFSS {
		return true
	}
	k := 0 // nodes ascend, so one walk suffices
	// Alg. 1, line 15: here, until nobody who stays is more than Smax behind
	for i, has := range p.view.V {
		if k < len(nodes) && nodes[k] == i {
			k++
		} else if p.view.Present[i] && v-has > p.cfg.Smax {
			return false
		}
	}
	return true
}

// takeGroup returns the waiting nodes whose gradient no update has used, and marks them used. It is the group: K is
// its size.
func (p *policy) takeGroup() (nodes []int) {
	for i := range p.nodes {
		if w := &p.nodes[i]; w.waiting && !w.applied {
			w.applied = true
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
	if w := &p.nodes[n]; w.waiting && !w.applied {
		p.out = append(p.out, Action{Kind: Drop, Workers: []int{n}})
	}
	p.free(n)
	p.completed(n) // nobody waits for one that has left
}

// free lets n wait no longer.
func (p *policy) free(n int) {
	if p.nodes[n].waiting {
		p.waits--
	}
	p.nodes[n] = waiter{}
}
