package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/internal/atomic"
	"gradsync/internal/readfile"
)

// gpuFlags adds the flags of `bench gpu` to those that all matches share.
type gpuFlags struct {
	benchFlags
	device          string
	out, from, into string
}

func (a *app) benchGPUCommand() *cobra.Command {
	var f gpuFlags
	cmd := &cobra.Command{
		Use: "gpu", Short: "Training steps and wire kernels of a GPU beside PyTorch on it and its own copy",
		Long: `Training steps of three networks at batch 64 on a GPU beside PyTorch there
(eager, fp32, no TF32), and the kernels that pack, quantise, encode and decode
beside the device's copy, with the aims that were set before. Without a GPU
nothing is measured, and --into writes that.

--out keeps what was measured; --from reads it on another machine instead of
measuring, for --into.`,
		Example: "  gradsync bench gpu --out gpu.json\n  gradsync bench gpu --from gpu.json --into BENCHMARKS.json",
		Args:    a.Flags,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var book *bench.Book
			if f.into != "" { // not after minutes of measuring
				var err error
				if book, err = readBook(f.into); err != nil {
					return fmt.Errorf("bench: gpu: --into: %w", err)
				}
			}
			r, err := a.gpuReport(cmd.Context(), &f)
			if err != nil {
				return err
			}
			if f.into != "" {
				book.GPU = r
				if err := writeBook(book, f.into, document(f.into)); err != nil {
					return err
				}
			}
			return a.printGPU(r)
		},
	}
	f.register(cmd, "the contenders")
	cmd.Flags().Lookup("engine").Hidden = true // a report has all
	s := cmd.Flags()
	s.StringVar(&f.device, "device", autoDevice, a.DeviceUsage)
	s.StringVar(&f.python, "python", "", "interpreter with PyTorch, as in bench step")
	s.StringVar(&f.out, "out", "", "keep what was measured in this file")
	s.StringVar(&f.from, "from", "", "read what --out kept; measure nothing")
	s.StringVar(&f.into, "into", "", "also put it into this book, as BENCHMARKS.json, and renew the document beside it")
	return cmd
}

// gpuReport measures all cases, or reads what was measured.
func (a *app) gpuReport(ctx context.Context, f *gpuFlags) (*bench.GPUReport, error) {
	if f.from != "" {
		text, err := readfile.Limited(f.from, bench.MaxFile)
		if err != nil {
			return nil, fmt.Errorf("bench: gpu: --from: %w", err)
		}
		r := &bench.GPUReport{}
		if err := json.Unmarshal(text, r); err != nil || r.Command == "" {
			return nil, fmt.Errorf("bench: gpu: --from %s: it is no report of `gradsync bench gpu --out FILE`", f.from)
		}
		return r, nil
	}
	device, err := a.chooseDevice(&f.benchFlags, f.device)
	if err != nil {
		return nil, err
	}
	if f.device == cpuDevice {
		return nil, usagef("bench: gpu: --device %s is no GPU", cpuDevice)
	}
	r := &bench.GPUReport{Command: "gradsync bench gpu", Version: a.Version(), Date: time.Now().UTC().Format(time.DateOnly),
		Machine: bench.Machine()}
	if device == "" {
		r.Why = "there was no GPU at hand"
		a.note(f.note)
		return r, keepGPU(f.out, r)
	}
	r.Device = strings.TrimPrefix(f.note, "gpu: ")
	cases := bench.GPUCases()
	for i, c := range cases {
		if !*a.Quiet {
			fmt.Fprintf(a.Err, "%d of %d: %s\n", i+1, len(cases), c.Title)
		}
		c.Job.Device = device
		o, err := a.play(ctx, &f.benchFlags, c, bench.GPUContenders(c), func() {})
		if err == nil {
			r.Cases = append(r.Cases, o)
			err = keepGPU(f.out, r)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// keepGPU writes what was measured so far; an interruption loses one case.
func keepGPU(path string, r *bench.GPUReport) error {
	if path == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return atomic.WriteFile(path, append(text, '\n'))
}

// printGPU prints the cases' tables, or why there are none.
func (a *app) printGPU(r *bench.GPUReport) error {
	if *a.JSON {
		return a.Print(r)
	}
	if r.Device == "" {
		fmt.Fprintln(a.Out, "nothing was measured: "+r.Why)
	}
	for _, o := range r.Cases {
		fmt.Fprintf(a.Out, "%s\n%s", o.Title, o.Text())
	}
	return nil
}
