package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/internal/atomic"
)

// defaultSegment is the elements of a piece of a chunk that bench ring sends: a
// piece that has come is added and goes on while the next is on its way.
const defaultSegment = 128 << 10

// ringFlags are what `bench ring` adds to those of all matches.
type ringFlags struct {
	benchFlags
	sizes   []string
	np      []int
	conns   int
	segment int
	into    string
}

// newRingFlags are the defaults.
func newRingFlags() *ringFlags {
	f := &ringFlags{np: []int{2, 4}, segment: defaultSegment}
	f.rounds, f.seconds, f.budget = 11, 0.1, 30
	return f
}

func (a *app) benchRingCommand() *cobra.Command {
	f := newRingFlags()
	cmd := &cobra.Command{
		Use: "ring", Short: "Ring all-reduce over TCP beside Open MPI's TCP, memcpy and the loopback",
		Long: `The ring all-reduce between processes of this machine, over TCP, beside a ring
in C and MPI_Allreduce over Open MPI's TCP (Debian: openmpi-bin libopenmpi-dev),
copy() of as many bytes, and a one-way TCP stream of 1 MiB writes, which is what
the loopback carries. All run in one session, rounds interleaved.

Numbers are GB/s (10⁹ bytes), median and best round: bus bandwidth of the
all-reduces, bytes/time · 2(N−1)/N. Ratios are taken round by round: their
median and, with six rounds or more, its interval of 95 % or more.`,
		Example: "  gradsync bench ring --np 2 --sizes 1MiB,16MiB\n  gradsync bench ring --json",
		Args:    args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var before []byte
			if f.into != "" { // not after minutes of measuring
				var err error
				if before, err = os.ReadFile(f.into); err != nil {
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
	s.StringSliceVar(&f.sizes, "sizes", nil, "bytes of a vector, as 4KiB,1MiB (default 4KiB to 256MiB in powers of 4)")
	s.IntSliceVar(&f.np, "np", f.np, "processes")
	s.IntVar(&f.conns, "conns", 0, "connections between each two ranks (default the runtime's)")
	s.IntVar(&f.segment, "segment", f.segment, "elements of a piece of a chunk on its way (0: the whole chunk)")
	return cmd
}

// ringReport measures everything that the section of BENCHMARKS.md says.
func (a *app) ringReport(ctx context.Context, f *ringFlags) (*bench.RingReport, error) {
	busy := bench.RingBusy()
	revision, _ := commit()
	rows, facts, err := a.ringRows(ctx, f)
	if err != nil {
		return nil, err
	}
	return &bench.RingReport{Command: f.command(), Version: Version + ", commit " + revision, Seconds: f.seconds, Busy: busy, Rows: rows, Facts: facts}, nil
}

// command is the command line that measures the same.
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
	}{{"rounds", f.rounds, d.rounds}, {"seconds", f.seconds, d.seconds}, {"budget", f.budget, d.budget}, {"conns", f.conns, d.conns}, {"segment", f.segment, d.segment}} {
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
	mpi := &bench.MPI{}
	defer mpi.Close()
	building := mpi.Build(ctx)
	var unable *bench.Unable
	if building != nil && !errors.As(building, &unable) {
		return nil, nil, building
	}
	bar := a.newBar("ring")
	defer bar.finish()
	done := 0
	for _, np := range f.np {
		for _, bytes := range sizes {
			o, err := f.playRing(ctx, np, bytes, mpi, unable)
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

// playRing runs the contenders of one case against each other.
func (f *ringFlags) playRing(ctx context.Context, np, bytes int, mpi *bench.MPI, unable *bench.Unable) (*bench.Outcome, error) {
	c := bench.RingCase(np, bytes)
	out := &bench.Outcome{Case: c}
	job := func(kind, contender string) bench.Job {
		j := c.Job
		j.Kind, j.Contender = kind, contender
		return j
	}
	contenders := []bench.Contender{&bench.Process{Job: job(bench.KindRing, bench.OurRing), Command: f.ringCommand(np)}}
	for _, name := range []string{bench.MPIRing, bench.MPIReduce} {
		if unable != nil {
			out.Notes = append(out.Notes, bench.Note{Contender: name, Why: unable.Why})
			continue
		}
		contenders = append(contenders, mpi.Contender(job(bench.KindRing, name)))
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

// checkRing refuses what cannot be measured and returns the sizes in bytes.
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
	case f.segment < 0:
		return nil, usagef("bench: --segment %d: at least 0", f.segment)
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

// self is this binary with a worker's environment.
func self(ctx context.Context, words ...string) *exec.Cmd {
	cmd := benchWorker(ctx)
	cmd.Args = append(cmd.Args[:1], words...)
	return cmd
}

// ringCommand starts our ring over np processes.
func (f *ringFlags) ringCommand(np int) func(context.Context) *exec.Cmd {
	words := []string{"launch", "--np", strconv.Itoa(np)}
	if f.conns > 0 {
		words = append(words, "--conns", strconv.Itoa(f.conns))
	}
	words = append(words, "--", "bench", "ring-worker", "--segment", strconv.Itoa(f.segment))
	return func(ctx context.Context) *exec.Cmd { return self(ctx, words...) }
}

func streamCommand(ctx context.Context) *exec.Cmd { return self(ctx, "bench", "stream-worker") }

// benchStreamWorkerCommand is either end of the loopback's stream.
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
