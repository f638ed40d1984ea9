package train

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"gradsync/internal/atomic"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/local"
	"gradsync/shared/cluster/tcp"
	"gradsync/shared/cluster/virtual"
)

// launch runs body on every rank of the configured runtime, of several processes
// on this one's rank. It returns what the bodies returned, as far as this
// process is told, and the run's length on its clock.
func launch[T any](ctx context.Context, r *runner, withServer bool, body func(cluster.Proc) (T, error)) ([]T, time.Duration, error) {
	rt, err := r.runtime(withServer)
	if err != nil {
		return nil, 0, err
	}
	if r.cfg.Begin != nil && (r.cfg.TCP == nil || r.cfg.TCP.Rank == 0) {
		r.cfg.Begin()
	}
	t := &stopwatch{Runtime: r.cfg.on(rt)}
	results, trace, err := cluster.Run(ctx, t, func(p cluster.Proc) (T, error) {
		if r.cfg.TCP != nil {
			if err := r.sameRun(p); err != nil {
				var none T
				return none, err
			}
		}
		return body(p)
	})
	if err != nil {
		if abort := (*cluster.AbortError)(nil); ctx.Err() != nil && !(errors.As(err, &abort) && abort.Rank >= 0 && abort.Op != "context") {
			return nil, 0, ctx.Err() // nobody failed first
		}
		return nil, 0, fmt.Errorf("train: %s on %s: %w", r.cfg.Sync, r.cfg.Platform.Name, err)
	}
	if r.out.Lost = trace.Lost; !r.leads() {
		return results, t.elapsed, nil
	}
	r.out.Insecure = r.cfg.TCP != nil && r.cfg.TCP.Insecure
	r.out.BytesSent = trace.BodyBytes()
	if r.keeping != nil {
		r.out.BytesSent -= r.keeping.moved.Load()
		r.out.Resumed, _ = r.begun()
	}
	for _, n := range trace.Kernel {
		r.out.KernelBytes += n
	}
	if r.cfg.Trace != "" {
		r.wrote("trace", writeTrace(r.cfg.Trace, trace))
	}
	if r.cfg.OnTrace != nil {
		r.cfg.OnTrace(trace)
	}
	return results, t.elapsed, nil
}

// traced reports whether spans are recorded.
func (c *Config) traced() bool { return c.Trace != "" || c.OnTrace != nil }

// stopwatch notes how long a run took on its clock.
type stopwatch struct {
	cluster.Runtime
	elapsed time.Duration
}

func (t *stopwatch) Run(ctx context.Context, body func(cluster.Proc) ([]byte, error)) (cluster.Outcome, error) {
	out, err := t.Runtime.Run(ctx, body)
	t.elapsed = out.Elapsed
	return out, err
}

// leads reports, once the run has ended, whether this process has its first rank that is not lost, to which results go.
func (r *runner) leads() bool {
	first := 0
	for slices.Contains(r.out.Lost, first) {
		first++
	}
	return r.cfg.TCP == nil || r.cfg.TCP.Rank == first
}

// runtime builds the cluster. The platform's workers were cut to Workers before.
func (r *runner) runtime(withServer bool) (cluster.Runtime, error) {
	c := r.cfg
	// Without arithmetic a computation lasts what the platform says, or a run on a
	// real clock would measure nothing.
	emulate := c.Emulate || c.TimingOnly
	switch c.Runtime {
	case "virtual":
		return virtual.New(c.Platform, virtual.Config{Seed: c.Seed, WithServer: withServer, Workers: c.Workers, Trace: c.traced(),
			Whole:   withServer, // its workers wait for a gradient's last stage alone
			Elastic: c.Elastic.Elastic}), nil
	case "local":
		return local.New(c.Platform, local.Config{Seed: c.Seed, WithServer: withServer, Workers: c.Workers, Trace: c.traced(),
			Emulate: emulate, Elastic: c.Elastic.Elastic}), nil
	case "tcp", OverMPI:
		hosts, err := cluster.SelectHosts(c.Platform, withServer, c.Workers)
		if err != nil {
			return nil, err
		}
		cfg := tcp.Config{Seed: c.Seed, Trace: c.traced(), Emulate: emulate, Hosts: hosts, Elastic: c.Elastic.Elastic, Certs: c.Certs}
		if c.TCP == nil {
			cfg.Timeout = time.Minute // a busy machine may be late; whom a process loses it sees at once
			return tcp.Loopback(len(hosts), cfg), nil
		}
		if c.TCP.Size != len(hosts) {
			return nil, input(fmt.Errorf("train: %d processes, but %s with %d workers has %d ranks", c.TCP.Size, c.Sync, c.Workers, len(hosts)))
		}
		place := *c.TCP
		place.Seed, place.Trace, place.Emulate = cfg.Seed, cfg.Trace, cfg.Emulate
		if emulate {
			place.Hosts = hosts
		}
		if c.Runtime == OverMPI {
			return c.MPI(place), nil
		}
		return tcp.New(place), nil
	}
	return nil, fmt.Errorf("train: no runtime %q", c.Runtime)
}

// writeTrace writes a run's time line to a file that Perfetto opens.
func writeTrace(path string, t *cluster.Trace) error {
	return atomic.Write(path, func(w io.Writer) error { return cluster.WriteChrome(w, t) })
}

// tagSame is the tag of what processes compare. No method uses it.
const tagSame = cluster.MaxTag - 1

// sameRun fails if processes of one job do not run the same training: another
// command, other data, an engine of other roundings, other first parameters. They
// would never agree, or agree on what nobody asked for.
func (r *runner) sameRun(p cluster.Proc) error {
	c := r.cfg
	c.Engine, c.Load = "", "" // other names may stand for the same bits, which are compared
	config, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	data := ""
	if r.out.Data != nil {
		data = r.out.Data.SHA256
	}
	x := &replica{runner: r, p: p}
	flags := fmt.Sprintf("%s and a state every %d updates", config, c.CheckpointEvery)
	for _, f := range [][2]string{{"flags", flags}, {"data", data}, {"engine", r.out.Engine}, {"first parameters", ParamsHash(r.init)}} {
		if err := x.same(f[0], f[1]); err != nil {
			return err
		}
	}
	return nil
}

// same compares a text with the left neighbour's, by its SHA-256 in the four words
// of a message without a body, so that no byte of an exchange is counted for it.
func (x *replica) same(what, text string) error {
	n, p := x.p.Size(), x.p
	left := (p.Rank() + n - 1) % n
	if left == p.Rank() {
		return nil
	}
	sum := sha256.Sum256([]byte(text))
	out, in := cluster.Msg{Body: []byte{}}, cluster.Msg{}
	for i := range out.Meta {
		out.Meta[i] = int64(binary.LittleEndian.Uint64(sum[8*i:]))
	}
	received := p.Irecv(left, tagSame, &in)
	if err := cluster.Wait(p, p.Isend((p.Rank()+1)%n, tagSame, &out), received); errors.Is(err, cluster.ErrLost) {
		return nil // it has no say any more
	} else if err != nil {
		return err
	}
	if in.Meta != out.Meta {
		return fmt.Errorf("train: ranks %d and %d do not agree: %s differ", left, p.Rank(), what)
	}
	return nil
}
