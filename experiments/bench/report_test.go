package bench

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// fakeBook gives every contender of every case a result: the engine twice as fast as the peer in the first case, ten
// times slower elsewhere.
func fakeBook(t *testing.T) *Book {
	t.Helper()
	b := &Book{Command: "gradsync bench report --rounds 3", Version: "v", Engine: "ours",
		Plan:    Plan{Rounds: 3, Seconds: 0.25, MaxLoad: 0.5, Tries: 3, Limit: 1800},
		Machine: [][2]string{{"processor", "abacus"}}, GPU: &GPUReport{Command: "c", Date: "2026-01-02", Why: "there was none"}}
	for _, chapter := range Chapters() {
		s := &Section{Name: chapter.Name, Tries: []Try{{Before: Load{0.01, 1.5}, After: Load{0.02, 2}, Seconds: 60}}}
		for i, c := range chapter.Cases {
			s.Outcomes = append(s.Outcomes, fakeOutcome(t, c, chapter.Name == ChapterSteps && i == 0))
		}
		b.Sections = append(b.Sections, s)
	}
	text, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if b, err = ReadBook(text); err != nil { // as it comes from a file
		t.Fatal(err)
	}
	return b
}

// contendersOf lists who plays a case of a fake book.
func contendersOf(c Case) []string {
	switch c.Job.Kind {
	case KindVec:
		return Kernels()
	case KindCoded:
		return CodedKernels()
	case KindPush:
		return PushContenders()
	case KindMessages:
		return MessagesContenders()
	case KindRing:
		return []string{OurRing, TLSRing, RingOnMPI, MPIReduce, MPICHReduce, MPIRing, Stream, Copy}
	}
	return []string{"ours", c.Peer}
}

func fakeOutcome(t *testing.T, c Case, fast bool) *Outcome {
	t.Helper()
	flop, err := c.Job.FLOP()
	if err != nil {
		t.Fatal(err)
	}
	o := &Outcome{Case: c, Notes: []Note{{"absent", "is not installed"}}}
	for _, name := range contendersOf(c) {
		r := &Result{Contender: name, Class: "k", Facts: []string{name + " 1.0"}, Rounds: 3, Steps: 1, StepTime: Spread{0.5, 1, 2}, CPU: Spread{1, 1, 1},
			StepFLOP: flop, StepBytes: 8, PeakBytes: 64 << 20, Speeds: []float64{10, 10, 10}}
		if name != c.Peer {
			factor := 0.1
			if fast {
				factor, r.Functions = 2, []Function{{"tensor.hot", 0.9}}
			}
			r.Speeds = []float64{10 * factor, 10 * factor, 10 * factor}
			r.Ratio, r.CPURatio = &Spread{factor / 2, factor, 2 * factor}, &Spread{1, 1, 1}
		}
		o.Results = append(o.Results, r)
	}
	return o
}

