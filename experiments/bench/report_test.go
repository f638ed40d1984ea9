package bench

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// outcomes gives every contender of every case a result: the engine twice as
// fast as the peer in the first case, ten times slower elsewhere.
func outcomes(t *testing.T) []*Outcome {
	t.Helper()
	var out []*Outcome
	for i, c := range Cases() {
		flop, err := c.Job.FLOP()
		if err != nil {
			t.Fatal(err)
		}
		o := &Outcome{Case: c, Notes: []Note{{"absent", "is not installed"}}}
		names := []string{"ours", c.Peer}
		switch c.Job.Kind {
		case KindVec:
			names = Kernels()
		case KindCoded:
			names = CodedKernels()
		case KindPush:
			names = PushContenders()
		}
		for _, name := range names {
			r := &Result{Contender: name, Class: "k", Rounds: 3, Steps: 1, StepTime: Spread{0.5, 1, 2}, CPU: Spread{1, 1, 1}, StepFLOP: flop,
				StepBytes: 8, PeakBytes: 64 << 20}
			if name != c.Peer {
				factor := 0.1
				if i == 0 {
					factor, r.Functions = 2, []Function{{"tensor.hot", 0.9}}
				}
				r.Ratio, r.CPURatio = &Spread{factor / 2, factor, 2 * factor}, &Spread{1, 1, 1}
			}
			o.Results = append(o.Results, r)
		}
		out = append(out, o)
	}
	return out
}

