package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/train"
)

func (a *app) gradCommand() *cobra.Command {
	var g train.GradConfig
	var device deviceFlags
	var samples, out string
	cmd := &cobra.Command{
		Use:   "grad --model M --load W --data D --samples 0:32 --out G",
		Short: "Write the mean-loss gradient of given training images as safetensors",
		Long: "Write the mean-loss gradient of given training images, with PyTorch's names and\n" +
			"layouts: what experiments/peers compares with PyTorch.",
		Example: "  gradsync grad --model lenet5 --load w.safetensors --data mnist --samples 0:32 --out g.safetensors",
		Args:    args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return usagef("grad: --out is missing")
			}
			var err error
			if g.From, g.To, err = parseRange(samples); err != nil {
				return err
			}
			line := ""
			if g.Backend == "native" {
				if g.Engine, line, err = a.chooseDevice(device); err != nil {
					return err
				}
			}
			got, err := train.Gradient(g)
			if err != nil {
				return inputUsage(err)
			}
			if line != "" {
				a.engineNote(line)
				a.remark(got.Model)
			}
			if err := train.SaveParams(out, got.Model, got.Grads); err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"loss": got.Loss, "samples": g.To - g.From, "out": out, "data": got.Data,
					"engine": got.Engine, "grads_sha256": train.ParamsHash(got.Grads), "params_sha256": got.ParamsSHA256})
			}
			fmt.Fprintf(a.out, "mean loss %.9g over training images %d to %d of %s; gradient in %s\n", got.Loss, g.From, g.To-1, got.Data.Name, out)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&g.Name, "model", "lenet5", "model")
	f.Float64Var(&g.Width, "width", 0, widthUsage)
	f.IntVar(&g.Image, "image", 0, imageUsage)
	f.BoolVar(&g.EvalMode, "eval-mode", false, "batch norms normalise by the running statistics of --load, as after PyTorch's model.eval()")
	f.StringVar(&g.Load, "load", "", "parameters, safetensors (default: fresh ones of --seed)")
	f.Uint64Var(&g.Seed, "seed", 0, "seed of fresh parameters")
	f.StringVar(&g.Data, "data", "", "data set, as of train")
	f.StringVar(&g.DataDir, "data-dir", "", "folder of data sets")
	device.define(f, cpuDevice, deviceUsage)
	f.StringVar(&g.Backend, "backend", "native", "native or gorgonia")
	f.StringVar(&samples, "samples", "0:32", "training images FROM:TO, without TO")
	f.StringVar(&out, "out", "", "file of the gradients")
	return cmd
}

// parseRange reads FROM:TO.
func parseRange(s string) (from, to int, err error) {
	lo, hi, ok := strings.Cut(s, ":")
	from, err1 := strconv.Atoi(lo)
	to, err2 := strconv.Atoi(hi)
	if !ok || err1 != nil || err2 != nil || from < 0 || to <= from {
		return 0, 0, usagef("grad: --samples %q, want FROM:TO with 0 ≤ FROM < TO", s)
	}
	return from, to, nil
}
