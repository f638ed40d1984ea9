package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/experiments/cli/dev"
	"gradsync/experiments/peers"
	"gradsync/experiments/train"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/gpu"
	"gradsync/shared/tensor"
)

func (a *app) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "bench cluster|step|gemm|vec|coded|push|gpu|ring|report|check",
		Short:   "Measure this machine: message rate, training steps, products, codecs, coding, pushes and all-reduces beside their peers",
		Example: "  gradsync bench cluster --ranks 64\n  gradsync bench step --model lenet5 --batch 16 --concurrent 2\n  gradsync bench gemm --size 512 --json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, got []string) error {
			if len(got) > 0 {
				return usagef("bench: no benchmark %q: known are cluster, step, gemm, vec, coded, push, gpu, ring, report, check", got[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.benchClusterCommand(), a.benchStepCommand(), a.benchGemmCommand(), a.benchVecCommand(), a.benchCodedCommand(), a.benchPushCommand(),
		a.benchGPUCommand(), a.benchReportCommand(), a.benchCheckCommand(),
		a.benchWorkerCommand(), a.benchRingCommand(), a.benchRingWorkerCommand(), a.benchStreamWorkerCommand())
	return cmd
}

func (a *app) benchClusterCommand() *cobra.Command {
	var ranks, messages, rounds int
	cmd := &cobra.Command{
		Use: "cluster", Short: "Messages per second of the virtual runtime on one core",
		Example: "  gradsync bench cluster --ranks 1024", Args: a.Flags,
		RunE: func(*cobra.Command, []string) error {
			switch {
			case ranks < 2:
				return usagef("bench: --ranks %d: at least 2", ranks)
			case messages < ranks:
				return usagef("bench: --messages %d: at least as many as --ranks, %d", messages, ranks)
			case rounds < 1:
				return usagef("bench: --rounds %d: at least 1", rounds)
			}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			var rates []float64
			var n int64
			for range rounds {
				sent, took, err := virtual.BenchRing(ranks, messages/ranks)
				if err != nil {
					return err
				}
				n = sent
				rates = append(rates, float64(sent)/took.Seconds())
			}
			slices.Sort(rates)
			best, median := rates[len(rates)-1], rates[len(rates)/2]
			if *a.JSON {
				return a.Print(map[string]any{"benchmark": "cluster", "ranks": ranks, "messages": n, "rounds": rounds,
					"messages_per_second": median, "messages_per_second_best": best})
			}
			fmt.Fprintf(a.Out, "%d ranks, %d messages: %.2f M messages/s on one core (median of %d; best %.2f)\n", ranks, n, median/1e6, rounds, best/1e6)
			return nil
		},
	}
	cmd.Flags().IntVar(&ranks, "ranks", 64, "ranks of the ring")
	cmd.Flags().IntVar(&messages, "messages", 200_000, "messages of a round")
	cmd.Flags().IntVar(&rounds, "rounds", 5, "rounds")
	return cmd
}

// stepContenders names all that can train: engines, backends, PyTorch.
func stepContenders() []string {
	return append(append(tensor.Engines(), train.BackendNames()...), bench.PyTorch, bench.PyTorchCompiled)
}

func (a *app) benchStepCommand() *cobra.Command {
	var f benchFlags
	var device string
	job := bench.Job{Kind: bench.KindStep}
	cmd := &cobra.Command{
		Use: "step", Short: "A training step (forward, backward, SGD) of every engine here, beside PyTorch",
		Long: `A training step of every engine and backend, beside PyTorch where an
interpreter has it; engine cuda is the GPU of --device. Each contender has its own process; rounds are interleaved;
ratios are taken round by round and their median printed. Contender
pytorch-compile, torch.compile, takes a C++ compiler and a minute: by --engine only.`,
		Example: "  gradsync bench step --model cnn --batch 32 --threads 2\n  gradsync bench step --model lenet5 --batch 16 --concurrent 2 --engine asm,pytorch",
		Args:    a.Flags,
		RunE: func(cmd *cobra.Command, _ []string) error {
			known := stepContenders()
			if f.python == bench.NoPython {
				for _, name := range []string{bench.PyTorch, bench.PyTorchCompiled} {
					if slices.Contains(f.engines, name) {
						return usagef("bench: --engine %s: --python %s switches it off", name, bench.NoPython)
					}
				}
				known = known[:len(known)-2]
			}
			var err error
			if job.Device, err = a.chooseDevice(&f, device); err != nil {
				return err
			}
			if job.Device != "" {
				known = append(slices.Clone(known), gpu.Name)
				if f.python != bench.NoPython {
					known = append(known, bench.PyTorchCUDA)
				}
			}
			if len(f.engines) == 0 { // compiling takes a minute
				known = slices.DeleteFunc(slices.Clone(known), func(name string) bool { return name == bench.PyTorchCompiled })
			}
			return a.match(cmd.Context(), &f, bench.Case{Job: job, Peer: bench.PyTorch}, known, map[string]any{
				"model": job.Model, "width": job.Width, "image": job.Image, "batch": job.Batch, "concurrent": job.Concurrent})
		},
	}
	cmd.Flags().StringVar(&job.Model, "model", "lenet5", "network")
	cmd.Flags().Float64Var(&job.Width, "width", 0, "width factor of networks that have one (0: full)")
	cmd.Flags().IntVar(&job.Image, "image", 0, "side of the images, of networks that have a choice (0: their own)")
	cmd.Flags().IntVar(&job.Batch, "batch", 16, "images per step")
	cmd.Flags().StringVar(&device, "device", autoDevice, a.DeviceUsage)
	cmd.Flags().IntVar(&job.Threads, "threads", 1, "threads per engine call")
	cmd.Flags().IntVar(&job.Concurrent, "concurrent", 1, "steps at once, each with its own weights")
	cmd.Flags().StringVar(&f.python, "python", "",
		`interpreter with PyTorch (default: the first of $GRADSYNC_PYTHON, python3, /usr/bin/python3 that has it; "none": leave it out)`)
	f.register(cmd, "the engines, the backends and pytorch")
	return cmd
}

// chooseDevice returns the GPU that --device asks for, "" without one; why auto finds none is
// said before the first round.
func (a *app) chooseDevice(f *benchFlags, device string) (string, error) {
	n, err := a.Device(device)
	if err != nil || device == cpuDevice {
		return "", err
	}
	s := gpu.Probe(max(n, 0))
	f.note = s.String()
	switch {
	case s.Reason == nil:
		return fmt.Sprintf("%s:%d", gpu.Name, max(n, 0)), nil
	case n >= 0 || gpu.Required():
		return "", s.Reason
	}
	return "", nil
}

// gemmContenders names all that multiply matrices.
func gemmContenders() []string { return append(tensor.Engines(), bench.Gonum, bench.OpenBLAS) }

func (a *app) benchGemmCommand() *cobra.Command {
	var f benchFlags
	var size int
	job := bench.Job{Kind: bench.KindGemm}
	cmd := &cobra.Command{
		Use: "gemm", Short: "A matrix product of every engine here, beside gonum and OpenBLAS",
		Example: "  gradsync bench gemm --size 512\n  gradsync bench gemm --m 64 --n 1024 --k 576 --threads 2 --json",
		Args:    a.Flags,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, d := range []struct {
				flag string
				to   *int
			}{{"m", &job.M}, {"n", &job.N}, {"k", &job.K}} {
				if !cmd.Flags().Changed(d.flag) {
					if size < 1 {
						return usagef("bench: --size %d: at least 1", size)
					}
					*d.to = size
				}
			}
			return a.match(cmd.Context(), &f, bench.Case{Job: job, Peer: bench.OpenBLAS}, gemmContenders(), map[string]any{"m": job.M, "n": job.N, "k": job.K})
		},
	}
	cmd.Flags().IntVar(&size, "size", 512, "m, n and k where they are not given")
	cmd.Flags().IntVar(&job.M, "m", 0, "rows of a")
	cmd.Flags().IntVar(&job.N, "n", 0, "columns of b")
	cmd.Flags().IntVar(&job.K, "k", 0, "columns of a")
	cmd.Flags().IntVar(&job.Threads, "threads", 1, "threads per call")
	f.register(cmd, "the engines, gonum and openblas")
	return cmd
}

