package platforms

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gradsync/internal/oktest"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/codec"
	_ "gradsync/shared/tensor/codec/entropy" // its codecs have rates too
)

// Every embedded platform is valid, is named as its file and gives a reason for every value.
func TestEveryValueHasAReason(t *testing.T) {
	for _, name := range Names() {
		p, err := Load(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if p.Name != name || p.Note == "" {
			t.Errorf("file %s holds platform %q, note %q", name, p.Name, p.Note)
		}
		hosts := p.Workers
		if p.Server != nil {
			hosts = append(hosts, *p.Server)
			reasons(t, name, p.Assumed, map[string]bool{"decision": p.Decision != 0})
		}
		for _, h := range hosts {
			reasons(t, name+" "+h.Name, h.Assumed, map[string]bool{"flops": true, "bandwidth": true,
				"memory": h.Memory != 0, "jitter": h.Jitter != 0, "latency": h.Latency != 0, "overhead": h.Overhead != 0})
		}
	}
}

func reasons(t *testing.T, what string, assumed []cluster.Assumption, want map[string]bool) {
	t.Helper()
	for _, a := range assumed {
		if a.Why == "" || a.Confidence == "" {
			t.Errorf("%s: %s has no reason or no confidence", what, a.Field)
		}
		delete(want, a.Field)
	}
	for field, set := range want {
		if set {
			t.Errorf("%s: %s has no reason", what, field)
		}
	}
}

// The design fixes the heterogeneous cluster's time factors.
func TestTimeFactors(t *testing.T) {
	p := oktest.Must(Load("heterogeneous6"))(t)
	for i, want := range []float64{1, 1.2, 1.4, 1.6, 1.9, 3.6} {
		if got := p.Workers[0].FLOPS / p.Workers[i].FLOPS; math.Abs(got-want) > 1e-3*want {
			t.Errorf("%s is %g times slower than %s, want %g", p.Workers[i].Name, got, p.Workers[0].Name, want)
		}
	}
}

// DSSP's clusters: the two cards' FP32 peaks are 11.3 and 4.4 TFLOP/s; four machines hold 16 cards, share their links
// among four cards each, and are one server of four times a machine.
func TestDSSPClusters(t *testing.T) {
	pair := oktest.Must(Load("dssp2"))(t)
	if f := pair.Workers[0].FLOPS / pair.Workers[1].FLOPS; len(pair.Workers) != 2 || math.Abs(f-11.3/4.4) > 1e-9 {
		t.Errorf("dssp2 has %d workers, time factor %g, want 2 and 11.3/4.4", len(pair.Workers), f)
	}
	p := oktest.Must(Load("dssp16"))(t)
	homo, _ := Load("homogeneous6")
	const link = 100e9 / 8 // bytes per second
	if len(p.Workers) != 16 || p.Server.Bandwidth != 4*link || p.Server.Memory != 4*homo.Server.Memory || p.Server.FLOPS != 4*homo.Server.FLOPS {
		t.Errorf("dssp16: %d workers, server %+v", len(p.Workers), p.Server)
	}
	for _, w := range p.Workers {
		if w.FLOPS != homo.Workers[0].FLOPS || w.Memory != homo.Workers[0].Memory || w.Bandwidth != link/4 {
			t.Errorf("dssp16: %+v is no card of homogeneous6 on a quarter of a link", w)
		}
	}
}

func TestLoad(t *testing.T) {
	for name, want := range map[string]string{"moon": "heterogeneous6, homogeneous10", "./moon.json": "no file", "platforms_test.go": "JSON"} {
		if _, err := Load(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Load(%s) = %v, want an error with %q", name, err, want)
		}
	}
	base, file := oktest.Must(Load("homogeneous6"))(t), filepath.Join(t.TempDir(), "mine.json")
	base.Name = "mine"
	oktest.Nil(t, os.WriteFile(file, cluster.Marshal(base), 0o644))
	if p, err := Load(file); err != nil || p.Name != "mine" || len(p.Workers) != 6 {
		t.Errorf("Load(file) = %+v, %v", p, err)
	}
	if p, err := Homogeneous(13); err != nil || len(p.Workers) != 13 || p.Workers[12].FLOPS != base.Workers[0].FLOPS || p.Decision != base.Decision {
		t.Errorf("Homogeneous(13) = %+v, %v", p, err)
	}
}

func TestSweep(t *testing.T) {
	for reference, sets := range map[string]int{"homogeneous6": 3, "heterogeneous6": 3, "homogeneous10": 1} {
		variants, err := Sweep(reference)
		if err != nil || len(variants) != sets*len(Links) {
			t.Errorf("Sweep(%s) has %d platforms (%v), want %d sets of workers on %d links", reference, len(variants), err, sets, len(Links))
			continue
		}
		seen, itself := map[string]bool{}, 0
		base, _ := Load(reference)
		for _, v := range variants {
			if err := v.Platform.Validate(); err != nil || seen[v.Name] || len(v.Platform.Workers) != len(base.Workers) {
				t.Errorf("%s: %v, or named twice", v.Name, err)
			}
			seen[v.Name] = true
			if v.Workers == reference && v.Platform.Server.Bandwidth == base.Server.Bandwidth {
				itself++
			}
		}
		if itself != 1 {
			t.Errorf("Sweep(%s) contains the reference %d times, want once", reference, itself)
		}
	}
}

// The networks differ from the reference in what their names say and in nothing
// else, and every changed value has its own reason.
func TestNetworks(t *testing.T) {
	base, variants := oktest.Must(Load("homogeneous6"))(t), oktest.Must(Networks())(t)
	if len(variants) != 6 {
		t.Fatalf("%d networks, want three sets of links before two servers", len(variants))
	}
	gbit := map[string][]float64{
		EqualLinks: {10, 10, 10, 10, 10, 10}, RemoteWorker: {10, 10, 10, 10, 10, 10}, UnequalLinkSet: {25, 10, 10, 5, 2.5, 1},
	}
	server := map[string]float64{"100 Gb/s": 100, "10 Gb/s": 10}
	for _, v := range variants {
		p := v.Platform
		oktest.Nil(t, p.Validate())
		if got := 8 * p.Server.Bandwidth / 1e9; got != server[v.Link] {
			t.Errorf("%s: the server has %g Gb/s", v.Name, got)
		}
		for i, h := range p.Workers {
			want := base.Workers[i].Latency
			if v.Workers == RemoteWorker && i == len(p.Workers)-1 {
				want = 20 * time.Millisecond
			}
			if got := 8 * h.Bandwidth / 1e9; got != gbit[v.Workers][i] || h.Latency != want {
				t.Errorf("%s: worker %d has %g Gb/s and %v", v.Name, i, got, h.Latency)
			}
			if h.FLOPS != base.Workers[i].FLOPS || h.Memory != base.Workers[i].Memory || h.Jitter != base.Workers[i].Jitter {
				t.Errorf("%s: worker %d is another device than the reference's", v.Name, i)
			}
			reasons(t, v.Name, h.Assumed, map[string]bool{"flops": true, "bandwidth": true, "latency": true})
			for _, a := range h.Assumed {
				if a.Field == "bandwidth" && v.Workers == UnequalLinkSet && a.Value == "10 Gb/s" && h.Bandwidth != 1.25e9 {
					t.Errorf("%s: worker %d keeps the reason of another bandwidth", v.Name, i)
				}
			}
		}
	}
	if again, _ := Load("homogeneous6"); again.Workers[5].Bandwidth != 1.25e9 || again.Workers[5].Latency != base.Workers[5].Latency {
		t.Error("Networks changed the reference")
	}
}

// Where a platform has rates, every codec but dense has one, count and convert do,
// there is no other, and every rate has its reason.
func TestCodecRates(t *testing.T) {
	found := 0
	for _, name := range Names() {
		p, err := Load(name)
		if err != nil || len(p.Codecs) == 0 {
			continue // TestEveryValueHasAReason reports the error
		}
		found++
		want := map[string]bool{codec.Count: true, codec.Convert: true}
		for _, c := range codec.All() {
			want[c.Name()] = c.Name() != "dense" // sent as it is
		}
		for _, c := range p.Codecs {
			if !want[c.Name] {
				t.Errorf("%s: a rate of %s, which is no codec that codes", name, c.Name)
			}
			delete(want, c.Name)
			reasons(t, name+" "+c.Name, c.Assumed, map[string]bool{"encode": true, "decode": c.Decode != 0})
		}
		delete(want, "dense")
		for c := range want {
			t.Errorf("%s: no rate of %s", name, c)
		}
	}
	if found == 0 {
		t.Error("no platform has rates of codecs")
	}
}

// The break-even of the bitmap on sparse32, by hand: compressing pays while (1 − d − 1/32)/B > 1/2e9 + 1/2e9 seconds
// per byte, so up to d = 0.84375 at 1 Gb/s and never at 10 Gb/s, where 1/B is below the right side.
func TestSparse32(t *testing.T) {
	p := oktest.Must(Load("sparse32"))(t)
	if len(p.Workers) != 32 || p.Server != nil || p.Workers[0].FLOPS != p.Workers[31].FLOPS {
		t.Fatalf("%d workers, server %v", len(p.Workers), p.Server)
	}
	b := p.Codecs[0]
	if b.Name != "bitmap" {
		t.Fatalf("the first rate is %s", b.Name)
	}
	breakEven := func(bandwidth float64) float64 { return 1 - 1./32 - bandwidth*(1/b.Encode+1/b.Decode) }
	if d := breakEven(p.Workers[0].Bandwidth); d < 0.8437 || d > 0.8438 {
		t.Errorf("break-even at density %g, want 0.84375", d)
	}
	if d := breakEven(10 * p.Workers[0].Bandwidth); d > 0 {
		t.Errorf("at 10 Gb/s compression pays up to density %g", d)
	}
}

// The paper's ten nodes and ASGD's one server more, equal, on one network.
func TestCSSGD10(t *testing.T) {
	p := oktest.Must(Load("cssgd10"))(t)
	if len(p.Workers) != 10 || p.Server == nil || len(p.Nodes) != 0 || len(p.Codecs) != 0 {
		t.Fatalf("%d workers, server %v, %d machines of several, %d rates", len(p.Workers), p.Server, len(p.Nodes), len(p.Codecs))
	}
	for _, h := range p.Hosts(true) {
		if h.FLOPS != 5e9 || h.Bandwidth != 1e9/8 || h.Latency != p.Server.Latency || h.Overhead != p.Server.Overhead {
			t.Errorf("%s: %+v, want 5 GFLOP/s and 1 Gb/s as all", h.Name, h)
		}
	}
}

// The network copies: what one node sends to nine leaves its link once, and is
// with all of them when it would be with one.
func TestCSSGD10Multicasts(t *testing.T) {
	p := oktest.Must(Load("cssgd10"))(t)
	const size = 1_250_000 // 10 ms at 1 Gb/s
	var elapsed [2]float64
	for i, nodes := range []int{2, 10} {
		group := make([]int, nodes)
		for k := range group {
			group[k] = k
		}
		out, err := virtual.New(p, virtual.Config{Workers: nodes}).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
			return nil, cluster.Wait(p, p.Ibcast(group, 0, 0, &cluster.Msg{Declared: size}))
		})
		oktest.Nil(t, err)
		if s := out.Trace.Sent[0]; s.Messages != 1 || s.Bytes != size {
			t.Errorf("%d nodes: sent %d messages of %d bytes, want one of %d", nodes, s.Messages, s.Bytes, size)
		}
		elapsed[i] = out.Elapsed.Seconds()
	}
	if elapsed[0] < 0.010 || elapsed[0] > 0.0102 || elapsed[1] != elapsed[0] {
		t.Errorf("%.6f s to one and %.6f s to nine, want the same 10 ms", elapsed[0], elapsed[1])
	}
}

