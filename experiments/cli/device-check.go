package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"gradsync/experiments/peers"
	"gradsync/internal/atomic"
	"gradsync/shared/gpu"
	"gradsync/shared/gpu/check"
	"gradsync/shared/tensor"
)

// checkDevice judges the first GPU and writes what it found to a file; if the device breaks off it writes nothing.
func (a *app) checkDevice(file string) error {
	d, err := a.openDevice(gpu.Options{})
	if err != nil {
		return err
	}
	cpu, err := tensor.Lookup("portable")
	if err != nil {
		return err
	}
	r := &check.Report{Version: Version, Date: time.Now().UTC().Format(time.DateOnly), Libraries: gpu.Libraries(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH}
	for _, s := range gpu.List() {
		r.Cards = append(r.Cards, strings.TrimPrefix(s.String(), "gpu: "))
	}
	fmt.Fprintf(a.err, "%v\nevery kernel beside the CPU\n", d)
	if r.Kernels, err = check.Kernels(d.Driver(), cpu); err != nil {
		return err
	}
	fmt.Fprintln(a.err, "LeNet-5 by these kernels, three steps")
	if r.LeNet5, err = check.Network(d.Driver(), cpu); err != nil {
		return err
	}
	checkSum(r)
	if err := a.checkSteps(r, d.Engine()); err != nil {
		return err
	}
	r.Judge()
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = atomic.WriteFile(file, append(text, '\n'))
	}
	if err == nil {
		err = a.printCheck(r)
	}
	if err == nil && !r.Right {
		err = errDiffer
	}
	return err
}

// checkSum lets two GPUs sum by NCCL, where there are two and it is found. What fails there is wrong, and no reason to
// lose the rest.
func checkSum(r *check.Report) {
	devices, err := gpu.OpenRanks([]int{0, 1}, gpu.Options{})
	if err != nil {
		r.NoSum = oneLine(err)
		return
	}
	var engines []tensor.Collective
	for _, d := range devices {
		engines = append(engines, d.Engine())
	}
	sum, err := check.Sum(engines)
	for _, d := range devices {
		err = errors.Join(err, d.Close())
	}
	if err != nil {
		sum.Error = oneLine(err)
	}
	r.Sum = &sum
}

// Training steps of these networks are timed at batch 64, each for so long.
var checkedModels, checkedFor = []string{"lenet5", "resnet18", "vgg19_bn"}, 20 * time.Second

// checkSteps times training steps by the engine, libraries included, and by PyTorch on the same card.
func (a *app) checkSteps(r *check.Report, e tensor.Engine) error {
	dir, err := os.MkdirTemp("", "gradsync")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.CopyFS(dir, peers.Scripts)
	}
	if err != nil {
		return err
	}
	for _, m := range checkedModels {
		fmt.Fprintf(a.err, "training steps of %s at batch 64\n", m)
		ours, err := check.TimeStep(e, m, 64, checkedFor)
		s := check.Step{Model: m, Ours: 1e3 * ours.Seconds()}
		if err != nil {
			s.Error = oneLine(err)
		}
		if r.NoPyTorch == "" {
			if s.PyTorch, err = torchStep(dir, m); err != nil {
				r.NoPyTorch = oneLine(err)
			}
		}
		r.Steps = append(r.Steps, s)
	}
	return nil
}

// perStep is the time of a step in a line of Go's benchmark format.
var perStep = regexp.MustCompile(`(?m)\s([0-9.e+]+)\s+ns/op`)

// torchStep returns the milliseconds of PyTorch's training step on the first GPU.
func torchStep(dir, model string) (float64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*checkedFor+time.Minute)
	defer cancel()
	python := cmp.Or(os.Getenv("GRADSYNC_PYTHON"), "python3")
	c := exec.CommandContext(ctx, python, filepath.Join(dir, "torch_step.py"),
		"BenchmarkStep/model="+model+"/batch=64/by=pytorch-cuda", fmt.Sprint(checkedFor.Seconds()))
	out, err := c.CombinedOutput()
	if m := perStep.FindSubmatch(out); m != nil && err == nil {
		ns, err := strconv.ParseFloat(string(m[1]), 64)
		return ns / 1e6, err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return 0, fmt.Errorf("%s torch_step.py: %v: %s", python, err, lines[len(lines)-1])
}

func (a *app) printCheck(r *check.Report) error {
	if a.json {
		return a.printJSON(r)
	}
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	row := func(name string, o check.Outcome) {
		verdict := "right"
		switch {
		case o.Error != "":
			verdict = o.Error
		case o.Off > check.Near:
			verdict = fmt.Sprintf("WRONG: off by %.2g of the largest value", o.Off)
		case !o.Same:
			verdict = "OTHER BITS than the same kernels have on the CPU"
		}
		fmt.Fprintf(w, "%s\t%d values\t%s\n", name, o.Values, verdict)
	}
	for _, o := range r.Kernels {
		row(strings.Join(o.Kernels, ", "), o)
	}
	row("LeNet-5, parameters after three steps", r.LeNet5)
	if r.Sum != nil {
		row("sum over two cards", *r.Sum)
	} else {
		fmt.Fprintf(w, "sum over two cards\t\tnot run: %s\n", r.NoSum)
	}
	for _, s := range r.Steps {
		beside := "PyTorch: " + r.NoPyTorch
		if s.PyTorch > 0 {
			beside = fmt.Sprintf("PyTorch %.1f ms", s.PyTorch)
		}
		fmt.Fprintf(w, "training step of %s\t%.1f ms\t%s\n", s.Model, s.Ours, cmp.Or(s.Error, beside))
	}
	return w.Flush()
}
