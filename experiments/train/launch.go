package train

import (
	"context"
	"fmt"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/local"
	"gradsync/shared/cluster/virtual"
)

// launch runs body on every rank of the configured runtime and returns the
// run's length on its clock.
func (r *runner) launch(ctx context.Context, withServer bool, body func(cluster.Proc) error) (time.Duration, error) {
	rt, err := r.runtime(withServer)
	if err != nil {
		return 0, err
	}
	if r.cfg.Begin != nil {
		r.cfg.Begin()
	}
	out, err := rt.Run(ctx, func(p cluster.Proc) ([]byte, error) { return nil, body(p) })
	if err != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return 0, fmt.Errorf("train: %s on %s: %w", r.cfg.Sync, r.cfg.Platform.Name, err)
	}
	r.out.BytesSent = out.Trace.BodyBytes()
	if r.cfg.Trace != "" {
		if err := writeTrace(r.cfg.Trace, out.Trace); err != nil {
			return 0, err
		}
	}
	return out.Elapsed, nil
}

// runtime builds the cluster. The platform's workers were cut to Workers before.
func (r *runner) runtime(withServer bool) (cluster.Runtime, error) {
	c := r.cfg
	switch c.Runtime {
	case "virtual":
		return virtual.New(c.Platform, virtual.Config{Seed: c.Seed, WithServer: withServer, Workers: c.Workers, Trace: c.Trace != ""}), nil
	case "local":
		// Without arithmetic a computation lasts what the platform says, or the
		// run would measure nothing.
		return local.New(c.Platform, local.Config{Seed: c.Seed, WithServer: withServer, Workers: c.Workers, Trace: c.Trace != "",
			Emulate: c.Emulate || c.TimingOnly}), nil
	}
	return nil, fmt.Errorf("train: no runtime %q", c.Runtime)
}
