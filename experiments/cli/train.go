package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/cli/export"
	"gradsync/experiments/train"
	"gradsync/shared/tensor/codec"
	"gradsync/shared/tensor/model"
)

func (a *app) trainCommand() *cobra.Command {
	f := &trainFlags{own: map[string]*float64{}}
	cmd := &cobra.Command{
		Use:   "train --sync METHOD --model MODEL",
		Short: "Train one model with one method on one platform",
		Long: "Train one model with one method on one platform and print one outcome.\n\n" +
			"Methods: " + strings.Join(train.Methods(), ", ") + ".\n" +
			"Batch norms are evaluated by statistics of 256 training images, estimated anew for\n" +
			"the parameters evaluated; --save writes them too.\n" +
			"A run whose loss or parameters become infinite or NaN has diverged: it goes on to\n" +
			"its end (a search for --target-accuracy ends), --save writes its parameters as they\n" +
			"are, and the exit code is 1.\n" +
			"With --target-accuracy the time is the experiments' own, the mean over five accuracies up to\n" +
			"that one, with evaluations every " + strconv.Itoa(train.TargetEvery) + " gradients whatever bounds the run; the first crossing\n" +
			"stands beside it. `gradsync compare` compares methods by it, over seeds.\n" +
			"The same command gives the same object: on virtual but for wall_seconds, on local and\n" +
			"tcp with synchronous methods but for the seconds, which all are wall time there, for bytes\n" +
			"where ringsparse measures what compressing costs, and for those by which it tries the links\n" +
			"before training (probe_bytes, which bytes_sent has not): up to 4.2 MB from each rank; on a\n" +
			"slow link they end after the first that was measured. Asynchronous methods give the\n" +
			"same parameters there if they --replay the order of arrival that another run did --record;\n" +
			"`gradsync replay --check` recomputes each decision of such a record.\n" +
			"With --checkpoint DIR --every N a run keeps its newest state (of several processes rank 0\n" +
			"does), and the same command, started again after it was killed at any moment, goes on from\n" +
			"it and says so: on virtual to the outcome and the trace of a run that nobody disturbed, on\n" +
			"local and tcp to its parameters, with times and bytes since then. A state that is damaged,\n" +
			"of another command or of a newer gradsync is an error. That of the end stays: the command\n" +
			"then trains nothing and prints the outcome again, until it is removed.\n" +
			"On tcp all ranks are in this process, unless `gradsync launch` started it as one of many.",
		Example: "  gradsync train --sync dasp --model lenet5 --workers 6 --updates 600 --json\n" +
			"  gradsync train --sync ssp --staleness 3 --platform heterogeneous6 --target-accuracy 0.7\n" +
			"  gradsync train --sync ring --workers 4 --runtime tcp --updates 50 --save lenet5.safetensors\n" +
			"  gradsync train --sync ringsparse --model mlp --raw-pixels --platform sparse32 --workers 4 --updates 50\n" +
			"  gradsync launch --np 4 -- train --sync bsp --workers 3 --updates 50\n" +
			"  mpirun --bind-to none -n 4 gradsync train --runtime mpi --sync ring --workers 4 --updates 50\n" +
			"  gradsync train --sync dasp --model resnet18 --width 0.125 --image 16 --data fashion-mnist --pushes 600\n" +
			"  gradsync train --sync dasp --model mlp --updates 600 --checkpoint out/mlp.ckpt --every 50\n" +
			"  gradsync train --sync dasp --model resnet18 --timing-only --updates 600 --trace run.trace.json",
		Args: args(0, 0, "flags only"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.given = cmd.Flags().Changed
			return a.train(cmd.Context(), f)
		},
	}
	f.define(cmd)
	cmd.InitDefaultHelpFlag()
	const plain = "Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	cmd.SetUsageTemplate(strings.Replace(cmd.UsageTemplate(), plain, f.usage(cmd), 1))
	return cmd
}

