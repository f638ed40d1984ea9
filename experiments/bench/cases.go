package bench

import (
	"fmt"
	"strings"
)

// stepCases returns the training steps with the aims set for them. At full width the engines that take
// seconds a step are left out.
func stepCases() []Case {
	quick := []Aim{{Measure: Speed, Bound: 2}, {Measure: GFLOPS, Bound: 40}}
	full := Aim{Measure: Speed, Bound: 2}
	slow, batch64 := []string{"portable", "gorgonia"}, []string{"portable", "gorgonia", "onednn"}
	var out []Case
	for _, c := range []struct {
		job     Job
		without []string
		aims    []Aim
	}{
		{Job{Model: "lenet5", Batch: 16, Threads: 1, Concurrent: 2}, nil, quick},
		{Job{Model: "resnet18", Width: 0.125, Image: 16, Batch: 16, Threads: 1, Concurrent: 2}, nil, quick},
		{Job{Model: "vgg19_bn", Width: 0.125, Image: 16, Batch: 16, Threads: 1, Concurrent: 2}, nil, quick},
		{Job{Model: "lenet5", Batch: 64, Threads: 2, Concurrent: 1}, nil, []Aim{{Measure: Speed, Bound: 1.5}}},
		{Job{Model: "resnet18", Batch: 32, Threads: 2, Concurrent: 1}, slow, []Aim{full}},
		{Job{Model: "vgg19_bn", Batch: 32, Threads: 2, Concurrent: 1}, slow, []Aim{full}},
		{Job{Model: "resnet18", Batch: 64, Threads: 2, Concurrent: 1}, batch64, []Aim{full}},
		{Job{Model: "vgg19_bn", Batch: 64, Threads: 2, Concurrent: 1}, batch64, []Aim{full}},
		{Job{Model: "cnn", Batch: 32, Threads: 2, Concurrent: 1}, nil, nil},
		{Job{Model: "mlp", Batch: 64, Threads: 2, Concurrent: 1}, nil, nil},
	} {
		made := step(c.job, c.aims...).short(c.job.Batch != 64 || c.job.Model == "lenet5")
		made.Without = c.without
		if c.job.Concurrent > 1 { // a compiler for each process
			made.Without = append(made.Without, PyTorchCompiled)
		}
		out = append(out, made)
	}
	return out
}

// gemmCases returns the products with their aims.
func gemmCases() (out []Case) {
	for _, threads := range []int{1, 2} {
		out = append(out, Case{
			Title: fmt.Sprintf("512×512×512, %s", count(threads, "thread")), Peer: OpenBLAS, Short: true,
			Job:  Job{Kind: KindGemm, M: 512, N: 512, K: 512, Threads: threads},
			Aims: []Aim{{Measure: Speed, Bound: 0.8}},
		})
	}
	return out
}

// vecCase returns the vector kernels with their aims.
func vecCase() Case {
	var half []Aim
	for _, k := range Kernels() {
		if k != Copy && k != "add-float32" {
			half = append(half, Aim{Measure: Speed, Bound: 0.5, Contender: k})
		}
	}
	return Case{Title: "64 MiB of float32", Peer: Copy, Job: Job{Kind: KindVec, Bytes: 64 << 20, Threads: 1}, Aims: half}
}

