package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gradsync/experiments/cli/lab"
	"gradsync/experiments/cli/launch"
	"gradsync/shared/cluster/tcp"
)

// labFlags holds the flags of lab ring.
type labFlags struct {
	exchange lab.Exchange
	mbit     []int
	train    bool
}

func (a *app) labCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "lab ring", Short: "Run real clusters in network namespaces and compare with virtual time",
		Example: "  gradsync lab ring --json", Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, got []string) error {
			if len(got) > 0 {
				return usagef("lab: no lab %q: known is ring", got[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.labRingCommand(), a.labWorkerCommand())
	return cmd
}

func (a *app) labRingCommand() *cobra.Command {
	f := &labFlags{}
	cmd := &cobra.Command{
		Use: "ring", Short: "The ring and RingSparse over TCP between namespaces with limited links, beside virtual time",
		Long: `Each worker is a process in a network namespace of its own, with an address of
its own and a link whose rate tc limits each way; a bridge joins them. The dense
ring and RingSparse run there over TCP, and in virtual time on a platform of the
same rates. Needs Linux, root and iproute2; where namespaces are not permitted a
line says so and nothing is run. First an MLP is trained with both methods by the
same command in the namespaces and in virtual time, which must give the same
parameters; then one vector is exchanged again and again. The machine's own network is not touched, and
what was made is removed, also after Ctrl-C.`,
		Example: "  gradsync lab ring\n  gradsync lab ring --rates 1000,1000,200 --bytes 1048576 --json", Args: args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.labRing(cmd.Context(), f) },
	}
	s := cmd.Flags()
	s.IntVar(&f.exchange.Bytes, "bytes", 4<<20, "bytes of a vector of float32")
	s.IntVar(&f.exchange.Steps, "steps", 7, "timed exchanges of each kind")
	s.Float64Var(&f.exchange.Density, "density", 0.1, "ringsparse: share of a worker's gradient that is not 0")
	s.IntVar(&f.exchange.Segment, "segment", 0, "ring: elements of a piece of a chunk (0: the whole chunk)")
	s.BoolVar(&f.train, "train", true, "also train an MLP with both methods")
	s.IntSliceVar(&f.mbit, "rates", nil, "one cluster of these links, Mbit/s (default 200,200,200,200 and 1000,1000,1000,200)")
	return cmd
}

// labWorkerCommand runs one rank of an exchange in a job of launch.
func (a *app) labWorkerCommand() *cobra.Command {
	e := lab.Exchange{}
	cmd := &cobra.Command{
		Use: "ring-worker", Hidden: true, Short: "One rank of an exchange over TCP (gradsync launch -- lab ring-worker)", Args: args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, ok, err := launch.Place(os.LookupEnv)
			switch {
			case err != nil:
				return usageError{err}
			case !ok:
				return usagef("lab: ring-worker: no rank of a job: `gradsync launch --np N -- lab ring-worker` starts them")
			}
			if err := e.Check(); err != nil {
				return usageError{err}
			}
			out, err := lab.Time(cmd.Context(), e, tcp.New(cfg))
			if err != nil || cfg.Rank != 0 {
				return err
			}
			if a.json {
				return a.printJSON(out)
			}
			spread := lab.SpreadOf(out.Seconds)
			fmt.Fprintf(a.out, "%s of %s over %d ranks: %.4g ms per step (median of %d; best %.4g ms), %d bytes sent\n", out.Method, lab.SizeText(out.Bytes),
				out.Ranks, 1e3*spread.Median, len(out.Seconds), 1e3*spread.Min, out.Body)
			return nil
		},
	}
	s := cmd.Flags()
	s.StringVar(&e.Method, "exchange", "ring", "ring or ringsparse")
	s.IntVar(&e.Bytes, "bytes", 4<<20, "bytes of a vector")
	s.IntVar(&e.Steps, "steps", 7, "steps beside an uncounted one")
	s.IntVar(&e.Segment, "segment", 0, "ring: elements of a piece of a chunk (0: the whole chunk)")
	s.Float64Var(&e.Density, "density", 0.1, "ringsparse: share of a rank's gradient that is not 0")
	s.Float64Var(&e.Rate, "bandwidth", 25e6, "ringsparse: B of the cost rule, bytes/s")
	return cmd
}

