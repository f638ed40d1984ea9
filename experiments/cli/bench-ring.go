package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/experiments/cli/lab"
	"gradsync/experiments/cli/launch"
	"gradsync/internal/atomic"
	"gradsync/internal/readfile"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/mpi"
	"gradsync/shared/cluster/tcp"
)

// defaultSegment is the number of elements in a piece of a chunk that bench ring sends: a
// piece is added and forwarded while the next one arrives.
const defaultSegment = 128 << 10

// defaultShort is the number of elements up to which bench ring gathers a vector whole: the time of a message less is worth more
// than the bytes that it takes.
const defaultShort = 4 << 10

// ringFlags adds the flags of `bench ring` to those that all matches share.
type ringFlags struct {
	benchFlags
	sizes   []string
	np      []int
	conns   int
	segment int
	short   int
	tls     bool
	into    string
	runtime string
}

// newRingFlags returns the defaults.
func newRingFlags() *ringFlags {
	f := &ringFlags{np: []int{2, 4}, segment: defaultSegment, short: defaultShort, runtime: "tcp"}
	f.rounds, f.seconds, f.budget = 11, 0.1, 30
	return f
}

func (a *app) benchRingCommand() *cobra.Command {
	f := newRingFlags()
	cmd := &cobra.Command{
		Use: "ring", Short: "Ring all-reduce over TCP beside Open MPI's and MPICH's TCP, memcpy and the loopback",
		Long: `The ring all-reduce between processes of this machine, over TCP, beside a ring
in C and MPI_Allreduce over the TCP of Open MPI (Debian: openmpi-bin
libopenmpi-dev) and of MPICH (mpich libmpich-dev), copy() of as many bytes, and a one-way TCP stream of 1 MiB writes, which is what
the loopback carries. All run in one session, rounds interleaved. With --tls our
ring runs once more with certificates, over TLS 1.3 (gradsync certs).

Numbers are GB/s (10⁹ bytes), median and best round: bus bandwidth of the
all-reduces, bytes/time · 2(N−1)/N. Ratios are taken round by round: their
median and, with six rounds or more, its interval of 95 % or more.

With --runtime mpi our ring over Open MPI, with what transport that chooses, is
beside our ring over TCP, and the ring in C and MPI_Allreduce with the same.`,
		Example: "  gradsync bench ring --np 2 --sizes 1MiB,16MiB --tls\n  gradsync bench ring --runtime mpi --np 2 --sizes 4KiB,1MiB\n  gradsync bench ring --json",
		Args:    args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.runtime != "tcp" {
				return a.benchRingOnMPI(cmd.Context(), f)
			}
			var before []byte
			if f.tls && f.into != "" {
				return usagef("bench: ring: --tls is not in the section that --into writes")
			}
			if f.into != "" { // not after minutes of measuring
				var err error
				if before, err = readfile.Limited(f.into, bench.MaxFile); err != nil {
					return fmt.Errorf("bench: ring: --into: %w", err)
				}
			}
			r, err := a.ringReport(cmd.Context(), f)
			if err != nil {
				return err
			}
			if f.into != "" {
				text, err := r.Into(string(before))
				if err != nil {
					return err
				}
				if err := atomic.WriteFile(f.into, []byte(text)); err != nil {
					return err
				}
			}
			if a.json {
				return a.printJSON(map[string]any{"benchmark": "ring", "peer": bench.MPIReduce, "rounds": f.rounds, "busy": r.Busy, "rows": r.Rows, "facts": r.Facts})
			}
			fmt.Fprint(a.out, bench.RingText(r.Rows))
			for _, line := range r.Facts {
				fmt.Fprintln(a.out, line)
			}
			return nil
		},
	}
	s := cmd.Flags()
	s.IntVar(&f.rounds, "rounds", f.rounds, "interleaved rounds")
	s.Float64Var(&f.seconds, "seconds", f.seconds, "length of a round in seconds, one step at least")
	s.Float64Var(&f.budget, "budget", f.budget, "seconds of rounds after which a contender sits out, 3 rounds at least")
	s.Float64Var(&f.profile, "profile", 0, "seconds of CPU profile of our rank 0 after the rounds")
	s.StringVar(&f.into, "into", "", "also write the section of this report, as BENCHMARKS.md")
	s.StringVar(&f.runtime, "runtime", f.runtime, "tcp, or mpi: what MPI's wire costs beside it")
	s.StringSliceVar(&f.sizes, "sizes", nil, "bytes of a vector, as 4KiB,1MiB (default 1KiB to 256MiB in powers of 4)")
	s.IntSliceVar(&f.np, "np", f.np, "processes")
	s.IntVar(&f.conns, "conns", 0, "connections between each two ranks (default the runtime's)")
	s.BoolVar(&f.tls, "tls", false, "our ring with certificates too, beside itself in the clear")
	s.IntVar(&f.segment, "segment", f.segment, "elements of a piece of a chunk on its way (0: the whole chunk)")
	s.IntVar(&f.short, "short", f.short, "elements of a vector that is gathered whole: one pass round the ring in place of two, the same sums (0: none)")
	return cmd
}

