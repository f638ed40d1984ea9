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
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gradsync/experiments/peers"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/internal/atomic"
	"gradsync/shared/gpu"
	"gradsync/shared/gpu/check"
	"gradsync/shared/tensor"
)

// What --device may be, beside cuda:N.
const (
	autoDevice = "auto"
	cpuDevice  = "cpu"
	cudaDevice = "cuda"
)

const deviceUsage = "where gradients are computed: cpu, cuda or cuda:N (NVIDIA GPU number N, from 0), auto (a GPU where there is one)"

// deviceFlags say where gradients are computed.
type deviceFlags struct {
	device, engine string
	tf32           bool
}

// define adds the flags; device is the default of --device.
func (o *deviceFlags) define(f *pflag.FlagSet, device, usage string) {
	f.StringVar(&o.device, "device", device, usage)
	f.StringVar(&o.engine, "engine", autoEngine, engineUsage)
	f.BoolVar(&o.tf32, "tf32", false, "let cuBLAS and cuDNN round factors of products to TF32 on a GPU: faster, and a bit class of its own")
}

// number returns which GPU a --device names; −1: none by name.
func (o deviceFlags) number() (int, error) {
	n, ok := gpu.Number(o.device)
	switch {
	case o.device == autoDevice || o.device == cpuDevice:
		return -1, nil
	case !ok:
		return 0, usagef("no device %q: known are %s, %s:N, %s, %s", o.device, cudaDevice, cudaDevice, cpuDevice, autoDevice)
	}
	return n, nil
}

// chooseDevice opens what o asks for and returns the name of its engine, and a line that says
// what computes and why. A GPU that was asked for by name and cannot be had is an error; auto
// then takes the CPU, unless gpu.EnvRequire forbids it.
func (a *app) chooseDevice(o deviceFlags) (name, line string, err error) {
	n, err := o.number()
	if err != nil {
		return "", "", err
	}
	engine := o.engine != autoEngine
	switch {
	case n >= 0 && engine:
		return "", "", usagef("--engine %s is for --device %s, not for %s", o.engine, cpuDevice, o.device)
	case o.tf32 && (o.device == cpuDevice || engine):
		return "", "", usagef("--tf32 is for a GPU, not for --device %s", cpuDevice)
	case o.device == cpuDevice || engine:
		return chooseEngine(o.engine, engineStates())
	}
	d, err := a.openDevice(gpu.Options{Index: max(n, 0), TF32: o.tf32})
	if err == nil {
		return gpu.Name, d.String() + "; engine " + gpu.Name, nil
	}
	if n >= 0 || o.tf32 || gpu.Required() {
		return "", "", err
	}
	name, line, wrong := chooseEngine(o.engine, engineStates())
	return name, fmt.Sprintf("%v; %s", err, line), wrong
}

// openDevice opens a GPU, which run closes.
func (a *app) openDevice(o gpu.Options) (*gpu.Device, error) {
	d, err := gpu.Open(o)
	if err == nil {
		a.device = d
	}
	return d, err
}

// closeDevice gives back what openDevice opened.
func (a *app) closeDevice() error {
	if a.device == nil {
		return nil
	}
	err := a.device.Close()
	for _, d := range a.peers {
		err = errors.Join(err, d.Close())
	}
	return err
}

// Values of --collective: the method's messages sum gradients, or the engine's devices.
const (
	ownCollective    = "own"
	engineCollective = "engine"
)

// chooseDevices opens a device for each of this process's ranks, which sum gradients among
// themselves, and returns the line that says what computes. One process of several takes
// the device that o names, or counts by its rank.
func (a *app) chooseDevices(o deviceFlags, cfg *train.Config) (line string, err error) {
	n, err := o.number()
	if err != nil {
		return "", err
	}
	ranks := make([]int, cfg.Workers)
	for i := range ranks {
		ranks[i] = i
	}
	if cfg.TCP != nil {
		ranks = []int{cfg.TCP.Rank}
	}
	numbered := n >= 0 && o.device != cudaDevice
	switch {
	case o.device == cpuDevice || o.engine != autoEngine:
		return "", usagef("--collective %s is for GPUs, not for --device %s", engineCollective, cpuDevice)
	case numbered && len(ranks) > 1:
		return "", usagef("--collective %s needs a device for each of %d ranks, and --device %s is one: --device %s takes all",
			engineCollective, len(ranks), o.device, cudaDevice)
	}
	all := make([]*gpu.Device, 1)
	if numbered {
		all[0], err = gpu.Open(gpu.Options{Index: n, TF32: o.tf32, Collective: true})
	} else {
		all, err = gpu.OpenRanks(ranks, gpu.Options{TF32: o.tf32})
	}
	if err != nil {
		return "", err
	}
	a.device, a.peers, cfg.Engine = all[0], all[1:], gpu.Name
	for _, d := range all {
		cfg.Devices = append(cfg.Devices, d.Engine())
	}
	line = a.device.String() + "; engine " + gpu.Name
	if len(all) > 1 {
		line += fmt.Sprintf(" on %d devices, one for each rank", len(all))
	}
	return line, nil
}

