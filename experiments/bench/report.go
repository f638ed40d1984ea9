package bench

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// StandardCommand renews BENCHMARKS.md; `make benchmarks` runs it.
const StandardCommand = "gradsync bench report --out BENCHMARKS.md"

// Report is all that BENCHMARKS.md says.
type Report struct {
	Command string      `json:"command"` // that wrote it, with all flags that matter
	Version string      `json:"version"`
	Engine  string      `json:"engine"` // whose aims are judged and whose profile is shown
	Rounds  int         `json:"rounds"`
	Seconds float64     `json:"seconds"`
	Budget  float64     `json:"budget"`
	Machine [][2]string `json:"machine"`
	Busy    string      `json:"busy,omitempty"` // what else the machine did, a sentence
	Cases   []*Outcome  `json:"cases"`
	Ring    *RingReport `json:"ring,omitempty"`
}

// sections are the report's headings by kind of case.
var sections = []struct{ kind, heading string }{
	{KindStep, "Training steps"}, {KindGemm, "Matrix products"}, {KindVec, "Vector kernels"}, {KindCoded, "Coded exchange"},
	{KindPush, "Host path of a push"},
}

const (
	headMachine = "Machine and libraries"
	headMethod  = "How it was measured"
	headAims    = "Aims"
	headProfile = "Where the time goes"
)

// printer writes Markdown and remembers the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) table(head string, rows [][]string) {
	columns := strings.Count(head, "|") + 1
	p.line("| %s |\n|%s", head, strings.Repeat("---|", columns))
	for _, r := range rows {
		p.line("| %s |", strings.Join(r, " | "))
	}
	p.line("")
}

// Markdown writes the report.
func (r *Report) Markdown(w io.Writer) error {
	p := &printer{w: w}
	p.line("# Benchmarks\n")
	renew := "renew it with `make benchmarks`, which runs the same"
	if r.Command != StandardCommand {
		renew = "renew it with the same command; `make benchmarks` runs `" + StandardCommand + "` instead"
	}
	p.line("Written by `%s` (gradsync %s), whole and by nobody's hand: %s.\n", r.Command, r.Version, renew)
	p.line("## %s\n", headMachine)
	var rows [][]string
	for _, m := range r.Machine {
		rows = append(rows, []string{m[0], m[1]})
	}
	for _, f := range r.facts() {
		rows = append(rows, []string{f[0], f[1]})
	}
	p.table("what | which", rows)
	if r.Busy != "" {
		p.line("**%s**\n", r.Busy)
	}
	r.method(p)
	r.aims(p)
	for _, s := range sections {
		p.line("## %s\n", s.heading)
		for _, o := range r.Cases {
			if o.Job.Kind == s.kind {
				p.outcome(o)
			}
		}
	}
	r.profiles(p)
	if r.Ring != nil {
		r.Ring.Markdown(p)
	}
	return p.err
}

// facts lists what contenders said of themselves, each once.
func (r *Report) facts() (out [][2]string) {
	seen := map[[2]string]bool{}
	for _, o := range r.Cases {
		for _, res := range o.Results {
			for _, f := range res.Facts {
				if pair := [2]string{res.Contender, f}; !seen[pair] {
					seen[pair] = true
					out = append(out, pair)
				}
			}
		}
	}
	return out
}

func (r *Report) method(p *printer) {
	out := "None sits out."
	if r.Budget > 0 {
		out = fmt.Sprintf("A contender that has used %g s sits out after three rounds.", r.Budget)
	}
	p.line("## %s\n", headMethod)
	p.line(`- Every contender runs in a process of its own and warms up; then rounds of about %g s alternate, A B A B, %d of each, with
  one uncounted step before each unless steps take seconds. %s
  Column "rounds" is how many a row has.
- Numbers are *min – **median** – max* over the rounds. Ratios are taken round by round, so that what disturbs the machine
  for longer than a round meets both sides; the median is that of the ratios. "By CPU time" compares processor seconds.
- A single number is the median: CPU-s per step everywhere, the milliseconds of vector kernels, and the GFLOP/s of training
  steps, which are the images/s times the constant work of an image and so have their spread. Peak memory is one number,
  read at the end, and allocations are those of the best round.
- CPU-s per step is the processor time of one step of all concurrent ones together, over all their threads.
- A training step is forward, backward and plain SGD in float32, on random images and labels. Work counts a multiply-add as
  two: forward pass, gradients of all weights, and of all inputs but the first layer's; a shortcut such as Winograd's counts
  as the work it saves.
- Concurrent steps are independent sets of weights: goroutines of one process here, a process each in PyTorch.
- Memory is the largest resident set of a whole process (VmHWM), interpreter or runtime and libraries included, which is
  most of it for small networks; of concurrent PyTorch processes it is their sum. "–" is unknown. Allocations are heap
  objects per step; PyTorch's are not counted.
- PyTorch runs eagerly with OPENBLAS_NUM_THREADS=1 and OMP_WAIT_POLICY=passive. OpenBLAS is told the processor's instruction
  set by OPENBLAS_CORETYPE: releases older than a processor fall back to their slowest kernels.
- A vector kernel's bandwidth is what it reads and writes per second; copy() reads and writes each byte once.
- Of the coded exchange "GB/s in" are bytes of terms taken in per second, beside bytes copied per second: for a packet of one
  layer at redundancy r the r segments that are added up to a message (encode-r), or the message and the r−1 segments
  subtracted from it (decode-r); 4 bytes for each number of the others. "GB/s out" is what that leaves: a packet is the r-th part.
- A push of the host path is one gradient of a training in virtual time whose network computes nothing: batch, gradient's way to
  the server, update, the parameters' way back. It stands beside one copy and one plain SGD update of the parameters on one thread;
  "× its time" is of that. Peak memory is that of the whole training, data set included; bsp and ring update with six gradients at once.
`, r.Seconds, r.Rounds, out)
}

