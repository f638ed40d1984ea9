//gradsync:pure

package rivals

import (
	"fmt"
	"time"

	"gradsync/papers/dasp"
)

// dssp is dynamic stale synchronous parallel.
type dssp struct {
	roster
	lower, upper int64
	grant        []int64            // r_p: answers still promised to p
	pushed       [][2]time.Duration // p's last two pushes, latest first (table A)
	seen         []int              // how many of the two are known
	printed      bool               // grants are not capped
}

// NewDSSP returns dynamic stale synchronous parallel [18], Zhao et al., ICDCS
// 2019: SSP with a threshold that moves between s_L = Lower and s_U = Upper. The
// fastest worker, when it passes s_L, may be granted r more iterations, where r
// is predicted to let its next stop meet a push of the slowest.
//
// Two things differ from its printed Algorithm 1. There the grant's answer
// falls through to the wait and to a second answer; here it is an else. There
// grants repeat without limit and the gap runs away; here
//
//	r ← min(r*, s_U − (t_p − min(t)))
//
// so that no answer leaves a worker more than s_U clocks ahead, unless Grants is
// "printed": then r ← r*. As printed, the answer that carries the grant is not
// counted: r + 1 iterations follow.
//
// Source: §1
func NewDSSP(o Options) (dasp.Policy, error) {
	if o.Lower < 0 || o.Upper < o.Lower {
		return nil, fmt.Errorf("dssp: range [%d, %d] clocks, want 0 <= lower <= upper", o.Lower, o.Upper)
	}
	printed, err := choose("DSSP's grants", o.Grants, "capped", "printed")
	if err != nil {
		return nil, err
	}
	n := o.Workers
	return &dssp{printed: printed, roster: newRoster("dssp", n), lower: o.Lower, upper: o.Upper,
		grant: make([]int64, n), pushed: make([][2]time.Duration, n), seen: make([]int, n)}, nil
}

// Step consumes one event.
func (p *dssp) Step(ev dasp.Event) []dasp.Action {
	p.out = p.out[:0]
	last := -1
	switch w := ev.Worker; ev.Kind {
	case dasp.EventPush:
		p.arrive(w)
		p.pushed[w] = [2]time.Duration{ev.At, p.pushed[w][0]}
		p.seen[w] = min(p.seen[w]+1, 2)
		p.apply(1/float64(p.n()), w)
		if p.goesOn(w) {
			p.reply(w, dasp.QIS)
		} else {
			p.waiting[w] = true
		}
		last = w
	case dasp.EventJoin:
		p.grant[w], p.seen[w] = 0, 0
		p.join(w)
	case dasp.EventLeave:
		p.leave(w)
	}
	p.release(p.lower, last)
	return p.out
}

// goesOn takes lines 3–16 of the method's Algorithm 1: it reports whether w is
// answered although it may be past s_L.
func (p *dssp) goesOn(w int) bool {
	if p.grant[w] > 0 {
		p.grant[w]--
		return true
	}
	slow, id := p.slowest(-1)
	gap := p.clock[w] - slow
	if gap <= p.lower {
		return true
	}
	for i, c := range p.clock {
		if p.present[i] && c > p.clock[w] {
			return false // only the fastest is granted more
		}
	}
	r := p.iterations(w, id)
	if !p.printed {
		r = min(r, p.upper-gap)
	}
	if r <= 0 {
		return false
	}
	p.grant[w] = r
	return true
}

// iterations returns r* by the method's Algorithm 2, in 0 … s_U − s_L: the
// r-th next push of w lies nearest to one of the slowest worker's next pushes, if
// both go on at the pace of their last interval. Ties go to the smaller r.
func (p *dssp) iterations(w, slow int) int64 {
	if p.seen[w] < 2 || p.seen[slow] < 2 {
		return 0
	}
	own := p.pushed[w][0] - p.pushed[w][1]
	its := p.pushed[slow][0] - p.pushed[slow][1]
	var best int64
	nearest := time.Duration(-1)
	for r := int64(0); r <= p.upper-p.lower; r++ {
		at := p.pushed[w][0] + time.Duration(r)*own
		for k := int64(1); k <= p.upper-p.lower+1; k++ {
			d := at - (p.pushed[slow][0] + time.Duration(k)*its)
			if d = max(d, -d); nearest < 0 || d < nearest {
				nearest, best = d, r
			}
		}
	}
	return best
}