// step returns a training case: every one aims at PyTorch's memory and at no allocation.
func step(j Job, aims ...Aim) Case {
	j.Kind = KindStep
	title := j.Model
	if j.Width != 0 {
		title += fmt.Sprintf(", width %g", j.Width)
	}
	if j.Image != 0 {
		title += fmt.Sprintf(", %d×%d images", j.Image, j.Image)
	}
	title += fmt.Sprintf(", batch %d, ", j.Batch)
	if j.Concurrent > 1 {
		title += fmt.Sprintf("%d concurrent steps of %s each", j.Concurrent, count(j.Threads, "thread"))
	} else {
		title += count(j.Threads, "thread")
	}
	return Case{Title: title, Job: j, Peer: PyTorch, Aims: append(aims, Aim{Measure: Memory, Bound: 1}, Aim{Measure: Allocs})}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Command returns the command line that measures the case alone.
func (c Case) Command() string {
	j := c.Job
	switch j.Kind {
	case KindGemm:
		return fmt.Sprintf("gradsync bench gemm --m %d --n %d --k %d --threads %d", j.M, j.N, j.K, j.Threads)
	case KindVec:
		return fmt.Sprintf("gradsync bench vec --mib %d", j.Bytes>>20)
	case KindRing:
		return fmt.Sprintf("gradsync bench ring --np %d --sizes %s", j.Ranks, strings.ReplaceAll(SizeText(j.Bytes), " ", ""))
	case KindMessages:
		return fmt.Sprintf("gradsync bench cluster --ranks %d", j.Ranks)
	case KindCoded:
		return "gradsync bench coded --sizes " + strings.ReplaceAll(SizeText(j.Bytes), " ", "")
	}
	line := fmt.Sprintf("gradsync bench %s --model %s", j.Kind, j.Model)
	if j.Width != 0 {
		line += fmt.Sprintf(" --width %g", j.Width)
	}
	if j.Image != 0 {
		line += fmt.Sprintf(" --image %d", j.Image)
	}
	line += fmt.Sprintf(" --batch %d --threads %d", j.Batch, j.Threads)
	if j.Kind == KindPush {
		return line
	}
	return line + fmt.Sprintf(" --concurrent %d", j.Concurrent)
}

// Measure names the quantity that an aim looks at.
type Measure int

// The measures, of one engine in one case.
const (
	Speed   Measure = iota // as a multiple of the peer's
	GFLOPS                 // per second
	Memory                 // peak resident set as a multiple of the peer's, at most
	Allocs                 // heap objects per step, at most
	Cost                   // time of a step as a multiple of the peer's, at most
	Peak                   // resident set in bytes, at most
	Fastest                // speed as a multiple of the faster of strangers
)

// Aim is a number that was set before it was measured.
type Aim struct {
	Measure   Measure
	Bound     float64
	Contender string // "" is the engine
}

// Verdict is an aim beside what was reached.
type Verdict struct {
	Case, Aim, Reached string
	Held               bool
}

// word returns the verdict in one word.
func (v Verdict) word() string {
	switch {
	case v.Held:
		return "held"
	case v.Reached == notMeasured:
		return notMeasured
	}
	return "missed"
}

const notMeasured = "not measured"

// Judge sets the aims of an outcome beside what the engine reached. An aim
// without a measurement is not held.
func (o *Outcome) Judge(engine string) []Verdict {
	var out []Verdict
	for _, a := range o.Aims {
		who := a.Contender
		if who == "" {
			who = engine
		}
		v := Verdict{Case: o.Title, Aim: a.words(who, o.Peer), Reached: notMeasured}
		switch r := o.Find(who); {
		case r == nil:
		case a.Measure == Fastest:
			o.judgeFastest(a, &v)
		default:
			a.judge(&v, r, o.Find(o.Peer))
		}
		out = append(out, v)
	}
	return out
}

func (a Aim) words(who, peer string) string {
	switch a.Measure {
	case Speed:
		if peer == Copy {
			return fmt.Sprintf("%s ≥ %g %% of copy()'s bandwidth", who, 100*a.Bound)
		}
		return fmt.Sprintf("%s ≥ %g× %s", who, a.Bound, peer)
	case GFLOPS:
		return fmt.Sprintf("%s ≥ %g GFLOP/s", who, a.Bound)
	case Memory:
		return fmt.Sprintf("%s's peak memory ≤ %s's", who, peer)
	case Fastest:
		return fmt.Sprintf("%s ≥ %g× the faster of %s", who, a.Bound, strings.Join(strangers, " and "))
	case Cost:
		return fmt.Sprintf("%s ≤ %g× the time of %s", who, a.Bound, peer)
	case Peak:
		return fmt.Sprintf("%s's peak memory ≤ %g GB", who, a.Bound/1e9)
	}
	return fmt.Sprintf("%s: %g heap allocations a step", who, a.Bound)
}

// judgeFastest sets the contender beside whichever of the strangers leaves it the smaller ratio. One that is not
// there is not beaten.
func (o *Outcome) judgeFastest(a Aim, v *Verdict) {
	v.Held = true
	var said []string
	for _, name := range strangers {
		i := o.Against(a.Contender, name)
		if i == nil {
			v.Held, v.Reached = false, notMeasured
			return
		}
		v.Held = v.Held && i.Median >= a.Bound
		said = append(said, fmt.Sprintf("%s× %s", i.text(), name))
	}
	v.Reached = strings.Join(said, ", ")
}

func (a Aim) judge(v *Verdict, r, peer *Result) {
	switch a.Measure {
	case Speed:
		if r.Ratio != nil {
			v.Held, v.Reached = r.Ratio.Median >= a.Bound, spread(*r.Ratio, "×")
			if peer.Contender == Copy {
				v.Reached = spread(r.Ratio.Scaled(100), " %")
			}
		}
	case GFLOPS:
		s := r.rate(r.StepFLOP / 1e9)
		v.Held, v.Reached = s.Median >= a.Bound, spread(s, " GFLOP/s")
	case Memory:
		if peer != nil && peer.PeakBytes > 0 && r.PeakBytes > 0 {
			v.Held = float64(r.PeakBytes) <= a.Bound*float64(peer.PeakBytes)
			v.Reached = fmt.Sprintf("%s MiB beside %s MiB", mib(r.PeakBytes), mib(peer.PeakBytes))
		}
	case Cost:
		if r.Ratio != nil {
			cost := r.Ratio.Inverse()
			v.Held, v.Reached = cost.Median <= a.Bound, spread(cost, "×")
		}
	case Peak:
		if r.PeakBytes > 0 {
			v.Held, v.Reached = float64(r.PeakBytes) <= a.Bound, fmt.Sprintf("%s GB", figure(float64(r.PeakBytes)/1e9))
		}
	case Allocs:
		if r.Allocs >= 0 {
			v.Held, v.Reached = r.Allocs <= a.Bound, allocs(r.Allocs)
		}
	}
}

// rate returns work over the step's time.
func (r *Result) rate(work float64) Spread {
	t := r.StepTime
	return Spread{work / t.Max, work / t.Median, work / t.Min}
}
