package bench

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/perf/benchfmt"
)

// Runner starts contenders, each in a process of its own.
type Runner struct {
	Root    string  // of the source, of which Open builds the program
	From    string  // a folder with the program, bench.test, and the peers' files; "": Root
	Python  string  // with PyTorch and NumPy; "": python3
	Rounds  int     // of each case, in turns
	Seconds float64 // of a round, one step at least

	dir     string
	program string
	mpi     map[string]string // programs compiled with a library's compiler
}

// longest is how long a process may take.
const longest = 5 * time.Minute

// Open builds what Measure runs; Close removes it.
func (r *Runner) Open(ctx context.Context) (err error) {
	if r.dir, err = os.MkdirTemp("", "gradsync-bench-*"); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	r.mpi = map[string]string{}
	if r.program = filepath.Join(r.From, "bench.test"); r.From == "" {
		r.program = filepath.Join(r.dir, "bench.test")
		build := exec.CommandContext(ctx, "go", "test", "-c", "-o", r.program, "./experiments/bench")
		build.Dir = r.Root
		if said, err := build.CombinedOutput(); err != nil {
			return errors.Join(fmt.Errorf("bench: go test -c: %w: %s", err, lastLine(said)), r.Close())
		}
	}
	r.program, err = filepath.Abs(r.program)
	return err
}

// Close removes what Open and Measure made.
func (r *Runner) Close() error { return os.RemoveAll(r.dir) }

// Measure runs all rounds of all cases, contenders in turns, forth and back, and adds what they came to, and which
// libraries computed, to the book. It fails only when ctx ends: a contender that cannot run leaves a note.
func (r *Runner) Measure(ctx context.Context, q *Question, b *Book, said func(done float64, what string)) error {
	a := Answer{Question: q.Name, Before: loadAverage()}
	for i, name := range q.Cases {
		c := &Case{Name: name, By: map[string]Series{}, Notes: map[string]string{}}
		who := q.contenders(name)
		for range r.Rounds {
			for _, by := range who {
				if c.Notes[by] != "" {
					continue
				}
				said(float64(i)/float64(len(q.Cases)), name+", "+by)
				switch got, err := r.once(ctx, q, name, by); {
				case ctx.Err() != nil:
					return ctx.Err()
				case err != nil:
					c.Notes[by] = err.Error()
					delete(c.By, by)
				default:
					c.add(by, got)
					b.learn(by, got)
				}
			}
			slices.Reverse(who)
		}
		a.Cases = append(a.Cases, c)
	}
	a.After = loadAverage()
	b.put(a)
	return nil
}

// once runs one round of a contender and returns the line of the benchmark.
func (r *Runner) once(ctx context.Context, q *Question, name, by string) (*benchfmt.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	full := "Benchmark" + q.Name + "/" + name + "/by=" + by
	cmd, err := r.command(ctx, q, name, by, full)
	if err != nil {
		return nil, err
	}
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &words, 5*time.Second
	// An mpirun that is told to end takes its ranks with it.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	failed := cmd.Run()
	printed := bytes.Clone(out.Bytes())
	for lines := benchfmt.NewReader(&out, by); lines.Scan(); {
		if got, ok := lines.Result().(*benchfmt.Result); ok && strings.HasPrefix("Benchmark"+string(got.Name)+"-", full+"-") {
			return got.Clone(), nil
		}
	}
	why := cmp.Or(lastLine(words.Bytes()), lastLine(printed), "it printed nothing")
	if failed != nil {
		why = fmt.Sprintf("%v: %s", failed, why)
	}
	return nil, errors.New(why)
}

// lastLine returns the last line that says more than a verdict.
func lastLine(text []byte) (last string) {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line != "PASS" && line != "FAIL" {
			last = line
		}
	}
	return last
}