func (r *Report) aims(p *printer) {
	p.line("## %s\n", headAims)
	p.line("The engine judged is %s. Memory of concurrent steps is compared with the sum of PyTorch's processes.\n", r.Engine)
	var rows [][]string
	held, all := 0, 0
	for _, o := range r.Cases {
		for _, v := range o.Judge(r.Engine) {
			word := "missed"
			if v.Held {
				word = "held"
				held++
			}
			all++
			rows = append(rows, []string{v.Case, v.Aim, v.Reached, word})
		}
	}
	p.table("case | aim | reached | verdict", rows)
	p.line("%d of %d held, %d missed.\n", held, all, all-held)
}

func (r *Report) profiles(p *printer) {
	p.line("## %s\n", headProfile)
	p.line("CPU profile of %s: the share of samples in each function itself, callees not included.\n", r.Engine)
	for _, o := range r.Cases {
		if o.Job.Kind != KindStep {
			continue
		}
		p.line("### %s: %s\n", headProfile, o.Title)
		var rows [][]string
		if res := o.Find(r.Engine); res != nil {
			for _, f := range res.Functions {
				rows = append(rows, []string{fmt.Sprintf("%.1f %%", 100*f.Share), "`" + f.Name + "`"})
			}
		}
		p.table("share | function", rows)
	}
}

// outcome writes a case: its command, its table, its notes.
func (p *printer) outcome(o *Outcome) {
	p.line("### %s\n", o.Title)
	p.line("`%s`\n", o.Command())
	head, row := "contender | class | GFLOP/s | CPU-s per step | allocations | × "+o.Peer+" | rounds", gemmRow
	switch o.Job.Kind {
	case KindStep:
		head, row = "contender | class | images/s | GFLOP/s | CPU-s per step | peak MiB | allocations | × "+o.Peer+" | × by CPU time | rounds", stepRow
	case KindVec:
		head, row = "kernel | GB/s | ms | × copy()'s bandwidth | × copy()'s time per element | rounds", vecRow
	case KindCoded:
		head, row = "step | GB/s in | GB/s out | ms | × copy()'s bandwidth | rounds", codedRow
	case KindPush:
		head, row = "method | ms per push | × its time | × by CPU time | peak MiB | allocations | rounds", pushRow
	}
	var rows [][]string
	for _, r := range o.Results {
		rows = append(rows, append(row(o, r), fmt.Sprint(r.Rounds)))
	}
	p.table(head, rows)
	if o.Warning != "" {
		p.line("**%s**\n", o.Warning)
	}
	for _, n := range o.Notes {
		p.line("%s: %s\n", n.Contender, n.Why)
	}
}

func stepRow(o *Outcome, r *Result) []string {
	return []string{
		r.Contender, r.Class, spread(r.rate(float64(o.Job.Images())), ""), figure(r.rate(r.StepFLOP / 1e9).Median), figure(r.CPU.Median),
		mib(r.PeakBytes), allocs(r.Allocs), ratio(r.Ratio), ratio(r.CPURatio),
	}
}

func gemmRow(_ *Outcome, r *Result) []string {
	return []string{r.Contender, r.Class, spread(r.rate(r.StepFLOP/1e9), ""), figure(r.CPU.Median), allocs(r.Allocs), ratio(r.Ratio)}
}

func vecRow(o *Outcome, r *Result) []string {
	perElement := "–"
	if c := o.Find(Copy); c != nil && r.Ratio != nil {
		s := r.Ratio.Scaled(c.StepBytes / r.StepBytes) // both take the same elements
		perElement = ratio(&s)
	}
	return []string{r.Contender, spread(r.rate(r.StepBytes/1e9), ""), figure(1e3 * r.StepTime.Median), ratio(r.Ratio), perElement}
}

func codedRow(_ *Outcome, r *Result) []string {
	in := r.rate(r.StepBytes / 1e9)
	return []string{r.Contender, spread(in, ""), figure(in.Median * produced(r.Contender)), figure(1e3 * r.StepTime.Median), ratio(r.Ratio)}
}

func pushRow(_ *Outcome, r *Result) []string {
	return []string{r.Contender, spread(r.StepTime.Scaled(1e3), ""), cost(r.Ratio), cost(r.CPURatio), mib(r.PeakBytes), allocs(r.Allocs)}
}

// cost returns a ratio of speeds as one of times.
func cost(s *Spread) string {
	if s == nil {
		return "–"
	}
	return spread(s.Inverse(), "")
}

// ratio returns a spread, or "–" for the peer itself and where there is none.
func ratio(s *Spread) string {
	if s == nil {
		return "–"
	}
	return spread(*s, "")
}

// spread returns "min – **median** – max", and the unit.
func spread(s Spread, unit string) string {
	return fmt.Sprintf("%s – **%s** – %s%s", figure(s.Min), figure(s.Median), figure(s.Max), unit)
}

// figure returns three significant digits, all of a number from 1000.
func figure(v float64) string {
	if v >= 1000 || v <= -1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64) // of its own output
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// mib returns a size in MiB, "–" if unknown.
func mib(bytes int64) string {
	if bytes == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", float64(bytes)/(1<<20))
}
