package cli

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/train"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

func (a *app) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "bench cluster|step",
		Short:   "Measure this machine: the virtual cluster's message rate, a training step",
		Example: "  gradsync bench cluster --ranks 64\n  gradsync bench step --model lenet5 --batch 16 --json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, got []string) error {
			if len(got) > 0 {
				return usagef("bench: no benchmark %q: known are cluster, step", got[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.benchClusterCommand(), a.benchStepCommand())
	return cmd
}

func (a *app) benchClusterCommand() *cobra.Command {
	var ranks, messages, rounds int
	cmd := &cobra.Command{
		Use: "cluster", Short: "Messages per second of the virtual runtime on one core",
		Example: "  gradsync bench cluster --ranks 1024", Args: args(0, 0, "flags only"),
		RunE: func(*cobra.Command, []string) error {
			if ranks < 2 || messages < ranks || rounds < 1 {
				return usagef("bench: want at least 2 ranks, as many messages as ranks, 1 round")
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

// stepRow is one engine's training step.
type stepRow struct {
	Engine  string  `json:"engine"`
	Class   string  `json:"class"`
	Seconds float64 `json:"seconds"` // median of one step: forward, backward
	Images  float64 `json:"images_per_second"`
	GFLOPS  float64 `json:"gflop_per_second"`
}

func (a *app) benchStepCommand() *cobra.Command {
	var name string
	var batch, threads, rounds int
	cmd := &cobra.Command{
		Use: "step", Short: "One training step (forward and backward) of every engine and backend here",
		Example: "  gradsync bench step --model cnn --batch 32", Args: args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if batch < 1 || threads < 1 || rounds < 1 {
				return usagef("bench: batch, threads and rounds must be at least 1")
			}
			m, err := model.New(name)
			if err != nil {
				return usageError{err}
			}
			rows, err := benchSteps(cmd, m, batch, threads, rounds)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"benchmark": "step", "model": name, "batch": batch, "threads": threads, "rounds": rounds, "engines": rows})
			}
			for _, r := range rows {
				fmt.Fprintf(a.out, "%-20s %8.3f ms a step, %8.0f images/s, %6.2f GFLOP/s\n", r.Engine, 1e3*r.Seconds, r.Images, r.GFLOPS)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "model", "lenet5", "model")
	cmd.Flags().IntVar(&batch, "batch", 16, "images per step")
	cmd.Flags().IntVar(&threads, "threads", 1, "threads per engine call")
	cmd.Flags().IntVar(&rounds, "rounds", 50, "steps")
	return cmd
}

func benchSteps(cmd *cobra.Command, m *model.Model, batch, threads, rounds int) ([]stepRow, error) {
	var rows []stepRow
	for _, name := range tensor.Engines() {
		e, err := tensor.Lookup(name)
		if err != nil {
			return nil, err
		}
		r, err := benchStep(cmd, m, m.NewWorkspace(e, batch, threads), batch, rounds)
		if err != nil {
			return nil, err
		}
		r.Engine, r.Class = e.Name(), e.Class()
		rows = append(rows, r)
	}
	for _, name := range train.BackendNames() {
		s, err := train.Backends[name](m, batch)
		if err != nil {
			return nil, err
		}
		r, err := benchStep(cmd, m, s, batch, rounds)
		if err != nil {
			return nil, err
		}
		r.Engine, r.Class = name, name
		rows = append(rows, r)
	}
	return rows, nil
}

// benchStep times steps on random images: an engine may skip zeros.
func benchStep(cmd *cobra.Command, m *model.Model, s model.Stepper, batch, rounds int) (stepRow, error) {
	r := rand.New(rand.NewPCG(1, 2))
	c, h, w := m.Input()
	params, grads := make([]float32, m.NumParams()), make([]float32, m.NumParams())
	m.Init(params, r)
	x, labels := make([]float32, batch*c*h*w), make([]uint8, batch)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for i := range labels {
		labels[i] = uint8(i % m.Classes())
	}
	took := make([]float64, 0, rounds)
	for i := range rounds + 2 { // two to warm up
		if err := cmd.Context().Err(); err != nil {
			return stepRow{}, err
		}
		start := time.Now()
		if _, err := s.Gradient(params, grads, x, labels, nil); err != nil {
			return stepRow{}, err
		}
		if i >= 2 {
			took = append(took, time.Since(start).Seconds())
		}
	}
	slices.Sort(took)
	median := took[len(took)/2]
	var flop float64
	for _, l := range m.Layers() {
		flop += float64(batch) * (l.ForwardFLOP + l.BackwardFLOP)
	}
	return stepRow{Seconds: median, Images: float64(batch) / median, GFLOPS: flop / median / 1e9}, nil
}