func (a *app) benchVecCommand() *cobra.Command {
	var f benchFlags
	var device string
	var mib int
	cmd := &cobra.Command{
		Use: "vec", Short: "The codecs' vector kernels beside copy()",
		Long: `The codecs' vector kernels beside copy(). A kernel's bandwidth is what it
reads and writes per second; copy() of n bytes reads n and writes n. The
percentages of the bitmap kernels are the elements that are not 0. With
--device cuda those of the GPU beside its own copy.`,
		Example: "  gradsync bench vec --mib 64\n  gradsync bench vec --device cuda --mib 256", Args: a.Flags,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if most := math.MaxInt >> 20; mib < 1 || mib > most {
				return usagef("bench: --mib %d: at least 1, at most %d", mib, most)
			}
			job := bench.Job{Kind: bench.KindVec, Threads: 1, Bytes: mib << 20}
			var err error
			if job.Device, err = a.chooseDevice(&f, device); err != nil {
				return err
			}
			return a.match(cmd.Context(), &f, bench.Case{Job: job, Peer: bench.Copy}, bench.Kernels(), map[string]any{"bytes": job.Bytes})
		},
	}
	cmd.Flags().IntVar(&mib, "mib", 64, "size of a float32 operand in MiB")
	cmd.Flags().StringVar(&device, "device", cpuDevice, a.DeviceUsage)
	f.register(cmd, "the kernels")
	return cmd
}

