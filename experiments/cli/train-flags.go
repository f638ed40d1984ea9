package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gradsync/datasets"
	"gradsync/experiments/cli/launch"
	"gradsync/experiments/method"
	"gradsync/experiments/platforms"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/papers/dasp/rivals"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/mpi"
	"gradsync/shared/cluster/tcp"
	"gradsync/shared/tensor/codec"
	"gradsync/shared/tensor/model"
)

// The sizes of a network, for every command that builds one.
const (
	widthUsage = "share of the network's channels and hidden units, all but lenet5: 1/64 (resnet110: 1/16, cnn: 1/32) to 16 (default 1)"
	imageUsage = "side of the images, resnet18, resnet110 and vgg19_bn only: 16 or 32 (default 32)"
)

// trainFlags holds the flags of train until config makes a Config of them.
type trainFlags struct {
	train.Config
	crashes []string // --crash
	deviceFlags
	platform string
	options  rivals.Options
	sparse   ringsparse.Options
	coded    codedsgd.Options
	bucketK  int64               // KiB
	sums     string              // --collective
	own      map[string]*float64 // parameters of a registered method, by flag
	// tensorboard is the folder of event files.
	tensorboard string
	certs       string
	insecure    bool
	given       func(flag string) bool
	said        string // on the platform, before a run begins; "": nothing
	mpiLibrary  string // that --mpi-lib names
}

// inputUsage makes an error a usage error where what was asked for cannot be run.
func inputUsage(err error) error {
	var in *train.InputError
	if errors.As(err, &in) {
		return usageError{err}
	}
	return err
}

func (f *trainFlags) define(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.Sync, "sync", "dasp", "method: "+strings.Join(train.Methods(), ", "))
	s.StringVar(&f.Model, "model", "lenet5", "model: "+strings.Join(model.Names(), ", "))
	s.Float64Var(&f.Width, "width", 0, widthUsage)
	s.IntVar(&f.Image, "image", 0, imageUsage+"; with --timing-only any multiple of 16")
	s.IntVar(&f.Classes, "classes", 0, "keep the images of the first N classes, and N logits (default: all)")
	s.StringVar(&f.Data, "data", "", "data set: "+strings.Join(datasets.Names(), ", ")+
		", or your own by its name (gradsync data import); default: the paper's for the model, else the embedded one")
	s.StringVar(&f.DataDir, "data-dir", "", "folder of data sets")
	f.deviceFlags.define(s, autoDevice, deviceUsage)
	s.StringVar(&f.Backend, "backend", "native", "who computes gradients: native or gorgonia")
	s.IntVar(&f.Workers, "workers", 0, "workers (default: all of the platform's)")
	s.StringVar(&f.platform, "platform", "", "platform: a file, a result's (RESULT.json or RESULT.json#KEY), or one of "+
		strings.Join(platforms.Names(), ", ")+" (default "+platforms.Default+"); gradsync platform makes and shows them")
	s.StringVar(&f.Runtime, "runtime", "virtual", "runtime: "+strings.Join(train.Runtimes, ", ")+", "+train.OverMPI+", or "+autoRuntime+
		": tcp in a process of a job, mpi under mpirun, mpiexec or srun, else virtual")
	s.StringVar(&f.mpiLibrary, "mpi-lib", "", "MPI library to open, a name or a path, with --runtime mpi (default the launcher's)")
	s.StringVar(&f.certs, "certs", "", "tcp: folder of the job's certificates (gradsync certs): TLS 1.3 between all ranks")
	s.BoolVar(&f.insecure, "insecure", false, "tcp, in a job: no certificates off loopback, in the clear")
	s.BoolVar(&f.Emulate, "emulate", false, "local, tcp: computations last at least the platform's time for them")
	s.BoolVar(&f.Elastic.Elastic, "elastic", false, "go on without the ranks that are lost, but the server's; not hierarchical, ssgd-unicast, "+
		"ssgd-multicast, compressed; of processes: gradsync launch --elastic")
	s.StringSliceVar(&f.crashes, "crash", nil, "RANK@TIME,…: hosts that fail, to try --elastic; rank 0 is the server where there is one")
	s.Uint64Var(&f.Seed, "seed", 0, "seed")
	s.IntVar(&f.Batch, "batch", 16, "images per worker and iteration")
	s.Float64Var(&f.Rate, "rate", 0.05, "learning rate")
	s.Float64Var(&f.Momentum, "momentum", 0, "momentum: at the server; without one on every rank, of the sum")
	s.Float64Var(&f.WeightDecay, "weight-decay", 0, "weight decay: at the server; without one on every rank")
	s.Int64Var(&f.MaxUpdates, "updates", 0, "end after N global updates")
	s.Int64Var(&f.MaxPushes, "pushes", 0, "end after N gradients (default 1,200 where nothing else ends the run)")
	s.Float64Var(&f.TargetAccuracy, "target-accuracy", 0, "end at this share of right answers, 0 to 1")
	s.Int64Var(&f.EvalEvery, "eval-every", 0, "gradients between evaluations (default "+
		strconv.Itoa(train.TargetEvery)+" with --target-accuracy, else a sixth of the run; negative: none)")
	s.IntVar(&f.EvalImages, "eval-images", 1000, "test images per evaluation on the way")
	s.Int64Var(&f.Warmup, "warmup", 0, "first pushes of each worker left out of the times")
	s.DurationVar(&f.Launch, "launch", train.DefaultLaunch, "time per layer beside its arithmetic, on the reference device; negative: none")
	s.DurationVar(&f.Overhead, "overhead", train.DefaultOverhead, "time per iteration beside its layers, on the reference device; negative: none")
	s.StringVar(&f.Host, "host", train.HostScaled, "launch and overhead: scaled with the machine's speed, or fixed, the same time on every machine")
	s.BoolVar(&f.TimingOnly, "timing-only", false, "the same events without the arithmetic")
	s.IntVar(&f.Threads, "threads", 1, "threads per engine call; no result depends on it")
	s.StringVar(&f.Trace, "trace", "", "write the run's time line as a Chrome trace for Perfetto: a process per rank; messages on virtual, on real clocks "+
		"the waits for them")
	s.StringVar(&f.tensorboard, "tensorboard", "", trainTensorboardUsage)
	s.StringVar(&f.Save, "save", "", "write the trained parameters as safetensors; its metadata name model, width and image")
	s.StringVar(&f.Load, "load", "", "start from these parameters, of the same model, width and image where the file says which")
	s.StringVar(&f.CheckpointDir, "checkpoint", "", "folder of the run's newest state: the same command, started again after it was killed, goes on from there; "+
		"virtual: every method, local and tcp: synchronous ones")
	s.Int64Var(&f.CheckpointEvery, "every", 0, "--checkpoint: updates between two states")
	s.BoolVar(&f.RawPixels, "raw-pixels", false, "pixels as shares of 255, not normalised: black is exactly zero")
	s.BoolVar(&f.Best, "best", false, "end with the parameters of least loss on 1,000 training images, of those at evaluations")
	f.defineMethods(s)
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

