package cli

import "github.com/spf13/cobra"

// commands are all subcommands in the order of the help.
func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.listCommand(), a.runCommand(), a.trainCommand(), a.gradCommand(), a.evalCommand(), a.verifyCommand(),
		a.claimsCommand(), a.diffCommand(), a.dataCommand(), a.reportCommand(), a.serveCommand(), a.benchCommand(), a.versionCommand(),
	}
}
