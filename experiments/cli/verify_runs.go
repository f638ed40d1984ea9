package cli

import (
	"context"
	"time"

	"gradsync/experiments/platforms"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// runChecks compare methods with each other on the virtual runtime.
func runChecks() []check {
	return []check{
		{"dasp.ssp0", "SSP(0) answers every worker at BSP's instants, to 1 µs", sspZero},
		{"dasp.ssp-inf", "SSP(∞) = ASP, push by push", sspInfinite},
		{"dasp.qis", "a QIS answer is never delayed: it leaves as soon as the server is free", quickIsQuick},
	}
}

// timed runs a method without arithmetic; the server's own time is taken out of
// the picture where free.
func timed(ctx context.Context, sync string, seed uint64, free bool, change func(*rivals.Options)) (*dasp.Log, error) {
	p, err := platforms.Load("heterogeneous6")
	if err != nil {
		return nil, err
	}
	if free {
		p = p.WithHosts(func(h *cluster.Host, server bool) {
			if server {
				h.FLOPS, h.Memory = 1e20, 0
			}
		})
		p.Decision = 0
	}
	o := rivals.Defaults(len(p.Workers))
	change(&o)
	out, err := train.Run(ctx, train.Config{Sync: sync, Model: "lenet5", Platform: p, Seed: seed, Options: &o, MaxPushes: 300, TimingOnly: true})
	if err != nil {
		return nil, err
	}
	return out.Log, nil
}

// answers are the instants at which each worker was answered.
func answers(l *dasp.Log) [][]time.Duration {
	out := make([][]time.Duration, l.Workers)
	for _, p := range l.Pushes {
		if !p.Abandoned {
			out[p.Worker] = append(out[p.Worker], p.Replied)
		}
	}
	return out
}

func sspZero(ctx context.Context) (t tally, err error) {
	t.within = true
	for seed := range uint64(3) {
		bsp, err := timed(ctx, "bsp", seed, true, func(*rivals.Options) {})
		if err != nil {
			return t, err
		}
		ssp, err := timed(ctx, "ssp", seed, true, func(o *rivals.Options) { o.Staleness = 0 })
		if err != nil {
			return t, err
		}
		compareAnswers(&t, answers(bsp), answers(ssp), time.Microsecond)
	}
	return t, nil
}

func sspInfinite(ctx context.Context) (t tally, err error) {
	for seed := range uint64(3) {
		asp, err := timed(ctx, "asp", seed, false, func(*rivals.Options) {})
		if err != nil {
			return t, err
		}
		ssp, err := timed(ctx, "ssp", seed, false, func(o *rivals.Options) { o.Staleness = rivals.Unbounded })
		if err != nil {
			return t, err
		}
		compareAnswers(&t, answers(asp), answers(ssp), 0)
	}
	return t, nil
}

func compareAnswers(t *tally, a, b [][]time.Duration, tolerance time.Duration) {
	for w := range a {
		t.add(len(a[w]) == len(b[w]), "worker %d was answered %d and %d times", w, len(a[w]), len(b[w]))
		for i := 0; i < min(len(a[w]), len(b[w])); i++ {
			t.add((a[w][i]-b[w][i]).Abs() <= tolerance, "worker %d, answer %d: %v and %v", w, i, a[w][i], b[w][i])
		}
	}
}

// quickIsQuick asks, of a server that costs nothing, that QIS answers leave in
// the instant of the gradient's arrival, and WSS answers within their node's wait.
func quickIsQuick(ctx context.Context) (t tally, err error) {
	for seed := range uint64(3) {
		log, err := timed(ctx, "dasp", seed, true, func(*rivals.Options) {})
		if err != nil {
			return t, err
		}
		held := 0
		for i, p := range log.Pushes {
			switch {
			case p.Abandoned:
			case p.State == dasp.QIS:
				t.add(p.Replied-p.Received <= time.Microsecond, "seed %d, push %d: QIS answered after %v", seed, i, p.Replied-p.Received)
			default:
				held++
			}
		}
		t.add(held > 0, "seed %d: no push was in WSS or FSS, so the check says nothing", seed)
	}
	return t, nil
}
