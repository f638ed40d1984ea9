package cli

import (
	"errors"
	"math"
	"slices"
	"strings"

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

// methodFlags are the flags that only some methods read.
var methodFlags = []struct{ methods, flags string }{
	{"dasp", "smin smax alpha wait duration gap fss arrivals qis-weight group-weight"},
	{"ssp gssp", "staleness"},
	{"dssp", "lower upper"},
	{"backup", "backup"},
	{"bsp asp ssp dssp dasp backup gssp", "lease record replay"},
	{"ring naive halving-doubling hierarchical", "bucket"},
	{"ring naive halving-doubling hierarchical ringsparse " + codedMethods, "no-overlap batch-size"},
	{"ring", "segment"},
	{"hierarchical", "per-node"},
	{codedMethods, "redundancy micro-blocks split range speed-aware"},
	{"cssgd", "literal"},
	{"compressed", "depth"},
	{"ringsparse", "kinds codec codecs tie rule size sign threshold link density"},
}

// ownMethods have all their flags in methodFlags. A method that a reader adds
// may read any of them.
const ownMethods = "bsp asp ssp dssp dasp backup gssp ring naive halving-doubling hierarchical ringsparse " + codedMethods

// check refuses a flag that was given and would be ignored, one of another method
// or mode, and a number out of its range.
func (f *trainFlags) check() error {
	for _, m := range methodFlags {
		for _, flag := range strings.Fields(m.flags) {
			if f.given(flag) && slices.Contains(strings.Fields(ownMethods), f.Sync) && !slices.Contains(strings.Fields(m.methods), f.Sync) {
				return usagef("train: --%s is for %s, not for %s", flag, strings.ReplaceAll(m.methods, " ", ", "), f.Sync)
			}
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
	return f.checkNumbers()
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
		{"lease", f.Lease, f.Lease >= 0, "at least 0, which is for ever"},
		{"rate", f.Rate, f.Rate > 0 && f.Rate <= most, finite + " above 0"},
		{"momentum", f.Momentum, f.Momentum >= 0 && f.Momentum < 1, "at least 0 and less than 1"},
		{"weight-decay", f.WeightDecay, f.WeightDecay >= 0 && f.WeightDecay <= most, finite + " from 0"},
		{"target-accuracy", f.TargetAccuracy, f.TargetAccuracy > 0 && f.TargetAccuracy <= 1, "a share above 0, at most 1"},
		{"batch-size", f.BatchSize, f.BatchSize >= 1 && !f.given("batch"), positive + ", and no --batch beside it"},
		{"bucket", f.bucketK, f.bucketK >= 0, "at least 0, which is layer by layer"},
		{"segment", f.Segment, f.Segment >= 0, "at least 0, which is whole chunks"},
		{"per-node", f.PerNode, f.PerNode >= 1, positive},
		{"redundancy", f.coded.Redundancy, f.coded.Redundancy >= 1, positive},
		{"micro-blocks", f.coded.MicroBlocks, f.coded.MicroBlocks >= 0, "at least 0, which is one gradient per block"},
		{"depth", f.coded.Depth, f.coded.Depth >= 1, positive},
		{"range", f.coded.Range, f.coded.Range >= 1e-30 && f.coded.Range <= math.MaxFloat32, "1e-30 to the largest float32, 3.4e38"},
		{"classes", f.Classes, f.Classes >= 2, "at least 2"},
		{"threshold", f.sparse.Threshold, f.sparse.Threshold >= 0 && f.sparse.Threshold <= most, finite + " from 0"},
		{"density", f.Density, f.Density > 0 && f.Density <= 1, "a share above 0, at most 1"},
		{"link", f.sparse.Bandwidth, f.sparse.Bandwidth > 0 && f.sparse.Bandwidth <= most, finite + " above 0"},
		{"width", f.Width, f.Width >= 1./64 && f.Width <= 16, "1/64 to 16"},
		{"image", f.Image, f.Image >= 1, "16 or 32"},
	} {
		if f.given(n.flag) && !n.ok {
			return usagef("train: --%s %v: %s", n.flag, n.value, n.want)
		}
	}
	return nil
}