// A report has every heading in order, the numbers, and a missed aim as plainly
// as a held one.
func TestMarkdown(t *testing.T) {
	var b strings.Builder
	r := Report{Command: "gradsync bench report", Engine: "ours", Machine: Machine(), Cases: outcomes(t), Ring: &RingReport{}}
	r.Cases[1].Warning = "2 threads on 1 core"
	if err := r.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if got := headings(text); !slices.Equal(got, headingsOf(Cases())) {
		t.Errorf("headings %q, want %q", got, headingsOf(Cases()))
	}
	for _, want := range []string{
		"| lenet5, batch 16, 2 concurrent steps of 1 thread each | ours ≥ 2× pytorch | 1 – **2** – 4× | held |",
		"| lenet5, batch 64, 2 threads | ours ≥ 1.5× pytorch | 0.05 – **0.1** – 0.2× | missed |",
		"| 512×512×512, 1 thread | ours ≥ 0.8× openblas | 0.05 – **0.1** – 0.2× | missed |",
		"| 64 KiB of a layer, coded | encode-2 ≥ 50 % of copy()'s bandwidth | 5 – **10** – 20 % | missed |",
		"`gradsync bench coded --sizes 64KiB`", "step | GB/s in | GB/s out |",
		"| 64 MiB of float32 | quantise ≥ 50 % of copy()'s bandwidth | 5 – **10** – 20 % | missed |",
		"| ours's peak memory ≤ pytorch's | 64 MiB beside 64 MiB | held |",
		"| ours: 0 heap allocations a step | 0 | held |",
		"`gradsync bench step --model resnet18 --width 0.125 --image 16 --batch 16 --threads 1 --concurrent 2`",
		"| 90.0 % | `tensor.hot` |",
		"absent: is not installed",
		"| × pytorch | × by CPU time | rounds |", "| 1 – **2** – 4 | 1 – **1** – 1 | 3 |", "| × openblas | rounds |", "time per element | rounds |",
		"Written by `gradsync bench report` (gradsync ), whole and by nobody's hand: renew it with the same command; `make benchmarks` runs " +
			"`" + StandardCommand + "` instead.",
		"None sits out.", "of all concurrent ones together", "interpreter or runtime and libraries included",
		"\n**2 threads on 1 core**\n",
		"| ours | k | 16 – **32** – 64 |", // 2·16 images in 2, 1 and 0.5 s
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	r.Command, r.Budget = StandardCommand, 4
	b.Reset()
	if err := r.Markdown(&b); err != nil || !strings.Contains(b.String(), "renew it with `make benchmarks`, which runs the same.") ||
		!strings.Contains(b.String(), "has used 4 s sits out") {
		t.Errorf("%v\n%s", err, b.String())
	}
	if strings.Contains(text, "not measured") || strings.Contains(text, "|  |") {
		t.Error("a complete report has an empty cell")
	}
}

// A terminal shows what is not known as the report does, and never as 0 MiB.
func TestTextOfUnknownMemory(t *testing.T) {
	o := &Outcome{Case: Case{Job: Job{Kind: KindGemm}}, Results: []*Result{{Contender: "x", Class: "k", StepTime: Spread{1, 1, 1}, Allocs: -1}}}
	if got := o.Text(); !strings.Contains(got, "     – MiB        – allocs/step") {
		t.Errorf("%q", got)
	}
	o.Results[0].PeakBytes = 3 << 20
	if got := o.Text(); !strings.Contains(got, "     3 MiB ") {
		t.Errorf("%q", got)
	}
}

// headings returns the lines that begin with #.
func headings(text string) (out []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// headingsOf lists the lines that begin with # of a complete report.
func headingsOf(cases []Case) []string {
	out := []string{"# Benchmarks", "## " + headMachine, "## " + headMethod, "## " + headAims}
	for _, s := range sections {
		out = append(out, "## "+s.heading)
		for _, c := range cases {
			if c.Job.Kind == s.kind {
				out = append(out, "### "+c.Title)
			}
		}
	}
	out = append(out, "## "+headProfile)
	for _, c := range cases {
		if c.Job.Kind == KindStep {
			out = append(out, "### "+headProfile+": "+c.Title)
		}
	}
	return append(out, "## "+headRing)
}

// The committed report has every heading, the GPU's section last.
func TestCommittedReportHasItsHeadings(t *testing.T) {
	text, err := os.ReadFile("../../BENCHMARKS.md")
	if err != nil {
		t.Fatalf("%v: make benchmarks writes it", err)
	}
	own, _, found := strings.Cut(string(text), "\n## "+headGPU+"\n")
	if !found {
		t.Errorf("no section %q: gradsync bench gpu --into BENCHMARKS.md writes it", headGPU)
	}
	if got, want := headings(own), headingsOf(Cases()); !slices.Equal(got, want) {
		t.Errorf("headings %q,\nwant %q", got, want)
	}
}

// What was not measured is not held, and a bound is included.
func TestJudge(t *testing.T) {
	at := func(speed float64, peak int64, allocs float64) *Outcome {
		c := Case{Peer: "p", Aims: []Aim{{Measure: Speed, Bound: 2}, {Measure: Memory, Bound: 1}, {Measure: Allocs}, {Measure: GFLOPS, Bound: 40}}}
		return &Outcome{Case: c, Results: []*Result{
			{Contender: "x", Ratio: &Spread{speed / 2, speed, speed * 2}, PeakBytes: peak, Allocs: allocs, StepFLOP: speed * 20e9, StepTime: Spread{0.5, 1, 2}},
			{Contender: "p", PeakBytes: 100}}}
	}
	for _, test := range []struct {
		o    *Outcome
		held string
	}{
		{at(2, 100, 0), "true true true true"}, {at(1.99, 101, 0.1), "false false false false"}, {at(3, 0, -1), "true false false true"},
		{&Outcome{Case: at(0, 0, 0).Case}, "false false false false"},
	} {
		var held []string
		for _, v := range test.o.Judge("x") {
			held = append(held, map[bool]string{true: "true", false: "false"}[v.Held])
		}
		if got := strings.Join(held, " "); got != test.held {
			t.Errorf("held %s, want %s", got, test.held)
		}
	}
}

func TestFigure(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.000123456: "0.000123", 1.005: "1", 12.34: "12.3", 999.4: "999", 999.6: "1000", 12345.6: "12346"} {
		if got := figure(v); got != want {
			t.Errorf("figure(%v) = %s, want %s", v, got, want)
		}
	}
}
