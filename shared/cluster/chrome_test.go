package cluster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

// A ring of 3 with computation: the file parses, holds every span once, rows
// of one process never overlap, and the same run gives the same bytes.
func TestWriteChromeHoldsEverySpan(t *testing.T) {
	host := cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 1e6, Latency: 1500 * time.Nanosecond, Jitter: 0.1}
	write := func() ([]byte, *cluster.Trace) {
		rt := virtual.New(cluster.Uniform(3, host, nil), virtual.Config{Seed: 4, Trace: true})
		_, trace, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (int, error) {
			if err := cluster.Compute(p, cluster.Work{FLOP: 1e6}, nil); err != nil {
				return 0, err
			}
			return 0, collective.RingAllReduceTiming(p, 1, 100)
		})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := cluster.WriteChrome(&b, trace); err != nil {
			t.Fatal(err)
		}
		return b.Bytes(), trace
	}
	b, trace := write()
	if again, _ := write(); !bytes.Equal(b, again) {
		t.Error("two runs with one seed gave different bytes")
	}
	var file struct {
		TraceEvents []struct {
			Name, Cat, Ph string
			Ts, Dur       float64
			Pid, Tid      int
			Args          map[string]any
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatalf("%v in\n%s", err, b)
	}
	type row struct{ pid, tid int }
	ends, cats := map[row]float64{}, map[string]int{}
	var spans int
	for _, e := range file.TraceEvents {
		if e.Ph != "X" {
			continue
		}
		s := trace.Spans[spans]
		if e.Pid != s.Rank || e.Ts != float64(s.From.Nanoseconds())/1000 || e.Cat != s.Kind.String() {
			t.Fatalf("event %+v, span %+v", e, s)
		}
		if r := (row{e.Pid, e.Tid}); e.Ts < ends[r]-1e-9 {
			t.Errorf("event %+v begins before its row's last ends at %g", e, ends[r])
		} else {
			ends[r] = e.Ts + e.Dur
		}
		spans++
		cats[e.Cat]++
	}
	// 3 ranks × 2(N−1) = 12 messages, sent and received.
	if spans != len(trace.Spans) || cats["send"] != 12 || cats["recv"] != 12 || cats["compute"] != 3 || cats["wait"] < 12 {
		t.Errorf("%d events of %d spans: %v", spans, len(trace.Spans), cats)
	}
}

func TestWriteChromeOfAnEmptyTraceIsJSON(t *testing.T) {
	var b bytes.Buffer
	if err := cluster.WriteChrome(&b, &cluster.Trace{}); err != nil || !json.Valid(b.Bytes()) {
		t.Fatalf("%v: %s", err, b.Bytes())
	}
}

// Spans out of order share a row where they do not overlap, touching ones too;
// times before 0 are numbers, and the file keeps the trace's order.
func TestWriteChromeSharesRows(t *testing.T) {
	span := func(from, to time.Duration) cluster.Span {
		return cluster.Span{Kind: cluster.SpanRecv, From: from, To: to}
	}
	trace := &cluster.Trace{Ranks: 1, Spans: []cluster.Span{span(2000, 3500), span(-1500, 1000), span(1000, 2000), span(1500, 2500), span(-500, -1)}}
	var b bytes.Buffer
	if err := cluster.WriteChrome(&b, trace); err != nil {
		t.Fatal(err)
	}
	var got []string
	var file struct {
		TraceEvents []struct {
			Ph      string
			Ts, Dur json.Number
			Tid     int
		}
	}
	if err := json.Unmarshal(b.Bytes(), &file); err != nil {
		t.Fatalf("%v in\n%s", err, b.Bytes())
	}
	for _, e := range file.TraceEvents {
		if e.Ph == "X" {
			got = append(got, fmt.Sprintf("%s+%s on %d", e.Ts, e.Dur, e.Tid))
		}
	}
	if want := "2+1.500 on 0, -1.500+2.500 on 0, 1+1 on 0, 1.500+1 on 1, -0.500+0.499 on 1"; strings.Join(got, ", ") != want {
		t.Errorf("spans are %q, want %q", got, want)
	}
}

// Whatever the nanoseconds, the file has them as a number.
func TestChromeSpanTimes(t *testing.T) {
	for ns, want := range map[time.Duration]json.Number{0: "0", 1: "0.001", -1: "-0.001", -1000: "-1", -1500: "-1.500", -1_000_001: "-1000.001",
		math.MaxInt64: "9223372036854775.807", math.MinInt64: "-9223372036854775.808"} {
		if got := cluster.ChromeSpan(0, 0, "", ns, ns).Ts; got != want {
			t.Errorf("%d ns are %s µs, want %s", ns, got, want)
		}
	}
}
