package bench

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/local"
	"gradsync/shared/cluster/virtual"
)

var ringHost = cluster.Host{Name: "w", FLOPS: 1e12, Bandwidth: 25e6, Latency: 10 * time.Microsecond}

// A job, rounds and a stop through the worker protocol, with ranks that obey.
func TestServeRing(t *testing.T) {
	in := strings.NewReader(`{"kind":"ring","contender":"gradsync","bytes":4096,"ranks":3,"threads":1}
{"steps":3}
{"steps":2}
{"stop":true}
`)
	var out bytes.Buffer
	_, trace, err := cluster.Run(t.Context(), local.New(cluster.Uniform(3, ringHost, nil), local.Config{}), func(p cluster.Proc) (int, error) {
		var ins io.Reader
		if p.Rank() == 0 {
			ins = in
		}
		return 0, ServeRing(p, ins, &out, collective.Ring{Segment: 100}, "a fact")
	})
	if err != nil {
		t.Fatal(err)
	}
	var replies []Reply
	for d := json.NewDecoder(&out); ; {
		var r Reply
		if d.Decode(&r) != nil {
			break
		}
		replies = append(replies, r)
	}
	if len(replies) != 4 || replies[0].Class != "tcp" || replies[0].Facts[0] != "a fact" || replies[1].Steps != 3 || replies[2].Steps != 2 ||
		replies[2].Seconds <= 0 {
		t.Fatalf("%+v", replies)
	}
	// Ranks other than 0 send ring messages, beside one of each barrier: of the
	// steps that are known (1 at opening, 1+3, 1+2, and what warming up took) all are
	// 2·2 chunks of 1,365 or 1,366 bytes.
	if sent := trace.Sent[1].Bytes; sent < 8*2*2*4096/3 {
		t.Errorf("rank 1 sent %d bytes", sent)
	}
}

// A job that is none, and input that ends, end all ranks without an error of the
// run.
func TestServeRingRefuses(t *testing.T) {
	for _, text := range []string{`{"kind":"ring","bytes":6,"threads":1}`, `{"kind":"step","threads":1,"batch":1,"concurrent":1}`} {
		var out bytes.Buffer
		_, _, err := cluster.Run(t.Context(), local.New(cluster.Uniform(2, ringHost, nil), local.Config{}), func(p cluster.Proc) (int, error) {
			return 0, ServeRing(p, strings.NewReader(text), &out, collective.Ring{})
		})
		if err != nil || !strings.Contains(out.String(), `"error":"bench: ring: a job `) {
			t.Errorf("%s: %v, %s", text, err, out.String())
		}
	}
}

// In virtual time a ring of four ranks takes the α-β model's time, and the sparse
// exchange of a tenth of the values less than half of the dense one's.
func TestExchangeInVirtualTime(t *testing.T) {
	last := map[string]time.Duration{}
	for _, method := range Exchanges {
		e := Exchange{Method: method, Bytes: 1 << 20, Steps: 3, Density: 0.1, Rate: 25e6}
		got, _, err := cluster.Run(t.Context(), virtual.New(cluster.Uniform(4, ringHost, nil), virtual.Config{}), e.Run)
		if err != nil {
			t.Fatal(err)
		}
		for rank, g := range got {
			if len(g.Steps) != 3 {
				t.Fatalf("%s: rank %d made %d steps", method, rank, len(g.Steps))
			}
			last[method] = max(last[method], g.Steps[2])
		}
	}
	// 6 steps of 256 KiB and a header at 25 MB/s, 20 µs each.
	want := 6 * (float64(256<<10+cluster.HeaderBytes)/25e6 + 20e-6)
	if got := last["ring"].Seconds(); math.Abs(got/want-1) > 0.01 {
		t.Errorf("a step of the ring took %v s, want %v", got, want)
	}
	if last["ringsparse"] <= 0 || last["ringsparse"] > last["ring"]/2 {
		t.Errorf("a step of ringsparse took %v beside %v", last["ringsparse"], last["ring"])
	}
}

func TestExchangeCheck(t *testing.T) {
	good := Exchange{Method: "ring", Bytes: 4, Steps: 1}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Exchange){
		"no exchange": func(e *Exchange) { e.Method = "star" }, "multiple of 4": func(e *Exchange) { e.Bytes = 6 },
		"--steps 0": func(e *Exchange) { e.Steps = 0 }, "--density": func(e *Exchange) { e.Density = math.NaN() }, "--segment": func(e *Exchange) { e.Segment = -1 },
	} {
		e := good
		change(&e)
		if err := e.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", e, err, want)
		}
	}
}

// A sum that is wrong in one element is found, on the rank that has it.
func TestRingChecksItsSum(t *testing.T) {
	_, _, err := cluster.Run(t.Context(), local.New(cluster.Uniform(2, ringHost, nil), local.Config{}), func(p cluster.Proc) (int, error) {
		x := []float32{3, 3, 3}
		if p.Rank() == 1 {
			x[2] = 2
		}
		return 0, summed(x, p)
	})
	if err == nil || !strings.Contains(err.Error(), "rank 1: element 2 is 2 after a step, want 3") {
		t.Error(err)
	}
}
