// Package train runs one training: a model, a data set, a synchronisation
// method and a platform give an Outcome. The experiments and `gradsync train`
// are thin around Run.
package train

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gradsync/experiments/method"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
	"gradsync/shared/tensor/model"
)

// Runtimes lists the values of Config.Runtime but OverMPI.
var Runtimes = []string{"virtual", "local", "tcp"}

// OverMPI is the value of Config.Runtime for processes that an MPI launcher started.
const OverMPI = "mpi"

// Config describes one training. A field's zero value stands for the default that its comment
// names; Model, Sync and Platform have none.
type Config struct {
	Sync  string `json:"sync"`  // a method of rivals.Names(), or one without a server
	Model string `json:"model"` // a name of model.Names()
	// Width scales the channels and hidden units of all but lenet5, 1/64 to 16, of
	// resnet110 and cnn from 1/16 and 1/32; Image is the side of the images that the
	// deep networks see, 16 or 32, in a timing-only run any multiple of 16. 0: 1, and
	// the network's own side.
	Width float64 `json:"width,omitempty"`
	Image int     `json:"image,omitempty"`
	// Classes keeps the images of the first Classes classes, and as many logits; 0: all.
	Classes int `json:"classes,omitempty"`

	// Data names a set of datasets.Names() or of own images, which must be found. "" is the
	// set that papers train the model on, or the embedded one with a note.
	Data    string `json:"data"`
	DataDir string `json:"-"` // where to look first; the content's hash is in the outcome
	// RawPixels gives the network pixels as shares of 255, not normalised: black is
	// exactly zero, and so are the gradients of weights that see only black.
	RawPixels bool `json:"raw_pixels,omitempty"`

	// Engine is a name of tensor.Engines(). "" is "portable", which is everywhere
	// and has the same bits everywhere; the outcome names what ran.
	Engine  string `json:"engine"`
	Backend string `json:"backend"` // "native"; "gorgonia"

	Workers  int               `json:"workers"` // all of the platform's
	Platform *cluster.Platform `json:"platform"`
	Runtime  string            `json:"runtime"` // "virtual"; "local"; "tcp"; "mpi"
	// TCP is this process's place in a job of several; nil: on tcp all ranks are in
	// this process, each with its own sockets.
	TCP *tcp.Config `json:"-"`
	// MPI returns the runtime of a place on OverMPI, of which Rank, Size and Job count.
	MPI func(place tcp.Config) cluster.Runtime `json:"-"`
	// Certs is the folder of a job's certificates, for tcp in this process; "": in the clear.
	Certs string `json:"-"`
	// Emulate makes a computation on a real clock last at least the platform's time
	// for it; a timing-only run always does.
	Emulate bool   `json:"emulate"`
	Seed    uint64 `json:"seed"`

	Batch int `json:"batch"` // 16 images per worker and iteration
	// BatchSize is the images of all workers together, for a method without a server;
	// it sets Batch, which the last workers miss by one image where it is no multiple
	// of their number. Their gradients then count by their images. 0: Workers·Batch.
	BatchSize   int     `json:"batch_size,omitempty"`
	Rate        float64 `json:"rate"` // 0.05
	Momentum    float64 `json:"momentum"`
	WeightDecay float64 `json:"weight_decay"`
	// Launch is the cost of a layer to the reference device beside its arithmetic, once forward
	// and twice backward; Overhead the cost of an iteration beside its layers. Both scale with the
	// machine, unless Host is HostFixed. DefaultLaunch and DefaultOverhead; negative: nothing.
	Launch   time.Duration `json:"launch"`
	Overhead time.Duration `json:"overhead"`
	Host     string        `json:"host,omitempty"` // one of Hosts; "": HostScaled

	MaxPushes  int64 `json:"max_pushes"`  // gradients used; 0: no bound
	MaxUpdates int64 `json:"max_updates"` // global updates; 0: no bound
	// TargetAccuracy ends the run at the first evaluation that reaches it; 0: off.
	TargetAccuracy float64 `json:"target_accuracy"`
	EvalEvery      int64   `json:"eval_every"`  // pushes; 0: TargetEvery with a target, else a sixth of the run; negative: never
	EvalImages     int     `json:"eval_images"` // test images per evaluation on the way; 0: 1,000
	Warmup         int64   `json:"warmup"`      // first pushes of each worker left out of the times

	// What the methods of each family read.
	Server
	AllReduce
	CodedSGD
	Elastic
	Checkpoints

	// Best ends with the parameters, of those at evaluations and the first ones, of the
	// least loss on a fixed part of the training images: Algorithm 1 of codedsgd, step 8.
	Best bool `json:"best,omitempty"`

	TimingOnly bool `json:"timing_only"` // the same events without the arithmetic

	// Clock keeps the run's time; nil: the trained network does. Checkpoint is a
	// file in which a run with a Clock leaves its state now and then and when it is
	// interrupted, and from which it goes on; who named it removes it. "": none.
	Clock      *Clock `json:"clock,omitempty"`
	Checkpoint string `json:"-"`

	Threads int    `json:"-"` // per engine call; results do not depend on it
	Trace   string `json:"-"` // file of the run's Chrome trace
	Save    string `json:"-"` // safetensors file of the trained parameters
	Load    string `json:"load,omitempty"`

	// OnTrace is told of the run's spans once it is over; nil: none are recorded but for Trace.
	OnTrace func(t *cluster.Trace) `json:"-"`

	// Begin is told once all input is read and found good, before the first
	// gradient.
	Begin func() `json:"-"`
	// Progress is told of each used gradient, from one goroutine.
	Progress func(pushes, of int64) `json:"-"`
}