// train does what f asks for and prints the outcome, if this process has it.
func (a *app) train(ctx context.Context, f *trainFlags) error {
	cfg, err := f.config()
	if err != nil {
		return err
	}
	if err := cfg.Follow(); err != nil {
		return inputUsage(err)
	}
	if !cfg.TimingOnly && cfg.Backend == "native" {
		var line string
		if f.sums == engineCollective {
			line, err = a.chooseDevices(f.deviceFlags, &cfg)
		} else {
			cfg.Engine, line, err = a.chooseDevice(f.deviceFlags)
		}
		if err != nil {
			return err
		}
		cfg.Begin = func() { a.notes(line, cfg) }
	}
	if begin := cfg.Begin; f.said != "" && !a.quiet {
		cfg.Begin = func() {
			fmt.Fprintln(a.err, f.said)
			if begin != nil {
				begin()
			}
		}
	}
	if cfg.TCP != nil && cfg.TCP.Insecure && cfg.TCP.Rank == 0 {
		fmt.Fprintln(a.err, insecureLine)
	}
	events, err := export.BeginTraining(f.tensorboard, cfg)
	if err != nil {
		return err
	}
	cfg.TellStart = func(line string) { fmt.Fprintln(a.err, line) } // also with --quiet: the folder's name may have a typo
	bar := a.newBar(cfg.Sync + " " + cfg.Model)
	cfg.Progress = func(pushes, of int64) { bar.set(float64(pushes), float64(of), fmt.Sprintf("%d pushes", pushes)) }
	out, err := train.Run(ctx, cfg)
	bar.finish()
	var unwritten *train.UnwrittenError
	if err != nil && !errors.As(err, &unwritten) {
		if events != nil {
			events.Discard()
		}
		if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
			return fmt.Errorf("train: interrupted")
		}
		return inputUsage(err)
	}
	if out == nil { // another process of the job prints
		return nil
	}
	path, lost := export.EndTraining(events, out)
	if lost != nil {
		err = both(err, fmt.Errorf("train: --tensorboard: %w", lost))
	}
	return both(a.printTraining(out, path, cfg.Rate), err)
}

// both joins two errors, each of which may be nil, in one line.
func both(a, b error) error {
	if a == nil || b == nil {
		return errors.Join(a, b)
	}
	return fmt.Errorf("%w; %w", a, b)
}

// printTraining prints an outcome, whatever could not be written of the run: it may be hours' work.
func (a *app) printTraining(out *train.Outcome, path string, rate float64) (err error) {
	if a.json {
		err = a.printJSON(out)
	} else {
		a.printOutcome(out)
		if path != "" {
			fmt.Fprintf(a.out, "  tensorboard     %s\n", path)
		}
	}
	if err == nil && out.Diverged != nil {
		err = fmt.Errorf("train: diverged, lower --rate %g", rate)
	}
	return err
}

// notes prints what is to be said of a training before it begins.
func (a *app) notes(engine string, cfg train.Config) {
	a.engineNote(engine)
	if m, err := model.Build(model.Spec{Name: cfg.Model, Width: cfg.Width, Image: cfg.Image, Classes: cfg.Classes}); err == nil { // else nothing begins
		a.remark(m)
	}
}

// remark prints what a network says of itself, where nothing reads it by machine.
func (a *app) remark(m *model.Model) {
	if a.quiet {
		return
	}
	for _, r := range m.Remarks() {
		fmt.Fprintln(a.err, r)
	}
}

