package bench

import (
	"context"
	"errors"
	"sync"
)

// Group is several processes of one contender that run their rounds at the same
// time: how a library that wants a process per gradient does concurrent ones.
// Steps count once, times are the slowest's, CPU seconds, allocations and peak
// memory are sums.
type Group []Contender

var _ Contender = Group(nil)

// Name is the members' name.
func (g Group) Name() string { return g[0].Name() }

// each runs f for all members at once.
func (g Group) each(f func(i int, c Contender) error) error {
	errs := make([]error, len(g))
	var all sync.WaitGroup
	for i, c := range g {
		all.Go(func() { errs[i] = f(i, c) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// Open opens all members; if one cannot, all are closed.
func (g Group) Open(ctx context.Context) (Reply, error) {
	hello, opened := make([]Reply, len(g)), make([]bool, len(g))
	err := g.each(func(i int, c Contender) (err error) {
		hello[i], err = c.Open(ctx)
		opened[i] = err == nil
		return err
	})
	if err != nil {
		for i, c := range g {
			if opened[i] {
				c.Close()
			}
		}
		return Reply{}, err
	}
	all := hello[0]
	for _, h := range hello[1:] {
		all.StepSeconds = max(all.StepSeconds, h.StepSeconds)
	}
	return all, nil
}

// Round runs the same steps in all members.
func (g Group) Round(ctx context.Context, steps int) (Sample, error) {
	samples := make([]Sample, len(g))
	err := g.each(func(i int, c Contender) (err error) {
		samples[i], err = c.Round(ctx, steps)
		return err
	})
	all := samples[0]
	for _, s := range samples[1:] {
		all.Seconds = max(all.Seconds, s.Seconds)
		all.CPUSeconds += s.CPUSeconds
		if all.Mallocs < 0 || s.Mallocs < 0 {
			all.Mallocs = -1
		} else {
			all.Mallocs += s.Mallocs
		}
	}
	return all, err
}

// Profile is the first member's, with all of them running.
func (g Group) Profile(ctx context.Context, seconds float64) ([]Function, error) {
	found := make([][]Function, len(g))
	err := g.each(func(i int, c Contender) (err error) {
		found[i], err = c.Profile(ctx, seconds)
		return err
	})
	return found[0], err
}

// Close closes all members.
func (g Group) Close() (int64, error) {
	peaks := make([]int64, len(g))
	err := g.each(func(i int, c Contender) (err error) {
		peaks[i], err = c.Close()
		return err
	})
	var sum int64
	for _, p := range peaks {
		sum += p
	}
	return sum, err
}
