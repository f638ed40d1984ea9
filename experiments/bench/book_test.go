package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// The committed page is what the committed measurements make, has a table for each question, and stays a page.
func TestBenchmarksPage(t *testing.T) {
	raw := oktest.Must(os.ReadFile("../../BENCHMARKS.json"))(t)
	b := oktest.Must(ReadBook(raw))(t)
	if again, err := b.Marshal(); err != nil || string(again) != string(raw) {
		t.Errorf("BENCHMARKS.json is not as it is written: %v", err)
	}
	got := oktest.Must(b.Markdown())(t)
	if committed, err := os.ReadFile("../../BENCHMARKS.md"); err != nil || string(committed) != got {
		t.Errorf("BENCHMARKS.md is not BENCHMARKS.json's: %v", err)
	}
	if len(got) > 8192 {
		t.Errorf("BENCHMARKS.md has %d bytes, at most 8,192", len(got))
	}
	for _, q := range Questions() {
		if !strings.Contains(got, "\n## "+q.Title+"\n") {
			t.Errorf("BENCHMARKS.md has no table for %s", q.Name)
		}
	}
}

// toy is a case of three rounds, in which ours is 2, 4 and 3 times as fast as the peer.
func toy(q *Question) *Book {
	c := &Case{Name: "size=512/threads=1", By: map[string]Series{}, Notes: map[string]string{"gonum": "it is not here"}}
	c.By[q.Ours] = Series{"sec/op": {1e-3, 1e-3, 2e-3}, "B/s": {4e9, 2e9, 2e9}}
	c.By["openblas"] = Series{"sec/op": {2e-3, 4e-3, 6e-3}, "B/s": {1e9, 1e9, 1e9}}
	b := NewBook("gradsync bench report", "1", "2026-01-02")
	b.Libraries["openblas"] = "OpenBLAS 1"
	b.Answers = []Answer{{Question: q.Name, Before: "0.10", After: "1.90", Cases: []*Case{c}}}
	return b
}

// Ratios are of ours to the peer's speed, round by round, of seconds and of bytes per second; six rounds give an interval.
func TestRatio(t *testing.T) {
	q := Find("product")
	c := toy(q).Find("Product", "size=512/threads=1")
	if r := c.ratio(q, "openblas"); r.Center != 3 || !math.IsInf(r.Hi, 1) {
		t.Errorf("seconds: %+v", r)
	}
	q.Rate = true
	if r := c.ratio(q, "openblas"); r.Center != 2 {
		t.Errorf("rates: %+v", r)
	}
	if r := c.ratio(q, "gonum"); r != nil {
		t.Errorf("of one that is not there: %+v", r)
	}
	if s := summary([]float64{6, 1, 2, 3, 4, 5}); s.Center != 3.5 || s.Lo != 1 || s.Hi != 6 || s.Confidence < 0.95 {
		t.Errorf("six rounds: %+v", s)
	}
}