func markdown(t *testing.T, b *Book) string {
	t.Helper()
	var out strings.Builder
	if err := b.Markdown(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A document has every heading in order, the numbers, and a missed aim as plainly
// as a held one; it is made of the book and of nothing else.
func TestMarkdown(t *testing.T) {
	b := fakeBook(t)
	b.Find(ChapterSteps).Outcomes[1].Warning = "2 threads on 1 core"
	text := markdown(t, b)
	if text != markdown(t, b) {
		t.Error("the same book gave other bytes")
	}
	if got := headings(text); !slices.Equal(got, headingsOf()) {
		t.Errorf("headings %q, want %q", got, headingsOf())
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
		"| 90.0 % | `tensor.hot` |", "absent: is not installed", "| processor | abacus |", "| pytorch | pytorch 1.0 |", "| mpich-allreduce | mpich-allreduce 1.0 |",
		"| × pytorch | × by CPU time | rounds |", "| 1 – **2** – 4 | 1 – **1** – 1 | 3 |", "| × openblas | rounds |", "time per element | rounds |",
		"which `gradsync bench report --rounds 3` measured in one run (gradsync v): renew both with the same command; " +
			"`make benchmarks` runs `" + StandardCommand + "` instead.",
		"None sits out.", "of all concurrent ones together", "interpreter or runtime and libraries included",
		"\n**2 threads on 1 core**\n",
		"| ours | k | 16 – **32** – 64 |", // 2·16 images in 2, 1 and 0.5 s
		"(load average): 0.01 (1.5) before, 0.02 (2) after; 60 s of measuring.\n",
		"| all-reduce of 1 KiB, 2 processes | gradsync ≥ 1× the faster of openmpi-allreduce and mpich-allreduce | 0.1 (0.1 to 0.1)× openmpi-allreduce, " +
			"1 (1 to 1)× mpich-allreduce | missed |",
		"| 10000 | virtual | 0.005 – **0.01** – 0.02 | 0.05 – **0.1** – 0.2 | 64 | 3 |", "interleaved rounds of about 0.1 s",
		"| 2 | 16 MiB | **0.0168** (0.0336) | **0.0168** (0.0336) | **0.1** (0.1 to 0.1) | 3 |\n", // with TLS
		" on 2026-01-02.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	own, _, _ := strings.Cut(text, "\n## "+headGPU)
	if strings.Contains(own, notMeasured) || strings.Contains(own, "|  |") || strings.Contains(own, "not quiet") || strings.Contains(own, "Left out") {
		t.Error("a complete report has an empty cell, or complains")
	}
	b.Command, b.Plan.Budget = StandardCommand, 4
	if text := markdown(t, b); !strings.Contains(text, "renew both with `make benchmarks`, which runs the same.") ||
		!strings.Contains(text, "has used 4 s sits out") {
		t.Error(text)
	}
}

// A section beside which other programs ran says so, one that was measured several times says which numbers it has,
// and one that was not measured is left out by name, with its aims.
func TestMarkdownOfABusyMachine(t *testing.T) {
	b := fakeBook(t)
	vec := b.Find(ChapterVec)
	vec.Tries = []Try{{Before: Load{0.9, 3}}, {Before: Load{0.6, 2}, After: Load{0.7, 1}}}
	b.Find(ChapterMPI).Tries[0].Before = Load{-1, -1}
	b.Find(ChapterMPI).Tries[0].After = Load{-1, -1}
	b.Sections = slices.DeleteFunc(b.Sections, func(s *Section) bool { return s.Name == ChapterPush })
	b.Find(ChapterTLS).Outcomes = nil
	text := markdown(t, b)
	for _, want := range []string{"0.6 (2) before, 0.7 (1) after; 0 s of measuring. It was measured 2 times; these are the numbers of the quietest.\n\n" +
		"**The machine was not quiet: other programs used 0.7 processors.", "**This system does not say what other programs used.**",
		"unknown (unknown) before",
		" Left out: Host path of a push.\n", "| 2 | 4 KiB | absent | absent | – | 0 |"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(text, "copy+update") || strings.Count(text, "not quiet") != 1 {
		t.Error("a section that was not measured has an aim, or another is called loud")
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
func headingsOf() []string {
	out := []string{"# Benchmarks", "## " + headMachine, "## " + headMethod, "## " + headAims}
	var profiles []string
	for _, c := range Chapters() {
		out = append(out, "## "+c.Heading)
		for _, one := range c.Cases {
			if k := one.Job.Kind; k != KindRing && k != KindMessages {
				out = append(out, "### "+one.Title)
			}
			if one.Job.Kind == KindStep {
				profiles = append(profiles, "### "+headProfile+": "+one.Title)
			}
		}
	}
	return append(append(append(out, "## "+headProfile), profiles...), "## "+headGPU)
}

// The committed document is what the committed book makes, has every heading and
// judges every aim: nothing in it was put in by hand.
func TestCommittedDocument(t *testing.T) {
	raw, err := os.ReadFile("../../BENCHMARKS.json")
	if err != nil {
		t.Fatalf("%v: make benchmarks writes it", err)
	}
	b, err := ReadBook(raw)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.Bytes(); err != nil || string(again) != string(raw) {
		t.Errorf("%v, or BENCHMARKS.json is not as `bench report` writes it", err)
	}
	document, err := os.ReadFile("../../BENCHMARKS.md")
	if err != nil {
		t.Fatal(err)
	}
	if text := markdown(t, b); strings.TrimRight(text, "\n") != strings.TrimRight(string(document), "\n") {
		t.Error("BENCHMARKS.md is not what BENCHMARKS.json makes: was it changed by hand?")
	}
	if b.GPU == nil {
		t.Error("no section on GPUs: gradsync bench gpu --into BENCHMARKS.json writes it")
	}
	whole := b.Command == StandardCommand // else the document says what is left out
	for _, c := range Chapters() {
		s := b.Find(c.Name)
		if s == nil || len(s.Tries) == 0 || s.Begun != nil {
			if whole || !strings.Contains(string(document), c.Heading) {
				t.Errorf("%s was not measured, or not to its end", c.Heading)
			}
			continue
		}
		for _, one := range c.Cases {
			if s.Case(one.Title) == nil || len(s.Case(one.Title).Results) == 0 {
				t.Errorf("%s: %s was not measured", c.Heading, one.Title)
			}
		}
	}
	if got := headings(string(document)); whole && !slices.Equal(got, headingsOf()) {
		t.Errorf("headings %q,\nwant %q", got, headingsOf())
	}
	for _, bad := range []string{"NaN", "Inf", "|  |"} {
		if strings.Contains(string(document), bad) {
			t.Errorf("the document says %q", bad)
		}
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

func TestTheMachineIsWhatTheVariableLeavesOfIt(t *testing.T) {
	for value, times := range map[string]int{"": 0, "avx2": 1} {
		t.Setenv("GRADSYNC_CPU", value)
		if n := strings.Count(fmt.Sprint(Machine()), "[GRADSYNC_CPU avx2]"); n != times {
			t.Errorf("GRADSYNC_CPU=%s is %d times in %v, want %d", value, n, Machine(), times)
		}
	}
}
