// Package swarm runs methods under thousands of schedules of crashes, pauses and slowness, one per seed, in
// virtual time, and holds each run to what its method promises. A seed names all that happens in a run:
// cluster, options, faults; so one command replays it.
//
// Of every method:
//
//   - The run ends, at its number of gradients or steps, or says by name why it cannot: all workers have left, or the lease is too
//     short for slow ones.
//     Without a lease (one seed in five) and without news of losses nobody crashes, and it always ends.
//   - The same seed gives the same bytes, on one core or two (a share of the seeds runs twice).
//
// Of methods with a server, whose workers crash too and are left out once their lease is over, or, one seed in three, when
// the server of an elastic run is told:
//
//   - Versions are contiguous, and each worker's steps.
//   - Each gradient is used once: the parameters of every version have the bits of a replay of the log, in which
//     each gradient is computed anew on the version that the log says it was pulled at.
//   - Nobody leaves whom no crash, no pause and, in one seed in six, no slowness made silent for as long as a lease.
//   - The method's own bounds among the living, the dead not counted (watch.go), and nobody waits whom they let go.
//   - DASP's T_wait has the length of equation (1), from the order to the end that the server sees.
//   - BSP that nobody left ends with the bits of the run without faults.
//
// Of methods without a server, whose hosts pause and are slow:
//
//   - All ranks end with the same bits, those of the run without faults, by the same messages.
//   - Coded SGD's are those of the sum of all blocks, computed by one rank alone, the others' within rounding of such
//     sums; ringsparse's of gradients to the bit, with what a threshold holds back for the next one.
//   - ring, ringsparse and naive on an elastic run lose ranks at any instant: the living make all steps and end with the same
//     bits, within rounding of those of a course that the losses, in their order, allow: steps with the mean of all, then of fewer.
//   - cssgd on an elastic run loses ranks at any instant and no bit, as long as a holder of each block lives; else it
//     ends by the name of a block whose holders have all crashed.
//
// How late ranks are told of a loss is drawn too, of one seed in four at its instant.
package swarm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"time"

	"gradsync/experiments/method"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/faults"
)

// Config chooses methods and seeds.
type Config struct {
	Methods []string      // of method.Names(); nil: all
	First   uint64        // seed
	Seeds   int           // of each method; 0: no bound
	For     time.Duration // of all methods together, in equal parts; 0: no bound
	// Progress is told, from one goroutine, which method runs and its finished seeds; nil: nobody.
	Progress func(method string, seeds int, share float64)
}

// Seed tells what came of one seed of a method.
type Seed struct {
	Method  string `json:"method"`
	Seed    uint64 `json:"seed"`
	Cluster string `json:"cluster"` // ranks and options, in words
	// Faults lists the ranks that have any.
	Faults  []Rank        `json:"faults"`
	Updates int64         `json:"updates"` // versions or steps
	Left    int           `json:"left"`    // times that a worker left, ranks that were lost
	Joined  int           `json:"joined"`  // times that a worker came back
	End     time.Duration `json:"end"`     // on the run's clock, of the last update
	Ended   string        `json:"ended,omitempty"`
	Digest  string        `json:"digest"`           // of all that the run left
	Broken  string        `json:"broken,omitempty"` // the promise that it broke
}

// Rank is a rank's schedule.
type Rank struct {
	Rank int `json:"rank"`
	faults.Host
}

// String tells of the rank's faults.
func (r Rank) String() string { return fmt.Sprintf("rank %d: %v", r.Rank, r.Host) }

// Tally counts a method's seeds.
type Tally struct {
	Method  string `json:"method"`
	Seeds   int    `json:"seeds"`
	Twice   int    `json:"twice"` // run again and compared
	Crashes int    `json:"crashes"`
	Pauses  int    `json:"pauses"`
	Slow    int    `json:"slow"`
	Left    int    `json:"left"`
	Joined  int    `json:"joined"`
	// Ended counts the runs that could not go on, by the reason that they gave.
	Ended   map[string]int `json:"ended"`
	Seconds float64        `json:"seconds"`
	Rate    float64        `json:"seeds_per_minute"`
}

// Report tells what a swarm found. Failure is the first broken promise, by the lowest seed of its round; nil: none.
type Report struct {
	Tallies []Tally `json:"methods"`
	Failure *Seed   `json:"failure"`
	Runs    []Seed  `json:"runs,omitempty"` // of One
}

// One runs the first seed of each method, all of them, and tells all of each.
func One(ctx context.Context, c Config) (Report, error) {
	r := Report{Tallies: []Tally{}}
	for _, name := range c.Methods {
		s := Judge(ctx, name, c.First)
		if r.Runs = append(r.Runs, s); s.Broken != "" && r.Failure == nil {
			r.Failure = &s
		}
	}
	return r, ctx.Err()
}

// round is how many seeds are judged at a time: a failure is the lowest seed of its round, however many cores run.
const round = 64

// twice is every how many seeds one runs again.
const twice = 16

// Run runs the seeds of all methods, method by method, until one breaks a promise. If ctx ends it returns
// that error, with what was found until then.
func Run(ctx context.Context, c Config) (r Report, err error) {
	if c.Methods == nil {
		c.Methods = method.Names()
	}
	if c.Seeds <= 0 && c.For <= 0 {
		return r, errors.New("swarm: no end: give a number of seeds or a time")
	}
	for _, name := range c.Methods {
		if _, known := method.Get(name); !known {
			return r, fmt.Errorf("swarm: no method %q: known are %s", name, strings.Join(method.Names(), ", "))
		}
	}
	for _, name := range c.Methods {
		t, failure, err := c.sweep(ctx, name)
		if t.Seeds > 0 {
			r.Tallies = append(r.Tallies, t)
		}
		if r.Failure = failure; err != nil || failure != nil {
			return r, err
		}
	}
	return r, nil
}