// The blog's cluster: 5 nodes of 8 equal GPUs, 10 GB/s within and 6 GB/s between.
func TestRing40(t *testing.T) {
	p := oktest.Must(Load("ring40"))(t)
	if len(p.Nodes) != 5 || len(p.Workers) != 40 || p.Server != nil {
		t.Fatalf("%d nodes, %d workers, server %v", len(p.Nodes), len(p.Workers), p.Server)
	}
	for i, n := range p.Nodes {
		if n.Bandwidth != 6e9 {
			t.Errorf("node %d: %g B/s", i, n.Bandwidth)
		}
		reasons(t, n.Name, n.Assumed, map[string]bool{"bandwidth": true, "latency": true, "overhead": true})
	}
	for i, h := range p.Workers {
		if h.Node != p.Nodes[i/8].Name || h.Bandwidth != 10e9 || h.FLOPS != p.Workers[0].FLOPS {
			t.Errorf("worker %d: %+v", i, h)
		}
	}
}

// By the blog: a gradient of 1.2 GB takes some 400 ms, for InfiniBand is the limit of a ring through adjacent GPUs,
// 2·39/40·1.2 GB over 6 GB/s. A ring that goes to another node at every step has eight times that on each card.
func TestRing40TakesTheBlogs400Milliseconds(t *testing.T) {
	p, interleaved := oktest.Must(Load("ring40"))(t), make([]int, 40)
	for i := range interleaved {
		interleaved[i] = i%5*8 + i/5
	}
	for _, c := range []struct {
		order []int
		flows float64 // through each node's card
	}{{nil, 1}, {interleaved, 8}} {
		out := oktest.Must(virtual.New(p, virtual.Config{}).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
			return nil, collective.Ring{Order: c.order}.AllReduceTiming(p, 1, 300e6)
		}))(t)
		want := c.flows * formula.RingTime(40, 1.2e9, 0, 6e9)
		if s := out.Elapsed.Seconds(); s < want || s > 1.01*want {
			t.Errorf("%g flows per card: %.4f s, want %.4f s and at most 1 %% for latency", c.flows, s, want)
		}
	}
}

// A file that is longer than a platform can be is named with its size, the limit and what to do, and not read.
func TestALongFileIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.json")
	oktest.Nil(t, os.WriteFile(path, nil, 0o644))
	oktest.Nil(t, os.Truncate(path, 16<<20+1))
	_, err := Load(path)
	if err == nil || !strings.Contains(err.Error(), path+" has 16777217 bytes, and at most 16777216 are read here") || !strings.Contains(err.Error(),
		"is it the right file?") {
		t.Error(err)
	}
}