// Whether Launch and Overhead scale with the machine or last as long on every one: in a cluster of
// mixed cards, hosts may be as unequal as their cards, or equal.
const (
	HostScaled = "scaled"
	HostFixed  = "fixed"
)

// Hosts lists what Config.Host may be.
var Hosts = []string{HostScaled, HostFixed}

// The costs of an iteration beside its arithmetic, on a device of ReferenceFLOPS. A slower machine
// takes proportionally longer: its host is old too, and heterogeneity is usually emulated so, by
// waits in proportion to measured time. Both values are assumptions of low confidence.
const (
	// DefaultLaunch is the host's cost of starting one layer's kernels: eager
	// frameworks of 2021–22 took about 10 µs per kernel, two or three per layer.
	DefaultLaunch = 25 * time.Microsecond
	// DefaultOverhead is data loading, optimiser and the interpreter's loop: an
	// eager LeNet-5 iteration took 3 to 6 ms on any GPU of the time.
	DefaultOverhead = 3 * time.Millisecond
	// ReferenceFLOPS is the effective rate of the fastest device of the
	// heterogeneous platform, half of a V100's peak.
	ReferenceFLOPS = 7.85e12
)

// Methods lists the values of Config.Sync: the methods of experiments/method.
func Methods() []string { return method.Names() }

