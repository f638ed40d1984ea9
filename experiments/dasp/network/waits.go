package network

import (
	"slices"
	"time"

	"gradsync/experiments/dasp/retrace"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// measured keeps a run's summary and its waits in WSS.
type measured struct {
	Summary setup.Summary
	Waits   wssWaits // DASP only
}

// measuredOf reduces a run with the parameters opts.
func measuredOf(o *train.Outcome, opts rivals.Options) (measured, error) {
	c := measured{Summary: setup.Summarise(o, false)}
	if o.Sync != "dasp" {
		return c, nil
	}
	var err error
	c.Waits, err = countWaits(o.Log, opts, setup.Warmup)
	return c, err
}

// shortWait is the share of the oldest worker's whole iteration below which a T_wait counts as next
// to nothing.
const shortWait = 0.05

// wssWaits adds up DASP's waits in WSS by what eq. (1) asked for, without the warm-up, and its
// groups, with it.
type wssWaits struct {
	WSS    int     // pushes in WSS
	Zero   int     // of them, T_wait = 0
	Short  int     // of them, T_wait < shortWait of the oldest worker's last iteration, the zeros included
	Wait   float64 // Σ T_wait, seconds
	Oldest float64 // Σ the oldest worker's last iteration, transfers included, seconds

	Groups, Members, Solo int // updates of weight 1/K, their gradients, those of K = 1
}

// countWaits retraces a DASP run, repeats Algorithm 1's decisions and adds up the waits, but for
// each worker's first skip pushes.
func countWaits(l *dasp.Log, o rivals.Options, skip int64) (wssWaits, error) {
	var out wssWaits
	c := kit.Must(o.Config())
	last := make([]time.Duration, l.Workers) // whole iterations
	err := retrace.Log(l, retrace.PolicyOf("dasp", o), kit.Must(o.F()), func(s retrace.Sight) {
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

// add adds the waits of another seed.
func (w *wssWaits) add(x wssWaits) {
	w.WSS, w.Zero, w.Short = w.WSS+x.WSS, w.Zero+x.Zero, w.Short+x.Short
	w.Wait, w.Oldest = w.Wait+x.Wait, w.Oldest+x.Oldest
	w.Groups, w.Members, w.Solo = w.Groups+x.Groups, w.Members+x.Members, w.Solo+x.Solo
}

// allWaits adds up the waits of all seeds.
func allWaits(runs []measured) (all wssWaits) {
	for _, c := range runs {
		all.add(c.Waits)
	}
	return all
}

// onlyQIS reports whether every push of every seed is in QIS, so that nobody waits.
func onlyQIS(runs []measured) bool {
	return !slices.ContainsFunc(runs, func(c measured) bool { return c.Summary.Share["QIS"] < 1 })
}
