//go:build linux && (amd64 || arm64) && !nodl

package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"gradsync/internal/mpitest"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/clustertest"
	"gradsync/shared/cluster/mpi"
	"gradsync/shared/cluster/tcp"
)

// TestMain also serves as a rank that a launcher started.
func TestMain(m *testing.M) { mpi.Exit(m.Run()) }

// asRank has, in a rank that a test started, the name of what it is to do.
const asRank = "GRADSYNC_MPI_TEST"

// under runs this test's binary as ranks of a launcher, each of which runs TestAsRank.
func under(t *testing.T, l mpitest.Launcher, ranks int, what string) (said string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := l.Command(ctx, ranks, os.Args[0], "-test.run=^TestAsRank$", "-test.v")
	cmd.Env = append(cmd.Env, asRank+"="+what)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestAsRank is one rank of the other tests.
func TestAsRank(t *testing.T) {
	what := os.Getenv(asRank)
	if what == "" {
		t.Skip("a rank of the other tests, which start it under a launcher")
	}
	w, err := mpi.Open("")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("mpi: " + w.String())
	if what == "contract" {
		passed := clustertest.Apart(t, w.Rank, func(job string, n int, seed uint64) cluster.Runtime {
			return w.Part(tcp.Config{Size: n, Job: job, Seed: seed, Trace: true, Hosts: cluster.Uniform(n, clustertest.Host, nil).Workers})
		})
		if w.Rank == 0 {
			fmt.Printf("rank 0: %d sentences passed\n", passed)
		}
		return
	}
	tests := map[string]func(*mpi.World) error{"collections": collections, "large": large, "sizes": sizes, "nil": recovered, "broken": broken,
		"gone": gone, "late": late}
	for name := range strings.SplitSeq(what, ",") {
		test := tests[name]
		if test == nil {
			t.Fatalf("no test %q", name)
		}
		if err := test(w); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

// The contract of Proc between processes, sentence by sentence, under every launcher that is here.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		said, err := under(t, l, 4, "contract")
		want := fmt.Sprintf("rank 0: %d sentences passed\n", clustertest.Sentences())
		if err != nil || !strings.Contains(said, "mpi: "+l.Family) || !strings.Contains(said, want) || strings.Contains(said, "    --- FAIL") {
			t.Fatalf("%v, want %q\n%s", err, want, said)
		}
	})
}

// signalled is how launchers say that a rank was killed by signal 9: Open MPI's mpirun, MPICH's mpiexec, srun.
var signalled = regexp.MustCompile(`(?i)signal 9\b|exit code: 9\b|task 1: killed`)

// What goes wrong ends in an exit code, and large bodies arrive whatever the garbage collector does.
func TestRanks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		if said, err := under(t, l, 2, "collections,large,sizes,nil,broken"); err != nil {
			t.Errorf("%v\n%s", err, said)
		}
		said, err := under(t, l, 3, "gone")
		var exit *exec.ExitError
		if !errors.As(err, &exit) || !signalled.MatchString(said) {
			t.Errorf("kill -9 of a rank: %v\n%s", err, said)
		}
		if os.Getenv("GRADSYNC_LONG") == "" {
			return
		}
		if said, err = under(t, l, 2, "late"); !errors.As(err, &exit) || !strings.Contains(said, "all was well but this") {
			t.Errorf("one rank fails when the others have ended: %v\n%s", err, said)
		}
	})
}

// exchange sends n bytes around a ring of ranks and checks what comes, times times.
func exchange(p cluster.Proc, n, times int, between func()) error {
	right, left := (p.Rank()+1)%p.Size(), (p.Rank()+p.Size()-1)%p.Size()
	for i := range times {
		out, in := cluster.Msg{Body: make([]byte, n)}, cluster.Msg{}
		if i%2 == 0 {
			in.Body = make([]byte, n)
		}
		for k := range out.Body {
			out.Body[k] = byte(k*7 + i + p.Rank())
		}
		r := p.Irecv(left, 1, &in)
		s := p.Isend(right, 1, &out)
		between()
		if err := cluster.Wait(p, s, r); err != nil {
			return err
		}
		for k, b := range in.Body {
			if b != byte(k*7+i+left) {
				return fmt.Errorf("exchange %d: byte %d of %d is %d", i, k, n, b)
			}
		}
	}
	return nil
}