func (a *app) printOutcome(o *train.Outcome) {
	fmt.Fprintf(a.out, "%s, %s on %s (%d workers, seed %d)\n", o.Sync, modelSize(o), o.Platform, o.Workers, o.Seed)
	if o.TestAccuracy != nil {
		fmt.Fprintf(a.out, "  test accuracy   %.2f %% of %d images (%s, %s)\n", 100**o.TestAccuracy, o.Data.Test, o.Data.Name, o.Data.Origin)
		fmt.Fprintf(a.out, "  engine          %s\n", o.Engine)
		if o.Collective != "" {
			fmt.Fprintf(a.out, "  collective      %s, whose traffic is not in the bytes below\n", o.Collective)
		}
		if n := o.NormStatistics; n != nil {
			fmt.Fprintf(a.out, "  batch norms     statistics of %d %s\n", n.Images, n.Choice)
		}
	}
	if d := o.Diverged; d != nil {
		fmt.Fprintf(a.out, "  diverged        loss or parameters not finite at the evaluation after %d gradients\n", d.Pushes)
	}
	a.printSearch(o)
	fmt.Fprintf(a.out, "  updates         %d, from %d gradients\n", o.Updates, o.Pushes)
	if o.VirtualSeconds != nil {
		fmt.Fprintf(a.out, "  virtual time    %.4g s (%.2f s on this machine)\n", *o.VirtualSeconds, o.WallSeconds)
	} else {
		fmt.Fprintf(a.out, "  wall time       %.2f s\n", o.WallSeconds)
	}
	if o.Resumed > 0 {
		fmt.Fprintf(a.out, "  went on         after update %d of an earlier process; times and bytes are since then\n", o.Resumed)
	}
	if len(o.Lost) > 0 {
		fmt.Fprintf(a.out, "  lost            %v, ranks that the run went on without\n", o.Lost)
	}
	t := o.Iteration
	if o.Answered == 0 {
		t = train.IterationTime{}
	}
	alone := slices.Contains(train.Serverless(), o.Sync) // nobody pushes
	if alone {
		fmt.Fprintf(a.out, "  iteration       %s s (over %d of all workers)\n", known4(t.PerWorker), o.Answered)
	} else {
		fmt.Fprintf(a.out, "  iteration       %s s per worker, %s s per push, %s s per update (over %d answered pushes)\n",
			known4(t.PerWorker), known4(t.PerPush), known4(t.PerUpdate), o.Answered)
	}
	for _, s := range []string{"QIS", "WSS", "FSS", "held"} {
		if share, ok := o.StateShare[s]; ok && o.Answered == 0 {
			fmt.Fprintf(a.out, "  %-5s           – of pushes\n", s)
		} else if ok {
			fmt.Fprintf(a.out, "  %-5s           %5.1f %% of pushes, %.4g s\n", s, 100*share, o.StateSeconds[s])
		}
	}
	if o.Sync == "dasp" && o.Workers > 1 && o.Answered > 0 && o.StateShare["QIS"] == 1 {
		fmt.Fprintln(a.out, "  nobody waited   DASP did what ASP does: no gradient came from more than Smin versions ahead, as where they")
		fmt.Fprintln(a.out, "                  queue for one slow link; --platform reference6, of Tables 4 to 7, shows all three states")
	}
	if !alone {
		fmt.Fprintf(a.out, "  staleness       mean %.2f, median %d, p99 %d, max %d updates\n", o.Staleness.Mean, o.Staleness.Median, o.Staleness.P99, o.Staleness.Max)
	}
	if o.Insecure {
		fmt.Fprintln(a.out, "  insecure        in the clear off loopback (--insecure)")
	}
	fmt.Fprintf(a.out, "  bytes sent      %d\n", o.BytesSent)
	if o.KernelBytes > 0 {
		fmt.Fprintf(a.out, "  on sockets      %d bytes, by the kernel's count\n", o.KernelBytes)
	}
	a.printSparse(o.RingSparse)
	a.printCoded(o.Coded)
	if o.ParamsSHA256 != "" {
		fmt.Fprintf(a.out, "  parameters      sha256 %s\n", o.ParamsSHA256)
	}
	if o.Data != nil && o.Data.Note != "" {
		fmt.Fprintf(a.out, "  note            %s\n", o.Data.Note)
	}
}