// What the page says of a small book: rows, ratios, notes, the load, and a warning if others ran.
func TestMarkdown(t *testing.T) {
	b := toy(Find("product"))
	text := oktest.Must(b.Markdown())(t)
	for _, want := range []string{"| size=512 threads=1 | 1.000 ms | – | **3** | – | – |\n",
		"\n- not measured: gonum: it is not here\n", "\nopenblas is OpenBLAS 1.\n",
		"Load average 0.10 before, 1.9 at most."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	b.Answers[0].Before = "0.51"
	const warning = "**Other programs ran beside these measurements** (load average 0.51 before, 1.9 at most)"
	if text, _ = b.Markdown(); !strings.Contains(text, warning) {
		t.Error(text)
	}
	for x, want := range map[float64]string{1.5e9: "1.500 GB/", 2e6: "2.000 MB/", 12: "12.00 B/"} {
		if got := scaled(x, &Question{Rate: true}); got != want {
			t.Errorf("%g: %q, want %q", x, got, want)
		}
	}
	if got := words("model=vgg19_bn/at-once=2/op=encode/r=2"); got != "vgg19_bn at-once=2 encode r=2" {
		t.Errorf("%q", got)
	}
	if got := scaled(2.5e-6, &Question{}); got != "2.500 µ" {
		t.Errorf("%q", got)
	}
}

// A ratio that falls by more than a quarter is named; one to another version, or that nobody measured, says why it is not
// compared.
func TestCompare(t *testing.T) {
	q := Find("product")
	was, now := toy(q), toy(q)
	for scale, fell := range map[float64]bool{1: false, 0.76: false, 0.74: true} {
		for i, x := range was.Answers[0].Cases[0].By["openblas"]["sec/op"] {
			now.Answers[0].Cases[0].By["openblas"]["sec/op"][i] = scale * x
		}
		all := Compare(was, now)
		if len(all) != 3 || all[0].Fell != fell || all[1].Skipped != "gonum was not measured" {
			t.Errorf("%g: %+v", scale, all)
		}
		counts := fmt.Sprintf("1 ratios compared, %d fell by more than a quarter, 2 not compared\n", map[bool]int{true: 1}[fell])
		if text := ChangesText(all); strings.HasPrefix(text, "fell: Product: size=512/threads=1 × openblas: 3 → ") != fell ||
			!strings.HasSuffix(text, counts) {
			t.Error(text)
		}
	}
	now.Libraries["openblas"] = "OpenBLAS 2"
	if all := Compare(was, now); all[0].Skipped != "openblas is another: OpenBLAS 2, not OpenBLAS 1" {
		t.Errorf("%+v", all[0])
	}
	was.Answers = nil
	if all := Compare(was, now); all[0].Skipped != "openblas was not measured" {
		t.Errorf("%+v", all[0])
	}
	if _, err := ReadBook([]byte(`{"answers":[{"question":"moon"}]}`)); err == nil {
		t.Error("a question that does not exist")
	}
}

// Names of cases are unique and can be read; every contender of a case is one of its question.
func TestQuestions(t *testing.T) {
	for _, q := range Questions() {
		if Find(strings.ToUpper(q.Name)) == nil {
			t.Errorf("%s is not found", q.Name)
		}
		for i, c := range q.Cases {
			if slices.Contains(q.Cases[:i], c) || q.contenders(c)[0] != q.Ours || keysOf(c).cores() < 1 {
				t.Errorf("%s: %s", q.Name, c)
			}
		}
	}
	if got := Find("Step").contenders("model=vgg19_bn/batch=32"); !slices.Equal(got, []string{"asm", "pytorch"}) {
		t.Errorf("%v", got)
	}
	k := keysOf("size=3MiB/np=1000000/x=y")
	if k.Int("size", 0) != 3<<20 || k.Int("none", 7) != 7 || k.Int("x", 8) != 8 || k.cores() != 1 {
		t.Errorf("%v", k)
	}
	if k := keysOf("threads=1000000/at-once=2"); k.cores() != runtime.NumCPU() {
		t.Errorf("%d cores", k.cores())
	}
}

// A round runs one benchmark of one contender, in turns forth and back; who cannot run, or prints nothing, leaves a
// note, and an interrupt ends it all.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes: make test has it")
	}
	if !hasAsm {
		t.Skip("engine asm, one of the contenders, does not run on this processor")
	}
	self := oktest.Must(os.Executable())(t)
	r := &Runner{From: t.TempDir(), Python: "no-such-python", Rounds: 2, Seconds: 1e-3, program: self}
	q, b := Find("Product"), NewBook("", "", "")
	q.Cases, q.Peers = []string{"size=512/threads=1"}, []string{"openblas", "gonum", "nobody"}
	var order []string
	oktest.Nil(t, r.Measure(t.Context(), q, b, func(_ float64, what string) {
		_, by, _ := strings.Cut(what, ", ")
		order = append(order, by)
	}))
	if want := "asm openblas gonum nobody gonum asm"; strings.Join(order, " ") != want {
		t.Errorf("%v, want %s", order, want)
	}
	c := b.Answers[0].Cases[0]
	for _, by := range []string{"asm", "gonum"} {
		got := c.By[by]
		if len(got["sec/op"]) != 2 || len(got["GFLOP/s"]) != 2 || len(got["allocs/op"]) != 2 || c.Notes[by] != "" {
			t.Errorf("%s: %v, %q", by, got, c.Notes[by])
		}
	}
	if !strings.Contains(c.Notes["openblas"], "no-such-python") || c.Notes["nobody"] == "" || b.Processor == "" {
		t.Errorf("%v, %q", c.Notes, b.Processor)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Measure(ctx, q, b, func(float64, string) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// The peers' programs get the name, and MPI's are kept to TCP but where they may choose.
func TestCommands(t *testing.T) {
	r := &Runner{Root: "root", Seconds: 0.5, program: "bench.test", mpi: map[string]string{"openmpi": "ring"}}
	for _, c := range []struct{ question, name, by, want string }{
		{"Step", "model=lenet5/batch=4/threads=1", "pytorch",
			filepath.Join("root", "experiments", "peers", "torch_step.py") + " BenchmarkStep/model=lenet5/batch=4/threads=1/by=pytorch 0.5"},
		{"Push", "sync=asp", "copy+update",
			`bench.test -test.run=^$ -test.bench=^BenchmarkPush$/^sync=asp$/^by=copy\+update$ -test.benchtime=0.5s -test.cpu=1`},
		{"Ring", "np=3/size=1KiB", "openmpi-ring",
			"--mca btl tcp,self --bind-to none -n 3 ring BenchmarkRing/np=3/size=1KiB/by=openmpi-ring 1024 0.5"},
		{"MPI", "np=2/size=4KiB", "gradsync-mpi",
			"--oversubscribe --allow-run-as-root --bind-to none -n 2 bench.test -test.run=^$"},
	} {
		cmd, err := r.command(t.Context(), Find(c.question), c.name, c.by, "Benchmark"+c.question+"/"+c.name+"/by="+c.by)
		if errors.Is(err, exec.ErrNotFound) {
			continue // no launcher here
		}
		if err != nil || !strings.Contains(strings.Join(cmd.Args, " "), c.want) {
			t.Errorf("%v, %q, want %q", err, cmd.Args, c.want)
		}
	}
	if got := lastLine([]byte("ok\n--- SKIP\nno GPU\nPASS\n\n")); got != "no GPU" {
		t.Errorf("%q", got)
	}
}
