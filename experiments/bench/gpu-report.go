package bench

import (
	"fmt"

	"gradsync/shared/gpu"
)

// headGPU is the section of BENCHMARKS.md that `bench gpu` writes.
const headGPU = "GPU"

// wireKernels pack, quantise, encode and decode.
var wireKernels = []string{"pack-1%", "pack-10%", "pack-50%", "pack-100%", "quantise", "add-int32", "sub-int32"}

// GPUCases returns the comparisons on a GPU, with the aims set for an H200 before anything ran
// on one: training steps beside eager PyTorch in fp32, wire kernels beside the device's copy.
func GPUCases() []Case {
	var out []Case
	for _, s := range []struct {
		model string
		bound float64
	}{{"lenet5", 2}, {"resnet18", 0.9}, {"vgg19_bn", 0.9}} {
		out = append(out, Case{
			Title: fmt.Sprintf("%s, batch 64", s.model), Peer: PyTorchCUDA,
			Job:  Job{Kind: KindStep, Model: s.model, Batch: 64, Threads: 1, Concurrent: 1},
			Aims: []Aim{{Measure: Speed, Bound: s.bound, Contender: gpu.Name}},
		})
	}
	wire := Case{Title: "256 MiB of float32 on the device", Peer: Copy, Job: Job{Kind: KindVec, Bytes: 256 << 20, Threads: 1}}
	for _, k := range wireKernels {
		wire.Aims = append(wire.Aims, Aim{Measure: Speed, Bound: 0.85, Contender: k})
	}
	return append(out, wire)
}

// GPUContenders lists who plays a case of GPUCases.
func GPUContenders(c Case) []string {
	if c.Job.Kind == KindVec {
		return Kernels()
	}
	return []string{gpu.Name, PyTorchCUDA}
}

// GPUReport holds what `bench gpu` measured, or why it could not.
type GPUReport struct {
	Command string      `json:"command"`
	Version string      `json:"version"`
	Date    string      `json:"date"`             // day, UTC
	Device  string      `json:"device,omitempty"` // one line; "": there was none
	Why     string      `json:"why,omitempty"`    // there was none
	Machine [][2]string `json:"machine"`
	Cases   []*Outcome  `json:"cases"` // in the order of GPUCases; none without a device
}

// aimed gives the outcomes their aims again, which a file does not have, and adds those that
// were not measured.
func (r *GPUReport) aimed() []*Outcome {
	var out []*Outcome
	for i, c := range GPUCases() {
		o := &Outcome{Case: c}
		if i < len(r.Cases) {
			o.Results, o.Notes, o.Warning = r.Cases[i].Results, r.Cases[i].Notes, r.Cases[i].Warning
		}
		out = append(out, o)
	}
	return out
}

// markdown writes the section.
func (r *GPUReport) markdown(p *printer) {
	p.line("## %s\n", headGPU)
	p.line("Written by `%s` (gradsync %s) on %s.\n", r.Command, r.Version, r.Date)
	if r.Device == "" {
		p.line("**Nothing here was measured: %s.** The aims were set for an NVIDIA H200 and wait for one; what ran without a GPU says nothing about speed.\n", r.Why)
	} else {
		p.line("On %s. A training step takes parameters up and layer gradients down; PyTorch's keeps its parameters on the device.\n", r.Device)
	}
	p.line("Where cuDNN does the convolutions, its algorithms by Winograd's and Fourier's transforms are left out: an output's error would be " +
		"that of the tile around it. PyTorch may use them.\n")
	var rows [][]string
	for _, o := range r.aimed() {
		for _, v := range o.Judge(gpu.Name) {
			word := "missed"
			switch {
			case v.Held:
				word = "held"
			case v.Reached == notMeasured:
				word = "–"
			}
			rows = append(rows, []string{v.Case, v.Aim, v.Reached, word})
		}
	}
	p.table("case | aim | reached | verdict", rows)
	if r.Device == "" {
		return
	}
	rows = nil
	for _, m := range r.Machine {
		rows = append(rows, []string{m[0], m[1]})
	}
	p.table("what | which", rows)
	for _, o := range r.aimed() {
		p.outcome(o)
	}
}
