package swarm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/faults"
	"gradsync/shared/cluster/virtual"
)

// What all runs with a server have: some hundred gradients in some hundred milliseconds.
const (
	pushes = 100
	rate   = 0.3
	// aLease is longer than the slowest iteration, which takes some 24 · 2.5 ms.
	aLease = 100 * time.Millisecond
	// crawl is a bound of slowness that makes iterations longer than a lease.
	crawl = 8
	// aNotice bounds how late ranks of an elastic run may be told of a loss.
	aNotice = 30 * time.Millisecond
)

// drawNotice draws how late ranks of a run may be told of a loss: one seed in four, all at its instant.
func drawNotice(seed uint64, method string) time.Duration {
	r := cluster.Stream(seed, 0, method, "notice")
	if r.IntN(4) == 0 {
		return 0
	}
	return time.Duration(r.Int64N(int64(aNotice))).Round(time.Microsecond)
}

// ofWorkers and ofServer are the faults of methods with a server, which itself lives.
var (
	ofWorkers = faults.Mix{Within: 600 * time.Millisecond, Crash: 1. / 3, Pause: 1. / 3, Longest: 300 * time.Millisecond, Late: 0.1, Slow: 0.25, Factor: 2.5}
	ofServer  = faults.Mix{Within: 600 * time.Millisecond, Pause: 0.2, Longest: 300 * time.Millisecond, Late: 0.1, Slow: 0.25, Factor: 2.5}
)

// service is one run with a server.
type service struct {
	name    string
	n       int
	options rivals.Options
	lease   time.Duration // 0: nobody is left out but by the news of a loss, without which nobody crashes
	crawls  bool          // an iteration may take longer than the lease
	elastic bool          // the server is told of losses, somewhat later
	notice  time.Duration // how much later at most
	hosts   []faults.Host
	watch   *watch
	log     *dasp.Log
	trained [][]float32 // by version, from 0 on
}

// onServer runs a seed of a method with a server.
func onServer(ctx context.Context, name string, seed uint64, cores int) (s Seed) {
	r := cluster.Stream(seed, 0, name, "swarm")
	n := 1 + r.IntN(6)
	v := &service{name: name, n: n, options: drawOptions(r, name, n), lease: aLease, trained: [][]float32{begin()}}
	mix := ofWorkers
	v.elastic, v.notice = r.IntN(3) == 0, drawNotice(seed, name)
	if r.IntN(5) == 0 {
		if v.lease = 0; !v.elastic {
			mix.Crash = 0
		}
	}
	if v.crawls = r.IntN(6) == 0; v.crawls {
		mix.Slow, mix.Factor = 0.5, crawl
	}
	s = Seed{Method: name, Seed: seed, Cluster: v.describe()}
	v.hosts, s.Faults = schedule(seed, n+1, func(rank int) faults.Mix {
		if rank == 0 {
			return ofServer
		}
		return mix
	})
	err := v.run(ctx, machines(r, n), seed, cores)
	s.Left, s.Joined, s.Updates = v.watch.left, v.watch.joined, int64(len(v.trained)-1)
	switch {
	case v.log != nil && err == nil:
		s.End = v.log.End
		s.Broken = first(func() string { return v.watch.broken }, v.checkEnd, v.checkLog, v.replay,
			func() string { return v.checkFaultFree(ctx) })
	case v.watch.broken != "":
		s.Broken = v.watch.broken
	case v.allLeft(err):
		s.Ended = allLeft
	case v.crawls && strings.Contains(err.Error(), "is too short"):
		s.Ended = tooShort
	case errors.Is(err, errEndless) || ctx.Err() == nil:
		s.Broken = ending(err)
	}
	if err != nil {
		s.Digest = digest(err)
		return s
	}
	s.Digest = digest(v.log.Digest(), v.log.Pushes, v.trained[len(v.trained)-1])
	return s
}

// machines returns a cluster of n workers of unequal speed and its server. 6 MFLOP take the fastest 6 ms.
func machines(r *rand.Rand, n int) *cluster.Platform {
	host := cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 125e6, Latency: 50 * time.Microsecond, Jitter: 0.05}
	server := host
	server.Name, server.Jitter, server.Memory = "server", 0, 1e6 // an update of one gradient: 0.13 ms
	p := cluster.Uniform(n, host, &server)
	for i := range p.Workers {
		p.Workers[i].FLOPS /= 1 + 3*r.Float64()
	}
	return p
}

// drawOptions draws a method's parameters, and for one seed in four DASP's other readings.
func drawOptions(r *rand.Rand, name string, n int) rivals.Options {
	o := rivals.Defaults(n)
	o.Smin = r.Int64N(7)
	o.Smax = o.Smin + 1 + r.Int64N(8)
	o.Alpha = float64(r.IntN(5)) / 4
	o.Wait = dasp.WaitForms()[r.IntN(4)].String()
	o.Staleness = r.Int64N(5)
	o.Lower = r.Int64N(4)
	o.Upper = o.Lower + r.Int64N(8)
	o.Backup = r.IntN(n)
	if name == "dasp" && r.IntN(4) == 0 {
		o.Gap = []string{"pre", "post"}[r.IntN(2)]
		o.FSS = []string{"recheck", "literal"}[r.IntN(2)]
		o.Arrivals = []string{"apart", "join"}[r.IntN(2)]
		o.QISWeight = []string{"1/N", "1"}[r.IntN(2)]
		o.GroupWeight = []string{"1/K", "1/N"}[r.IntN(2)]
	}
	return o
}

