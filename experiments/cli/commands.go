package cli

import (
	"github.com/spf13/cobra"

	"gradsync/internal/chores"
)

// commands are all subcommands in the order of the help: ours, then the
// Makefile's targets for machines without make.
func (a *app) commands() []*cobra.Command {
	return append([]*cobra.Command{
		a.listCommand(), a.runCommand(), a.trainCommand(), a.launchCommand(), a.gradCommand(), a.evalCommand(), a.verifyCommand(),
		a.claimsCommand(), a.diffCommand(), a.quizCommand(), a.dataCommand(), a.reportCommand(), a.exportCommand(), a.serveCommand(), a.benchCommand(), a.labCommand(), a.calibrateCommand(), a.versionCommand(),
	}, chores.Commands()...)
}