// printSearch prints how long the target took: the experiments' measure, the first crossing, and the resolution of both.
func (a *app) printSearch(o *train.Outcome) {
	s := o.Search
	if s == nil {
		return
	}
	if s.MeanSeconds == nil {
		fmt.Fprintf(a.out, "  target          %.4g %% never reached", 100*s.Accuracy)
	} else {
		fmt.Fprintf(a.out, "  target          %.4g s, the geometric mean of the times to %s test accuracy\n", *s.MeanSeconds, percents(s.Accuracies))
		fmt.Fprintf(a.out, "  first crossing  %.4g s to %.4g %% alone", *s.FirstSeconds, 100*s.Accuracy)
	}
	fmt.Fprintf(a.out, "; evaluated every %d gradients, times between are interpolated\n", s.Every)
	if r := o.Reached; r != nil {
		fmt.Fprintf(a.out, "  ended           at the evaluation after %.4g s, %d updates, %d gradients\n", r.Seconds, r.Updates, r.Pushes)
	}
}

// percents lists shares in per cent.
func percents(shares []float64) string {
	var all []string
	for _, x := range shares {
		all = append(all, fmt.Sprintf("%.4g", 100*x))
	}
	return strings.Join(all, ", ") + " %"
}

// printSparse prints what ringsparse chose.
func (a *app) printSparse(s *train.SparseOutcome) {
	if s == nil {
		return
	}
	t := s.Totals
	share := func(n int64) float64 { return 100 * float64(n) / float64(max(t.Choices, 1)) }
	fmt.Fprintf(a.out, "  blocks          %d choices: %.1f %% weights, %.1f %% gradients; %.1f %% by the tie rule alone\n",
		t.Choices, share(t.Chosen[1]), share(t.Chosen[2]), share(t.Ties))
	dense := 100 * float64(t.Sent.Bytes) / float64(max(t.Sent.DenseBytes, 1))
	fmt.Fprintf(a.out, "  blocks' bytes   %.1f %% of uncompressed ones (link %.4g bytes/s)\n", dense, s.Bandwidth)
	for id, c := range t.Codecs {
		if c.Blocks == 0 {
			continue
		}
		name := fmt.Sprint("codec ", id)
		if known, err := codec.ByID(uint8(id)); err == nil {
			name = known.Name()
		}
		fmt.Fprintf(a.out, "  %-15s %d messages, forwarded ones too, %.1f %% of their uncompressed bytes\n", name, c.Blocks,
			100*float64(c.Bytes)/float64(max(c.DenseBytes, 1)))
	}
	if s.Density > 0 {
		fmt.Fprintf(a.out, "  density         %g of the gradients and all weights taken as non-zero: nothing was computed\n", s.Density)
	}
	if s.Lossy {
		fmt.Fprintln(a.out, "  lossy           gradients up to the threshold were held back, with error feedback")
	}
	if s.ProbeBytes > 0 {
		fmt.Fprintf(a.out, "  probe           %d bytes to find the link's rate, not counted above\n", s.ProbeBytes)
	}
}

// printCoded prints what coded SGD sent.
func (a *app) printCoded(c *train.CodedOutcome) {
	if c == nil {
		return
	}
	t := c.Totals
	fmt.Fprintf(a.out, "  packets         %d, redundancy %d; %d bytes, a multicast counted once; %d counted per receiver\n",
		t.Packets, c.Options.Redundancy, t.Bytes, t.Delivered)
	if t.Useful != t.Received {
		fmt.Fprintf(a.out, "  useful          %d of %d bytes received\n", t.Useful, t.Received)
	}
	if t.Saturated > 0 {
		fmt.Fprintf(a.out, "  saturated       %d elements beyond the range of int32: raise --range or cut the batch finer\n", t.Saturated)
	}
}

// modelSize returns the network's name, and its size where that is not its own.
func modelSize(o *train.Outcome) string {
	name := o.Model
	if o.Width > 0 {
		name += fmt.Sprintf(" width %g", o.Width)
	}
	if o.Image > 0 {
		name += fmt.Sprintf(" on %d×%[1]d images", o.Image)
	}
	return name
}

// known4 prints a time in four digits; a mean of nothing is 0 and no time.
func known4(seconds float64) string {
	if seconds == 0 {
		return "–"
	}
	return fmt.Sprintf("%.4g", seconds)
}