// withDefaults returns a copy with every zero field filled in, or an error that
// names what is out of its domain.
func (c Config) withDefaults() (Config, error) {
	if !slices.Contains(Methods(), c.Sync) {
		return c, fmt.Errorf("train: no method %q: known are %s", c.Sync, strings.Join(Methods(), ", "))
	}
	if c.Platform == nil {
		return c, fmt.Errorf("train: no platform")
	}
	set(&c.Engine, "portable")
	set(&c.Backend, "native")
	set(&c.Runtime, "virtual")
	set(&c.Workers, len(c.Platform.Workers))
	if c.BatchSize > 0 && c.Workers > 0 {
		c.Batch = (c.BatchSize + c.Workers - 1) / c.Workers
	}
	set(&c.Batch, 16)
	set(&c.Rate, 0.05)
	set(&c.Launch, DefaultLaunch)
	set(&c.Overhead, DefaultOverhead)
	if c.Host == HostScaled {
		c.Host = "" // one configuration has one form
	}
	set(&c.EvalImages, 1000)
	set(&c.Threads, 1)
	c.Launch, c.Overhead = max(c.Launch, 0), max(c.Overhead, 0)
	if c.TargetAccuracy > 0 {
		set(&c.EvalEvery, TargetEvery)
	}
	set(&c.EvalEvery, max(c.bound()/6, 1))
	if err := c.check(); err != nil {
		return c, err
	}
	p := c.Platform.Clone()
	p.Workers = p.Workers[:c.Workers]
	c.Platform = p
	c.Options = c.Server.options(c.Sync, c.Workers)
	return c, nil
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Resolved returns c with every default filled in, as Run takes it, or an InputError where Run would refuse c
// before it opens any file.
func (c Config) Resolved() (Config, error) {
	c, err := c.withDefaults()
	for _, beside := range []*time.Duration{&c.Launch, &c.Overhead} {
		set(beside, -1) // Run fills in defaults again, and 0 would be the default
	}
	if err == nil {
		_, err = c.network()
	}
	if err == nil && !c.serverless() {
		_, _, err = c.method()
	}
	return c, input(err)
}

// method returns the policy and the reading of f.
func (c *Config) method() (dasp.Policy, dasp.DurationForm, error) {
	policy, err := rivals.New(c.Sync, *c.Options)
	if err != nil {
		return nil, 0, err
	}
	f, err := c.Options.F()
	return policy, f, err
}

// bound estimates how many gradients the run uses; 600 where nothing says.
func (c *Config) bound() int64 {
	switch {
	case c.MaxPushes > 0:
		return c.MaxPushes
	case c.MaxUpdates > 0 && (c.Sync == "bsp" || c.serverless()):
		return c.MaxUpdates * int64(c.Workers)
	case c.MaxUpdates > 0:
		return c.MaxUpdates
	}
	return 600
}

// processes reports whether the runtime is one of several processes, or like one.
func (c *Config) processes() bool { return c.Runtime == "tcp" || c.Runtime == OverMPI }

func (c *Config) check() error {
	switch {
	case !slices.Contains(Runtimes, c.Runtime) && c.Runtime != OverMPI:
		return fmt.Errorf("train: no runtime %q: known are %s, %s", c.Runtime, strings.Join(Runtimes, ", "), OverMPI)
	case c.Runtime == OverMPI && (c.MPI == nil || c.TCP == nil):
		return fmt.Errorf("train: the runtime %s is of processes that an MPI launcher started", OverMPI)
	case c.Workers < 1 || c.Workers > len(c.Platform.Workers):
		return fmt.Errorf("train: %d workers, platform %s has %d", c.Workers, c.Platform.Name, len(c.Platform.Workers))
	case c.Batch < 1:
		return fmt.Errorf("train: batch of %d images", c.Batch)
	case !(c.Rate > 0):
		return fmt.Errorf("train: rate %g, want > 0", c.Rate)
	case !(c.Momentum >= 0 && c.Momentum < 1):
		return fmt.Errorf("train: momentum %g, want at least 0 and less than 1", c.Momentum)
	case !(c.WeightDecay >= 0) || math.IsInf(c.Rate+c.WeightDecay, 0):
		return fmt.Errorf("train: rate %g and weight decay %g, want finite numbers, the decay from 0", c.Rate, c.WeightDecay)
	case c.EvalImages < 0:
		return fmt.Errorf("train: %d images per evaluation, want 0 or more", c.EvalImages)
	case c.Warmup < 0:
		return fmt.Errorf("train: warm-up of %d pushes, want 0 or more", c.Warmup)
	case c.Host != "" && !slices.Contains(Hosts, c.Host):
		return fmt.Errorf("train: host %q: known are %s", c.Host, strings.Join(Hosts, ", "))
	case c.Threads < 1:
		return fmt.Errorf("train: %d threads, want 1 or more", c.Threads)
	case c.MaxPushes < 0:
		return fmt.Errorf("train: bound of %d pushes, want 0 or more", c.MaxPushes)
	case c.MaxUpdates < 0:
		return fmt.Errorf("train: bound of %d updates, want 0 or more", c.MaxUpdates)
	case !(c.TargetAccuracy >= 0 && c.TargetAccuracy <= 1):
		return fmt.Errorf("train: target accuracy %g, want a share from 0 to 1", c.TargetAccuracy)
	case c.MaxPushes == 0 && c.MaxUpdates == 0 && c.TargetAccuracy == 0:
		return fmt.Errorf("train: the run has no end: give a number of pushes or updates, or a target accuracy")
	case c.TargetAccuracy > 0 && (c.TimingOnly || c.EvalEvery < 0):
		return fmt.Errorf("train: a target accuracy needs training and evaluations")
	case c.Clock != nil && (c.Runtime != "virtual" || c.serverless() || c.Lease > 0 || c.TargetAccuracy > 0):
		return fmt.Errorf("train: another network's clock needs the virtual runtime, a server, no lease and no target accuracy")
	case c.Clock != nil && c.Clock.Batch < 0:
		return fmt.Errorf("train: clock of a batch of %d images", c.Clock.Batch)
	case c.Checkpoint != "" && (c.Clock == nil || c.Momentum > 0):
		return fmt.Errorf("train: a checkpoint needs a clock and no momentum")
	case c.TimingOnly && c.processes():
		return fmt.Errorf("train: a timing-only run declares its messages and sends none: on virtual or local, not on %s", c.Runtime)
	case c.Best && (c.TimingOnly || c.EvalEvery < 0):
		return fmt.Errorf("train: the best parameters need training and evaluations")
	case c.TimingOnly && (c.Save != "" || c.Load != ""):
		return fmt.Errorf("train: a timing-only run has no parameters to load or save")
	case c.BatchSize != 0 && (!c.serverless() || c.BatchSize < c.Workers && !c.coded()):
		return fmt.Errorf("train: %d images for all %d workers of %s: want one each at least, and a method without a server", c.BatchSize, c.Workers, c.Sync)
	case c.TCP != nil && !c.processes():
		return fmt.Errorf("train: a place in a job of processes is of the runtime tcp or %s, not of %s", OverMPI, c.Runtime)
	}
	for _, family := range []func(*Config) error{c.Server.check, c.CodedSGD.check, c.AllReduce.check, c.Elastic.check, c.Checkpoints.check} {
		if err := family(c); err != nil {
			return err
		}
	}
	return nil
}

// dataSides are the sides to which data sets can be brought for the networks
// that take several.
var dataSides = []int{16, 32}

// network builds the configured network. Width and Image become 0 where they
// say what the network has anyway: one network has one configuration, and
// results of networks in their own size do not speak of sizes.
func (c *Config) network() (*model.Model, error) {
	if err := c.checkSide(); err != nil {
		return nil, err
	}
	m, err := model.Build(model.Spec{Name: c.Model, Width: c.Width, Image: c.Image, Classes: c.Classes})
	if err != nil {
		return nil, err
	}
	if c.Width == 1 {
		c.Width = 0
	}
	if c.Image > 0 {
		own, err := model.New(c.Model)
		if err != nil {
			return nil, err
		}
		if _, h, _ := own.Input(); h == c.Image {
			c.Image = 0
		}
	}
	return m, nil
}

// checkSide refuses a side that the network might take but no data set has. What
// a network of one size takes it says itself.
func (c *Config) checkSide() error {
	if c.TimingOnly || c.Image == 0 || slices.Contains(dataSides, c.Image) || c.own() { // of own images the set says it
		return nil
	}
	for _, side := range dataSides {
		if _, err := model.Build(model.Spec{Name: c.Model, Image: side}); err != nil {
			return nil // it comes in one size
		}
	}
	return fmt.Errorf("train: images of %d×%[1]d: %s is trained on 16×16 or 32×32", c.Image, c.Model)
}

// InputError reports a Config that cannot be run, before anything is computed. A file or data set
// that is missing or broken is another error.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

func (e *InputError) Unwrap() error { return e.Err }

// input marks err as an InputError; nil stays nil.
func input(err error) error {
	if err == nil {
		return nil
	}
	return &InputError{err}
}
