package kit

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
)

// stale lists the platforms in a configuration whose hash is not their file's today.
func stale(config any) (out []string) {
	switch x := config.(type) {
	case []any:
		for _, v := range x {
			out = append(out, stale(v)...)
		}
	case map[string]any:
		name, _ := x["name"].(string)
		sum, _ := x["sha256"].(string)
		if _, whole := x["platform"]; sum != "" && !whole {
			if p, err := platforms.Load(name); err != nil {
				out = append(out, err.Error())
			} else if platforms.Sum(p) != sum {
				out = append(out, fmt.Sprintf("%s is %s today, was %s", name, platforms.Sum(p)[:12], sum))
			}
		}
		for _, key := range slices.Sorted(maps.Keys(x)) {
			out = append(out, stale(x[key])...)
		}
	}
	return out
}

// A platform of a file stands in a result by its name and hash, any other whole, without
// the reasons for its numbers.
func TestPlatform(t *testing.T) {
	p, err := platforms.Load("heterogeneous6")
	if err != nil {
		t.Fatal(err)
	}
	named := Platform(p)
	if named["name"] != "heterogeneous6" || len(named) != 2 || len(stale(map[string]any{"list": []any{named}})) != 0 {
		t.Errorf("a platform of a file is %v", named)
	}
	named["sha256"] = strings.Repeat("0", 64)
	if got := stale(map[string]any{"list": []any{named}}); len(got) != 1 || !strings.Contains(got[0], "heterogeneous6 is") {
		t.Errorf("another hash: %v", got)
	}
	if got := stale(map[string]any{"name": "none", "sha256": "00"}); len(got) != 1 {
		t.Errorf("no such file: %v", got)
	}
	other := p.WithHosts(func(h *cluster.Host, server bool) { h.Bandwidth *= 10 })
	whole := Platform(other)
	bare, ok := whole["platform"].(*cluster.Platform)
	if !ok || whole["sha256"] == Platform(p)["sha256"] || len(stale(whole)) != 0 {
		t.Fatalf("a platform of no file is %v", whole)
	}
	if bare.Note != "" || bare.Assumed != nil || bare.Workers[0].Assumed != nil || bare.Workers[0].Bandwidth != other.Workers[0].Bandwidth {
		t.Errorf("it stands there as %+v", bare)
	}
	if other.Note == "" || other.Workers[0].Assumed == nil {
		t.Error("the platform itself lost its reasons")
	}
}

// Every platform that a committed result names has today the bytes that it had then.
func TestCommittedPlatforms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	for _, pattern := range []string{"../results/*/*.json", "../results/*/*/*.json"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, ".run.json") {
				continue
			}
			r, err := result.Read(f)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, s := range stale(r.Config) {
				t.Errorf("%s: platform %s: run it again", f, s)
			}
		}
	}
}

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
	if n := CountIf(got, func(x int) bool { return x > 2 }); n != 1 {
		t.Errorf("%d of %v are above 2", n, got)
	}
	if p := Part(2, false, "model", "mlp"); p.Of["model"] != "mlp" || p.Value != 2.0 || *p.Holds {
		t.Errorf("%+v", p)
	}
}
