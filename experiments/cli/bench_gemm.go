package cli

import (
	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/shared/tensor"
)

// gemmContenders are all that multiply matrices.
func gemmContenders() []string { return append(tensor.Engines(), bench.Gonum, bench.OpenBLAS) }

func (a *app) benchGemmCommand() *cobra.Command {
	var f benchFlags
	var size int
	job := bench.Job{Kind: bench.KindGemm}
	cmd := &cobra.Command{
		Use: "gemm", Short: "A matrix product of every engine here, beside gonum and OpenBLAS",
		Example: "  gradsync bench gemm --size 512\n  gradsync bench gemm --m 64 --n 1024 --k 576 --threads 2 --json",
		Args:    args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, d := range []struct {
				flag string
				to   *int
			}{{"m", &job.M}, {"n", &job.N}, {"k", &job.K}} {
				if !cmd.Flags().Changed(d.flag) {
					if size < 1 {
						return usagef("bench: --size %d: at least 1", size)
					}
					*d.to = size
				}
			}
			return a.match(cmd.Context(), &f, bench.Case{Job: job, Peer: bench.OpenBLAS}, gemmContenders(), map[string]any{"m": job.M, "n": job.N, "k": job.K})
		},
	}
	cmd.Flags().IntVar(&size, "size", 512, "m, n and k where they are not given")
	cmd.Flags().IntVar(&job.M, "m", 0, "rows of a")
	cmd.Flags().IntVar(&job.N, "n", 0, "columns of b")
	cmd.Flags().IntVar(&job.K, "k", 0, "columns of a")
	cmd.Flags().IntVar(&job.Threads, "threads", 1, "threads per call")
	f.register(cmd, "the engines, gonum and openblas")
	return cmd
}
