package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/cli/export"
	"gradsync/experiments/method"
	"gradsync/experiments/platforms"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/papers/dasp/rivals"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// trainFlags holds the flags of train until config makes a Config of them.
type trainFlags struct {
	train.Config
	platform string
	options  rivals.Options
	sparse   ringsparse.Options
	coded    codedsgd.Options
	bucketK  int64               // KiB
	own      map[string]*float64 // parameters of a registered method, by flag
	// tensorboard is the folder of event files.
	tensorboard string
	given       func(flag string) bool
}

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
			"The same command gives the same object: on virtual but for wall_seconds, on local and\n" +
			"tcp with synchronous methods but for the seconds, which all are wall time there, and for\n" +
			"bytes where ringsparse measures what compressing costs. Asynchronous methods give the\n" +
			"same parameters there if they --replay the order of arrival that another run did --record;\n" +
			"`gradsync replay --check` recomputes each decision of such a record.\n" +
			"On tcp all ranks are in this process, unless `gradsync launch` started it as one of many.",
		Example: "  gradsync train --sync dasp --model lenet5 --workers 6 --updates 600 --json\n" +
			"  gradsync train --sync ssp --staleness 3 --platform heterogeneous6 --target-accuracy 0.7\n" +
			"  gradsync train --sync ring --workers 4 --runtime tcp --updates 50 --save lenet5.safetensors\n" +
			"  gradsync train --sync ringsparse --model mlp --raw-pixels --platform sparse32 --workers 4 --updates 50\n" +
			"  gradsync launch --np 4 -- train --sync bsp --workers 3 --updates 50\n" +
			"  gradsync train --sync dasp --model resnet18 --width 0.125 --image 16 --data fashion-mnist --pushes 600\n" +
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
	if !cfg.TimingOnly && cfg.Backend == "native" {
		var line string
		if cfg.Engine, line, err = chooseEngine(cfg.Engine, engineStates()); err != nil {
			return err
		}
		cfg.Begin = func() { a.notes(line, cfg) }
	}
	events, err := export.BeginTraining(f.tensorboard, cfg)
	if err != nil {
		return err
	}
	bar := a.newBar(cfg.Sync + " " + cfg.Model)
	cfg.Progress = func(pushes, of int64) { bar.set(float64(pushes), float64(of), fmt.Sprintf("%d pushes", pushes)) }
	out, err := train.Run(ctx, cfg)
	bar.finish()
	if err != nil {
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
	path, err := export.EndTraining(events, out)
	if err != nil {
		return fmt.Errorf("train: --tensorboard: %w", err)
	}
	if a.json {
		err = a.printJSON(out)
	} else {
		a.printOutcome(out)
		if path != "" {
			fmt.Fprintf(a.out, "  tensorboard     %s\n", path)
		}
	}
	if err == nil && out.Diverged != nil {
		err = fmt.Errorf("train: diverged, lower --rate %g", cfg.Rate)
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

func (f *trainFlags) define(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.Sync, "sync", "dasp", "method: "+strings.Join(train.Methods(), ", "))
	s.StringVar(&f.Model, "model", "lenet5", "model: "+strings.Join(model.Names(), ", "))
	s.Float64Var(&f.Width, "width", 0, widthUsage)
	s.IntVar(&f.Image, "image", 0, imageUsage+"; with --timing-only any multiple of 16")
	s.IntVar(&f.Classes, "classes", 0, "keep the images of the first N classes, and N logits (default: all)")
	s.StringVar(&f.Data, "data", "", "data set (default: the paper's for the model, else the embedded one)")
	s.StringVar(&f.DataDir, "data-dir", "", "folder of data sets")
	s.StringVar(&f.Engine, "engine", autoEngine, engineUsage)
	s.StringVar(&f.Backend, "backend", "native", "who computes gradients: native or gorgonia")
	s.IntVar(&f.Workers, "workers", 0, "workers (default: all of the platform's)")
	s.StringVar(&f.platform, "platform", "", "platform: a file or one of "+strings.Join(platforms.Names(),
		", ")+" (default heterogeneous6; for more than six workers as many equal ones)")
	s.StringVar(&f.Runtime, "runtime", "virtual", "runtime: "+strings.Join(train.Runtimes, ", "))
	s.BoolVar(&f.Emulate, "emulate", false, "local, tcp: computations last at least the platform's time for them")
	s.Uint64Var(&f.Seed, "seed", 0, "seed")
	s.IntVar(&f.Batch, "batch", 16, "images per worker and iteration")
	s.Float64Var(&f.Rate, "rate", 0.05, "learning rate")
	s.Float64Var(&f.Momentum, "momentum", 0, "momentum: at the server; without one on every rank, of the sum")
	s.Float64Var(&f.WeightDecay, "weight-decay", 0, "weight decay: at the server; without one on every rank")
	s.Int64Var(&f.MaxUpdates, "updates", 0, "end after N global updates")
	s.Int64Var(&f.MaxPushes, "pushes", 0, "end after N gradients (default 1,200 where nothing else ends the run)")
	s.Float64Var(&f.TargetAccuracy, "target-accuracy", 0, "end at this share of right answers, 0 to 1")
	s.Int64Var(&f.EvalEvery, "eval-every", 0, "pushes between evaluations (default a sixth of the run; negative: none)")
	s.IntVar(&f.EvalImages, "eval-images", 1000, "test images per evaluation on the way")
	s.Int64Var(&f.Warmup, "warmup", 0, "first pushes of each worker left out of the times")
	s.DurationVar(&f.Launch, "launch", train.DefaultLaunch, "time per layer beside its arithmetic, on the reference device; negative: none")
	s.DurationVar(&f.Overhead, "overhead", train.DefaultOverhead, "time per iteration beside its layers, on the reference device; negative: none")
	s.BoolVar(&f.TimingOnly, "timing-only", false, "the same events without the arithmetic")
	s.IntVar(&f.Threads, "threads", 1, "threads per engine call; no result depends on it")
	s.StringVar(&f.Trace, "trace", "", "write the run's time line as a Chrome trace for Perfetto: a process per rank; messages on virtual, on real clocks "+
		"the waits for them")
	s.StringVar(&f.tensorboard, "tensorboard", "", trainTensorboardUsage)
	s.StringVar(&f.Save, "save", "", "write the trained parameters as safetensors; its metadata name model, width and image")
	s.StringVar(&f.Load, "load", "", "start from these parameters, of the same model, width and image where the file says which")
	s.BoolVar(&f.RawPixels, "raw-pixels", false, "pixels as shares of 255, not normalised: black is exactly zero")
	s.BoolVar(&f.Best, "best", false, "end with the parameters of least loss on 1,000 training images, of those at evaluations")
	f.defineMethods(s)
}

// config completes the flags: platform, policy options, an end of the run.
func (f *trainFlags) config() (train.Config, error) {
	cfg := f.Config
	if !slices.Contains(train.Methods(), cfg.Sync) {
		return cfg, usagef("train: no method %q: known are %s", cfg.Sync, strings.Join(train.Methods(), ", "))
	}
	err := f.check()
	if err != nil {
		return cfg, err
	}
	if cfg.Platform, err = f.choosePlatform(); err != nil {
		return cfg, err
	}
	if cfg.Workers == 0 {
		cfg.Workers = len(cfg.Platform.Workers)
	}
	defaults := rivals.Defaults(max(cfg.Workers, 1))
	o := f.options
	o.Groups = defaults.Groups
	if !f.given("smin") {
		o.Smin = defaults.Smin
	}
	if !f.given("smax") {
		o.Smax = max(defaults.Smax, o.Smin+1)
	}
	o.Own = f.ownOf(cfg.Sync)
	cfg.Options = &o
	cfg.Bucket = f.bucketK << 10
	if cfg.Sync == "ringsparse" {
		cfg.RingSparse = &f.sparse
	}
	if slices.Contains(codedsgd.Methods(), cfg.Sync) {
		cfg.Coded = &f.coded
		if !f.given("redundancy") {
			f.coded.Redundancy = 1
			if cfg.Sync == codedsgd.CSSGD || cfg.Sync == codedsgd.Compressed {
				f.coded.Redundancy = min(2, cfg.Workers)
			}
		}
		if cfg.BatchSize == 0 {
			cfg.BatchSize = cfg.Workers * cfg.Batch
		}
	}
	if cfg.Runtime == "tcp" {
		if err := f.place(&cfg); err != nil {
			return cfg, err
		}
	}
	if cfg.Launch == 0 { // said so; the zero value would be the default
		cfg.Launch = -1
	}
	if cfg.Overhead == 0 {
		cfg.Overhead = -1
	}
	if cfg.MaxUpdates == 0 && cfg.MaxPushes == 0 && cfg.TargetAccuracy == 0 {
		cfg.MaxPushes = defaultPushes
	}
	if cfg.TargetAccuracy > 0 && cfg.MaxPushes == 0 && cfg.MaxUpdates == 0 {
		cfg.MaxPushes = targetBound
		if cfg.EvalEvery == 0 {
			cfg.EvalEvery = 10 * int64(max(cfg.Workers, 1))
		}
	}
	return cfg, nil
}

// ownOf returns the parameters that a registered method has of its own.
func (f *trainFlags) ownOf(sync string) (out []rivals.Parameter) {
	m, _ := method.Get(sync)
	for _, flag := range m.Flags {
		if x := f.own[flag.Name]; x != nil {
			out = append(out, rivals.Parameter{Flag: flag.Name, Value: *x})
		}
	}
	return out
}

// defaultPushes is how long a run is where nothing says: that of profile quick.
const defaultPushes = 1200

// targetBound ends a search for an accuracy that is never reached.
const targetBound = 100_000

// choosePlatform loads --platform. Without it the default has six workers, or,
// for another number, as many equal ones.
func (f *trainFlags) choosePlatform() (*cluster.Platform, error) {
	name := f.platform
	if name == "" {
		name = "heterogeneous6"
		if f.Workers > 6 {
			p, err := platforms.Homogeneous(f.Workers)
			if err != nil {
				return nil, usageError{err}
			}
			return p, nil
		}
	}
	p, err := platforms.Load(name)
	if err != nil && !strings.ContainsAny(name, `./\`) { // a name, no file
		err = usageError{err}
	}
	return p, err
}

func (a *app) printOutcome(o *train.Outcome) {
	fmt.Fprintf(a.out, "%s, %s on %s (%d workers, seed %d)\n", o.Sync, modelSize(o), o.Platform, o.Workers, o.Seed)
	if o.TestAccuracy != nil {
		fmt.Fprintf(a.out, "  test accuracy   %.2f %% of %d images (%s, %s)\n", 100**o.TestAccuracy, o.Data.Test, o.Data.Name, o.Data.Origin)
		fmt.Fprintf(a.out, "  engine          %s\n", o.Engine)
		if n := o.NormStatistics; n != nil {
			fmt.Fprintf(a.out, "  batch norms     statistics of %d %s\n", n.Images, n.Choice)
		}
	}
	if d := o.Diverged; d != nil {
		fmt.Fprintf(a.out, "  diverged        loss or parameters not finite at the evaluation after %d gradients\n", d.Pushes)
	}
	if o.Reached != nil {
		fmt.Fprintf(a.out, "  target          reached after %.4g s, %d updates, %d gradients\n", o.Reached.Seconds, o.Reached.Updates, o.Reached.Pushes)
	}
	fmt.Fprintf(a.out, "  updates         %d, from %d gradients\n", o.Updates, o.Pushes)
	if o.VirtualSeconds != nil {
		fmt.Fprintf(a.out, "  virtual time    %.4g s (%.2f s on this machine)\n", *o.VirtualSeconds, o.WallSeconds)
	} else {
		fmt.Fprintf(a.out, "  wall time       %.2f s\n", o.WallSeconds)
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
	if !alone {
		fmt.Fprintf(a.out, "  staleness       mean %.2f, median %d, p99 %d, max %d updates\n", o.Staleness.Mean, o.Staleness.Median, o.Staleness.P99, o.Staleness.Max)
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

// modelSize is the network's name, and its size where that is not its own.
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

// known4 is a time in four digits; a mean of nothing is 0 and no time.
func known4(seconds float64) string {
	if seconds == 0 {
		return "–"
	}
	return fmt.Sprintf("%.4g", seconds)
}
