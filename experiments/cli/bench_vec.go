package cli

import (
	"math"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
)

func (a *app) benchVecCommand() *cobra.Command {
	var f benchFlags
	var mib int
	cmd := &cobra.Command{
		Use: "vec", Short: "The codecs' vector kernels beside copy()",
		Long: `The codecs' vector kernels beside copy(). A kernel's bandwidth is what it
reads and writes per second; copy() of n bytes reads n and writes n. The
percentages of the bitmap kernels are the elements that are not 0.`,
		Example: "  gradsync bench vec --mib 64", Args: args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if most := math.MaxInt >> 20; mib < 1 || mib > most {
				return usagef("bench: --mib %d: at least 1, at most %d", mib, most)
			}
			job := bench.Job{Kind: bench.KindVec, Threads: 1, Bytes: mib << 20}
			return a.match(cmd.Context(), &f, bench.Case{Job: job, Peer: bench.Copy}, bench.Kernels(), map[string]any{"bytes": job.Bytes})
		},
	}
	cmd.Flags().IntVar(&mib, "mib", 64, "size of a float32 operand in MiB")
	f.register(cmd, "the kernels")
	return cmd
}
