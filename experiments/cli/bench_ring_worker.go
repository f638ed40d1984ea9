package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

// exchanged is what rank 0 prints of steps that were asked for by flags.
type exchanged struct {
	Method  string    `json:"method"`
	Bytes   int       `json:"bytes"`
	Ranks   int       `json:"ranks"`
	Seconds []float64 `json:"seconds"`             // of each step, the slowest rank's
	Body    int64     `json:"body_bytes"`          // that all ranks sent, of all steps
	Header  int64     `json:"header_bytes"`        // of their frames
	Kernel  int64     `json:"tcp_bytes,omitempty"` // that the ranks' sockets sent, as the system counts
}

// benchRingWorkerCommand is one rank of an all-reduce over TCP: of `bench ring`,
// which orders steps on standard input, or of so many steps of one exchange.
func (a *app) benchRingWorkerCommand() *cobra.Command {
	var segment int
	e := bench.Exchange{}
	cmd := &cobra.Command{
		Use: "ring-worker", Hidden: true, Short: "One rank of an exchange over TCP (gradsync launch -- bench ring-worker)", Args: args(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, ok, err := tcpFromEnv()
			if err != nil {
				return usageError{err}
			}
			if !ok {
				return usagef("bench: ring-worker: no rank of a job: `gradsync launch --np N -- bench ring-worker` starts them")
			}
			runtime.GOMAXPROCS(bench.RingThreads(cfg.Size))
			e.Segment = segment
			if e.Steps == 0 {
				facts := fmt.Sprintf("%d connections per peer, %s a rank, pieces of %d elements", max(cfg.Conns, 1), cores(), segment)
				_, _, err = cluster.Run(cmd.Context(), tcp.New(cfg), func(p cluster.Proc) (int, error) {
					return 0, bench.ServeRing(p, cmd.InOrStdin(), a.out, segment, facts)
				})
				return err
			}
			if err := e.Check(); err != nil {
				return usageError{err}
			}
			out, err := runExchange(cmd, e, tcp.New(cfg))
			if err != nil || cfg.Rank != 0 {
				return err
			}
			if a.json {
				return a.printJSON(out)
			}
			fmt.Fprintf(a.out, "%s of %s over %d ranks: %s per step (median of %d; best %s), %d bytes sent\n", out.Method, bench.SizeText(out.Bytes), out.Ranks,
				milliseconds(bench.SpreadOf(out.Seconds).Median), len(out.Seconds), milliseconds(bench.SpreadOf(out.Seconds).Min), out.Body)
			return nil
		},
	}
	s := cmd.Flags()
	s.IntVar(&segment, "segment", defaultSegment, "ring: elements of a piece of a chunk (0: the whole chunk)")
	s.StringVar(&e.Method, "exchange", "ring", "ring or ringsparse")
	s.IntVar(&e.Bytes, "bytes", 4<<20, "bytes of a vector")
	s.IntVar(&e.Steps, "steps", 0, "so many steps and an uncounted one (0: orders on standard input)")
	s.Float64Var(&e.Density, "density", 0.1, "ringsparse: share of a rank's gradient that is not 0")
	s.Float64Var(&e.Rate, "bandwidth", 25e6, "ringsparse: B of the cost rule, bytes/s")
	return cmd
}

// runExchange runs the steps on a runtime. On one of several processes only rank 0
// has the others' records.
func runExchange(cmd *cobra.Command, e bench.Exchange, rt cluster.Runtime) (*exchanged, error) {
	got, trace, err := cluster.Run(cmd.Context(), rt, e.Run)
	if err != nil {
		return nil, err
	}
	out := &exchanged{Method: e.Method, Bytes: e.Bytes, Ranks: len(got), Seconds: make([]float64, e.Steps)}
	for _, g := range got {
		for i, d := range g.Steps {
			out.Seconds[i] = max(out.Seconds[i], d.Seconds())
		}
	}
	for _, s := range trace.Sent {
		out.Body, out.Header = out.Body+s.Bytes, out.Header+s.Header
	}
	for _, k := range trace.Kernel {
		out.Kernel += k
	}
	return out, nil
}

// milliseconds is a time in four digits.
func milliseconds(seconds float64) string { return fmt.Sprintf("%.4g ms", 1e3*seconds) }
