package cli

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"gradsync/shared/cluster/virtual"
)

func (a *app) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "bench cluster|step|gemm|vec|coded|ring|report",
		Short:   "Measure this machine: message rate, training steps, products, codecs, coding and all-reduces beside their peers",
		Example: "  gradsync bench cluster --ranks 64\n  gradsync bench step --model lenet5 --batch 16 --concurrent 2\n  gradsync bench gemm --size 512 --json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, got []string) error {
			if len(got) > 0 {
				return usagef("bench: no benchmark %q: known are cluster, step, gemm, vec, coded, ring, report", got[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.benchClusterCommand(), a.benchStepCommand(), a.benchGemmCommand(), a.benchVecCommand(), a.benchCodedCommand(), a.benchReportCommand(), a.benchWorkerCommand(), a.benchRingCommand(), a.benchRingWorkerCommand(), a.benchStreamWorkerCommand())
	return cmd
}

func (a *app) benchClusterCommand() *cobra.Command {
	var ranks, messages, rounds int
	cmd := &cobra.Command{
		Use: "cluster", Short: "Messages per second of the virtual runtime on one core",
		Example: "  gradsync bench cluster --ranks 1024", Args: args(0, 0, "flags only"),
		RunE: func(*cobra.Command, []string) error {
			switch {
			case ranks < 2:
				return usagef("bench: --ranks %d: at least 2", ranks)
			case messages < ranks:
				return usagef("bench: --messages %d: at least as many as --ranks, %d", messages, ranks)
			case rounds < 1:
				return usagef("bench: --rounds %d: at least 1", rounds)
			}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			var rates []float64
			var n int64
			for range rounds {
				sent, took, err := virtual.BenchRing(ranks, messages/ranks)
				if err != nil {
					return err
				}
				n = sent
				rates = append(rates, float64(sent)/took.Seconds())
			}
			slices.Sort(rates)
			best, median := rates[len(rates)-1], rates[len(rates)/2]
			if a.json {
				return a.printJSON(map[string]any{"benchmark": "cluster", "ranks": ranks, "messages": n, "rounds": rounds,
					"messages_per_second": median, "messages_per_second_best": best})
			}
			fmt.Fprintf(a.out, "%d ranks, %d messages: %.2f M messages/s on one core (median of %d; best %.2f)\n", ranks, n, median/1e6, rounds, best/1e6)
			return nil
		},
	}
	cmd.Flags().IntVar(&ranks, "ranks", 64, "ranks of the ring")
	cmd.Flags().IntVar(&messages, "messages", 200_000, "messages of a round")
	cmd.Flags().IntVar(&rounds, "rounds", 5, "rounds")
	return cmd
}
