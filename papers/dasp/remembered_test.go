package dasp_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/faults"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/race"
)

// drowsy is a worker's Proc that sleeps past its lease before some of its pushes.
type drowsy struct {
	cluster.Proc
	r *rand.Rand
}

func (p *drowsy) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	if p.r.IntN(6) == 0 {
		_ = cluster.Sleep(p.Proc, 110*time.Millisecond+time.Duration(p.r.Int64N(int64(80*time.Millisecond))))
	}
	return p.Proc.Isend(to, tag, m)
}

// TestWhatTheServerRemembersIsSo: under every method, with workers that leave by their lease and join anew, and with
// workers that are lost, the server's slowest clock, its timers and DASP's count of who waits are those of a count of all.
func TestWhatTheServerRemembersIsSo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	for _, name := range rivals.Names() {
		joins, seeds := 0, race.Less(10, 2)
		for seed := range uint64(seeds) {
			wrong := func(text string) { t.Errorf("%s, seed %d: %s", name, seed, text) }
			joins += watchedLeases(t, name, seed, wrong)
			watchedLosses(t, name, seed, wrong)
		}
		if joins < 2*seeds {
			t.Errorf("%s: workers joined anew %d times: the test sees little", name, joins)
		}
	}
}

func watchedLeases(t *testing.T, name string, seed uint64, wrong func(string)) (joins int) {
	l, _ := run(t, gpus(1, 3, 2, 1), seed, leased(t, name, 300), func(p cluster.Proc, job dasp.Job) (*dasp.Log, error) {
		if p.Rank() == 2 || p.Rank() == 3 {
			p = &drowsy{p, cluster.Stream(seed, p.Rank(), "", "drowsy")}
		}
		return dasp.RunWatched(p, job, wrong)
	})
	checkLog(t, l)
	for _, p := range l.Pushes {
		if p.Abandoned && p.Applied == 0 && p.Replied > 0 {
			joins++
		}
	}
	return joins
}

func watchedLosses(t *testing.T, name string, seed uint64, wrong func(string)) {
	r, crash := cluster.Stream(seed, 0, "", "crash"), map[int]time.Duration{}
	for _, w := range r.Perm(4)[:1+r.IntN(3)] {
		crash[w+1] = time.Duration(1 + r.Int64N(int64(150*time.Millisecond)))
	}
	rt := faults.On(virtual.New(gpus(1, 3, 2, 1), virtual.Config{Seed: seed, WithServer: true, Elastic: true, Notice: 3 * time.Millisecond}),
		func(rank int) faults.Host { return faults.Host{Crash: crash[rank]} })
	job := training(t, name, rivals.Defaults(4), 60, nil)
	if _, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (*dasp.Log, error) { return dasp.RunWatched(p, job(p.Rank()), wrong) }); err != nil {
		t.Errorf("%s, seed %d: %v", name, seed, err)
	}
}
