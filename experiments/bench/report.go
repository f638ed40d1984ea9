package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// StandardCommand measures BENCHMARKS.json and writes BENCHMARKS.md; `make benchmarks` runs it.
const StandardCommand = "gradsync bench report"

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

// Markdown writes BENCHMARKS.md: the same book, the same bytes, on any machine.
func (b *Book) Markdown(w io.Writer) error {
	p := &printer{w: w}
	p.line("# Benchmarks\n")
	renew := "renew both with `make benchmarks`, which runs the same"
	if b.Command != StandardCommand {
		renew = "renew both with the same command; `make benchmarks` runs `" + StandardCommand + "` instead"
	}
	left := ""
	for _, c := range Chapters() {
		if s := b.Find(c.Name); s == nil || len(s.Tries) == 0 {
			left += ", " + c.Heading
		}
	}
	if left != "" {
		left = " Left out: " + left[2:] + "."
	}
	p.line("Made of BENCHMARKS.json, which `%s` measured in one run (gradsync %s): %s. `make bench-check` measures "+
		"again in short and names the ratios that fell.%s\n", b.Command, b.Version, renew, left)
	p.line("## %s\n", headMachine)
	var rows [][]string
	for _, pair := range slices.Concat(b.Machine, b.facts()) {
		rows = append(rows, []string{pair[0], pair[1]})
	}
	p.table("what | which", rows)
	b.method(p)
	b.aims(p)
	for _, c := range b.chapters() {
		p.line("## %s\n", c.Heading)
		b.loads(p, c)
		switch all := b.aimed(c); c.Name {
		case ChapterRing:
			p.ring(all, c.Pace*b.Plan.Seconds)
		case ChapterMPI:
			p.onMPI(all)
		case ChapterTLS:
			p.tls(all)
		case ChapterMessages:
			p.messages(all)
		default:
			for _, o := range all {
				p.outcome(o)
			}
		}
	}
	if b.Find(ChapterSteps) != nil {
		b.profiles(p)
	}
	if b.GPU != nil {
		b.GPU.markdown(p)
	}
	return p.err
}

