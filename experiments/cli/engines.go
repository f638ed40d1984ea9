package cli

import (
	"fmt"
	"runtime"
	"strings"

	"gradsync/experiments/train"
	"gradsync/shared/gpu"
	"gradsync/shared/simd"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/asm" // engines register themselves; only the command line knows which there are
	"gradsync/shared/tensor/engine/portable"
	"gradsync/shared/tensor/gorgonia"
	"gradsync/shared/tensor/model"
)

func init() {
	train.Backends["gorgonia"] = func(m *model.Model, batch int) (model.Stepper, error) {
		return gorgonia.NewStepper(m, batch)
	}
}

// autoEngine is --engine's default: the first of preferred that runs here.
const autoEngine = "auto"

const engineUsage = "arithmetic engine by name; auto: the fastest of those that committed results may come from"

// preferred are the engines of this binary, but for cuda, which --device opens: fastest first.
var preferred = []string{asm.Name, portable.Name}

// engineState describes one engine on this machine.
type engineState struct {
	name  string
	label string // name and kernels, "asm (avx512)"
	why   string // it cannot run here; "" if it can
}

// engineStates lists the engines that --engine knows, fastest first.
func engineStates() []engineState {
	var all []engineState
	for _, name := range preferred {
		s := engineState{name: name, label: name}
		switch e, err := tensor.Lookup(name); {
		case err != nil:
			s.why = whyNot()
		default:
			s.label = labelOf(e)
		}
		all = append(all, s)
	}
	return all
}

// labelOf returns the engine's name, with its kernels where there are several.
func labelOf(e tensor.Engine) string {
	if detailed, ok := e.(fmt.Stringer); ok {
		return detailed.String()
	}
	return e.Name()
}

// whyNot says why engine asm did not register.
func whyNot() string {
	switch {
	case runtime.GOARCH != "amd64":
		return "no kernels for " + runtime.GOARCH
	case !simd.AVX2():
		return "GRADSYNC_CPU=portable"
	}
	return "this CPU has no AVX2 and FMA"
}

// chooseEngine resolves --engine to the name of an engine that runs here, and a line that
// says which it is, why, and why it is none of the others. An engine that is
// unknown or does not run is a usage error.
func chooseEngine(asked string, all []engineState) (name, line string, err error) {
	var chosen *engineState
	why := "by --engine"
	for i, s := range all {
		switch {
		case asked == s.name && s.why != "":
			return "", "", usagef("engine %s cannot run here: %s", asked, s.why)
		case asked == s.name:
			chosen = &all[i]
		case asked == autoEngine && chosen == nil && s.why == "":
			chosen, why = &all[i], "fastest of our own here"
		}
	}
	if chosen == nil && asked == gpu.Name {
		return "", "", usagef("engine %s: want --device %s, which opens the GPU", asked, cudaDevice)
	}
	if chosen == nil {
		known := []string{autoEngine}
		for _, s := range all {
			known = append(known, s.name)
		}
		return "", "", usagef("no engine %q: known are %s", asked, strings.Join(known, ", "))
	}
	line = "engine " + chosen.label + ": " + why
	for _, s := range all {
		switch {
		case s.name == chosen.name || s.name == portable.Name: // which runs everywhere
		case s.why != "":
			line += "; " + s.name + ": " + s.why
		default:
			line += "; " + s.label + ": available"
		}
	}
	return chosen.name, line, nil
}

// engineNote prints chooseEngine's line where nothing reads it by machine.
func (a *app) engineNote(line string) {
	if !a.quiet {
		fmt.Fprintln(a.err, line)
	}
}
