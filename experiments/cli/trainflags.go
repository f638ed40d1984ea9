package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gradsync/experiments/method"
	"gradsync/experiments/train"
)

// The sizes of a network, for every command that builds one.
const (
	widthUsage = "share of the network's channels and hidden units, all but lenet5: 1/64 (resnet110: 1/16, cnn: 1/32) to 16 (default 1)"
	imageUsage = "side of the images, resnet18, resnet110 and vgg19_bn only: 16 or 32 (default 32)"
)

// inputUsage is a usage error where what was asked for cannot be run.
func inputUsage(err error) error {
	var in *train.InputError
	if errors.As(err, &in) {
		return usageError{err}
	}
	return err
}

// defineMethods adds the flags that methods read, each once, to f's fields; one that a
// registered method has of its own becomes a parameter of its policy.
func (f *trainFlags) defineMethods(s *pflag.FlagSet) {
	fields := f.fields()
	for _, flag := range method.Flags() {
		help := flag.Help
		if flag.Name == "codec" {
			help += ": " + codecNames()
		}
		if readers := method.Readers(flag.Name); len(readers) < len(familyOf(flag.Name)) {
			help = strings.Join(readers, ", ") + ": " + help
		}
		switch p := fields[flag.Name].(type) {
		case *int64:
			s.Int64Var(p, flag.Name, flag.Default.(int64), help)
		case *int:
			s.IntVar(p, flag.Name, flag.Default.(int), help)
		case *float64:
			s.Float64Var(p, flag.Name, flag.Default.(float64), help)
		case *bool:
			s.BoolVar(p, flag.Name, flag.Default.(bool), help)
		case *[]string:
			s.StringSliceVar(p, flag.Name, flag.Default.([]string), help)
		case *time.Duration:
			s.DurationVar(p, flag.Name, 0, help)
		case *string:
			text, _ := flag.Default.(string)
			s.StringVar(p, flag.Name, text, help)
		default:
			own := new(float64)
			s.Float64Var(own, flag.Name, flag.Default.(float64), help)
			f.own[flag.Name] = own
		}
	}
}

// usage groups the flags by the families of the methods that read them.
func (f *trainFlags) usage(cmd *cobra.Command) string {
	list := func(families ...method.Family) string {
		return " (" + strings.Join(method.Names(families...), ", ") + ")"
	}
	titles := []string{"Flags of every method", "Methods with a server" + list(method.Server), "Methods without a server" + list(method.AllReduce, method.Coded),
		"All-reduce" + list(method.AllReduce), "Coded SGD and its rivals" + list(method.Coded)}
	sets := make([]*pflag.FlagSet, len(titles))
	for i := range sets {
		sets[i] = pflag.NewFlagSet("", pflag.ContinueOnError)
	}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		has := map[method.Family]bool{}
		for _, name := range method.Readers(flag.Name) {
			m, _ := method.Get(name)
			has[m.Family] = true
		}
		at := 0
		switch {
		case has[method.Server]:
			at = 1
		case has[method.AllReduce] && has[method.Coded]:
			at = 2
		case has[method.AllReduce]:
			at = 3
		case has[method.Coded]:
			at = 4
		}
		sets[at].AddFlag(flag)
	})
	var b strings.Builder
	for i, title := range titles {
		fmt.Fprintf(&b, "%s:\n%s\n", title, sets[i].FlagUsages())
	}
	return strings.TrimSuffix(b.String(), "\n\n")
}

// familyOf returns the names of all methods of the families whose methods read a flag.
func familyOf(flag string) []string {
	var families []method.Family
	for _, name := range method.Readers(flag) {
		m, _ := method.Get(name)
		families = append(families, m.Family)
	}
	return method.Names(families...)
}

// fields returns where the value of each flag that a built-in method reads is kept.
func (f *trainFlags) fields() map[string]any {
	o, sparse, coded := &f.options, &f.sparse, &f.coded
	return map[string]any{
		"lease": &f.Lease, "record": &f.Record, "replay": &f.Replay,
		"smin": &o.Smin, "smax": &o.Smax, "alpha": &o.Alpha, "wait": &o.Wait, "duration": &o.Duration, "gap": &o.Gap, "fss": &o.FSS,
		"arrivals": &o.Arrivals, "qis-weight": &o.QISWeight, "group-weight": &o.GroupWeight,
		"adjustment": &o.Adjustment, "dssp": &o.Grants, "asp-weight": &o.ASPWeight,
		"staleness": &o.Staleness, "lower": &o.Lower, "upper": &o.Upper, "backup": &o.Backup,
		"bucket": &f.bucketK, "no-overlap": &f.NoOverlap, "batch-size": &f.BatchSize, "segment": &f.Segment, "per-node": &f.PerNode,
		"kinds": &sparse.Kinds, "codec": &sparse.Codec, "codecs": &sparse.Codecs, "tie": &sparse.Tie, "rule": &sparse.Rule,
		"size": &sparse.Size, "sign": &sparse.Sign, "threshold": &sparse.Threshold, "density": &f.Density, "link": &sparse.Bandwidth,
		"redundancy": &coded.Redundancy, "micro-blocks": &coded.MicroBlocks, "split": &coded.Split, "literal": &coded.Literal,
		"depth": &coded.Depth, "range": &coded.Range, "speed-aware": &f.SpeedAware,
	}
}

