package bench

import (
	"fmt"
	"strings"
)

// Cases are the comparisons of BENCHMARKS.md with the aims set for them.
func Cases() []Case {
	quick := []Aim{{Measure: Speed, Bound: 2}, {Measure: GFLOPS, Bound: 40}}
	cases := []Case{
		step(Job{Model: "lenet5", Batch: 16, Threads: 1, Concurrent: 2}, quick...),
		step(Job{Model: "resnet18", Width: 0.125, Image: 16, Batch: 16, Threads: 1, Concurrent: 2}, quick...),
		step(Job{Model: "vgg19_bn", Width: 0.125, Image: 16, Batch: 16, Threads: 1, Concurrent: 2}, quick...),
		step(Job{Model: "lenet5", Batch: 64, Threads: 2, Concurrent: 1}, Aim{Measure: Speed, Bound: 1.5}),
		step(Job{Model: "resnet18", Batch: 32, Threads: 2, Concurrent: 1}, Aim{Measure: Speed, Bound: 0.8}),
		step(Job{Model: "vgg19_bn", Batch: 32, Threads: 2, Concurrent: 1}, Aim{Measure: Speed, Bound: 0.8}),
		step(Job{Model: "cnn", Batch: 32, Threads: 2, Concurrent: 1}),
		step(Job{Model: "mlp", Batch: 64, Threads: 2, Concurrent: 1}),
	}
	for _, threads := range []int{1, 2} {
		cases = append(cases, Case{
			Title: fmt.Sprintf("512×512×512, %s", count(threads, "thread")), Peer: OpenBLAS,
			Job:  Job{Kind: KindGemm, M: 512, N: 512, K: 512, Threads: threads},
			Aims: []Aim{{Measure: Speed, Bound: 0.8}},
		})
	}
	var half []Aim
	for _, k := range Kernels() {
		if k != Copy && k != "add-float32" {
			half = append(half, Aim{Measure: Speed, Bound: 0.5, Contender: k})
		}
	}
	cases = append(cases, Case{Title: "64 MiB of float32", Peer: Copy, Job: Job{Kind: KindVec, Bytes: 64 << 20, Threads: 1}, Aims: half})
	for _, bytes := range CodedSizes() {
		cases = append(cases, CodedCase(bytes))
	}
	return cases
}

// step is a training case: every one aims at PyTorch's memory and at no
// allocation.
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

// Command is what measures the case alone.
func (c Case) Command() string {
	j := c.Job
	switch j.Kind {
	case KindGemm:
		return fmt.Sprintf("gradsync bench gemm --m %d --n %d --k %d --threads %d", j.M, j.N, j.K, j.Threads)
	case KindVec:
		return fmt.Sprintf("gradsync bench vec --mib %d", j.Bytes>>20)
	case KindCoded:
		return "gradsync bench coded --sizes " + strings.ReplaceAll(SizeText(j.Bytes), " ", "")
	}
	line := fmt.Sprintf("gradsync bench step --model %s", j.Model)
	if j.Width != 0 {
		line += fmt.Sprintf(" --width %g", j.Width)
	}
	if j.Image != 0 {
		line += fmt.Sprintf(" --image %d", j.Image)
	}
	return line + fmt.Sprintf(" --batch %d --threads %d --concurrent %d", j.Batch, j.Threads, j.Concurrent)
}
