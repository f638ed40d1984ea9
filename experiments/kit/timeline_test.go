package kit

import (
	"fmt"
	"testing"
	"time"

	"gradsync/experiments/exp"
	"gradsync/shared/cluster"
)

// A trace by hand: forward, two backward stages, an update; the second layer is sent from 3
// to 5 ms in two messages, the first from 5 to 6, a third never.
func TestTimeLine(t *testing.T) {
	span := func(rank int, k cluster.SpanKind, tag cluster.Tag, a, z int) cluster.Span {
		return cluster.Span{Rank: rank, Kind: k, Tag: tag, From: time.Duration(a) * time.Millisecond, To: time.Duration(z) * time.Millisecond}
	}
	trace := &cluster.Trace{Spans: []cluster.Span{span(0, cluster.SpanCompute, 0, 0, 1), span(0, cluster.SpanCompute, 0, 1, 3),
		span(1, cluster.SpanSend, 0, 0, 9), span(0, cluster.SpanCompute, 0, 3, 4), span(0, cluster.SpanSend, 1, 3, 4), span(0, cluster.SpanRecv, 1, 4, 5),
		span(0, cluster.SpanWait, 1, 0, 5), span(0, cluster.SpanRecv, 0, 5, 6), span(0, cluster.SpanCompute, 0, 6, 7)}}
	got := ""
	for _, b := range TimeLine(trace, []string{"second", "first"}, []string{"first", "second", "third"}) {
		got += fmt.Sprintf("%t %s %s %g–%g; ", b.Computes, b.State, b.Layer, b.From, b.To)
	}
	want := "true forward  0–1; true backward second 1–3; true backward first 3–4; true update  6–7; " +
		"false all-reduce second 3–5; false all-reduce first 5–6; "
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A sweep tells every point, and leaves what came before a failure.
func TestSweep(t *testing.T) {
	said := ""
	env := exp.Env{Progress: func(done, total float64, what string) { said += fmt.Sprintf("%g of %g: %s; ", done, total, what) }}
	got, err := Sweep(&exp.Bar{Env: env, Total: 3}, []int{2, 4, 0}, func(n int) (int, error) {
		if n == 0 {
			return 0, fmt.Errorf("none")
		}
		return 8 / n, nil
	})
	if fmt.Sprint(got, err) != "[4 2] none" || said != "1 of 3: 2; 2 of 3: 4; " {
		t.Errorf("%v %v, %s", got, err, said)
	}
	if n := HowMany(got, func(x int) bool { return x > 2 }); n != 1 {
		t.Errorf("%d of %v are above 2", n, got)
	}
	if p := Part(2, false, "model", "mlp"); p.Of["model"] != "mlp" || p.Value != 2.0 || *p.Holds {
		t.Errorf("%+v", p)
	}
}
