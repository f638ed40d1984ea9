package cli

import (
	"context"
	"fmt"

	"gradsync/papers/codedsgd"
)

// compressedSent counts what sums, then code, send at every depth.
func compressedSent(run codedRun) side {
	return func(ctx context.Context, n, r int) (out []amount, err error) {
		for t := 1; t <= r; t++ {
			s, err := run(ctx, n, codedsgd.Options{Method: codedsgd.Compressed, Redundancy: r, Depth: t})
			if err != nil {
				return nil, err
			}
			out = append(out, amount{what: depthLoad(t), value: s.once})
		}
		return out, nil
	}
}

// sumsPlanned counts the plan's packets at every depth, and asks whether they bring
// every node what it lacks.
func sumsPlanned(plan func(a *codedsgd.Assignment, depth int) (*codedsgd.SumPlan, error)) side {
	return func(_ context.Context, n, r int) (out []amount, err error) {
		a, err := codedsgd.Assign(n, r)
		if err != nil {
			return nil, err
		}
		for t := 1; t <= r; t++ {
			p, err := plan(a, t)
			if err != nil {
				return nil, err
			}
			refused := int64(0)
			if p.Check() != nil {
				refused = 1
			}
			out = append(out, amount{what: depthLoad(t), value: p.Load()}, amount{what: refusedPlans(t), value: whole(refused)})
		}
		return out, nil
	}
}

// compressedLoads is the closed form at every depth; with "refused", also that no plan is.
func compressedLoads(also string) side {
	return func(_ context.Context, n, r int) (out []amount, err error) {
		for t := 1; t <= r; t++ {
			out = append(out, amount{what: depthLoad(t), value: codedsgd.CompressedLoad(n, r, t)})
			if also != "" {
				out = append(out, amount{what: refusedPlans(t), value: whole(0)})
			}
		}
		return out, nil
	}
}

func depthLoad(t int) string { return fmt.Sprintf("load, t = %d", t) }
func refusedPlans(t int) string {
	return fmt.Sprintf("plans that leave a node without something, t = %d", t)
}
