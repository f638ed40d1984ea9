package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gradsync/experiments/cli/memo"
	"gradsync/experiments/exp"
	"gradsync/experiments/method"
	"gradsync/experiments/own"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// compareShared are the flags of train that compare has too; they hold for all methods.
var compareShared = []string{"model", "width", "image", "classes", "data", "data-dir", "device", "engine", "workers", "platform", "batch", "rate",
	"momentum", "weight-decay", "pushes", "target-accuracy", "eval-every", "eval-images", "launch", "overhead", "host", "timing-only", "raw-pixels"}

// compareSet are the flags of train beside a method's own that --set gives a single method.
var compareSet = []string{"rate", "momentum", "weight-decay"}

// compareVaried are the flags of train, of every method, that --vary takes.
var compareVaried = []string{"workers", "batch", "rate", "momentum", "weight-decay", "width", "image"}

// linkAxis is the axis that is no flag: the bandwidth of all links.
const linkAxis = "link"

// The gradients after which a run ends that has not reached the target, and those of a timing-only run.
const (
	compareHorizon = 12_000
	compareTimed   = 1_200
)

// compareOptions holds the flags of compare.
type compareOptions struct {
	methods []string
	set     []string
	vary    []string // at most one
	seeds   string
	out     string
	given   *pflag.FlagSet // those of train
}

