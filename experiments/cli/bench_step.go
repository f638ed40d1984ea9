package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/experiments/train"
	"gradsync/shared/tensor"
)

// stepContenders are all that can train: engines, backends, PyTorch.
func stepContenders() []string {
	return append(append(tensor.Engines(), train.BackendNames()...), bench.PyTorch)
}

func (a *app) benchStepCommand() *cobra.Command {
	var f benchFlags
	job := bench.Job{Kind: bench.KindStep}
	cmd := &cobra.Command{
		Use: "step", Short: "A training step (forward, backward, SGD) of every engine here, beside PyTorch",
		Long: `A training step of every engine and backend, beside PyTorch where an
interpreter has it. Each contender has its own process; rounds are interleaved;
ratios are taken round by round and their median printed.`,
		Example: "  gradsync bench step --model cnn --batch 32 --threads 2\n  gradsync bench step --model lenet5 --batch 16 --concurrent 2 --engine asm,pytorch",
		Args:    args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			known := stepContenders()
			if f.python == bench.NoPython {
				if slices.Contains(f.engines, bench.PyTorch) {
					return usagef("bench: --engine %s: --python %s switches it off", bench.PyTorch, bench.NoPython)
				}
				known = known[:len(known)-1]
			}
			return a.match(cmd.Context(), &f, bench.Case{Job: job, Peer: bench.PyTorch}, known, map[string]any{
				"model": job.Model, "width": job.Width, "image": job.Image, "batch": job.Batch, "concurrent": job.Concurrent})
		},
	}
	cmd.Flags().StringVar(&job.Model, "model", "lenet5", "network")
	cmd.Flags().Float64Var(&job.Width, "width", 0, "width factor of networks that have one (0: full)")
	cmd.Flags().IntVar(&job.Image, "image", 0, "side of the images, of networks that have a choice (0: their own)")
	cmd.Flags().IntVar(&job.Batch, "batch", 16, "images per step")
	cmd.Flags().IntVar(&job.Threads, "threads", 1, "threads per engine call")
	cmd.Flags().IntVar(&job.Concurrent, "concurrent", 1, "steps at once, each with its own weights")
	cmd.Flags().StringVar(&f.python, "python", "", `interpreter with PyTorch (default: the first of python3, /usr/bin/python3 that has it; "none": leave it out)`)
	f.register(cmd, "the engines, the backends and pytorch")
	return cmd
}
