// Package measure has the commands of `gradsync bench`: what they measure is in experiments/bench, here are their
// flags, the processes that they start, and what they print.
package measure

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gradsync/experiments/cli/dev"
	"gradsync/shared/tensor"
)

// Terminal holds what the commands have of the command line.
type Terminal struct {
	Out, Err    io.Writer
	JSON, Quiet *bool                                                                         // flags of all commands, known when one runs
	Print       func(any) error                                                               // one JSON object on Out
	Bar         func(name string) (set func(done, total float64, what string), finish func()) // progress
	Flags       cobra.PositionalArgs                                                          // refuses arguments beside flags
	Device      func(name string) (int, error)                                                // the GPU that --device names, −1: none by name
	DeviceUsage string
	Engines     func() []Engine            // those that this binary knows, the one whose aims are judged first
	Label       func(tensor.Engine) string // name and kernels
	Version     func() string              // of this program, with its commit
}

// Engine is one of the CPU's engines on this machine.
type Engine struct {
	Name  string
	Label string // name and kernels, "asm (avx512)"
	Why   string // it cannot run here; "" if it can
}

// Values of --device that are no GPU by name.
const (
	autoDevice = "auto"
	cpuDevice  = "cpu"
)

// app is the commands' receiver.
type app struct{ Terminal }

// Command returns `gradsync bench` with all below it.
func Command(t Terminal) *cobra.Command { return (&app{t}).benchCommand() }

// usagef makes an error of a command that was not understood.
func usagef(format string, args ...any) error {
	return &dev.UsageError{Err: fmt.Errorf(format, args...)}
}

// note prints a line where nothing reads it by machine.
func (a *app) note(line string) {
	if !*a.Quiet {
		fmt.Fprintln(a.Err, line)
	}
}

// WorkerEnv marks a process that bench started; such a process starts no other.
const WorkerEnv = "GRADSYNC_BENCH_WORKER"