// clusters checks the flags and returns the clusters to build.
func (f *labFlags) clusters() ([]lab.Cluster, error) {
	e := f.exchange
	e.Method = "ring"
	if err := e.Check(); err != nil {
		return nil, usageError{err}
	}
	if f.mbit == nil {
		return lab.Clusters, nil
	}
	if len(f.mbit) < 2 || len(f.mbit) > 64 {
		return nil, usagef("lab: --rates: %d links, want 2 to 64", len(f.mbit))
	}
	for _, m := range f.mbit {
		if m < 1 || m > 100_000 {
			return nil, usagef("lab: --rates %d: 1 to 100000 Mbit/s", m)
		}
	}
	return []lab.Cluster{{Name: "chosen", Mbit: f.mbit}}, nil
}

// labRing runs the clusters one after another and prints their rows.
func (a *app) labRing(ctx context.Context, f *labFlags) error {
	clusters, err := f.clusters()
	if err != nil {
		return err
	}
	var impossible *lab.Impossible
	switch err := lab.Probe(ctx); {
	case errors.As(err, &impossible) && a.json:
		return a.printJSON(map[string]any{"lab": "ring", "skipped": impossible.Why})
	case errors.As(err, &impossible):
		fmt.Fprintf(a.out, "lab ring: skipped: %s\n", impossible.Why)
		return nil
	case err != nil:
		return labEnd(ctx, err)
	}
	if err := lab.Sweep(ctx); err != nil {
		return labEnd(ctx, err)
	}
	plan := lab.Plan{Exchange: f.exchange, Train: f.train, Errors: a.err}
	var rows []lab.Row
	for _, c := range clusters {
		if !a.quiet {
			fmt.Fprintf(a.err, "%s: %v Mbit/s\n", c.Name, c.Mbit)
		}
		more, err := plan.Run(ctx, c)
		if err != nil {
			return labEnd(ctx, err)
		}
		rows = append(rows, more...)
	}
	if a.json {
		return a.printJSON(map[string]any{"lab": "ring", "aim": lab.Aim, "density": f.exchange.Density, "steps": f.exchange.Steps, "rows": rows, "notes": lab.Notes})
	}
	a.printLab(rows)
	return nil
}

// labEnd words an interrupt.
func labEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("lab: interrupted; its namespaces are removed")
	}
	return err
}

// printLab prints the rows as a table.
func (a *app) printLab(rows []lab.Row) {
	fmt.Fprintf(a.out, "%-14s %-24s %-16s %9s %9s %28s %11s %6s  %s\n",
		"cluster", "links, Mbit/s", "what", "vector", "MB sent", "real ms, median (min, max)", "virtual ms", "ratio", "aim")
	for _, r := range rows {
		word := "within"
		if !r.Within {
			word = "outside"
		}
		real := fmt.Sprintf("%.1f (%.1f, %.1f)", 1e3*r.Real.Median, 1e3*r.Real.Min, 1e3*r.Real.Max)
		if r.ParamsSHA256 != "" {
			real = fmt.Sprintf("mean %.1f", 1e3*r.Real.Median)
		}
		fmt.Fprintf(a.out, "%-14s %-24s %-16s %9s %9.2f %28s %11.1f %6.3f  %s %.2g to %.2g\n", r.Name, fmt.Sprint(r.Mbit), r.Exchange,
			lab.SizeText(r.Bytes), float64(r.Body)/1e6, real, 1e3*r.Virtual, r.Ratio, word, lab.Aim[0], lab.Aim[1])
	}
	for _, n := range lab.Notes {
		fmt.Fprintln(a.out, n)
	}
}
