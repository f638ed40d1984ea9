package measure

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
	"gradsync/experiments/cli/dev"
	"gradsync/experiments/cli/lab"
	"gradsync/experiments/cli/launch"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/mpi"
	"gradsync/shared/cluster/tcp"
)

// defaultSegment is the number of elements in a piece of a chunk that bench ring sends: a piece is added and forwarded while the
// next one arrives. In smaller ones reads of one rank meet writes of the other in the lock of a socket.
const defaultSegment = 256 << 10

// defaultShort is the number of elements up to which bench ring gathers a vector whole: the time of a message less is worth more
// than the bytes that it takes. Two processes move no more bytes for it, so they gather all.
const defaultShort = 4 << 10

// ringFlags adds the flags of `bench ring` to those that all matches share.
type ringFlags struct {
	benchFlags
	sizes   []string
	np      []int
	segment int
	short   int
	asked   bool // for short
	tls     bool
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
in C and MPI_Allreduce over Open MPI's TCP (Debian: openmpi-bin libopenmpi-dev),
MPI_Allreduce over MPICH's (mpich libmpich-dev), copy() of as many bytes, and a
one-way TCP stream of 1 MiB writes, which is what the loopback carries. All run in one session, rounds interleaved. With --tls our
ring runs once more with certificates, over TLS 1.3 (gradsync certs).

Numbers are GB/s (10⁹ bytes), median and best round: bus bandwidth of the
all-reduces, bytes/time · 2(N−1)/N. Ratios are taken round by round: their
median and, with six rounds or more, its interval of 95 % or more.

With --runtime mpi our ring over Open MPI, with what transport that chooses, is
beside our ring over TCP, and the ring in C and MPI_Allreduce with the same.

A rank of our rings has its share of the cores by GOMAXPROCS; over MPI the one
thread that calls MPI, and polls, is on top, which the facts below the table count.`,
		Example: "  gradsync bench ring --np 2 --sizes 1MiB,16MiB --tls\n  gradsync bench ring --runtime mpi --np 2 --sizes 4KiB,1MiB\n  gradsync bench ring --json",
		Args:    a.Flags,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.asked = cmd.Flags().Changed("short")
			if f.runtime != "tcp" {
				return a.benchRingOnMPI(cmd.Context(), f)
			}
			load, busy := bench.RingLoad()
			rows, facts, err := a.ringRows(cmd.Context(), f)
			if err != nil {
				return err
			}
			if *a.JSON {
				return a.Print(map[string]any{"benchmark": "ring", "peer": bench.MPIReduce, "rounds": f.rounds, "load": load, "busy": busy, "rows": rows, "facts": facts})
			}
			fmt.Fprint(a.Out, bench.RingText(rows))
			a.ringFoot(facts, load, busy)
			return nil
		},
	}
	s := cmd.Flags()
	s.IntVar(&f.rounds, "rounds", f.rounds, "interleaved rounds")
	s.Float64Var(&f.seconds, "seconds", f.seconds, "length of a round in seconds, one step at least")
	s.Float64Var(&f.budget, "budget", f.budget, "seconds of rounds after which a contender sits out, 3 rounds at least")
	s.Float64Var(&f.profile, "profile", 0, "seconds of CPU profile of our rank 0 after the rounds")
	s.StringVar(&f.runtime, "runtime", f.runtime, "tcp, or mpi: what MPI's wire costs beside it")
	s.StringSliceVar(&f.sizes, "sizes", nil, "bytes of a vector, as 4KiB,1MiB (default 1KiB to 256MiB in powers of 4)")
	s.IntSliceVar(&f.np, "np", f.np, "processes")
	s.BoolVar(&f.tls, "tls", false, "our ring with certificates too, beside itself in the clear")
	s.IntVar(&f.segment, "segment", f.segment, "elements of a piece of a chunk on its way (0: the whole chunk)")
	s.IntVar(&f.short, "short", f.short, "elements of a vector gathered whole: one pass round the ring in place of two, same sums (0: none; two processes: all)")
	return cmd
}

// ringFoot prints what stands below a table: the facts, the load and, if other programs ran, what that does.
func (a *app) ringFoot(facts []string, load, busy string) {
	for _, line := range append(facts, load, busy) {
		if line != "" {
			fmt.Fprintln(a.Out, line)
		}
	}
}

// ringRows measures every size with every number of processes.
func (a *app) ringRows(ctx context.Context, f *ringFlags) (rows []bench.RingRow, facts []string, err error) {
	sizes, err := f.checkRing()
	if err != nil {
		return nil, nil, err
	}
	if os.Getenv(WorkerEnv) != "" {
		return nil, nil, errors.New("bench: a worker starts no workers")
	}
	var others strangers
	defer others.close()
	if err := others.build(ctx, bench.MPIReduce, bench.MPICHReduce, bench.MPIRing); err != nil {
		return nil, nil, err
	}
	set, finish := a.Bar("ring")
	defer finish()
	done := 0
	for _, np := range f.np {
		for _, bytes := range sizes {
			o, err := f.playRing(ctx, bench.RingCase(np, bytes), &others)
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
			set(float64(done), float64(len(sizes)*len(f.np)), o.Title)
		}
	}
	return rows, facts, nil
}

// strangers are the contenders of MPI libraries: those that are here, and why the others are not.
type strangers struct {
	names []string
	built map[bool]*bench.MPI // by whether it is MPICH
	notes map[bool]string
}

// build compiles what the names need.
func (s *strangers) build(ctx context.Context, names ...string) error {
	s.names, s.built, s.notes = names, map[bool]*bench.MPI{}, map[bool]string{}
	for _, name := range names {
		mpich := name == bench.MPICHReduce
		if s.built[mpich] != nil || s.notes[mpich] != "" {
			continue
		}
		m := &bench.MPI{MPICH: mpich}
		s.built[mpich] = m
		var unable *bench.Unable
		switch err := m.Build(ctx); {
		case errors.As(err, &unable):
			s.built[mpich], s.notes[mpich] = nil, unable.Why
		case err != nil:
			return err
		}
	}
	return nil
}

// close removes what build made.
func (s *strangers) close() {
	for _, m := range s.built {
		if m != nil {
			m.Close()
		}
	}
}

// contenders returns those that are here for a job without a contender, and a note for each other.
func (s *strangers) contenders(j bench.Job) (all []bench.Contender, notes []bench.Note) {
	for _, name := range s.names {
		mpich := name == bench.MPICHReduce
		if j.Contender = name; s.built[mpich] == nil {
			notes = append(notes, bench.Note{Contender: name, Why: s.notes[mpich]})
			continue
		}
		all = append(all, s.built[mpich].Contender(j))
	}
	return all, notes
}

// playRing runs the contenders of one case against each other: our ring, the same with certificates if they are asked
// for, and, where there are strangers, these and the limits.
func (f *ringFlags) playRing(ctx context.Context, c bench.Case, others *strangers) (*bench.Outcome, error) {
	out, np := &bench.Outcome{Case: c}, c.Job.Ranks
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
	if others != nil {
		theirs, notes := others.contenders(job(bench.KindRing, ""))
		copying := job(bench.KindVec, bench.Copy)
		copying.Threads = 1
		contenders = append(append(contenders, theirs...), &bench.Process{Job: job(bench.KindStream, bench.Stream), Command: streamCommand},
			&bench.Process{Job: copying, Command: benchWorker})
		out.Notes = notes
	}
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

// worker returns the words that start one of np ranks of our ring.
func (f *ringFlags) worker(np int) []string {
	short := f.short
	if np == 2 && !f.asked {
		short = math.MaxInt
	}
	return []string{"bench", "ring-worker", "--segment", strconv.Itoa(f.segment), "--short", strconv.Itoa(short)}
}

// ringCommand starts our ring over np processes, with more flags of launch.
func (f *ringFlags) ringCommand(np int, more ...string) func(context.Context) *exec.Cmd {
	words := append([]string{"launch", "--np", strconv.Itoa(np)}, more...)
	words = append(append(words, "--"), f.worker(np)...)
	return func(ctx context.Context) *exec.Cmd { return self(ctx, words...) }
}

// streamCommand starts the sending end of the loopback's stream.
func streamCommand(ctx context.Context) *exec.Cmd { return self(ctx, "bench", "stream-worker") }

// benchStreamWorkerCommand runs either end of the loopback's stream.
func (a *app) benchStreamWorkerCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use: "stream-worker", Hidden: true, Short: "One end of a TCP stream (bench ring starts it)", Args: a.Flags,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to != "" {
				return bench.ReceiveStream(to)
			}
			return bench.ServeStream(cmd.InOrStdin(), a.Out, func(address string) *exec.Cmd {
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
// started, with the runtime and what carries it. sharing is how many of the latter have this machine's cores, 0: unknown.
func ringRuntime(sharing int) (cfg tcp.Config, rt cluster.Runtime, facts string, err error) {
	cfg, ok, err := launch.Place(os.LookupEnv)
	switch {
	case err != nil:
		return cfg, nil, "", &dev.UsageError{Err: err}
	case ok:
		runtime.GOMAXPROCS(bench.RingThreads(cfg.Size))
		return cfg, tcp.New(cfg), "one connection per peer", nil
	case mpi.Launcher(os.LookupEnv) == "":
		return cfg, nil, "", usagef("bench: ring-worker: no rank of a job: `gradsync launch --np N -- bench ring-worker` starts them, or mpirun")
	}
	if sharing > 0 {
		runtime.GOMAXPROCS(bench.RingThreads(sharing)) // to which Open adds the thread of MPI
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
	var segment, short, sharing int
	e := bench.Exchange{}
	cmd := &cobra.Command{
		Use: "ring-worker", Hidden: true, Short: "One rank of an exchange over TCP (gradsync launch -- bench ring-worker)", Args: a.Flags,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, rt, facts, err := ringRuntime(sharing)
			if err != nil {
				return err
			}
			e.Segment, e.Short = segment, short
			if e.Steps == 0 {
				facts += fmt.Sprintf(", %s a rank, pieces of %d elements, gathered whole up to %s", cores(), segment, upTo(short))
				_, _, err = cluster.Run(cmd.Context(), rt, func(p cluster.Proc) (int, error) {
					return 0, bench.ServeRing(p, cmd.InOrStdin(), a.Out, collective.Ring{Segment: segment, Short: short}, facts)
				})
				return err
			}
			if err := e.Check(); err != nil {
				return &dev.UsageError{Err: err}
			}
			out, err := lab.Time(cmd.Context(), e, rt)
			if err != nil || cfg.Rank != 0 {
				return err
			}
			if *a.JSON {
				return a.Print(out)
			}
			fmt.Fprintf(a.Out, "%s of %s over %d ranks: %s per step (median of %d; best %s), %d bytes sent\n", out.Method, bench.SizeText(out.Bytes), out.Ranks,
				milliseconds(bench.SpreadOf(out.Seconds).Median), len(out.Seconds), milliseconds(bench.SpreadOf(out.Seconds).Min), out.Body)
			return nil
		},
	}
	s := cmd.Flags()
	s.IntVar(&segment, "segment", defaultSegment, "ring: elements of a piece of a chunk (0: the whole chunk)")
	s.IntVar(&short, "short", 0, "ring: elements of a vector that is gathered whole (0: none)")
	s.IntVar(&sharing, "sharing", 0, "under mpirun: ranks that share this machine's cores (0: each may use all)")
	s.StringVar(&e.Method, "exchange", "ring", "ring or ringsparse")
	s.IntVar(&e.Bytes, "bytes", 4<<20, "bytes of a vector")
	s.IntVar(&e.Steps, "steps", 0, "steps beside an uncounted one (0: orders on standard input)")
	s.Float64Var(&e.Density, "density", 0.1, "ringsparse: share of a rank's gradient that is not 0")
	s.Float64Var(&e.Rate, "bandwidth", 25e6, "ringsparse: B of the cost rule, bytes/s")
	return cmd
}

// upTo writes a number of elements, of which the largest is no bound.
func upTo(n int) string {
	if n == math.MaxInt {
		return "any length"
	}
	return strconv.Itoa(n)
}

// milliseconds writes a time in four digits.
func milliseconds(seconds float64) string { return fmt.Sprintf("%.4g ms", 1e3*seconds) }