func (a *app) benchCodedCommand() *cobra.Command {
	var f benchFlags
	var sizes []string
	cmd := &cobra.Command{
		Use: "coded", Short: "Coded SGD's encoding, decoding and fixed point beside copy()",
		Long: `What coded SGD does to a layer of int32 of a gradient, beside copy() of as many
bytes in the same rounds: encode-r adds the r segments of a packet, each the r-th
part of the layer, and writes the message; decode-r reads it and subtracts r−1 of
them; quantise turns
float32 into fixed point; accumulate adds int32 to an int64 sum; update turns that
into a step of float32 parameters.

"GB/s in" are bytes of terms taken in per second: all r segments, or the message
and r−1 segments, which is the layer's bytes both times, and 4 bytes for each number
of the others. Ratios are of that to the bytes copied per second. "GB/s out" are the
bytes that come of it; of a packet the r-th part. The aim is half of copy()'s
bandwidth for encode and decode.`,
		Example: "  gradsync bench coded\n  gradsync bench coded --sizes 1MiB --json",
		Args:    a.Flags,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cases, err := codedCases(sizes)
			if err != nil {
				return err
			}
			names, err := pick(f.engines, bench.CodedKernels(), nil)
			if err != nil {
				return err
			}
			return a.playCoded(cmd.Context(), &f, cases, names)
		},
	}
	f.register(cmd, "the steps")
	cmd.Flags().StringSliceVar(&sizes, "sizes", nil, "bytes of a layer, as 64KiB,1MiB (default 64KiB, 1MiB, 16MiB, 64MiB)")
	return cmd
}

// codedCases returns the cases of the sizes asked for, or of the report's.
func codedCases(sizes []string) (cases []bench.Case, err error) {
	bytes := bench.CodedSizes()
	if len(sizes) > 0 {
		bytes = nil
	}
	for _, text := range sizes {
		n, err := parseSize(text)
		if err != nil {
			return nil, usagef("bench: --sizes %s: %w", text, err)
		}
		bytes = append(bytes, n)
	}
	for _, n := range bytes {
		cases = append(cases, bench.CodedCase(n))
	}
	return cases, nil
}

// codedObject holds the rows of one size for --json.
type codedObject struct {
	Bytes int          `json:"bytes"`
	Rows  []bench.Row  `json:"engines"`
	Notes []bench.Note `json:"notes"`
}

// playCoded plays all sizes and prints them: a table each, or one object.
func (a *app) playCoded(ctx context.Context, f *benchFlags, cases []bench.Case, names []string) error {
	var objects []codedObject
	for _, c := range cases {
		out, err := a.play(ctx, f, c, names, func() {})
		if err != nil {
			return err
		}
		objects = append(objects, codedObject{c.Job.Bytes, out.Rows(), out.Notes})
		if !*a.JSON {
			fmt.Fprintf(a.Out, "%s\n%s", c.Title, out.Text())
		}
	}
	if *a.JSON {
		return a.Print(map[string]any{"benchmark": bench.KindCoded, "peer": bench.Copy, "rounds": f.rounds, "cases": objects})
	}
	return nil
}

