package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

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
	r := &check.Report{Version: Version, Date: time.Now().UTC().Format(time.DateOnly), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Libraries: gpu.Libraries()}
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
	if err := checkSum(r); err != nil {
		return err
	}
	r.Judge()
	text, err := json.MarshalIndent(r, "", "  ")
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

// checkSum lets two GPUs sum by NCCL, where there are two and it is found.
func checkSum(r *check.Report) error {
	devices, err := gpu.OpenRanks([]int{0, 1}, gpu.Options{})
	if err != nil {
		r.NoSum = oneLine(err)
		return nil
	}
	var engines []tensor.Collective
	for _, d := range devices {
		engines = append(engines, d.Engine())
	}
	sum, err := check.Sum(engines)
	for _, d := range devices {
		err = errors.Join(err, d.Close())
	}
	r.Sum = &sum
	return err
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
	return w.Flush()
}