func run(w *mpi.World, body func(p cluster.Proc) error) error {
	_, err := w.New(tcp.Config{Size: w.Size, Job: "test"}).Run(context.Background(), func(p cluster.Proc) ([]byte, error) { return nil, body(p) })
	return err
}

// collections exchanges bodies of all sizes while garbage is collected all the time, and the tags come round.
func collections(w *mpi.World) error {
	w.Repeat(3)
	return run(w, func(p cluster.Proc) error {
		for _, n := range []int{1, 4096, 4097, 20_000, 1 << 20} {
			if err := exchange(p, n, 10, runtime.GC); err != nil {
				return err
			}
		}
		return nil
	})
}

// large exchanges a body of several pieces, and one while the receiver asks for it only later.
func large(w *mpi.World) error {
	if err := run(w, func(p cluster.Proc) error { return exchange(p, 9<<20+13, 3, func() {}) }); err != nil {
		return err
	}
	return run(w, func(p cluster.Proc) error { // a second run of one name
		return exchange(p, 5<<20, 2, func() { _ = cluster.Sleep(p, 20*time.Millisecond) })
	})
}

// sizes wants a refusal that names both numbers.
func sizes(w *mpi.World) error {
	_, err := w.New(tcp.Config{Size: w.Size + 3, Job: "test"}).Run(context.Background(), nil)
	var wrong *mpi.SizeError
	if !errors.As(err, &wrong) || wrong.Processes != w.Size || wrong.Ranks != w.Size+3 || !strings.Contains(err.Error(), "2 processes, the run 5 ranks") {
		return fmt.Errorf("a run of another size: %v", err)
	}
	return nil
}

// recovered wants Go to have its own signal of a nil pointer: UCX would end the process.
func recovered(*mpi.World) (err error) {
	defer func() {
		if recover() == nil {
			err = errors.New("a nil pointer was read")
		}
	}()
	var p *mpi.World
	_ = p.Size
	return nil
}

// broken wants every rank to be told of one whose body fails or panics, and the next run to be as if nothing were.
func broken(w *mpi.World) error {
	for _, end := range []func() error{func() error { return errors.New("boom") }, func() error { panic("boom") }} {
		err := run(w, func(p cluster.Proc) error {
			if p.Rank() == 1 {
				return end()
			}
			return exchange(p, 9<<20, 1, func() {})
		})
		var a *cluster.AbortError
		if !errors.As(err, &a) || a.Rank != 1 || !strings.Contains(err.Error(), "boom") {
			return fmt.Errorf("a body that fails: %v", err)
		}
	}
	return run(w, func(p cluster.Proc) error { return exchange(p, 100_000, 2, func() {}) })
}

// late fails at rank 0 after a run that ended well: the others, which wait for it to end MPI, end too.
func late(w *mpi.World) error {
	err := run(w, func(p cluster.Proc) error { return exchange(p, 100, 2, func() {}) })
	if err == nil && w.Rank == 0 {
		err = errors.New("all was well but this")
	}
	return err
}

// gone kills rank 1 while the others wait for it.
func gone(w *mpi.World) error {
	return run(w, func(p cluster.Proc) error {
		if err := exchange(p, 100, 2, func() {}); err != nil {
			return err
		}
		if p.Rank() == 1 {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			return errors.Join(err, cluster.Sleep(p, time.Minute))
		}
		var m cluster.Msg
		return cluster.Wait(p, p.Irecv(1, 9, &m))
	})
}