// ringReport measures everything in the ring's section of BENCHMARKS.md.
func (a *app) ringReport(ctx context.Context, f *ringFlags) (*bench.RingReport, error) {
	busy := bench.RingBusy()
	revision, _ := commit()
	rows, facts, err := a.ringRows(ctx, f)
	if err != nil {
		return nil, err
	}
	return &bench.RingReport{Command: f.command(), Version: Version + ", commit " + revision, Seconds: f.seconds, Busy: busy, Rows: rows, Facts: facts}, nil
}

// command returns the command line that measures the same.
func (f *ringFlags) command() string {
	line, d := bench.RingCommand, newRingFlags()
	if len(f.sizes) > 0 {
		line += " --sizes " + strings.Join(f.sizes, ",")
	}
	if !slices.Equal(f.np, d.np) {
		line += " --np " + strings.Trim(strings.ReplaceAll(fmt.Sprint(f.np), " ", ","), "[]")
	}
	for _, o := range []struct {
		name       string
		value, def any
	}{{"rounds", f.rounds, d.rounds}, {"seconds", f.seconds, d.seconds}, {"budget", f.budget, d.budget},
		{"conns", f.conns, d.conns}, {"segment", f.segment, d.segment}, {"short", f.short, d.short}} {
		if o.value != o.def {
			line += fmt.Sprintf(" --%s %v", o.name, o.value)
		}
	}
	return line
}

// ringRows measures every size with every number of processes.
func (a *app) ringRows(ctx context.Context, f *ringFlags) (rows []bench.RingRow, facts []string, err error) {
	sizes, err := f.checkRing()
	if err != nil {
		return nil, nil, err
	}
	if os.Getenv(workerEnv) != "" {
		return nil, nil, errors.New("bench: a worker starts no workers")
	}
	var peers []ringPeer
	for _, p := range []ringPeer{{mpi: &bench.MPI{}, names: []string{bench.MPIRing, bench.MPIReduce}},
		{mpi: &bench.MPI{MPICH: true}, names: []string{bench.MPICHRing, bench.MPICHReduce}}} {
		defer p.mpi.Close()
		if err := p.mpi.Build(ctx); err != nil && !errors.As(err, &p.unable) {
			return nil, nil, err
		}
		peers = append(peers, p)
	}
	bar := a.newBar("ring")
	defer bar.finish()
	done := 0
	for _, np := range f.np {
		for _, bytes := range sizes {
			o, err := f.playRing(ctx, np, bytes, peers)
			if err != nil {
				return nil, nil, err
			}
			for _, r := range o.Results {
				for _, fact := range r.Facts {
					if line := r.Contender + ": " + fact; !slices.Contains(facts, line) {
						facts = append(facts, line)
					}
				}
			}
			rows = append(rows, o.Ring())
			done++
			bar.set(float64(done), float64(len(sizes)*len(f.np)), o.Title)
		}
	}
	return rows, facts, nil
}

// ringPeer is an MPI with its contenders, or why they are not here.
type ringPeer struct {
	mpi    *bench.MPI
	names  []string
	unable *bench.Unable
}