// sweep runs one method's seeds.
func (c Config) sweep(ctx context.Context, name string) (t Tally, failure *Seed, err error) {
	t.Method, t.Ended = name, map[string]int{}
	begin, share := time.Now(), c.For/time.Duration(len(c.Methods))
	over := func() bool { return c.For > 0 && time.Since(begin) >= share }
	for (c.Seeds == 0 || t.Seeds < c.Seeds) && failure == nil && !(over() && t.Seeds > 0) {
		n := round
		if c.Seeds > 0 {
			n = min(n, c.Seeds-t.Seeds)
		}
		all := volley(ctx, name, c.First+uint64(t.Seeds), n, over)
		if err := context.Cause(ctx); err != nil {
			return t, nil, err // and what this volley ran is cut off
		}
		for _, s := range all {
			if s.Method == "" {
				break // the time was over
			}
			t.add(s)
			if s.Broken != "" && failure == nil {
				failure = &s
			}
		}
		t.Seconds = time.Since(begin).Seconds()
		t.Rate = float64(t.Seeds) / max(t.Seconds/60, 1e-9)
		if c.Progress != nil {
			done := 0.0
			if c.Seeds > 0 {
				done = float64(t.Seeds) / float64(c.Seeds)
			}
			if c.For > 0 {
				done = max(done, float64(time.Since(begin))/float64(share))
			}
			c.Progress(name, t.Seeds, min(done, 1))
		}
	}
	return t, failure, nil
}

// volley runs n seeds from first on, on all cores, and returns what came of each, in order. Once over says so no other
// begins.
func volley(ctx context.Context, name string, first uint64, n int, over func() bool) []Seed {
	out := make([]Seed, n)
	next := make(chan int)
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for i := range next {
				out[i] = Judge(ctx, name, first+uint64(i))
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil || i > 0 && over() {
			break
		}
		next <- i
	}
	close(next)
	group.Wait()
	return out
}

// add counts a seed.
func (t *Tally) add(s Seed) {
	t.Seeds++
	if s.Seed%twice == 0 {
		t.Twice++
	}
	for _, h := range s.Faults {
		if h.Crash > 0 {
			t.Crashes++
		}
		t.Pauses += len(h.Pauses)
		t.Slow += len(h.Slow)
	}
	t.Left += s.Left
	t.Joined += s.Joined
	if s.Ended != "" {
		t.Ended[s.Ended]++
	}
}

// Judge runs one seed of a method, every sixteenth twice, and says what came of it.
func Judge(ctx context.Context, name string, seed uint64) Seed {
	s := once(ctx, name, seed, 1)
	if s.Broken == "" && seed%twice == 0 {
		if again := once(ctx, name, seed, 2); again.Digest != s.Digest {
			s.Broken = fmt.Sprintf("the same seed gave other bytes: %s, then %s", s.Digest, again.Digest)
		}
	}
	return s
}

// limit is how long a run of milliseconds may take before it counts as one that does not end.
const limit = time.Minute

// Why a run could not go on.
const (
	allLeft   = "all workers have left"
	tooShort  = "the lease is too short"
	allLost   = "all ranks are lost"
	blockLost = "a block is lost"
)

// once runs a seed of a method, whose functions may run on some cores at once.
func once(ctx context.Context, name string, seed uint64, cores int) (s Seed) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errEndless)
	defer cancel()
	m, _ := method.Get(name)
	if m.Family == method.Server {
		return onServer(ctx, name, seed, cores)
	}
	return onRanks(ctx, m, seed, cores)
}

var errEndless = fmt.Errorf("it does not end within %v", limit)

// schedule draws the faults of n ranks.
func schedule(seed uint64, n int, mix func(rank int) faults.Mix) (hosts []faults.Host, told []Rank) {
	told = []Rank{}
	for rank := range n {
		h := mix(rank).Draw(seed, rank)
		hosts = append(hosts, h)
		if !h.None() {
			told = append(told, Rank{rank, h})
		}
	}
	return hosts, told
}

// ending returns why a run that failed broke its promise, in one line.
func ending(err error) string {
	var dead *cluster.DeadlockError
	var panicked *cluster.PanicError
	switch {
	case errors.As(err, &dead):
		return "it neither ends nor names why: " + dead.Error()
	case errors.As(err, &panicked):
		where := ""
		if at := strings.Split(string(panicked.Stack), "gradsync/"); len(at) > 1 {
			where, _, _ = strings.Cut(at[len(at)-1], "\n")
		}
		return fmt.Sprintf("panic: %v %s", panicked.Value, where)
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

// digest returns a hash of values as fmt prints them.
func digest(values ...any) string {
	h := sha256.New()
	for _, v := range values {
		fmt.Fprintln(h, v)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// first returns the first complaint of some checks, each of which may rely on those before it.
func first(checks ...func() string) string {
	for _, check := range checks {
		if text := check(); text != "" {
			return text
		}
	}
	return ""
}

// equalBits returns the index of the first element in which the bits of a and b differ, −1 if none.
func equalBits(a, b []float32) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return i
		}
	}
	return -1
}
