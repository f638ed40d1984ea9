package collective_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

// timed is an exchange of n elements on a platform, headers or none.
type timed struct {
	p       *cluster.Platform
	n       int
	perNode int // 0: the flat ring
	header  int
	seed    uint64 // of the jitter of what ranks compute before
}

func (c timed) String() string {
	return fmt.Sprintf("%d ranks of %s, nodes of %d, %d elements, header %d, seed %d", len(c.p.Workers), c.p.Name, c.perNode, c.n, c.header, c.seed)
}

// work is computed before the exchange, so that ranks with jitter begin it at different instants.
var work = cluster.Work{FLOP: 1e9}

// events runs the exchange on the event engine and returns when each rank's ends.
func (c timed) events(t *testing.T) []time.Duration {
	t.Helper()
	rt := virtual.New(c.p, virtual.Config{Seed: c.seed, Headerless: c.header == 0})
	ends, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (time.Duration, error) {
		if err := cluster.Compute(p, work, nil); err != nil {
			return 0, err
		}
		exchange := func() error { return collective.RingAllReduceTiming(p, 1, c.n) }
		if c.perNode > 0 {
			exchange = func() error { return collective.HierarchicalTiming(p, 1, c.perNode, c.n) }
		}
		err := exchange()
		return p.Now(), err
	})
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	return ends
}

// recurrence computes the same, and tells whether the order of two messages was open.
func (c timed) recurrence(t *testing.T) (out []time.Duration, tied bool) {
	t.Helper()
	m, err := collective.NewMaxPlus(c.p, c.header)
	must(t, err)
	from := make([]int64, len(c.p.Workers))
	for i := range from {
		h := &c.p.Workers[i]
		factor := h.DrawJitter(cluster.Stream(c.seed, i, "", "cluster/jitter"))
		from[i] = int64(math.Round(float64(h.Seconds(work)*factor) / 1e-12))
	}
	var ends []int64
	if c.perNode == 0 {
		ends, err = m.Ring(t.Context(), c.n, from)
	} else {
		ends, tied, err = m.Hierarchical(t.Context(), c.perNode, c.n, from)
	}
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	for _, e := range ends {
		out = append(out, time.Duration(e/1000))
	}
	return out, tied
}

// differs names the first rank that the two end at different nanoseconds; "": none.
func (c timed) differs(t *testing.T, got []time.Duration) string {
	t.Helper()
	for i, want := range c.events(t) {
		if got[i] != want {
			return fmt.Sprintf("rank %d ends at %v by the recurrence, at %v by events", i, got[i], want)
		}
	}
	return ""
}

// drawn returns an exchange of p ranks drawn from r: hosts alike or each of its own kind, with
// overheads and jitter or without, and lengths that leave chunks unequal or empty.
func drawn(r *rand.Rand, p int) timed {
	c := timed{n: []int{0, 1 + r.IntN(p), p * (1 + r.IntN(1000)), 1 + r.IntN(2000*p)}[r.IntN(4)], seed: r.Uint64()}
	if r.IntN(2) == 0 {
		c.header = cluster.HeaderBytes
	}
	host := cluster.Host{Name: "w", FLOPS: []float64{1e11, 1e12, 1e14}[r.IntN(3)], Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}
	if r.IntN(2) == 0 {
		host.Jitter = 0.2
	}
	c.p = cluster.Uniform(p, host, nil)
	if r.IntN(4) > 0 {
		unequal(r, c.p)
	}
	if r.IntN(2) == 0 {
		var divisors []int
		for d := 1; d <= p; d++ {
			if p%d == 0 {
				divisors = append(divisors, d)
			}
		}
		c.perNode = divisors[r.IntN(len(divisors))]
	}
	return c
}

// unequal gives each host of p links, costs and a speed of its own.
func unequal(r *rand.Rand, p *cluster.Platform) *cluster.Platform {
	p.Name = "unequal"
	for i := range p.Workers {
		w := &p.Workers[i]
		w.Bandwidth = float64(1+r.IntN(10)) * 125e6 * (1 + r.Float64())
		w.Latency = time.Duration(r.IntN(60_000)) * time.Nanosecond
		w.Overhead = time.Duration(r.IntN(3000)) * time.Nanosecond
		w.FLOPS *= 1 + r.Float64()
	}
	return p
}