// playRing runs the contenders of one case against each other.
func (f *ringFlags) playRing(ctx context.Context, np, bytes int, peers []ringPeer) (*bench.Outcome, error) {
	c := bench.RingCase(np, bytes)
	out := &bench.Outcome{Case: c}
	job := func(kind, contender string) bench.Job {
		j := c.Job
		j.Kind, j.Contender = kind, contender
		return j
	}
	contenders := []bench.Contender{&bench.Process{Job: job(bench.KindRing, bench.OurRing), Command: f.ringCommand(np)}}
	if f.tls {
		dir, err := os.MkdirTemp("", "gradsync-bench-*")
		if err != nil {
			return nil, fmt.Errorf("bench: %w", err)
		}
		defer os.RemoveAll(dir)
		certs, now := filepath.Join(dir, "certs"), time.Now()
		if _, err := tcp.MakeCerts(certs, tcp.Certs{Job: "bench", Ranks: np, From: now.Add(-time.Hour), Until: now.Add(24 * time.Hour)}); err != nil {
			return nil, err
		}
		contenders = append(contenders, &bench.Process{Job: job(bench.KindRing, bench.TLSRing), Command: f.ringCommand(np, "--certs", certs)})
	}
	for _, p := range peers {
		for _, name := range p.names {
			if p.unable != nil {
				out.Notes = append(out.Notes, bench.Note{Contender: name, Why: p.unable.Why})
				continue
			}
			contenders = append(contenders, p.mpi.Contender(job(bench.KindRing, name)))
		}
	}
	copying := job(bench.KindVec, bench.Copy)
	copying.Threads = 1
	contenders = append(contenders, &bench.Process{Job: job(bench.KindStream, bench.Stream), Command: streamCommand},
		&bench.Process{Job: copying, Command: benchWorker})
	m := bench.Match{Rounds: f.rounds, Seconds: f.seconds, Budget: f.budget, Profile: f.profile, Only: bench.OurRing, Peer: c.Peer}
	results, notes, err := m.Play(ctx, contenders)
	out.Results, out.Notes = results, append(out.Notes, notes...)
	if err == nil && out.Find(bench.OurRing) == nil {
		err = fmt.Errorf("bench: ring: %s", out.Said())
	}
	return out, err
}

// checkRing refuses flags with which nothing can be measured and returns the sizes in
// bytes.
func (f *ringFlags) checkRing() ([]int, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	sizes := bench.RingSizes()
	if len(f.sizes) > 0 {
		sizes = nil
	}
	for _, text := range f.sizes {
		n, err := parseSize(text)
		if err != nil {
			return nil, usagef("bench: --sizes %s: %w", text, err)
		}
		sizes = append(sizes, n)
	}
	switch {
	case len(f.np) == 0:
		return nil, usagef("bench: --np: no number of processes")
	case f.conns < 0:
		return nil, usagef("bench: --conns %d: at least 1, or 0 for the runtime's own", f.conns)
	case f.segment < 0 || f.short < 0:
		return nil, usagef("bench: --segment %d --short %d: at least 0", f.segment, f.short)
	}
	for _, np := range f.np {
		if np < 2 || np > 64 {
			return nil, usagef("bench: --np %d: 2 to 64", np)
		}
		if need, has := bench.RingMemory(np, slices.Max(sizes)), bench.MachineMemory(); has > 0 && need > has {
			return nil, usagef("bench: --np %d with %s needs some %.0f GiB, this machine has %.1f GiB", np, bench.SizeText(slices.Max(sizes)), need/(1<<30), has/(1<<30))
		}
	}
	return sizes, nil
}

// parseSize reads a size as 4096, 4KiB, 1MiB or 1GiB: a multiple of 64 bytes.
func parseSize(text string) (int, error) {
	number, shift := text, 0
	for unit, s := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30} {
		if cut, ok := strings.CutSuffix(text, unit); ok {
			number, shift = cut, s
		}
	}
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || n < 1 || n > math.MaxInt>>shift || n<<shift%64 != 0 {
		return 0, errors.New("want a multiple of 64 bytes, as 4096, 4KiB or 1MiB")
	}
	return n << shift, nil
}

