package cli

import (
	"github.com/spf13/cobra"

	"gradsync/experiments/cli/measure"
)

// workerEnv marks a process that bench started.
const workerEnv = measure.WorkerEnv

// benchCommand makes the commands of experiments/cli/measure for this command line.
func (a *app) benchCommand() *cobra.Command {
	return measure.Command(measure.Terminal{
		Out: a.out, Err: a.err, JSON: &a.json, Quiet: &a.quiet, Print: a.printJSON, Flags: args(0, 0, "flags only"),
		Bar: func(name string) (func(done, total float64, what string), func()) {
			b := a.newBar(name)
			return b.set, b.finish
		},
		Device: func(name string) (int, error) { return deviceFlags{device: name}.number() }, DeviceUsage: deviceUsage,
		Engines: func() (all []measure.Engine) {
			for _, s := range engineStates() {
				all = append(all, measure.Engine{Name: s.name, Label: s.label, Why: s.why})
			}
			return all
		},
		Label: labelOf,
		Version: func() string {
			revision, _ := commit()
			return Version + ", commit " + revision
		},
	})
}
