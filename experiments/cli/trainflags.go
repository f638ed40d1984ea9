package cli

import (
	"errors"
	"slices"
	"strings"

	"gradsync/experiments/train"
)

// The sizes of a network, for every command that builds one.
const (
	widthUsage = "share of the network's channels, resnet18 and vgg19_bn only (default 1)"
	imageUsage = "side of the images, resnet18 and vgg19_bn only: a multiple of 16 (default 32)"
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
	{"bsp asp ssp dssp dasp backup gssp", "lease"},
}

// ownMethods have all their flags in methodFlags. A method that a reader adds
// may read any of them.
const ownMethods = "bsp asp ssp dssp dasp backup gssp ring naive"

// check refuses a flag that was given and would be ignored: one of another
// method or mode, or a 0 where 0 stands for the default.
func (f *trainFlags) check() error {
	for _, m := range methodFlags {
		for _, flag := range strings.Fields(m.flags) {
			if f.given(flag) && slices.Contains(strings.Fields(ownMethods), f.Sync) && !slices.Contains(strings.Fields(m.methods), f.Sync) {
				return usagef("train: --%s is for %s, not for %s", flag, strings.ReplaceAll(m.methods, " ", ", "), f.Sync)
			}
		}
	}
	if f.TimingOnly {
		for _, flag := range strings.Fields("backend engine threads data data-dir eval-every eval-images target-accuracy save load") {
			if f.given(flag) {
				return usagef("train: --%s is for training, not for --timing-only", flag)
			}
		}
	}
	if f.given("emulate") && f.Runtime != "local" {
		return usagef("train: --emulate is for --runtime local, not for %s", f.Runtime)
	}
	if f.Backend != "native" {
		for _, flag := range []string{"engine", "threads"} {
			if f.given(flag) {
				return usagef("train: --%s is for the backend native, not for %s", flag, f.Backend)
			}
		}
	}
	for _, z := range []struct {
		flag string
		zero bool
	}{{"updates", f.MaxUpdates == 0}, {"pushes", f.MaxPushes == 0}, {"workers", f.Workers == 0}, {"batch", f.Batch == 0}, {"threads", f.Threads == 0},
		{"rate", f.Rate == 0}, {"width", f.Width == 0}, {"image", f.Image == 0},
		{"target-accuracy", f.TargetAccuracy == 0}, {"eval-every", f.EvalEvery == 0}, {"eval-images", f.EvalImages == 0}} {
		if z.zero && f.given(z.flag) {
			return usagef("train: --%s is 0, want more (its default is what stands without the flag)", z.flag)
		}
	}
	return nil
}
