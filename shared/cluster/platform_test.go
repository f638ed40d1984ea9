package cluster

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// full uses every field and every spelling of a value.
const full = `{"name": "two", "note": "for tests", "decision": {"value": "20 us", "why": "measured", "confidence": "low"},
 "multicast": true,
 "server": {"name": "ps", "flops": "1 TFLOP/s", "bandwidth": "10 Gb/s", "memory": "1 GiB/s"},
 "workers": [{"name": "w", "count": 2, "jitter": "5 %", "bandwidth": "1 Gb/s", "latency": "25 us", "overhead": "0.5 us",
   "slow": [{"at": "1.5 s", "factor": "500 %"}, {"at": "2000 ms", "factor": "0.3"}],
   "flops": {"value": "13.4 TFLOP/s", "why": "peak of a card", "confidence": "medium"}, "memory": "616 GB/s"},
  {"name": "slow", "flops": "4.1 TFLOP/s", "bandwidth": "125 MB/s"}]}`

func TestParseReadsEveryField(t *testing.T) {
	got, err := Parse([]byte(full))
	must(t, err)
	w := Host{Name: "w0", FLOPS: 13.4e12, Memory: 616e9, Jitter: 0.05, Bandwidth: 125e6, Latency: 25 * time.Microsecond,
		Overhead: 500 * time.Nanosecond, Slow: []Phase{{1500 * time.Millisecond, 5}, {2 * time.Second, 0.3}},
		Assumed: []Assumption{{"flops", "13.4 TFLOP/s", "peak of a card", "medium"}}}
	w1 := w
	w1.Name = "w1"
	want := &Platform{Name: "two", Note: "for tests", Decision: 20 * time.Microsecond, Multicast: true,
		Server:  &Host{Name: "ps", FLOPS: 1e12, Bandwidth: 1.25e9, Memory: 1 << 30},
		Workers: []Host{w, w1, {Name: "slow", FLOPS: 4.1e12, Bandwidth: 125e6}},
		Assumed: []Assumption{{"decision", "20 us", "measured", "low"}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
	again(t, got)
}

// Equal workers that are numbered become one entry; a gap, another value and a name without a number do not.
func TestMarshalCountsEqualWorkers(t *testing.T) {
	p := Uniform(12, Host{Name: "w", FLOPS: 1e12, Bandwidth: 1e9}, nil)
	p.Workers[5].Bandwidth = 2e9
	p.Workers[11].Name = "w12"
	text := string(Marshal(p))
	if n, m := strings.Count(text, `"name"`), strings.Count(text, `"count": 5`); n != 9 || m != 1 {
		t.Errorf("%d names and %d counts of five, want 9 (one platform, one entry of five, seven of one) and 1:\n%s", n, m, text)
	}
	again, err := Parse([]byte(text))
	if d := cmp.Diff(p, again); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
}

// grouped is the forms in which hosts stand in nodes.
const grouped = `{"name": "boxes",
 "workers": [{"name": "gpu", "count": 2, "node": "box", "flops": "1 TFLOP/s", "bandwidth": "10 GB/s"},
  {"name": "old", "count": 2, "node": "attic", "flops": "1 TFLOP/s", "bandwidth": "1 GB/s"},
  {"name": "far", "flops": "1 TFLOP/s", "bandwidth": "1 GB/s"}],
 "server": {"name": "ps", "node": "box1", "flops": "1 TFLOP/s", "bandwidth": "10 Gb/s"},
 "codecs": [{"name": "bitmap", "encode": "2 GB/s", "decode": "1 GB/s"}, {"name": "count", "encode": "9 GB/s"}],
 "nodes": [{"name": "box", "count": 3, "bandwidth": {"value": "6 GB/s", "why": "stated", "confidence": "high"}, "latency": "1 us", "overhead": "0.5 us"},
  {"name": "attic", "bandwidth": "1 Gb/s", "latency": {"value": "0 s", "why": "none", "confidence": "low"}}]}`

// An entry of several nodes takes as many hosts in each; nodes may stand after the workers that name them.
func TestParseReadsNodes(t *testing.T) {
	got, err := Parse([]byte(grouped))
	must(t, err)
	names := ""
	for _, h := range got.Workers {
		names += h.Name + ":" + h.Node + " "
	}
	if want := "gpu0:box0 gpu1:box0 gpu2:box1 gpu3:box1 gpu4:box2 gpu5:box2 old0:attic old1:attic far: "; names != want || got.Server.Node != "box1" {
		t.Errorf("%s, server in %q, want %s", names, got.Server.Node, want)
	}
	box := Node{Name: "box0", Bandwidth: 6e9, Latency: time.Microsecond, Overhead: 500 * time.Nanosecond,
		Assumed: []Assumption{{"bandwidth", "6 GB/s", "stated", "high"}}}
	want := []Node{box, box, box, {Name: "attic", Bandwidth: 125e6, Assumed: []Assumption{{"latency", "0 s", "none", "low"}}}}
	want[1].Name, want[2].Name = "box1", "box2"
	if d := cmp.Diff(want, got.Nodes); d != "" {
		t.Error(d)
	}
	if len(got.Codecs) != 2 || got.Codecs[0].Decode != 1e9 {
		t.Errorf("codecs %+v", got.Codecs)
	}
	twin := again(t, got)
	c := got.Clone()
	c.Nodes[0].Bandwidth, c.Nodes[0].Assumed[0].Why, c.Codecs[0].Encode = 1, "changed", 1
	if d := cmp.Diff(twin, got); d != "" {
		t.Errorf("a clone shares: %s", d)
	}
}

func TestParseNamesWhatIsWrongWithNodes(t *testing.T) {
	for _, c := range []struct{ replace, by, want string }{
		{`"node": "attic"`, `"node": "cellar"`, `platform "boxes": worker 6: there is no node "cellar"`},
		{`"node": "box1"`, `"node": "box"`, `server: there is no node "box"`},
		{`"name": "attic"`, `"name": "box1"`, `nodes: 1: name "box1" is taken`},
		{`"name": "attic"`, `"name": "box"`, `nodes: 1: name "box" is taken`},
		{`"name": "attic", `, ``, `nodes: 1: field "name" is missing`},
		{`"bandwidth": "1 Gb/s"`, `"bandwidth": "0 Gb/s"`, `nodes: 1: "attic": bandwidth = 0 B/s, want > 0`},
		{`"bandwidth": "1 Gb/s", `, ``, `nodes: 1: "attic": bandwidth = 0 B/s, want > 0`},
		{`"bandwidth": "1 Gb/s"`, `"speed": "1 Gb/s"`, `nodes: 1: unknown field "speed"`},
		{`"latency": "1 us"`, `"latency": "1 m"`, `nodes: 0: latency: "1 m" has unit "m"`},
		{`"count": 3`, `"count": 0`, `nodes: 0: count: 0: want 1 to`},
		{`"count": 3`, `"count": 131071`, `workers: 0: more than 131072 hosts`},
		{`"node": "attic"`, `"node": 3`, `workers: 1: node: 3 is not a string`},
		{`"encode": "9 GB/s"`, `"encode": "0 B/s"`, `codecs: "count": encode = 0 B/s`},
		{`[{"name": "box"`, `{"name": "box"`, ``},
	} {
		text := strings.Replace(grouped, c.replace, c.by, 1)
		if _, err := Parse([]byte(text)); text == grouped || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s → %s: %v, want %q", c.replace, c.by, err, c.want)
		}
	}
	p := Uniform(2, Host{Name: "w", FLOPS: 1, Bandwidth: 1}, nil)
	p.Nodes = []Node{{Name: "n", Bandwidth: 1, Latency: -1}}
	if err := p.Validate(); err == nil || !strings.Contains(err.Error(), `node 0: "n": latency = -1ns is negative`) {
		t.Error(err)
	}
	p.Nodes[0] = Node{Name: "n", Bandwidth: math.Inf(1)}
	if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "bandwidth = +Inf") {
		t.Error(err)
	}
}