// command makes the process of one contender. The error says what is missing.
func (r *Runner) command(ctx context.Context, q *Question, name, by, full string) (*exec.Cmd, error) {
	k, seconds := keysOf(name), strconv.FormatFloat(r.Seconds, 'g', -1, 64)
	ours := append([]string{r.program}, arguments(full, k, seconds+"s")...)
	library, _, _ := strings.Cut(by, "-")
	switch {
	case library == "pytorch":
		return r.script(ctx, "torch_step.py", full, seconds), nil
	case by == "openblas":
		return r.script(ctx, "numpy_gemm.py", full, seconds), nil
	case by == "gradsync-mpi":
		return launched(ctx, "openmpi", q.Name == "MPI", k.Int("np", 2), ours...)
	case library == "openmpi" || library == "mpich":
		binary, err := r.compiled(ctx, library)
		if err != nil {
			return nil, err
		}
		return launched(ctx, library, q.Name == "MPI", k.Int("np", 2), binary, full, strconv.Itoa(k.Int("size", 0)), seconds)
	}
	return exec.CommandContext(ctx, ours[0], ours[1:]...), nil
}

// arguments are the flags by which a program of tests runs one benchmark.
func arguments(full string, k keys, time string) []string {
	parts := strings.Split(full, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return []string{"-test.run=^$", "-test.bench=" + strings.Join(parts, "/"), "-test.benchtime=" + time,
		"-test.cpu=" + strconv.Itoa(k.cores())}
}

// script runs one of the peers' Python files.
func (r *Runner) script(ctx context.Context, file string, args ...string) *exec.Cmd {
	python := cmp.Or(r.Python, os.Getenv("GRADSYNC_PYTHON"), "python3")
	cmd := exec.CommandContext(ctx, python, append([]string{r.peer(file)}, args...)...)
	// Threads that wait do not spin beside those of a second pool.
	cmd.Env = append(os.Environ(), "OMP_WAIT_POLICY=passive", "PYTHONDONTWRITEBYTECODE=1")
	return cmd
}

// peer returns the path of a peer's file.
func (r *Runner) peer(file string) string {
	return filepath.Join(cmp.Or(r.From, filepath.Join(r.Root, "experiments", "peers")), file)
}

// compiled returns the peers' C program for "openmpi" or "mpich", by Debian's names of their compilers.
func (r *Runner) compiled(ctx context.Context, library string) (string, error) {
	if r.mpi[library] == "" {
		binary := filepath.Join(r.dir, library)
		source := r.peer(filepath.Join("mpi", "ring.c"))
		build := exec.CommandContext(ctx, "mpicc."+library, "-O3", "-march=native", "-o", binary, source)
		if said, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w: %s", err, lastLine(said))
		}
		r.mpi[library] = binary
	}
	return r.mpi[library], nil
}

// launched starts a program as a number of ranks of an MPI library, over TCP alone or what it chooses.
func launched(ctx context.Context, library string, free bool, ranks int, words ...string) (*exec.Cmd, error) {
	args, env := []string{"--bind-to", "none", "-n", strconv.Itoa(ranks)}, os.Environ()
	switch {
	case library == "mpich":
		args[0] = "-bind-to"
		// Of the devices that it may be built with: UCX, libfabric and nemesis.
		env = append(env, "MPIR_CVAR_NOLOCAL=1", "UCX_TLS=tcp,self", "FI_PROVIDER=tcp", "MPIR_CVAR_NEMESIS_NETMOD=tcp")
	case free:
		args = append([]string{"--oversubscribe", "--allow-run-as-root"}, args...)
	default:
		args = append([]string{"--oversubscribe", "--allow-run-as-root", "--mca", "btl", "tcp,self"}, args...)
	}
	cmd := exec.CommandContext(ctx, "mpirun."+library, append(args, words...)...)
	cmd.Env = env
	return cmd, cmd.Err
}

// loadAverage returns how many processes ran in the last minute, on average, "unknown" where the system does not say.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(text)); err == nil && len(f) > 0 {
		return f[0]
	}
	return "unknown"
}

// Busy returns a warning if half a core or more was in use before the run; "" if not, or if the
// system does not tell.
func Busy() string {
	average := loadAverage()
	if last, err := strconv.ParseFloat(average, 64); err != nil || last < 0.5 {
		return ""
	}
	return fmt.Sprintf("Other programs ran when this began (load average %s on %d cores): speeds are low, spreads are wide.",
		average, runtime.NumCPU())
}