// codecNames lists the values of --codec beside auto.
func codecNames() string {
	var names []string
	for _, c := range codec.All() {
		names = append(names, c.Name())
	}
	return strings.Join(names, ", ")
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
		"collective": &f.sums, "bucket": &f.bucketK, "no-overlap": &f.NoOverlap, "batch-size": &f.BatchSize, "segment": &f.Segment, "per-node": &f.PerNode,
		"kinds": &sparse.Kinds, "codec": &sparse.Codec, "codecs": &sparse.Codecs, "tie": &sparse.Tie, "rule": &sparse.Rule,
		"size": &sparse.Size, "sign": &sparse.Sign, "threshold": &sparse.Threshold, "density": &f.Density, "link": &sparse.Bandwidth,
		"redundancy": &coded.Redundancy, "micro-blocks": &coded.MicroBlocks, "split": &coded.Split, "literal": &coded.Literal,
		"depth": &coded.Depth, "range": &coded.Range, "speed-aware": &f.SpeedAware,
	}
}

// config completes the flags: platform, policy options, an end of the run.
func (f *trainFlags) config() (train.Config, error) {
	cfg := f.Config
	if !slices.Contains(train.Methods(), cfg.Sync) {
		return cfg, usagef("train: no method %q: known are %s", cfg.Sync, strings.Join(train.Methods(), ", "))
	}
	at, err := f.chooseRuntime()
	if err != nil {
		return cfg, err
	}
	cfg.Runtime = f.Runtime
	if err = f.check(); err != nil {
		return cfg, err
	}
	cfg.Crashes = f.Crashes
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
	cfg.Certs = f.certs
	if err := f.place(&cfg, at); err != nil {
		return cfg, err
	}
	if err := f.checkCollective(&cfg); err != nil {
		return cfg, err
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
	}
	return cfg, nil
}

