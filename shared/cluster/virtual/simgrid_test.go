package virtual_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

// simGrid builds the ring of testdata against SimGrid, or skips in a line where that is not installed.
func simGrid(t testing.TB) func(ranks, steps, bytes int) (virtual float64, messages int64, wall float64) {
	t.Helper()
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("builds a C++ program and runs it: GRADSYNC_LONG=1 does")
	}
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++: SimGrid's clock is compared where g++ and Debian's libsimgrid-dev are")
	}
	program := filepath.Join(t.TempDir(), "simgrid-ring")
	if err := exec.Command(compiler, "-x", "c++", "-E", "-include", "simgrid/s4u.hpp", os.DevNull, "-o", os.DevNull).Run(); err != nil {
		t.Skip("no SimGrid: its clock is compared where Debian's libsimgrid-dev is installed")
	}
	if out, err := exec.Command(compiler, "-std=c++17", "-O2", "-o", program, "testdata/simgrid-ring.cpp", "-lsimgrid").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return func(ranks, steps, bytes int) (seconds float64, messages int64, wall float64) {
		cmd := exec.Command(program, fmt.Sprint(ranks), fmt.Sprint(steps), fmt.Sprint(bytes), "--cfg=network/model:CM02",
			"--cfg=network/crosstraffic:0", "--cfg=network/TCP-gamma:0", "--log=root.thres:critical")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v: %s", cmd, err, out)
		}
		if _, err := fmt.Sscan(string(out), &seconds, &messages, &wall); err != nil {
			t.Fatalf("%v printed %q: %v", cmd, out, err)
		}
		return seconds, messages, wall
	}
}

// passes runs steps of a ring of messages in virtual time.
func passes(t testing.TB, ranks, steps, bytes int) (seconds float64, messages int64, wall float64) {
	t.Helper()
	rt := virtual.New(cluster.Uniform(ranks, reference, nil), virtual.Config{Headerless: true})
	begin := time.Now()
	out, err := rt.Run(context.Background(), func(p cluster.Proc) ([]byte, error) {
		left, right := (p.Rank()+ranks-1)%ranks, (p.Rank()+1)%ranks
		var in cluster.Msg
		sent := cluster.Msg{Declared: bytes}
		for range steps {
			if err := cluster.Wait(p, p.Irecv(left, 1, &in), p.Isend(right, 1, &sent)); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	must(t, err)
	for _, s := range out.Trace.Sent {
		messages += s.Messages
	}
	return out.Elapsed.Seconds(), messages, time.Since(begin).Seconds()
}

// SimGrid, asked the same, says the same: of a whole all-reduce of 64 ranks, by events and by the
// recurrence, and of 100 steps of 1,000.
func TestClockIsSimGrids(t *testing.T) {
	run := simGrid(t)
	same := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %.12f s, SimGrid %.12f s", what, got, want)
		}
	}
	const chunk = 400_000 // elements
	want, _, _ := run(64, 2*63, 4*chunk)
	p := cluster.Uniform(64, reference, nil)
	same("64 ranks, by events", maxOf(finishes(t, p, 64*chunk, virtual.Config{Headerless: true})).Seconds(), want)
	m, err := collective.NewMaxPlus(p, 0)
	must(t, err)
	ends, err := m.Ring(t.Context(), 64*chunk, nil)
	must(t, err)
	for rank, end := range ends {
		same(fmt.Sprintf("rank %d of 64, by the recurrence", rank), 1e-12*float64(end), want)
	}
	for _, c := range []struct{ ranks, steps, bytes int }{{64, 126, 4 * chunk}, {1000, 100, 100_000}} {
		theirs, n, _ := run(c.ranks, c.steps, c.bytes)
		ours, messages, _ := passes(t, c.ranks, c.steps, c.bytes)
		same(fmt.Sprintf("%d steps of %d ranks", c.steps, c.ranks), ours, theirs)
		if n != messages || n != int64(c.ranks*c.steps) {
			t.Errorf("%d steps of %d ranks: %d messages, SimGrid %d", c.steps, c.ranks, messages, n)
		}
	}
}

// BenchmarkBesideSimGrid measures messages per second, with the set-up, and how many times SimGrid's that is, without its:
// some 12 to 23 on a quiet machine, 3.9 at load 16.
func BenchmarkBesideSimGrid(b *testing.B) {
	run := simGrid(b)
	var n int64
	var wall, theirs float64
	for b.Loop() {
		_, messages, took := run(1000, 100, 100_000)
		_, _, own := passes(b, 1000, 100, 100_000)
		n, wall, theirs = n+messages, wall+own, theirs+took
	}
	b.ReportMetric(float64(n)/wall, "messages/s")
	b.ReportMetric(theirs/wall, "times-SimGrid's")
}