// check refuses a flag that was given and would be ignored, one of another method
// or mode, and a number out of its range.
func (f *trainFlags) check() error {
	for _, flag := range method.Flags() {
		if readers := method.Readers(flag.Name); f.given(flag.Name) && !slices.Contains(readers, f.Sync) {
			return usagef("train: --%s is for %s, not for %s", flag.Name, strings.Join(readers, ", "), f.Sync)
		}
	}
	if f.TimingOnly {
		for _, flag := range strings.Fields("backend engine threads data data-dir raw-pixels eval-every eval-images target-accuracy best save load") {
			if f.given(flag) {
				return usagef("train: --%s is for training, not for --timing-only", flag)
			}
		}
	}
	if err := f.checkSparse(); err != nil {
		return err
	}
	if f.given("emulate") && f.Runtime == "virtual" {
		return usagef("train: --emulate is for --runtime local and tcp, not for %s", f.Runtime)
	}
	if f.Backend != "native" {
		for _, flag := range []string{"engine", "threads"} {
			if f.given(flag) {
				return usagef("train: --%s is for the backend native, not for %s", flag, f.Backend)
			}
		}
	}
	if f.given("batch-size") && f.given("batch") {
		return usagef("train: --batch-size %d: at least 1, and no --batch beside it", f.BatchSize)
	}
	if err := f.checkMethod(); err != nil {
		return err
	}
	return f.checkNumbers()
}

// checkMethod refuses a number of a method's flag that its descriptor does not allow.
func (f *trainFlags) checkMethod() error {
	fields := f.fields()
	for _, flag := range method.Flags() {
		if !f.given(flag.Name) {
			continue
		}
		var x float64
		switch p := fields[flag.Name].(type) {
		case *int64:
			x = float64(*p)
		case *int:
			x = float64(*p)
		case *float64:
			x = *p
		case *time.Duration:
			x = float64(*p)
		case nil:
			x = *f.own[flag.Name]
		default:
			continue
		}
		if !flag.Allows(x) {
			var shown any = x
			if d, ok := fields[flag.Name].(*time.Duration); ok {
				shown = *d
			}
			return usagef("train: --%s %v: %s", flag.Name, shown, flag.Want)
		}
	}
	return nil
}

// checkNumbers refuses a number that was given and is out of its range. It names
// that flag alone; what depends on the network or the platform comes later.
func (f *trainFlags) checkNumbers() error {
	const positive, finite, most = "at least 1", "a finite number", math.MaxFloat64
	for _, n := range []struct {
		flag  string
		value any
		ok    bool
		want  string
	}{
		{"updates", f.MaxUpdates, f.MaxUpdates >= 1, positive},
		{"pushes", f.MaxPushes, f.MaxPushes >= 1, positive},
		{"workers", f.Workers, f.Workers >= 1, positive},
		{"batch", f.Batch, f.Batch >= 1, positive},
		{"threads", f.Threads, f.Threads >= 1, positive},
		{"eval-images", f.EvalImages, f.EvalImages >= 1, positive},
		{"eval-every", f.EvalEvery, f.EvalEvery != 0, positive + ", or negative for no evaluation"},
		{"warmup", f.Warmup, f.Warmup >= 0, "at least 0"},
		{"rate", f.Rate, f.Rate > 0 && f.Rate <= most, finite + " above 0"},
		{"momentum", f.Momentum, f.Momentum >= 0 && f.Momentum < 1, "at least 0 and less than 1"},
		{"weight-decay", f.WeightDecay, f.WeightDecay >= 0 && f.WeightDecay <= most, finite + " from 0"},
		{"target-accuracy", f.TargetAccuracy, f.TargetAccuracy > 0 && f.TargetAccuracy <= 1, "a share above 0, at most 1"},
		{"classes", f.Classes, f.Classes >= 2, "at least 2"},
		{"width", f.Width, f.Width >= 1./64 && f.Width <= 16, "1/64 to 16"},
		{"image", f.Image, f.Image >= 1, "16 or 32"},
	} {
		if f.given(n.flag) && !n.ok {
			return usagef("train: --%s %v: %s", n.flag, n.value, n.want)
		}
	}
	return nil
}