// describe says what a seed has drawn.
func (v *service) describe() string {
	o, text := v.options, fmt.Sprintf("a server, %d workers, lease %v", v.n, v.lease)
	if v.crawls {
		text += fmt.Sprintf(", slow up to ×%d", crawl)
	}
	if v.elastic {
		text += fmt.Sprintf(", elastic, told within %v", v.notice)
	}
	switch v.name {
	case "dasp":
		text += fmt.Sprintf(", Smin %d, Smax %d, α %g, T_wait %s", o.Smin, o.Smax, o.Alpha, o.Wait)
		if readings := strings.Join([]string{o.Gap, o.FSS, o.Arrivals, o.QISWeight, o.GroupWeight}, " "); strings.TrimSpace(readings) != "" {
			text += ", " + readings
		}
	case "ssp":
		text += fmt.Sprintf(", s %d", o.Staleness)
	case "gssp":
		text += fmt.Sprintf(", s %d, groups %v", o.Staleness, o.Groups)
	case "dssp":
		text += fmt.Sprintf(", s_L %d, s_U %d", o.Lower, o.Upper)
	case "backup":
		text += fmt.Sprintf(", %d of them backup", o.Backup)
	}
	return text
}

// run trains under the faults.
func (v *service) run(ctx context.Context, p *cluster.Platform, seed uint64, cores int) error {
	policy, err := rivals.New(v.name, v.options)
	v.watch = newWatch(v.name, v.options, v.lease, v.hosts)
	v.watch.crawls, v.watch.elastic, v.watch.notice = v.crawls, v.elastic, v.notice
	if err != nil {
		return err
	}
	f, err := v.options.F()
	if err != nil {
		return err
	}
	config := virtual.Config{Seed: seed, WithServer: true, Cores: cores, Elastic: v.elastic, Notice: v.notice}
	rt := faults.On(virtual.New(p, config), func(rank int) faults.Host { return v.hosts[rank] })
	_, err = rt.Run(ctx, func(p cluster.Proc) ([]byte, error) {
		l, err := dasp.Run(p, dasp.Job{
			Policy: func() dasp.Policy { return v.watch.of(policy) }, Task: newQuadratic(p.Rank() - 1), Rate: rate, MaxPushes: pushes,
			Decision: cluster.Work{Fixed: 20 * time.Microsecond}, Lease: v.lease, F: f,
			OnUpdate: func(_ dasp.Update, x []float32) bool {
				v.trained = append(v.trained, slices.Clone(x))
				return len(v.trained) > 3*pushes // an algorithm that does not count gradients
			},
		})
		if l != nil {
			v.log = l
		}
		return nil, err
	})
	return err
}

// allLeft reports whether the server ended a run for want of workers, and all have left indeed. That each had its
// reason is watched.
func (v *service) allLeft(err error) bool {
	return strings.Contains(err.Error(), "workers have left at version") && !slices.Contains(v.watch.present, true)
}

// checkEnd says what is wrong with a run that ended before its number of gradients or after it.
func (v *service) checkEnd() string {
	used := int64(0)
	for i, u := range v.log.Updates {
		if used >= pushes {
			return fmt.Sprintf("it went on after %d gradients, want %d", used, pushes)
		}
		if used += int64(len(u.Workers)); u.Pushes != used {
			return fmt.Sprintf("update %d counts %d gradients, want %d", i+1, u.Pushes, used)
		}
	}
	if used < pushes {
		return fmt.Sprintf("it ended after %d gradients, want %d", used, pushes)
	}
	return ""
}

// faultFree holds the parameters that runs of BSP without faults end with, by the number of workers.
var faultFree sync.Map

// checkFaultFree says how BSP that nobody left differs from BSP without faults: its parameters depend on the number
// of workers alone.
func (v *service) checkFaultFree(ctx context.Context) string {
	if v.name != "bsp" || v.watch.left > 0 {
		return ""
	}
	want, known := faultFree.Load(v.n)
	if !known {
		calm := &service{name: v.name, n: v.n, options: v.options, hosts: make([]faults.Host, v.n+1), trained: [][]float32{begin()}}
		if err := calm.run(ctx, machines(cluster.Stream(0, 0, "", "calm"), v.n), 0, 1); err != nil {
			return "without faults: " + ending(err)
		}
		want = calm.trained
		faultFree.Store(v.n, want)
	}
	for version, x := range want.([][]float32) {
		if version >= len(v.trained) || equalBits(x, v.trained[version]) >= 0 {
			return fmt.Sprintf("nobody left, and version %d has other bits than without faults", version)
		}
	}
	return ""
}
