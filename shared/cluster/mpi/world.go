package mpi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

// World is this process among those that a launcher started.
type World struct {
	Rank, Size int
	Library    string // as "Open MPI 4.1.4"
	File       string // that was opened
	procs      int    // GOMAXPROCS when it began
	made       atomic.Int64
	engine     *engine
}

var opened struct {
	sync.Mutex
	world *World
	err   error
}

// Open joins the processes that a launcher started, over the MPI library of that name or path, "": the launcher's. MPI
// begins once in a process: later calls return the same.
//
// Source: ours: the site's engine under our contract
func Open(file string) (*World, error) {
	opened.Lock()
	defer opened.Unlock()
	if opened.world == nil && opened.err == nil {
		opened.world, opened.err = begin(file)
	}
	return opened.world, opened.err
}

func begin(file string) (*World, error) {
	if Launcher(os.LookupEnv) == "" {
		return nil, errors.New("mpi: no launcher started this process: mpirun -n 4 gradsync …, mpiexec or srun does")
	}
	return start(file)
}

// Exit ends the process as os.Exit does. If it ends well and MPI has begun, MPI ends first, once all processes do the
// same. One that ends otherwise ends the rest by MPI_Abort: not every launcher takes an exit code for a reason to, and
// they would wait for it.
//
// Source: ours: a launcher takes a process that ends without MPI_Finalize for one that died
func Exit(code int) {
	opened.Lock()
	if opened.world != nil {
		opened.world.engine.exit(code)
	}
	os.Exit(code)
}

// SizeError says that a launcher started another number of processes than there are ranks.
type SizeError struct{ Processes, Ranks int }

func (e *SizeError) Error() string {
	text := fmt.Sprintf("MPI has %d processes, the run %d ranks", e.Processes, e.Ranks)
	if e.Processes == 1 {
		text += ": a library that is not the launcher's finds nobody (--mpi-lib names another; srun needs --mpi=pmix or pmi2)"
	}
	return text
}

// New returns a runtime of all processes, of which this is one rank. Of cfg it ignores Rank and what tcp.Over ignores.
// Another size than the world's is the error of every Run, a *SizeError. All processes make the same runtimes in the same order.
func (w *World) New(cfg tcp.Config) cluster.Runtime {
	if cfg.Size != w.Size {
		return refused{&SizeError{w.Size, cfg.Size}}
	}
	cfg.Rank = w.Rank
	cfg.Job = fmt.Sprint(cfg.Job, "#", w.made.Add(1))
	return tcp.Over(cfg, w.engine)
}

// String says what there is, and which flag of the launcher gives a rank more than one core.
func (w *World) String() string {
	text := fmt.Sprintf("%s (%s), %d ranks, GOMAXPROCS %d", w.Library, w.File, w.Size, w.procs)
	if w.procs == 1 {
		text += "; warning: one core for a rank's computation and for MPI: `mpirun --bind-to none` or `srun --cpus-per-task 2` gives it more"
	}
	return text
}

// refused is a runtime whose runs fail.
type refused struct{ err error }

func (refused) Size() int { return 0 }

func (r refused) Run(context.Context, func(cluster.Proc) ([]byte, error)) (cluster.Outcome, error) {
	return cluster.Outcome{}, r.err
}