// Where both run, the recurrence ends every rank at the event engine's very nanosecond, unless it
// says itself that two messages were sent and arrived together; no unequal hosts did that.
func TestMaxPlusEqualsTheEventEngine(t *testing.T) {
	long := os.Getenv("GRADSYNC_LONG") != ""
	cases, most := 300, 32
	switch {
	case long:
		cases, most = 5000, 64
	case testing.Short():
		cases, most = 60, 16
	}
	r, ties := cluster.Stream(1, 0, "", "max-plus"), 0
	check := func(p int) {
		c := drawn(r, p)
		if got, tied := c.recurrence(t); tied && c.p.Name != "unequal" {
			ties++
		} else if text := c.differs(t, got); text != "" || tied {
			t.Fatalf("%v: %s (tied %v)", c, text, tied)
		}
	}
	for range cases {
		check(1 + r.IntN(most))
	}
	for _, p := range []int{128, 256, 512, 1000, 1024} {
		for range 2 {
			if long {
				check(p)
			}
		}
	}
	t.Logf("%d of %d exchanges had two messages at one instant", ties, cases)
	if ties > cases/20 {
		t.Errorf("%d of %d exchanges were not compared", ties, cases)
	}
}

// On equal links and with jitter, compare/scale's platforms, ranks behind a slow one fall into step, so that the order of
// two messages is often open and single ranks end otherwise than by events. The last rank, which a round ends with, does not.
func TestRoundsEndAsByEvents(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	ties, others := 0, 0
	for _, k := range []struct {
		p, perNode, n    int
		bandwidth, flops float64
	}{{30, 5, 61_706, 1.25e9, 2e11}, {100, 10, 61_706, 1.25e9, 2e11}, {300, 15, 61_706, 1.25e9, 2e11}, {300, 15, 11_173_962, 1.25e10, 1e10}} {
		for seed := range uint64(6) {
			h := cluster.Host{Name: "w", FLOPS: k.flops, Bandwidth: k.bandwidth, Latency: 25 * time.Microsecond, Overhead: 10 * time.Microsecond, Jitter: 0.2}
			c := timed{p: cluster.Uniform(k.p, h, nil), n: k.n, perNode: k.perNode, header: cluster.HeaderBytes, seed: seed}
			got, tied := c.recurrence(t)
			want := c.events(t)
			if !slices.Equal(got, want) {
				others++
				if !tied {
					t.Errorf("%v: ranks end otherwise than by events, and nothing says so", c)
				}
			}
			if tied {
				ties++
			}
			if a, b := slices.Max(got), slices.Max(want); a != b {
				t.Errorf("%v: the last rank ends at %v by the recurrence, at %v by events", c, a, b)
			}
		}
	}
	if ties == 0 || others == 0 {
		t.Errorf("%d exchanges had an open order, %d ended otherwise: the test sees nothing", ties, others)
	}
}

// What it cannot compute it refuses in a line.
func TestMaxPlusRefuses(t *testing.T) {
	host := cluster.Host{Name: "w", FLOPS: 1e12, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}
	shared := cluster.Uniform(4, host, nil)
	shared.Nodes = []cluster.Node{{Name: "n", Bandwidth: 1e9}}
	if _, err := collective.NewMaxPlus(shared, 0); err == nil || !strings.Contains(err.Error(), "share a NIC") {
		t.Errorf("nodes with one NIC: %v", err)
	}
	if _, err := collective.NewMaxPlus(&cluster.Platform{Name: "none"}, 0); err == nil || !strings.Contains(err.Error(), "no workers") {
		t.Errorf("no workers: %v", err)
	}
	m, err := collective.NewMaxPlus(cluster.Uniform(6, host, nil), 0)
	must(t, err)
	if _, _, err := m.Hierarchical(t.Context(), 4, 10, nil); err == nil || !strings.Contains(err.Error(), "want a multiple") {
		t.Errorf("6 ranks in nodes of 4: %v", err)
	}
	if _, err := m.Ring(t.Context(), 1<<50, nil); err == nil || !strings.Contains(err.Error(), "under 53 days") {
		t.Errorf("2^50 elements: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := m.Ring(ended, 10, nil); err == nil || got != nil {
		t.Errorf("a context that has ended: %v, %v", slices.Max(got), err)
	}
}