// self makes a command of this binary with a worker's environment.
func self(ctx context.Context, words ...string) *exec.Cmd {
	cmd := benchWorker(ctx)
	cmd.Args = append(cmd.Args[:1], words...)
	return cmd
}

// ringCommand starts our ring over np processes, with more flags of launch.
func (f *ringFlags) ringCommand(np int, more ...string) func(context.Context) *exec.Cmd {
	words := append([]string{"launch", "--np", strconv.Itoa(np)}, more...)
	if f.conns > 0 {
		words = append(words, "--conns", strconv.Itoa(f.conns))
	}
	words = append(words, "--", "bench", "ring-worker", "--segment", strconv.Itoa(f.segment), "--short", strconv.Itoa(f.short))
	return func(ctx context.Context) *exec.Cmd { return self(ctx, words...) }
}

// streamCommand starts the sending end of the loopback's stream.
func streamCommand(ctx context.Context) *exec.Cmd { return self(ctx, "bench", "stream-worker") }

// benchStreamWorkerCommand runs either end of the loopback's stream.
func (a *app) benchStreamWorkerCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use: "stream-worker", Hidden: true, Short: "One end of a TCP stream (bench ring starts it)", Args: args(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to != "" {
				return bench.ReceiveStream(to)
			}
			return bench.ServeStream(cmd.InOrStdin(), a.out, func(address string) *exec.Cmd {
				return self(cmd.Context(), "bench", "stream-worker", "--to", address)
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "read what the process at this address sends")
	return cmd
}

// cores says how many cores a rank may use, for what a ring worker states.
func cores() string { return fmt.Sprintf("GOMAXPROCS %d", runtime.GOMAXPROCS(0)) }

// ringRuntime returns this process's place in a job of launch, or among those that an MPI launcher
// started, with the runtime and what carries it.
func ringRuntime() (cfg tcp.Config, rt cluster.Runtime, facts string, err error) {
	cfg, ok, err := launch.Place(os.LookupEnv)
	switch {
	case err != nil:
		return cfg, nil, "", usageError{err}
	case ok:
		runtime.GOMAXPROCS(bench.RingThreads(cfg.Size))
		return cfg, tcp.New(cfg), fmt.Sprintf("%d connections per peer", max(cfg.Conns, 1)), nil
	case mpi.Launcher(os.LookupEnv) == "":
		return cfg, nil, "", usagef("bench: ring-worker: no rank of a job: `gradsync launch --np N -- bench ring-worker` starts them, or mpirun")
	}
	w, err := mpi.Open("")
	if err != nil {
		return cfg, nil, "", err
	}
	cfg = tcp.Config{Rank: w.Rank, Size: w.Size, Job: "ring"}
	return cfg, w.New(cfg), w.Library, nil
}

// benchRingWorkerCommand runs one rank of an all-reduce over TCP: in the steps that `bench
// ring` orders on standard input, or in --steps steps of one exchange.
func (a *app) benchRingWorkerCommand() *cobra.Command {
	var segment, short int
	e := bench.Exchange{}
	cmd := &cobra.Command{
		Use: "ring-worker", Hidden: true, Short: "One rank of an exchange over TCP (gradsync launch -- bench ring-worker)", Args: args(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, rt, facts, err := ringRuntime()
			if err != nil {
				return err
			}
			e.Segment, e.Short = segment, short
			if e.Steps == 0 {
				facts += fmt.Sprintf(", %s a rank, pieces of %d elements, whole up to %d", cores(), segment, short)
				_, _, err = cluster.Run(cmd.Context(), rt, func(p cluster.Proc) (int, error) {
					return 0, bench.ServeRing(p, cmd.InOrStdin(), a.out, collective.Ring{Segment: segment, Short: short}, facts)
				})
				return err
			}
			if err := e.Check(); err != nil {
				return usageError{err}
			}
			out, err := lab.Time(cmd.Context(), e, rt)
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
	s.IntVar(&short, "short", 0, "ring: elements of a vector that is gathered whole (0: none)")
	s.StringVar(&e.Method, "exchange", "ring", "ring or ringsparse")
	s.IntVar(&e.Bytes, "bytes", 4<<20, "bytes of a vector")
	s.IntVar(&e.Steps, "steps", 0, "steps beside an uncounted one (0: orders on standard input)")
	s.Float64Var(&e.Density, "density", 0.1, "ringsparse: share of a rank's gradient that is not 0")
	s.Float64Var(&e.Rate, "bandwidth", 25e6, "ringsparse: B of the cost rule, bytes/s")
	return cmd
}

// milliseconds writes a time in four digits.
func milliseconds(seconds float64) string { return fmt.Sprintf("%.4g ms", 1e3*seconds) }

func (a *app) benchReportCommand() *cobra.Command {
	var f benchFlags
	var out string
	cmd := &cobra.Command{
		Use: "report", Short: "Measure the fixed list of cases and write BENCHMARKS.md",
		Long: `Measure the fixed list of cases, in turn, and write BENCHMARKS.md: machine,
commands, numbers beside the peers, aims beside what was reached, and where the
time goes, and the ring over TCP beside Open MPI. It takes some 20 minutes on two cores; leave the machine alone.`,
		Example: "  gradsync bench report --out BENCHMARKS.md", Args: args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			// Not after minutes of measuring.
			if info, err := os.Stat(filepath.Dir(out)); err != nil || !info.IsDir() {
				return fmt.Errorf("bench: report: no folder %s", filepath.Dir(out))
			}
			f.only = preferred[0]
			revision, _ := commit()
			r := &bench.Report{
				Command: reportCommand(cmd),
				Version: Version + ", commit " + revision, Engine: f.only, Rounds: f.rounds, Seconds: f.seconds, Budget: f.budget,
				Machine: bench.Machine(), Busy: bench.Busy(),
			}
			var err error
			if r.Cases, err = a.reportCases(cmd.Context(), &f); err != nil {
				return err
			}
			ring, err := a.ringReport(cmd.Context(), newRingFlags())
			if err != nil {
				return err
			}
			ring.Command = r.Command
			r.Ring = ring
			var text strings.Builder
			if err := r.Markdown(&text); err != nil {
				return err
			}
			written := text.String()
			if old, err := readfile.Limited(out, bench.MaxFile); err == nil {
				written = bench.KeepGPU(written, string(old))
			}
			if err := atomic.WriteFile(out, []byte(written)); err != nil {
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			fmt.Fprintf(a.out, "%s: %d cases\n", out, len(r.Cases))
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "BENCHMARKS.md", "file to write")
	cmd.Flags().StringVar(&f.python, "python", "", "interpreter with PyTorch, as in bench step")
	f.register(cmd, "the contenders")
	cmd.Flags().Lookup("engine").Hidden = true // a report has all
	cmd.Flags().Lookup("profile").DefValue = "2"
	f.profile = 2
	return cmd
}

// reportCases plays the report's cases one after another.
func (a *app) reportCases(ctx context.Context, f *benchFlags) (outcomes []*bench.Outcome, err error) {
	cases := bench.Cases()
	for i, c := range cases {
		if !a.quiet {
			fmt.Fprintf(a.err, "%d of %d: %s\n", i+1, len(cases), c.Title)
		}
		names, err := pick(f.engines, map[string][]string{bench.KindStep: stepContenders(), bench.KindGemm: gemmContenders(),
			bench.KindVec: bench.Kernels(), bench.KindCoded: bench.CodedKernels(), bench.KindPush: bench.PushContenders()}[c.Job.Kind], nil)
		if err != nil {
			return nil, err
		}
		o, err := a.play(ctx, f, c, names, func() {})
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, o)
		if !a.quiet {
			fmt.Fprint(a.err, o.Text())
		}
	}
	return outcomes, nil
}

// reportCommand returns the command line that writes the same report: the file, and every
// flag that is not at its default.
func reportCommand(cmd *cobra.Command) string {
	line := "gradsync bench report --out " + cmd.Flags().Lookup("out").Value.String()
	for _, name := range []string{"rounds", "seconds", "budget", "profile", "python"} {
		if f := cmd.Flags().Lookup(name); f.Value.String() != f.DefValue {
			line += " --" + name + " " + f.Value.String()
		}
	}
	return line
}
