package swarm

import (
	"fmt"
	"slices"
)

// checkLog says where the server's log differs from what the watch saw, or from itself.
func (v *service) checkLog() string {
	l, w := v.log, v.watch
	if len(l.Pushes) != len(w.arrivals) || len(l.Updates) > len(w.applies) {
		return fmt.Sprintf("the log has %d gradients in %d versions, %d came and %d were ordered", len(l.Pushes), len(l.Updates), len(w.arrivals), len(w.applies))
	}
	steps := make([]int64, v.n)
	for i, p := range l.Pushes {
		a := w.arrivals[i]
		if a.applied > int64(len(l.Updates)) {
			a.applied = 0 // the run was over
		}
		switch {
		case p.Worker != a.worker || p.Pulled != a.held:
			return fmt.Sprintf("gradient %d is worker %d's on version %d by the log, worker %d's on version %d as it came", i, p.Worker, p.Pulled, a.worker, a.held)
		case p.Clock != a.ahead:
			return fmt.Sprintf("gradient %d, worker %d's, is %d clocks ahead of the slowest by the log, %d of the slowest of the living", i, p.Worker, p.Clock, a.ahead)
		case p.Applied != a.applied:
			return fmt.Sprintf("gradient %d, worker %d's, is in version %d by the log, ordered in %d", i, p.Worker, p.Applied, a.applied)
		case p.Step != steps[p.Worker]:
			return fmt.Sprintf("gradient %d is of worker %d's step %d, want %d", i, p.Worker, p.Step, steps[p.Worker])
		}
		steps[p.Worker]++
	}
	for i, u := range l.Updates {
		switch {
		case u.Version != int64(i+1):
			return fmt.Sprintf("version %d comes after %d: versions are not contiguous", u.Version, i)
		case i > 0 && u.At < l.Updates[i-1].At:
			return fmt.Sprintf("version %d is of %v, before version %d", u.Version, u.At, i)
		case !slices.Equal(u.Workers, w.applies[i].Workers) || u.Weight != w.applies[i].Weight:
			return fmt.Sprintf("version %d is of workers %v, weight %g, ordered of %v, %g", u.Version, u.Workers, u.Weight, w.applies[i].Workers, w.applies[i].Weight)
		}
	}
	return ""
}

// replay says which version has other bits than the log gives: each gradient anew on the version that it was pulled at,
// in each update once.
func (v *service) replay() string {
	l := v.log
	if len(v.trained) != len(l.Updates)+1 {
		return fmt.Sprintf("%d versions were trained, the log has %d", len(v.trained)-1, len(l.Updates))
	}
	of := make([]int, (len(l.Updates)+1)*v.n) // version and worker → gradient, from 1 on
	for i, p := range l.Pushes {
		if p.Applied == 0 {
			continue
		}
		at := &of[int(p.Applied-1)*v.n+p.Worker]
		if *at > 0 || p.Applied <= p.Pulled {
			return fmt.Sprintf("version %d uses two gradients of worker %d, or one that was computed on it", p.Applied, p.Worker)
		}
		*at = i + 1
	}
	x, g, sum := begin(), make([]float32, params), make([]float32, params)
	for k, u := range l.Updates {
		clear(sum)
		for j, worker := range u.Workers {
			at := of[k*v.n+worker] - 1
			if at < 0 {
				return fmt.Sprintf("version %d uses a gradient of worker %d that the log has in no version or another", u.Version, worker)
			}
			p := l.Pushes[at]
			if loss := gradient(g, v.trained[p.Pulled], worker, p.Step); loss != p.Loss {
				return fmt.Sprintf("gradient %d has the loss %g, on version %d it is %g", at, p.Loss, p.Pulled, loss)
			}
			for i := range sum {
				if j == 0 {
					sum[i] = g[i]
				} else {
					sum[i] += g[i]
				}
			}
		}
		factor := -float32(rate * u.Weight)
		for i := range x {
			x[i] += float32(factor * sum[i])
		}
		if i := equalBits(x, v.trained[k+1]); i >= 0 {
			return fmt.Sprintf("version %d has other bits than its gradients give, used once each: parameter %d is %g, want %g", u.Version, i, v.trained[k+1][i], x[i])
		}
	}
	return ""
}