// accelerator names what computed a result beside the CPU, for its sidecar.
func (a *app) accelerator(r *result.Result) string {
	if a.device == nil || !strings.HasPrefix(r.Engine, gpu.Name+" ") {
		return "none used"
	}
	return strings.TrimPrefix(a.device.String(), "gpu: ")
}

// standardDevice is --device of a run: only profile paper takes a GPU that it was not told to.
func standardDevice(profile string) string {
	if profile == "paper" {
		return autoDevice
	}
	return cpuDevice
}

// devicesCommand lists what computes here, or checks the first GPU.
func (a *app) devicesCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "devices", Short: "List the engines of the CPU and the GPUs of this machine, or check a GPU",
		Long: `List what computes on this machine: NVIDIA GPUs by the numbers that --device cuda:N takes,
and the engines of the CPU by the names that --engine takes. A line says why something cannot
be used. A GPU needs NVIDIA's driver (CUDA 11.0 or newer) and nothing else; cuBLAS and cuDNN 9
make it faster where they are found.

--check FILE judges the first GPU and writes one file of JSON, exit code 3 if it is wrong: every
kernel beside the CPU, LeNet-5's bits, training steps beside PyTorch where python3
(or GRADSYNC_PYTHON) has it, NCCL's sum where there are two GPUs.

` + gpu.EnvDriver + ` is the path of the driver library where the loader does not find it;
` + gpu.EnvLibraries + ` are folders of cuBLAS, cuDNN and NCCL, "none" leaves them out;
` + gpu.EnvRequire + `=1 makes a missing GPU a failure.`,
		Example: "  gradsync devices\n  gradsync train --device cuda:0",
		Args:    args(0, 0, "none"),
		RunE: func(*cobra.Command, []string) error {
			if file != "" {
				return a.checkDevice(file)
			}
			all := gpu.List()
			if err := a.printDevices(all); err != nil {
				return err
			}
			if gpu.Required() && !slices.ContainsFunc(all, func(s gpu.Status) bool { return s.Reason == nil }) {
				return errors.New(gpu.EnvRequire + "=1, and this machine has no GPU to compute on")
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "check", "", "check the first GPU and write what was found to this file")
	return cmd
}

// deviceObject is a GPU for --json.
type deviceObject struct {
	Device     string `json:"device"`
	Usable     bool   `json:"usable"`
	Why        string `json:"why,omitempty"`
	Name       string `json:"name"`
	Memory     int    `json:"memory_bytes"`
	Capability string `json:"compute_capability"`
	CUDA       string `json:"cuda"`
	Release    string `json:"driver,omitempty"`
	PCI        string `json:"pci"`
}

// engineObject is an engine of the CPU for --json.
type engineObject struct {
	Engine string `json:"engine"`
	Label  string `json:"label"`
	Usable bool   `json:"usable"`
	Why    string `json:"why,omitempty"`
}

func (a *app) printDevices(all []gpu.Status) error {
	gpus, engines, why := []deviceObject{}, []engineObject{}, ""
	for i, s := range all {
		if s.Info.Name == "" && len(all) == 1 { // the line on why there is none
			why = s.Reason.Error()
			continue
		}
		o := deviceObject{Device: fmt.Sprintf("%s:%d", cudaDevice, i), Usable: s.Reason == nil, Name: s.Info.Name, Memory: s.Info.Memory,
			Capability: version(s.Info.Capability), CUDA: version(s.Info.CUDA), Release: s.Release, PCI: s.Info.PCI}
		if s.Reason != nil {
			o.Why = s.Reason.Error()
		}
		gpus = append(gpus, o)
	}
	for _, s := range engineStates() {
		engines = append(engines, engineObject{s.name, s.label, s.why == "", s.why})
	}
	libraries := append([]string{}, gpu.Libraries()...)
	if a.json {
		return a.printJSON(map[string]any{"gpus": gpus, "no_gpu": why, "libraries": libraries, "engines": engines})
	}
	if why != "" {
		fmt.Fprintln(a.out, why)
	}
	for i, o := range gpus {
		fmt.Fprintf(a.out, "%-10s %s\n", o.Device, strings.TrimPrefix(all[i].String(), "gpu: "))
	}
	for _, line := range libraries {
		fmt.Fprintf(a.out, "%-10s %s\n", "library", line)
	}
	for _, o := range engines {
		what := o.Label
		if !o.Usable {
			what += ": " + o.Why
		}
		fmt.Fprintf(a.out, "%-10s engine %s\n", cpuDevice, what)
	}
	return nil
}

func version(v [2]int) string { return fmt.Sprintf("%d.%d", v[0], v[1]) }

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