func (a *app) compareCommand() *cobra.Command {
	o := &compareOptions{}
	cmd := &cobra.Command{
		Use:   "compare --sync METHOD,METHOD… --target-accuracy SHARE",
		Short: "Compare methods of your choice, over seeds, by their time to an accuracy",
		Long: `Compare methods of your choice, over seeds, by their time to an accuracy, and write a
result of your own, of which report makes a page. The first method is the
reference, and every other one gets a plain verdict beside it: sooner, later,
cannot tell (and how many seeds would), or no case (both did exactly the same).

The time to an accuracy is the experiments' own: the geometric mean of the times to
five accuracies up to the one that is asked for, in steps of 5 points (below 50 % a
tenth of it), each interpolated between evaluations. These are made every ` + strconv.Itoa(train.TargetEvery) + ` gradients,
whatever bounds the run. The first crossing of the accuracy alone stands beside it.
Intervals hold in 95 % of cases, each by itself, of ratios paired by seed. Methods
are compared by time alone: an update of one may hold one gradient, that of
another all workers'. --timing-only compares the time of 1,000 gradients instead, in
which fast workers count more often; Tables 4 and 5 of DASP have the mean over workers,
which train --json calls iteration_seconds.per_worker.

Runs go on beside each other on all cores. After Ctrl-C the same command goes on; more
seeds, methods or values make only what is new, as long as the binary is the same.
A run that never reaches the accuracy ends after --pushes gradients; one that diverges
ends there and is told, and the others are compared all the same.

The experiments that put the documents' own methods side by side are another thing:
gradsync run compare.`,
		Example: "  gradsync compare --sync dasp,asp,ssp --rate 0.2 --seeds 0-4 --target-accuracy 0.75 --out out/mine\n" +
			"  gradsync compare --sync dasp,ssp --set dasp.smin=1 --set ssp.staleness=5 --timing-only --out out/waits\n" +
			"  gradsync compare --sync ring,bsp --timing-only --vary link=1,10,100 --seeds 0-2 --out out/links",
		Args: func(_ *cobra.Command, got []string) error {
			if len(got) > 0 {
				return usagef("compare: %q: want flags only, see `gradsync compare --help`; `gradsync run compare` runs the documents' comparisons", got[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.compare(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.methods, "sync", nil, "methods, the reference first: "+strings.Join(train.Methods(), ", "))
	f.StringArrayVar(&o.set, "set", nil, "a flag of one method, as `METHOD.FLAG=VALUE`; may be repeated")
	f.StringArrayVar(&o.vary, "vary", nil, "repeat everything along one `AXIS=VALUE,VALUE…`: link (Gb/s), "+strings.Join(compareVaried, ", ")+", or METHOD.FLAG")
	f.StringVar(&o.seeds, "seeds", "0-4", "seeds, separated by commas, or from-to")
	f.StringVar(&o.out, "out", filepath.Join("out", "mine"), "folder of the result, which is called own/ and the folder's name")
	o.given = pflag.NewFlagSet("", pflag.ContinueOnError)
	of := &cobra.Command{}
	(&trainFlags{own: map[string]*float64{}}).define(of)
	for _, name := range compareShared {
		flag := of.Flags().Lookup(name)
		switch name {
		case "pushes":
			flag.Usage = fmt.Sprintf("end a run after N gradients (default %d; %d with --timing-only)", compareHorizon, compareTimed)
		case "eval-every":
			flag.Usage = fmt.Sprintf("gradients between evaluations (default %d)", train.TargetEvery)
		case "target-accuracy":
			flag.Usage = "compare the times to this share of right answers, 0 to 1"
		}
		o.given.AddFlag(flag)
	}
	f.AddFlagSet(o.given)
	return cmd
}

// compare makes the comparison that o asks for.
func (a *app) compare(ctx context.Context, o *compareOptions) error {
	commit()
	p, device, err := o.plan()
	if err != nil {
		return comparing(err)
	}
	env := exp.Env{DataDir: o.given.Lookup("data-dir").Value.String()}
	if !o.timing() {
		var line string
		if env.Engine, line, err = a.chooseDevice(device); err != nil {
			return err
		}
		one := p.Configs[own.Point{Method: p.Methods[0]}]
		if _, err := train.OpenData(one.Data, env.DataDir, one.Model); err != nil {
			return comparing(err) // once, and not for each run
		}
		a.engineNote(line)
	}
	parts, err := memo.Open(o.out, nil, func(line string) { fmt.Fprintln(a.err, line) })
	if err != nil {
		return comparing(err)
	}
	defer parts.Close()
	env.Memo = parts
	if n := parts.Parts(); n > 0 && !a.quiet {
		fmt.Fprintf(a.err, "%d finished runs of earlier commands lie in %s\n", n, parts.Root)
	}
	start := time.Now()
	bar := a.newBar("compare")
	left := &timeLeft{total: float64(p.Runs()), start: start}
	cells, err := own.Run(ctx, env, p, func(done float64, what string) { bar.set(done, left.total, left.say(done, what, time.Now())) })
	bar.finish()
	if err != nil {
		return fmt.Errorf("compare: interrupted: %d runs of %d are kept in %s: repeat the same command to go on",
			parts.Made+parts.Taken, p.Runs(), parts.Root)
	}
	rows := p.Rows(cells)
	r := p.Result(rows)
	path, err := result.Write(o.out, r, provenance(start, time.Since(start), engineOf(r), a.accelerator(r)))
	if err != nil {
		return comparing(err)
	}
	if a.json {
		err = a.printJSON(comparedObject(p, rows, r, path))
	} else {
		a.printComparison(p, rows, path)
	}
	for _, row := range rows {
		if len(row.Failed) > 0 && err == nil {
			f := row.Failed[0]
			err = fmt.Errorf("compare: %s failed with seed %d: %s", row.Method, f.Seed, f.Why)
		}
	}
	return err
}

// comparing names the command in an error that train or another part worded.
func comparing(err error) error {
	text := oneLine(err)
	for _, other := range []string{"compare: ", "train: ", "run: "} {
		text = strings.TrimPrefix(text, other)
	}
	named := fmt.Errorf("compare: %s", text)
	var usage usageError
	var input *train.InputError
	if errors.As(err, &usage) || errors.As(err, &input) {
		return usageError{named}
	}
	return named
}

// timeLeft tells of the time that is left. What is done within the first second was at hand: it took none.
type timeLeft struct {
	mu     sync.Mutex
	total  float64
	start  time.Time
	atHand float64
}

func (l *timeLeft) say(done float64, what string, now time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	took := now.Sub(l.start).Seconds()
	if took < 1 {
		l.atHand = max(l.atHand, math.Floor(done))
		return what
	}
	if done <= l.atHand {
		return what
	}
	return fmt.Sprintf("%d of %.0f runs, about %s left: %s", int(done), l.total, about(took*(l.total-done)/(done-l.atHand)), what)
}

// flag returns the value of a shared flag.
func (o *compareOptions) flag(name string) string { return o.given.Lookup(name).Value.String() }

// changed reports whether a shared flag was given.
func (o *compareOptions) changed(name string) bool { return o.given.Lookup(name).Changed }

func (o *compareOptions) timing() bool { return o.flag("timing-only") == "true" }

// resultName matches what a folder may be called that names a result.
var resultName = regexp.MustCompile(`^[a-z0-9-]+$`)

// plan reads the flags into a plan.
func (o *compareOptions) plan() (*own.Plan, deviceFlags, error) {
	fail := func(err error) (*own.Plan, deviceFlags, error) { return nil, deviceFlags{}, err }
	p := &own.Plan{Name: filepath.Base(filepath.Clean(o.out)), Methods: o.methods}
	if !resultName.MatchString(p.Name) {
		return fail(usagef("--out %s: its last part names the result: small letters, digits and hyphens alone", o.out))
	}
	if len(o.methods) == 0 {
		return fail(usagef("--sync names the methods, the reference first: %s (the documents' own comparisons are `gradsync run compare`)",
			strings.Join(train.Methods(), ", ")))
	}
	for i, m := range o.methods {
		if _, ok := method.Get(m); !ok {
			return fail(usagef("no method %q:%s known are %s", m, didYouMean(m, train.Methods(), ""), strings.Join(train.Methods(), ", ")))
		}
		if slices.Contains(o.methods[:i], m) {
			return fail(usagef("--sync: %s stands twice; --vary %s.FLAG=… compares it with itself", m, m))
		}
	}
	if !o.timing() && !o.changed("target-accuracy") {
		return fail(usagef("give --target-accuracy (0.75, say), or --timing-only to compare times of gradients alone; " +
			"the documents' own comparisons are `gradsync run compare`"))
	}
	var err error
	if p.Seeds, err = parseSeeds(o.seeds); err != nil {
		return fail(err)
	}
	set, err := o.sets()
	if err != nil {
		return fail(err)
	}
	values, err := o.axis(p)
	if err != nil {
		return fail(err)
	}
	var device deviceFlags
	p.Configs = map[own.Point]train.Config{}
	for v := range p.Values {
		for _, m := range o.methods {
			f, cfg, err := o.config(p, m, values[v], set[m])
			if err != nil {
				return fail(err)
			}
			p.Configs[own.Point{Method: m, Value: v}] = cfg
			if device = f.deviceFlags; v == 0 {
				p.Options = append(p.Options, optionsOf(f, m)...)
			}
		}
	}
	p.Command = o.command()
	if err := p.Check(); err != nil {
		return fail(usageError{err})
	}
	return p, device, nil
}

// settable returns the flags of a method that --set and --vary may name.
func settable(m method.Method) (names []string) {
	for _, f := range m.Flags {
		if f.Name != "record" && f.Name != "replay" && f.Name != "lease" { // files, and a matter of real clocks
			names = append(names, f.Name)
		}
	}
	return append(names, compareSet...)
}

// key reads METHOD.FLAG of --set or --vary.
func (o *compareOptions) key(what, key string) (m method.Method, flag string, err error) {
	name, flag, ok := strings.Cut(key, ".")
	if !ok || name == "" || flag == "" {
		return m, "", usagef("%s: %q is no METHOD.FLAG:%s", what, key, cmp.Or(o.havers(key), " want one such as dasp.smin"))
	}
	if !slices.Contains(o.methods, name) {
		return m, "", usagef("%s: %s is none of --sync %s:%s", what, name, strings.Join(o.methods, ","),
			cmp.Or(didYouMean(name, o.methods, ""), " name one of these"))
	}
	m, _ = method.Get(name)
	if all := settable(m); !slices.Contains(all, flag) {
		return m, "", usagef("%s: %s has no flag %q:%s it has %s", what, name, flag, didYouMean(flag, all, name+"."), strings.Join(all, ", "))
	}
	return m, flag, nil
}

// havers names the flag of each compared method that has it, where a key lacks its method.
func (o *compareOptions) havers(flag string) string {
	var full []string
	for _, name := range o.methods {
		if m, _ := method.Get(name); slices.Contains(settable(m), flag) {
			full = append(full, "`"+name+"."+flag+"`")
		}
	}
	if len(full) == 0 {
		return ""
	}
	return " did you mean " + strings.Join(full, " or ") + "?"
}

// sets returns the flags that --set gives each method.
func (o *compareOptions) sets() (map[string][]string, error) {
	out := map[string][]string{}
	for _, s := range o.set {
		key, value, ok := strings.Cut(s, "=")
		if !ok || value == "" {
			return nil, usagef("--set %s: want METHOD.FLAG=VALUE, such as dasp.smin=1", s)
		}
		m, flag, err := o.key("--set "+s, key)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out[m.Name], func(was string) bool { return strings.HasPrefix(was, "--"+flag+"=") }) {
			return nil, usagef("--set %s: %s stands twice; --vary %s=VALUE,VALUE… compares values", s, key, key)
		}
		out[m.Name] = append(out[m.Name], "--"+flag+"="+value)
	}
	return out, nil
}

// axis reads --vary into p and returns its values as they were written.
func (o *compareOptions) axis(p *own.Plan) ([]string, error) {
	if len(o.vary) > 1 {
		return nil, usagef("--vary %s and --vary %s: one axis at a time; --set the other, and repeat with another --out", o.vary[0], o.vary[1])
	}
	if len(o.vary) == 0 {
		p.Values = []any{nil}
		return []string{""}, nil
	}
	vary := o.vary[0]
	axis, list, ok := strings.Cut(vary, "=")
	if !ok || list == "" {
		return nil, usagef("--vary %s: want AXIS=VALUE,VALUE…, such as link=1,10,100", vary)
	}
	p.Axis, p.Unit = axis, map[string]string{linkAxis: "Gb/s", "batch": "images"}[axis]
	known := append([]string{linkAxis}, compareVaried...)
	switch {
	case strings.Contains(axis, "."):
		if _, _, err := o.key("--vary "+vary, axis); err != nil {
			return nil, err
		}
	case !slices.Contains(known, axis):
		return nil, usagef("--vary %s: no axis %q:%s known are %s, and METHOD.FLAG",
			vary, axis, cmp.Or(o.havers(axis), didYouMean(axis, known, "")), strings.Join(known, ", "))
	case o.given.Lookup(axis) != nil && o.changed(axis):
		return nil, usagef("--vary %s: leave out --%s", vary, axis)
	}
	values := strings.Split(list, ",")
	numbers := true
	for i, s := range values {
		values[i] = strings.TrimSpace(s)
		x, err := strconv.ParseFloat(values[i], 64)
		numbers = numbers && err == nil
		if axis == linkAxis && !(err == nil && x > 0 && x < 1e9) {
			return nil, usagef("--vary %s: %q is no rate of a link in Gb/s", vary, s)
		}
		if values[i] == "" || slices.Contains(values[:i], values[i]) {
			return nil, usagef("--vary %s: want each value once", vary)
		}
	}
	for _, s := range values {
		if x, err := strconv.ParseFloat(s, 64); numbers && err == nil {
			p.Values = append(p.Values, x)
		} else {
			p.Values = append(p.Values, s)
		}
	}
	return values, nil
}

// config returns the training of one method at one value, by the flags of train itself.
func (o *compareOptions) config(p *own.Plan, sync, value string, set []string) (*trainFlags, train.Config, error) {
	f := &trainFlags{own: map[string]*float64{}}
	cmd := &cobra.Command{Use: "compare", SilenceErrors: true, SilenceUsage: true}
	f.define(cmd)
	f.given = cmd.Flags().Changed
	pushes := compareHorizon
	if o.timing() {
		pushes = compareTimed
	}
	words := []string{"--sync=" + sync, fmt.Sprintf("--pushes=%d", pushes)}
	o.given.VisitAll(func(flag *pflag.Flag) {
		if flag.Changed {
			words = append(words, "--"+flag.Name+"="+flag.Value.String())
		}
	})
	words = append(words, set...)
	if at, flag, ok := strings.Cut(p.Axis, "."); ok && at == sync {
		words = append(words, "--"+flag+"="+value)
	} else if !ok && p.Axis != "" && p.Axis != linkAxis {
		words = append(words, "--"+p.Axis+"="+value)
	}
	if err := cmd.ParseFlags(words); err != nil {
		return nil, train.Config{}, usagef("%s: %s", sync, flagProblem(cmd, err))
	}
	cfg, err := f.config()
	if err == nil && p.Axis == linkAxis {
		gbps, _ := strconv.ParseFloat(value, 64) // axis saw to it
		name := cfg.Platform.Name
		cfg.Platform = cfg.Platform.WithHosts(func(h *cluster.Host, _ bool) { h.Bandwidth = gbps * 1e9 / 8 })
		cfg.Platform.Name = fmt.Sprintf("%s, %s Gb/s", name, value)
	}
	if err == nil {
		cfg, err = cfg.Resolved()
	}
	return f, cfg, err
}

// optionsOf lists the flags that a method reads, with their values.
func optionsOf(f *trainFlags, sync string) (out []own.Option) {
	m, _ := method.Get(sync)
	fields := f.fields()
	for _, name := range settable(m) {
		var x any
		switch p := fields[name].(type) {
		case *int64:
			x = *p
		case *int:
			x = *p
		case *float64:
			x = *p
		case *bool:
			x = strconv.FormatBool(*p)
		case *string:
			x = *p
		case *[]string:
			x = strings.Join(*p, ",")
		case *time.Duration:
			x = p.String()
		default:
			if of := f.own[name]; of != nil {
				x = *of
			} else {
				x = map[string]float64{"rate": f.Rate, "momentum": f.Momentum, "weight-decay": f.WeightDecay}[name]
			}
		}
		out = append(out, own.Option{Method: sync, Flag: name, Value: x, Given: f.given(name)})
	}
	return out
}

// command returns the command that asks for the comparison, word by word: what decides no number is left out.
func (o *compareOptions) command() []string {
	words := []string{"gradsync", "compare", "--sync", strings.Join(o.methods, ",")}
	o.given.VisitAll(func(flag *pflag.Flag) {
		switch value := flag.Value.String(); {
		case !flag.Changed || slices.Contains([]string{"device", "engine", "data-dir"}, flag.Name):
		case flag.Value.Type() == "bool":
			words = append(words, "--"+flag.Name)
		case flag.Name == "platform":
			words = append(words, "--platform", filepath.ToSlash(filepath.Base(value)))
		default:
			words = append(words, "--"+flag.Name, value)
		}
	})
	for _, s := range o.set {
		words = append(words, "--set", s)
	}
	for _, axis := range o.vary {
		words = append(words, "--vary", axis)
	}
	return append(words, "--seeds", o.seeds)
}
