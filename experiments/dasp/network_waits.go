package dasp

import (
	"time"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// shortWait is the share of the oldest worker's whole iteration below which a
// T_wait counts as next to nothing.
const shortWait = 0.05

// wssWaits are DASP's waits in WSS by what eq. (1) asked for, and its groups.
// Pushes of the warm-up are in none of the first four.
type wssWaits struct {
	WSS    int     // pushes in WSS
	Zero   int     // of them, T_wait = 0
	Short  int     // of them, T_wait < shortWait of the oldest worker's last iteration, the zeros included
	Wait   float64 // Σ T_wait, seconds
	Oldest float64 // Σ the oldest worker's last iteration, transfers included, seconds

	Groups, Members, Solo int // updates of weight 1/K, their gradients, those of K = 1
}

// countWaits retraces a DASP run and repeats Algorithm 1's decisions, but for the
// waits of each worker's first skip pushes.
func countWaits(l *dasp.Log, o rivals.Options, skip int64) (wssWaits, error) {
	var out wssWaits
	c, err := o.Config()
	if err != nil {
		return out, err
	}
	f, err := o.F()
	if err != nil {
		return out, err
	}
	fresh := func() (dasp.Policy, error) { return rivals.New("dasp", o) }
	last := make([]time.Duration, l.Workers) // whole iterations
	err = retrace(l, fresh, f, func(s sight) {
		p := l.Pushes[s.Index]
		last[p.Worker] = p.Received - p.Sent
		d := c.Decide(s.View, p.Worker)
		if d.State != dasp.WSS || s.Clocks[p.Worker] <= skip {
			return
		}
		out.WSS++
		out.Wait += d.Wait.Seconds()
		out.Oldest += last[d.Until].Seconds()
		if d.Wait == 0 {
			out.Zero++
		}
		if d.Wait == 0 || d.Wait.Seconds() < shortWait*last[d.Until].Seconds() {
			out.Short++
		}
	}, nil)
	for _, u := range l.Updates {
		if k := len(u.Workers); u.Weight == c.Weight(dasp.WSS, k) {
			out.Groups++
			out.Members += k
			if k == 1 {
				out.Solo++
			}
		}
	}
	return out, err
}

// add joins the waits of several seeds.
func (w *wssWaits) add(x wssWaits) {
	w.WSS, w.Zero, w.Short = w.WSS+x.WSS, w.Zero+x.Zero, w.Short+x.Short
	w.Wait, w.Oldest = w.Wait+x.Wait, w.Oldest+x.Oldest
	w.Groups, w.Members, w.Solo = w.Groups+x.Groups, w.Members+x.Members, w.Solo+x.Solo
}

// allWaits joins the waits of all seeds.
func allWaits(cells []linkCell) (all wssWaits) {
	for _, c := range cells {
		all.add(c.Waits)
	}
	return all
}