// checkCollective refuses what devices cannot do instead of the method's messages.
func (f *trainFlags) checkCollective(cfg *train.Config) error {
	switch f.sums {
	case ownCollective:
		return nil
	case engineCollective:
		if cfg.Certs != "" {
			return usagef("train: --collective %s speaks over NCCL's own connections, in the clear: not with certificates", f.sums)
		}
		if err := cfg.CheckCollective(); err != nil {
			return usagef("train: --collective %s: %s", f.sums, strings.TrimPrefix(err.Error(), "train: "))
		}
		return nil
	}
	return usagef("train: --collective %s: want %s or %s", f.sums, ownCollective, engineCollective)
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

// defaultPushes ends a run where no flag does, as in profile quick.
const defaultPushes = 1200

// targetBound ends a search for an accuracy that is never reached.
const targetBound = 100_000

// choosePlatform loads --platform, of as many workers at least as the run has. Where all times
// are the clock's, and none is the platform's, a run that names none has equal hosts, and says so.
func (f *trainFlags) choosePlatform() (*cluster.Platform, error) {
	p, err := platforms.Choose(f.platform, f.Workers)
	var few *platforms.TooFewError
	if errors.As(err, &few) && f.platform == "" && f.Runtime != "virtual" && !f.Emulate && !f.TimingOnly {
		if p, err = platforms.Homogeneous(f.Workers); err != nil {
			return nil, usageError{fmt.Errorf("train: %s", strings.TrimPrefix(err.Error(), "platforms: "))}
		}
		f.said = fmt.Sprintf("platform %s: %s has %d workers; on %s all times are the clock's, whatever the platform", p.Name, few.Name, few.Has, f.Runtime)
	}
	if err != nil {
		return nil, platformError("train", err)
	}
	return p, nil
}

// autoRuntime is the --runtime that the environment decides.
const autoRuntime = "auto"

// chooseRuntime settles --runtime, and returns this process's place in a job that launch or
// a scheduler started: nil without one, where all ranks are in this process, or with MPI's launcher,
// which joinMPI asks. A process of a job that would train alone, and print what N of its kind print
// too, is refused; under a launcher, where that may be meant, unless --runtime says so.
func (f *trainFlags) chooseRuntime() (*tcp.Config, error) {
	at, ok, err := launch.Place(os.LookupEnv)
	launcher := mpi.Launcher(os.LookupEnv)
	switch {
	case f.Runtime == train.OverMPI && launcher == "":
		return nil, usagef("train: --runtime %s: no launcher started this process: `mpirun --bind-to none -n 4 gradsync train …`, mpiexec or srun does", f.Runtime)
	case f.Runtime == train.OverMPI:
		ok, err = false, nil // the launcher says what the place is
	case !ok && err == nil && launcher != "" && !f.given("runtime"):
		return nil, usagef("train: %s started this process as one of several, and each would train alone: give --runtime %s, or --runtime %s if that is meant",
			launcher, train.OverMPI, f.Runtime)
	case f.Runtime == autoRuntime && !ok && err == nil && launcher != "":
		f.Runtime = train.OverMPI
	case f.Runtime == autoRuntime && !ok && err == nil:
		f.Runtime = "virtual"
	case f.Runtime == autoRuntime:
		f.Runtime = "tcp"
	case f.Runtime != "tcp" && (ok || err != nil):
		return nil, usagef("train: the environment says that this is a process of a job (GRADSYNC_RANK, GRADSYNC_SIZE, GRADSYNC_RENDEZVOUS), which "+
			"--runtime %s would train alone: give --runtime tcp or %s, or unset them", f.Runtime, autoRuntime)
	}
	switch {
	case f.given("mpi-lib") && f.Runtime != train.OverMPI:
		return nil, usagef("train: --mpi-lib is for --runtime %s, not for %s", train.OverMPI, f.Runtime)
	case f.certs != "" && f.Runtime != "tcp":
		return nil, usagef("train: --certs is for --runtime tcp, not for %s", f.Runtime)
	case f.insecure && f.Runtime == train.OverMPI:
		return nil, usagef("train: --insecure is for --runtime tcp, not for %s", f.Runtime)
	case f.insecure && !ok:
		return nil, usagef("train: --insecure is for a process of a job; without one all ranks are on loopback")
	}
	if err != nil || !ok {
		return nil, err
	}
	return &at, nil
}

// joinOverMPI is how long ranks wait for each other: some read their data later, and who dies is the launcher's business.
const joinOverMPI = time.Minute

// joinMPI begins MPI and returns this process's place among those that its launcher started.
func (f *trainFlags) joinMPI(cfg *train.Config) (*tcp.Config, error) {
	w, err := mpi.Open(f.mpiLibrary)
	if err != nil {
		return nil, err
	}
	f.say("mpi: " + w.String())
	cfg.MPI = w.New
	return &tcp.Config{Rank: w.Rank, Size: w.Size, Job: "train", Join: joinOverMPI}, nil
}

// say keeps a line for the beginning of the training.
func (f *trainFlags) say(line string) {
	if f.said != "" {
		line = f.said + "\n" + line
	}
	f.said = line
}

// place sets this process's rank in a job: at, nil without one, or what MPI says.
func (f *trainFlags) place(cfg *train.Config, at *tcp.Config) (err error) {
	if f.Runtime == train.OverMPI {
		at, err = f.joinMPI(cfg)
	}
	if err != nil || at == nil {
		return err
	}
	ranks := cfg.Workers
	if !slices.Contains(train.Serverless(), cfg.Sync) {
		ranks++
	}
	if at.Size != ranks && f.Runtime == train.OverMPI {
		return usageError{fmt.Errorf("train: %s with --workers %d: %w", cfg.Sync, cfg.Workers, &mpi.SizeError{Processes: at.Size, Ranks: ranks})}
	}
	if at.Size != ranks {
		return usagef("train: %d processes, but %s with --workers %d needs %d", at.Size, cfg.Sync, cfg.Workers, ranks)
	}
	if f.certs != "" {
		at.Certs = f.certs
	}
	at.Insecure = at.Insecure || f.insecure
	if at.Certs != "" && at.Insecure {
		return usagef("train: certificates and --insecure: want one of the two")
	}
	cfg.Elastic.Elastic = cfg.Elastic.Elastic || at.Elastic
	at.Elastic = cfg.Elastic.Elastic
	cfg.TCP, cfg.Certs = at, at.Certs
	return nil
}

// check refuses a flag that was given and would be ignored, one of another method
// or mode, and a number out of its range.
func (f *trainFlags) check() error {
	for _, word := range f.crashes {
		rank, at, _ := strings.Cut(word, "@")
		k, bad := strconv.Atoi(rank)
		d, wrong := time.ParseDuration(at)
		if bad != nil || wrong != nil {
			return usagef("train: --crash %s: want RANK@TIME, as 2@300ms", word)
		}
		f.Crashes = append(f.Crashes, train.Crash{Rank: k, At: d})
	}
	for _, flag := range method.Flags() {
		if readers := method.Readers(flag.Name); f.given(flag.Name) && !slices.Contains(readers, f.Sync) {
			return usagef("train: --%s is for %s, not for %s", flag.Name, strings.Join(readers, ", "), f.Sync)
		}
	}
	if f.TimingOnly {
		for _, flag := range strings.Fields("backend device engine threads data data-dir raw-pixels eval-every eval-images target-accuracy " +
			"best save load checkpoint every") {
			if f.given(flag) {
				return usagef("train: --%s is for training, not for --timing-only", flag)
			}
		}
	}
	if err := f.checkSparse(); err != nil {
		return err
	}
	if f.given("emulate") && f.Runtime == "virtual" {
		return usagef("train: --emulate is for --runtime local, tcp and mpi, not for %s", f.Runtime)
	}
	if f.Backend != "native" {
		for _, flag := range []string{"device", "engine", "threads"} {
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

// checkSparse refuses options of ringsparse that another makes idle.
func (f *trainFlags) checkSparse() error {
	o := &f.sparse
	if o.Codec != "auto" {
		for _, flag := range []string{"codecs", "rule", "size", "link"} {
			if f.given(flag) {
				return usagef("train: --%s is for --codec auto, not for %s", flag, o.Codec)
			}
		}
	}
	if f.given("tie") && o.Kinds != "both" {
		return usagef("train: --tie is for --kinds both, not for %s", o.Kinds)
	}
	if f.given("codecs") {
		sorted := slices.Sorted(slices.Values(o.Codecs))
		if len(sorted) == 0 || len(slices.Compact(sorted)) < len(o.Codecs) {
			return usagef("train: --codecs %s: want each name once, at least one", strings.Join(o.Codecs, ","))
		}
	}
	if f.given("density") && !f.TimingOnly {
		return usagef("train: --density is for --timing-only")
	}
	return nil
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
		{"every", f.CheckpointEvery, f.CheckpointEvery >= 1, positive},
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