func (a *app) benchPushCommand() *cobra.Command {
	var f benchFlags
	job := bench.Job{Kind: bench.KindPush}
	cmd := &cobra.Command{
		Use: "push", Short: "The host's share of a push: a training that computes nothing, beside one copy and one update",
		Long: `What a training costs beside the arithmetic of its network: six workers of the
platform heterogeneous6 train in virtual time with a backend that computes nothing.
A step is one push: the batch is loaded, the gradient travels to the server, which
updates the parameters and sends them back. The peer, in the same rounds, copies
the parameters once and updates them once, on one thread. The aim is 2.5 times its
time, and 1.2 GB for a training of ResNet-18.`,
		Example: "  gradsync bench push\n  gradsync bench push --model vgg19_bn --engine copy+update,asp --json",
		Args:    a.Flags,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.match(cmd.Context(), &f, bench.Case{Job: job, Peer: bench.CopyUpdate}, bench.PushContenders(), map[string]any{
				"model": job.Model, "width": job.Width, "image": job.Image, "batch": job.Batch})
		},
	}
	cmd.Flags().StringVar(&job.Model, "model", "resnet18", "network")
	cmd.Flags().Float64Var(&job.Width, "width", 0, "width factor of networks that have one (0: full)")
	cmd.Flags().IntVar(&job.Image, "image", 0, "side of the images, of networks that have a choice (0: their own)")
	cmd.Flags().IntVar(&job.Batch, "batch", 64, "images of a worker's batch")
	cmd.Flags().IntVar(&job.Threads, "threads", 2, "cores that a training uses")
	f.register(cmd, "copy+update and the methods")
	return cmd
}

// benchWorkerCommand runs a contender in a process of its own, which bench tells on
// standard input what to measure.
func (a *app) benchWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use: "worker", Hidden: true, Short: "Measure what standard input says (bench starts it)",
		Args: a.Flags,
		RunE: func(cmd *cobra.Command, _ []string) error { return bench.Serve(cmd.InOrStdin(), a.Out, a.openTask) },
	}
}

// openTask opens a task and adds the engine's version or kernels to its facts.
func (a *app) openTask(j bench.Job) (*bench.Task, error) {
	t, err := bench.Open(j)
	if e, unknown := tensor.Lookup(j.Contender); err == nil && unknown == nil {
		if label := a.Label(e); label != e.Name() {
			t.Facts = append(t.Facts, label)
		}
	}
	return t, err
}

// benchWorker starts this binary as a worker.
func benchWorker(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], "bench", "worker")
	if self, err := os.Executable(); err == nil {
		cmd.Path, cmd.Err = self, nil
	}
	return bench.WithEnvironment(cmd, WorkerEnv+"=1")
}

// benchFlags holds the flags that all matches share.
type benchFlags struct {
	rounds  int
	seconds float64
	budget  float64
	profile float64
	only    string // the contender to profile; "": all
	python  string
	engines []string
	note    string // on the GPU, before the line on engines
	short   bool   // of bench check: no contender that is slow or takes long to begin
}

func (f *benchFlags) register(cmd *cobra.Command, known string) {
	flags := cmd.Flags()
	flags.IntVar(&f.rounds, "rounds", 11, "interleaved rounds")
	flags.Float64Var(&f.seconds, "seconds", 0.25, "length of a round in seconds, one step at least")
	flags.Float64Var(&f.budget, "budget", 30, "seconds of rounds after which a contender sits out, 3 rounds at least")
	flags.Float64Var(&f.profile, "profile", 0, "seconds of CPU profile of each contender after the rounds")
	flags.StringSliceVar(&f.engines, "engine", nil, "only these of "+known)
}

// check names the first bad number; NaN is one.
func (f *benchFlags) check() error {
	switch {
	case f.rounds < 1:
		return usagef("bench: --rounds %d: at least 1", f.rounds)
	case !(f.seconds > 0) || math.IsInf(f.seconds, 1):
		return usagef("bench: --seconds %g: more than 0", f.seconds)
	case !(f.budget >= 0):
		return usagef("bench: --budget %g: at least 0 (0: no limit)", f.budget)
	case !(f.profile >= 0) || math.IsInf(f.profile, 1):
		return usagef("bench: --profile %g: at least 0 (0: none)", f.profile)
	}
	return nil
}

