package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gradsync/experiments/cli/launch"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/mpi"
	"gradsync/shared/cluster/tcp"
)

// rank returns this process's rank among those that ring or an MPI launcher started; 0 if nobody did.
func rank() int {
	if at, ok, err := launch.Place(os.LookupEnv); ok || err != nil {
		return at.Rank
	}
	if mpi.Launcher(os.LookupEnv) == "" {
		return 0
	}
	w, err := mpi.Open("")
	if err != nil {
		panic(err)
	}
	return w.Rank
}

// ring makes all-reduces over np processes. Rank 0 measures; each other process runs the same benchmark, as which it was
// started, and takes part in steps until a sum says that there are no more.
func ring(tb testing.TB, k keys, by string, measure func(work, func() error) error) error {
	np, bytes := k.Int("np", 2), k.Int("size", 4)
	ctx, cancel := context.WithCancel(tb.Context())
	rt, wait, err := joined(ctx, tb, k, by)
	if err != nil {
		cancel()
		return err
	}
	r := collective.Ring{Segment: 256 << 10, Short: 4 << 10, Scratch: &collective.Scratch{}}
	if np == 2 { // two processes move no more bytes where they gather whole vectors
		r.Short = math.MaxInt
	}
	w := work{bytes: float64(bytes) * 2 * float64(np-1) / float64(np)}
	_, _, err = cluster.Run(ctx, rt, func(p cluster.Proc) (int, error) {
		x := make([]float32, bytes/4)
		step := func() error { return r.AllReduce(p, 1, x) }
		if err := summed(p, x, step); err != nil {
			return 0, err
		}
		if p.Rank() == 0 {
			if err := measure(w, step); err != nil {
				return 0, err
			}
			x[0] = 1 // the others hear 0 until now
			return 0, step()
		}
		for x[0] == 0 {
			if err := step(); err != nil {
				return 0, err
			}
		}
		return 0, nil
	})
	if err != nil {
		cancel()
	}
	err = errors.Join(err, wait())
	cancel()
	if err == nil && rank() > 0 {
		tb.SkipNow() // which ends this benchmark after one run
	}
	return err
}

// summed checks a first step, in which rank r gives r+1 everywhere, and leaves zeros: no number of steps overflows.
func summed(p cluster.Proc, x []float32, step func() error) error {
	for i := range x {
		x[i] = float32(p.Rank() + 1)
	}
	if err := step(); err != nil {
		return err
	}
	want := float32(p.Size() * (p.Size() + 1) / 2)
	for i, v := range x {
		if v != want {
			return fmt.Errorf("rank %d: element %d is %g after a step, want %g", p.Rank(), i, v, want)
		}
	}
	clear(x)
	return nil
}

// joined returns the runtime of this process's rank. Rank 0 over TCP starts the others, and wait returns once they have
// ended.
func joined(ctx context.Context, tb testing.TB, k keys, by string) (rt cluster.Runtime, wait func() error, err error) {
	np := k.Int("np", 2)
	wait = func() error { return nil }
	if by == "gradsync-mpi" {
		if mpi.Launcher(os.LookupEnv) == "" {
			tb.Skip("no MPI launcher started this process: gradsync bench mpi does")
		}
		w, err := mpi.Open("")
		if err != nil {
			return nil, nil, err
		}
		return w.New(tcp.Config{Rank: w.Rank, Size: w.Size, Job: "ring"}), wait, nil
	}
	at, started, err := launch.Place(os.LookupEnv)
	if started || err != nil {
		return tcp.New(at), wait, err
	}
	at = tcp.Config{Size: np, Job: launch.NewJob(), Host: true, Timeout: time.Minute, Join: time.Minute}
	if at.Rendezvous, err = launch.FreeAddress("127.0.0.1"); err != nil {
		return nil, nil, err
	}
	if by == "gradsync-tls" {
		at.Certs = filepath.Join(tb.TempDir(), "certs")
		issued := tcp.Certs{Job: at.Job, Ranks: np, From: time.Now().Add(-time.Hour), Until: time.Now().Add(24 * time.Hour)}
		if _, err := tcp.MakeCerts(at.Certs, issued); err != nil {
			return nil, nil, err
		}
	}
	wait, err = others(ctx, at, k, by)
	return tcp.New(at), wait, err
}

// others starts ranks 1 … as processes of this program.
func others(ctx context.Context, at tcp.Config, k keys, by string) (wait func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var all []*exec.Cmd
	wait = func() (err error) {
		for _, cmd := range all {
			err = errors.Join(err, cmd.Wait())
		}
		return err
	}
	for r := 1; r < at.Size; r++ {
		place := at
		place.Rank, place.Host = r, false
		cmd := exec.CommandContext(ctx, self, arguments("BenchmarkRing/"+k["case"]+"/by="+by, k, "1x")...)
		cmd.Env, cmd.Stderr = launch.Environment(&place), os.Stderr
		if err := cmd.Start(); err != nil {
			return wait, err
		}
		all = append(all, cmd)
	}
	return wait, nil
}
