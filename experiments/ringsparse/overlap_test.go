package ringsparse

import (
	"fmt"
	"testing"
	"time"

	"gradsync/experiments/claims"
	"gradsync/shared/cluster"
)

// One case that saves less than a hundredth is enough to differ; single layers and
// the dense ring do not count.
func TestOverlapVerdicts(t *testing.T) {
	pairs := []pair{{Title: "a", Layers: 2, Way: "ringsparse", Gbps: 1, With: 99, Plain: 100}, {Title: "b", Layers: 1, Way: "ringsparse", With: 1, Plain: 1}, {Title: "c", Layers: 9, Way: "dense", With: 1, Plain: 1}}
	wantVerdict(t, judgeOverlap(pairs), claims.SameSign, "1 of 1 cases save at least 1 %; least 1.0 % (a at 1 Gb/s)")
	pairs = append(pairs, pair{Title: "d", Layers: 3, Way: "ringsparse", Gbps: 10, With: 99.5, Plain: 100, Single: 2, First: 0.98})
	wantVerdict(t, judgeOverlap(pairs), claims.Differs, "d at 10 Gb/s (saves 0.5 %; its first layer has 98 % of the parameters, computing is 2 % of the iteration)")
	wantVerdict(t, judgeOverlap(pairs), claims.Differs, "1 of 2 cases save")
}

// A trace by hand: forward, two backward stages, an update; the second layer is sent
// from 3 to 5 ms in two messages, the first from 5 to 6.
func TestSpans(t *testing.T) {
	ms := func(a, z int) (time.Duration, time.Duration) {
		return time.Duration(a) * time.Millisecond, time.Duration(z) * time.Millisecond
	}
	span := func(rank int, k cluster.SpanKind, tag cluster.Tag, a, z int) cluster.Span {
		from, to := ms(a, z)
		return cluster.Span{Rank: rank, Kind: k, Tag: tag, From: from, To: to}
	}
	trace := &cluster.Trace{Spans: []cluster.Span{span(0, cluster.SpanCompute, 0, 0, 1), span(0, cluster.SpanCompute, 0, 1, 3), span(1, cluster.SpanSend, 0, 0, 9), span(0, cluster.SpanCompute, 0, 3, 4),
		span(0, cluster.SpanSend, 1, 3, 4), span(0, cluster.SpanRecv, 1, 4, 5), span(0, cluster.SpanWait, 1, 0, 5), span(0, cluster.SpanRecv, 0, 5, 6), span(0, cluster.SpanCompute, 0, 6, 7)}}
	got := ""
	for _, b := range spans(trace, []cluster.Layer{{Name: "one"}, {Name: "two"}}, 2) {
		got += fmt.Sprintf("%d %s %g–%g %s; ", b.Lane, b.State, b.From, b.To, b.Label)
	}
	want := "2 forward 0–1 forward pass; 2 backward 1–3 backward pass of two; 2 backward 3–4 backward pass of one; 2 update 6–7 update; 3 all-reduce 3–5 exchange of two; 3 all-reduce 5–6 exchange of one; "
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Overlap saves nothing of one layer and something of several, and never makes an
// iteration longer.
func TestOverlapSavesFromTwoLayersOn(t *testing.T) {
	for _, depth := range []int{1, 2, 12} {
		w := newStack(depth, 1)
		p, err := w.compare(t.Context(), 4, 25, "ringsparse")
		if err != nil {
			t.Fatal(err)
		}
		if p.Single <= 0 || p.With <= p.Single || (depth == 1) != (p.With == p.Plain) || p.With > p.Plain {
			t.Errorf("%d layers: %+v", depth, p)
		}
	}
}

func TestOverlapRuns(t *testing.T) {
	r := runProfile(t, overlap(), "ci", 0)
	if len(r.Claims) != 1 || len(r.Figures) != 3 || len(r.Tables[0].Rows) != 7*3*2 {
		t.Errorf("%d claims, %d figures, %d rows", len(r.Claims), len(r.Figures), len(r.Tables[0].Rows))
	}
	for _, f := range r.Figures[:2] {
		if len(f.Bands) != 2*(1+12+1+12) {
			t.Errorf("%s: %d bands", f.ID, len(f.Bands))
		}
	}
}