// Each bad input gives one line that names the field.
func TestParseNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ replace, by, want string }{
		{`"note"`, `"remark"`, `cluster: platform "two": unknown field "remark"`},
		{`"jitter"`, `"jiter"`, `cluster: platform "two": workers: 0: unknown field "jiter"`},
		{`"memory": "1 GiB/s"`, `"flops": "2 TFLOP/s"`, `server: field "flops" is repeated`},
		{`13.4 TFLOP/s`, `13.4 Tflop`, `workers: 0: flops: "13.4 Tflop" has unit "Tflop", want one of FLOP/s,`},
		{`13.4 TFLOP/s`, `-1 TFLOP/s`, `flops: "-1 TFLOP/s" is not 0 or a number from 1e-30 to 1e30`},
		{`"1 TFLOP/s"`, `"0 TFLOP/s"`, `"ps": flops = 0 flop/s, want > 0`},
		{`"at": "1.5 s"`, `"when": "1.5 s"`, `workers: 0: slow: 0: unknown field "when"`},
		{`"at": "1.5 s", `, ``, `slow: 0: field "at" is missing`},
		{`, "factor": "0.3"`, ``, `slow: 1: field "factor" is missing`},
		{`"factor": "0.3"`, `"factor": "0.3", "factor": "1"`, `slow: 1: field "factor" is repeated`},
		{`"factor": "0.3"`, `"factor": 0.3`, `slow: 1: factor: 0.3 is not a string`},
		{`"factor": "0.3"`, `"factor": "0.3 s"`, `slow: 1: factor: "0.3 s" has unit "s", want one of none, %`},
		{`"factor": "0.3"`, `"factor": "0"`, `"w": slow 1: factor = 0, want > 0`},
		{`"2000 ms"`, `"2000 B/s"`, `slow: 1: at: "2000 B/s" has unit "B/s"`},
		{`"2000 ms"`, `"1500 ms"`, `"w": slow 1: at = 1.5s, want later than 1.5s before it`},
		{`[{"at": "1.5 s", "factor": "500 %"}, {"at": "2000 ms", "factor": "0.3"}]`, `{"at": "1.5 s"}`, `slow: not a list`},
		{`[{"at": "1.5 s", "factor": "500 %"}, {"at": "2000 ms", "factor": "0.3"}]`, `null`, `slow: not a list`},
		{`"1 TFLOP/s"`, `1e12`, `server: flops: 1e12 is not a string`},
		{`"25 us"`, `"25"`, `latency: "25" has unit "", want one of s,`},
		{`"25 us"`, `"25 min"`, ``},
		{`"25 us"`, `"1e9 s"`, `latency: "1e9 s" is more than 24 hours`},
		{`"10 Gb/s"`, `"ten Gb/s"`, `bandwidth: "ten Gb/s" has unit "ten Gb/s"`},
		{`"count": 2`, `"count": 0`, `count: 0: want 1 to`},
		{`"name": "slow"`, `"name": "w1"`, `name "w1" is taken`},
		{`"confidence": "low"`, `"sure": "no"`, `decision: unknown field "sure"`},
		{`"multicast": true`, `"multicast": "yes"`, `multicast: "yes" is not a bool`},
		{`125 MB/s"}]}`, `125 MB/s"}]} x`, `text after the object`},
		{`125 MB/s"}]}`, `125 MB/s"}]`, `object does not end`},
		{`"name": "two", `, ``, `field "name" is missing`},
		{full, `[]`, `not a JSON object`},
		{full, `{"name": "none", "workers": []}`, `platform "none": no workers`},
	} {
		text := strings.Replace(full, c.replace, c.by, 1)
		_, err := Parse([]byte(text))
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.by, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s → %s: %v, want %q", c.replace, c.by, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte(grouped))
	f.Add([]byte(`{"name":"a","workers":[{"name":"b","flops":"1 FLOP/s","bandwidth":"1 B/s",` +
		`"slow":[{"at":"0.1 ms","factor":"33.3 %"},{"at":"1 s","factor":"1e-3"}]}]}`))
	f.Add([]byte(`{"name":"a","workers":[{"name":"b","flops":"1e3 MFLOP/s","bandwidth":"3 KiB/s"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Parse(b)
		if err != nil || len(p.Workers) > 1000 {
			return
		}
		again(t, p)
	})
}

// By hand: max(2e9/1e9, 3e9/1e9) = 3 s and a fixed 0.5 s.
func TestSecondsIsFixedPlusTheSlowerOfArithmeticAndMemory(t *testing.T) {
	h, w := Host{FLOPS: 1e9, Memory: 1e9}, Work{FLOP: 2e9, Bytes: 3e9, Fixed: 500 * time.Millisecond}
	if got := h.Duration(w); got != 3500*time.Millisecond {
		t.Errorf("memory-bound: %v, want 3.5s", got)
	}
	h.Memory = 0
	if got := h.Duration(w); got != 2500*time.Millisecond {
		t.Errorf("memory not modelled: %v, want 2.5s", got)
	}
}

// 40,000 draws: the mean's standard error is 0.3/200 = 0.0015.
func TestJitterHasMeanOneAndTheRelativeDeviationAsked(t *testing.T) {
	h, r := Host{Jitter: 0.3}, Stream(1, 2, "", "jitter")
	var sum, squares float64
	const n = 40000
	for range n {
		f := h.DrawJitter(r)
		sum += f
		squares += f * f
	}
	mean := sum / n
	if sd := math.Sqrt(squares/n - mean*mean); math.Abs(mean-1) > 0.006 || math.Abs(sd-0.3) > 0.012 {
		t.Errorf("mean %.4f, deviation %.4f, want 1 and 0.3", mean, sd)
	}
}

func TestCloneSharesNothing(t *testing.T) {
	p, err := Parse([]byte(full))
	must(t, err)
	before := Marshal(p)
	c := p.WithHosts(func(h *Host, _ bool) { h.Bandwidth *= 2; h.FLOPS /= 2 })
	c.Workers[0].Assumed[0].Why = "changed"
	c.Workers[0].Slow[0].Factor = 7
	c = c.WithServerBandwidth(1)
	c.Server.Name = "other"
	if d := cmp.Diff(string(before), string(Marshal(p))); d != "" {
		t.Fatal(d)
	}
	if c.Workers[1].Slow[0].Factor != 5 {
		t.Error("two workers of one entry share their phases")
	}
	if c.Workers[0].Bandwidth != 250e6 || c.Server.Bandwidth != 1 {
		t.Fatalf("change not applied: %+v", c)
	}
}

// Frozen once: every published result depends on these streams.
func TestStreamsAreNamedAndStable(t *testing.T) {
	names := []struct {
		seed           uint64
		rank           int
		thread, stream string
	}{{1, 0, "", "a"}, {2, 0, "", "a"}, {1, 1, "", "a"}, {1, 0, "t", "a"}, {1, 0, "", "b"}, {1, 0, "t", "a"}, {1, 0, "ta", ""}, {1, 0, "", "ta"}, {1, 0, "u", "a"}}
	seen := map[uint64]int{}
	for i, n := range names {
		v := Stream(n.seed, n.rank, n.thread, n.stream).Uint64()
		if j, ok := seen[v]; ok != (i == 5) || i == 5 && j != 3 {
			t.Errorf("stream %+v begins like number %d", n, j)
		}
		seen[v] = i
	}
	if got, want := Stream(1, 0, "", "a").Uint64(), uint64(15341510849146618259); got != want {
		t.Errorf("first number of stream (1, 0, \"\", a): %d, want %d", got, want)
	}
}

// Names are printed: one that would steer a terminal is refused, of the platform, a host or a node.
func TestPlatformsNamesArePrintable(t *testing.T) {
	const host = `"flops": "1 TFLOP/s", "bandwidth": "1 Gb/s"`
	for _, text := range []string{
		`{"name": "a\u001b[31mb\n", "workers": [{"name": "w", ` + host + `}]}`,
		`{"name": "a", "workers": [{"name": "w\u0007", ` + host + `}]}`,
		`{"name": "a", "server": {"name": "s\r", ` + host + `}, "workers": [{"name": "w", ` + host + `}]}`,
		`{"name": "a", "nodes": [{"name": "n\u202e", "bandwidth": "1 Gb/s"}], "workers": [{"name": "w", ` + host + `}]}`,
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), "has the control character U+") || strings.ContainsAny(err.Error(),
			"\n\r\x1b\x07") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// again returns the platform that p's text describes, which must be p.
func again(t testing.TB, p *Platform) *Platform {
	t.Helper()
	q, err := Parse(Marshal(p))
	if err != nil {
		t.Fatalf("%v in\n%s", err, Marshal(p))
	}
	if d := cmp.Diff(p, q); d != "" {
		t.Fatalf("Parse(Marshal): %s", d)
	}
	return q
}