// chapters returns those that were measured.
func (b *Book) chapters() (out []Chapter) {
	for _, c := range Chapters() {
		if s := b.Find(c.Name); s != nil && len(s.Tries) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// loads says how busy the machine was when a section was measured.
func (b *Book) loads(p *printer, c Chapter) {
	s := b.Find(c.Name)
	t, again := s.Quietest(), ""
	if n := len(s.Tries); n > 1 {
		again = fmt.Sprintf(" It was measured %d times; these are the numbers of the quietest.", n)
	}
	p.line("Processors in use by other programs (load average): %s before, %s after; %.0f s of measuring.%s\n", t.Before.text(), t.After.text(), t.Seconds, again)
	switch l := t.load(); {
	case l > b.Plan.MaxLoad:
		p.line("**The machine was not quiet: other programs used %s processors. Speeds are low, spreads are wide, and who polls gains on who sleeps.**\n", figure(l))
	case l < 0:
		p.line("**This system does not say what other programs used.**\n")
	}
}

func (l Load) text() string {
	one := func(v float64) string {
		if v < 0 {
			return "unknown"
		}
		return figure(v)
	}
	return fmt.Sprintf("%s (%s)", one(l.Cores), one(l.Average))
}

// facts lists what contenders said of themselves, each once, by contender.
func (b *Book) facts() (out [][2]string) {
	for _, s := range b.Sections {
		for _, o := range s.Outcomes {
			for _, res := range o.Results {
				for _, f := range res.Facts {
					if pair := [2]string{res.Contender, f}; !slices.Contains(out, pair) {
						out = append(out, pair)
					}
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) })
	return out
}

func (b *Book) method(p *printer) {
	out := "None sits out."
	if b.Plan.Budget > 0 {
		out = fmt.Sprintf("A contender that has used %g s sits out after three rounds.", b.Plan.Budget)
	}
	p.line("## %s\n", headMethod)
	p.line(`- Every contender runs in a process of its own and warms up; then rounds of about %[1]g s alternate, A B A B, %[2]d of each, with
  one uncounted step before each unless steps take seconds. %[3]s
  Column "rounds" is how many a row has. Rounds of the coded exchange and of all-reduces are 0.4 times as long.
- Before and after each section the program sleeps for %[7]g s and counts what processors others use; the load average of a minute, in
  brackets, has in it what was measured before. A section beside which others used more than %[4]s processors is measured again at
  the end, %[5]d times in all at most and within %[6]g minutes of the run, and the quietest is printed.
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
- PyTorch runs eagerly, and as pytorch-compile with torch.compile where that runs, both with OPENBLAS_NUM_THREADS=1 and
  OMP_WAIT_POLICY=passive. OpenBLAS is told the processor's instruction set by OPENBLAS_CORETYPE: releases older than a
  processor fall back to their slowest kernels.
- A vector kernel's bandwidth is what it reads and writes per second; copy() reads and writes each byte once.
- Of the coded exchange "GB/s in" are bytes of terms taken in per second, beside bytes copied per second: for a packet of one
  layer at redundancy r the r segments that are added up to a message (encode-r), or the message and the r−1 segments
  subtracted from it (decode-r); 4 bytes for each number of the others. "GB/s out" is what that leaves: a packet is the r-th part.
- A push of the host path is one gradient of a training in virtual time whose network computes nothing: batch, gradient's way to
  the server, update, the parameters' way back. It stands beside one copy and one plain SGD update of the parameters on one thread;
  "× its time" is of that. Peak memory is that of the whole training, data set included; bsp and ring update with six gradients at once.
`, b.Plan.Seconds, b.Plan.Rounds, out, figure(b.Plan.MaxLoad), b.Plan.Tries, b.Plan.Limit/60, b.Plan.Pause)
}

func (b *Book) aims(p *printer) {
	p.line("## %s\n", headAims)
	p.line("The engine judged is %s. Memory of concurrent steps is compared with the sum of PyTorch's processes.\n", b.Engine)
	var rows [][]string
	counts := map[string]int{}
	for _, c := range b.chapters() {
		for _, o := range b.aimed(c) {
			for _, v := range o.Judge(b.Engine) {
				counts[v.word()]++
				rows = append(rows, []string{v.Case, v.Aim, v.Reached, v.word()})
			}
		}
	}
	p.table("case | aim | reached | verdict", rows)
	unknown := ""
	if n := counts[notMeasured]; n > 0 {
		unknown = fmt.Sprintf(", %d not measured", n)
	}
	p.line("%d of %d held, %d missed%s.\n", counts["held"], len(rows), counts["missed"], unknown)
}

func (b *Book) profiles(p *printer) {
	p.line("## %s\n", headProfile)
	p.line("CPU profile of %s, after the rounds of the training steps: the share of samples in each function itself, callees not included.\n", b.Engine)
	for _, o := range b.aimed(Chapters()[0]) {
		p.line("### %s: %s\n", headProfile, o.Title)
		var rows [][]string
		if res := o.Find(b.Engine); res != nil {
			for _, f := range res.Functions {
				rows = append(rows, []string{fmt.Sprintf("%.1f %%", 100*f.Share), "`" + f.Name + "`"})
			}
		}
		p.table("share | function", rows)
	}
}

// messages writes the section of message rates.
func (p *printer) messages(all []*Outcome) {
	p.line("A ring of ranks, each of which sends a message of 64 KiB to its neighbour and waits for one, in virtual time on one core; beside it goroutines " +
		"that pass numbers by Go's channels, without a clock. Millions of messages a second, peak memory of the process.\n")
	var rows [][]string
	for _, o := range all {
		for _, r := range o.Results {
			rows = append(rows, slices.Concat([]string{fmt.Sprint(o.Job.Ranks)}, messagesRow(o, r), []string{fmt.Sprint(r.Rounds)}))
		}
	}
	p.table("ranks | contender | M messages/s | × "+ChannelRing+" | peak MiB | rounds", rows)
	for _, o := range all {
		for _, n := range o.Notes {
			p.line("%s: %s\n", n.Contender, n.Why)
		}
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