// pick keeps the known names that are wanted, or all if none is. An engine that does not
// run here is refused with its reason.
func pick(wanted, known []string, engines []Engine) ([]string, error) {
	if len(wanted) == 0 {
		return known, nil
	}
	for _, name := range wanted {
		if !slices.Contains(known, name) {
			if at := slices.IndexFunc(engines, func(s Engine) bool { return s.Name == name && s.Why != "" }); at >= 0 {
				return nil, usagef("engine %s cannot run here: %s", name, engines[at].Why)
			}
			return nil, usagef("bench: no engine %q: known are %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(known), func(n string) bool { return !slices.Contains(wanted, n) }), nil
}

// enginesHere says on one line which engines run on this machine, and why another does
// not.
func enginesHere(all []Engine) string {
	var here, not []string
	for _, s := range all {
		if s.Why == "" {
			here = append(here, s.Label)
		} else {
			not = append(not, s.Name+": "+s.Why)
		}
	}
	return strings.Join(append([]string{"engines here: " + strings.Join(here, ", ")}, not...), "; ")
}

// play runs a case's contenders against each other. It calls begin once it knows that the
// case can be run. Notes name contenders that are missing, as PyTorch where no interpreter
// has it.
func (a *app) play(ctx context.Context, f *benchFlags, c bench.Case, names []string, begin func()) (*bench.Outcome, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	c.Job.Contender = names[0]
	if err := c.Job.Check(); err != nil {
		return nil, &dev.UsageError{Err: err}
	}
	flop, err := c.Job.FLOP()
	if err != nil {
		return nil, &dev.UsageError{Err: err}
	}
	if err := c.Job.CheckMemory(names, bench.MachineMemory()); err != nil {
		return nil, &dev.UsageError{Err: err}
	}
	if os.Getenv(WorkerEnv) != "" {
		return nil, errors.New("bench: a worker starts no workers")
	}
	begin()
	out := &bench.Outcome{Case: c, Warning: c.Job.Crowded(runtime.NumCPU())}
	if out.Warning != "" {
		fmt.Fprintln(a.Err, "warning: "+out.Warning)
	}
	torch := &bench.Torch{Scripts: peers.Scripts, Python: f.python}
	defer torch.Close()
	var contenders []bench.Contender
	for _, name := range names {
		c.Job.Contender = name
		if name != bench.PyTorch && name != bench.PyTorchCompiled && name != bench.PyTorchCUDA {
			contenders = append(contenders, &bench.Process{Job: c.Job, Command: benchWorker})
			continue
		}
		var unable *bench.Unable
		switch err := torch.Find(ctx); {
		case err == nil:
			contenders = append(contenders, torch.Contender(c.Job))
		case errors.As(err, &unable):
			out.Notes = append(out.Notes, bench.Note{Contender: name, Why: unable.Why})
		default:
			return nil, err
		}
	}
	m := bench.Match{Rounds: f.rounds, Seconds: f.seconds, Budget: f.budget, FLOP: flop, Profile: f.profile, Only: f.only, Peer: c.Peer}
	results, notes, err := m.Play(ctx, contenders)
	out.Results, out.Notes = results, append(out.Notes, notes...)
	if err == nil && len(results) == 0 {
		return nil, fmt.Errorf("bench: no contender could do it: %s", out.Said())
	}
	return out, err
}

// match plays a case and prints a table, or an object with fields and the outcome.
func (a *app) match(ctx context.Context, f *benchFlags, c bench.Case, known []string, fields map[string]any) error {
	var engines []Engine
	if c.Job.Kind == bench.KindStep || c.Job.Kind == bench.KindGemm {
		engines = a.Engines()
	}
	names, err := pick(f.engines, known, engines)
	if err != nil {
		return err
	}
	begin := func() {
		if engines != nil {
			a.note(strings.TrimPrefix(f.note+"; ", "; ") + enginesHere(engines))
		}
	}
	out, err := a.play(ctx, f, c, names, begin)
	if err != nil {
		return err
	}
	if !*a.JSON {
		_, err := io.WriteString(a.Out, out.Text())
		return err
	}
	fields["benchmark"], fields["threads"], fields["rounds"], fields["peer"] = c.Job.Kind, c.Job.Threads, f.rounds, c.Peer
	fields["engines"], fields["notes"] = out.Rows(), out.Notes
	if out.Warning != "" {
		fields["warning"] = out.Warning
	}
	return a.Print(fields)
}
