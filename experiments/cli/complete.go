package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gradsync/datasets"
	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	"gradsync/experiments/quiz"
	"gradsync/experiments/train"
	"gradsync/experiments/verify"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

// flagValues are the names that a shell completes after a flag, of whatever command has it.
var flagValues = map[string]func() []string{
	"sync":       train.Methods,
	"method":     train.Methods,
	"model":      model.Names,
	"platform":   platforms.Names, // or a file, whose name the shell completes where no platform fits
	"profile":    func() []string { return exp.Profiles },
	"data":       datasets.Names,
	"runtime":    func() []string { return append(slices.Clone(train.Runtimes), train.OverMPI, autoRuntime) },
	"backend":    train.BackendNames,
	"engine":     func() []string { return append([]string{"auto"}, tensor.Engines()...) },
	"device":     func() []string { return []string{autoDevice, cpuDevice, "cuda"} },
	"codec":      func() []string { return append([]string{"auto"}, strings.Split(codecNames(), ", ")...) },
	"codecs":     func() []string { return strings.Split(codecNames(), ", ") },
	"lang":       func() []string { return []string{string(quiz.English), string(quiz.Chinese)} },
	"experiment": experimentNames,
	"except":     experimentNames,
	"host":       func() []string { return train.Hosts },
	"kinds":      func() []string { return []string{"both", "weights", "gradients"} },
}

// argumentValues are the names that a shell completes as arguments, by command; subcommands complete
// themselves.
var argumentValues = map[string]func() []string{
	"bench":         questionNames,
	"bench check":   questionNames,
	"bench report":  questionNames,
	"run":           experimentNames,
	"export":        experimentNames,
	"claims":        claimNames,
	"quiz":          quiz.Subjects,
	"verify":        verify.Groups,
	"data verify":   datasets.Names,
	"data fetch":    datasets.Names,
	"platform show": platforms.Names,
}

// experimentNames returns what run takes: documents, all of them, and experiments.
func experimentNames() []string {
	var documents, ids []string
	for _, e := range Experiments() {
		document, _, _ := strings.Cut(e.ID, "/")
		if !slices.Contains(documents, document) {
			documents = append(documents, document)
		}
		ids = append(ids, e.ID)
	}
	return slices.Concat(documents, []string{"all"}, ids)
}

// claimNames returns what claims takes: papers and claims.
func claimNames() (names []string) {
	for _, c := range claims.All() {
		if !slices.Contains(names, c.Paper) {
			names = append(names, c.Paper)
		}
		names = append(names, c.ID)
	}
	return names
}

// completions has the shell complete names, in flags and arguments of all commands below one.
func completions(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		completions(c)
	}
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	if values := argumentValues[path]; values != nil && cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil {
		cmd.ValidArgsFunction = completed(values, false)
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		values, list := flagValues[f.Name], strings.HasSuffix(f.Value.Type(), "Slice")
		if _, own := cmd.GetFlagCompletionFunc(f.Name); own || values == nil || !list && f.Value.Type() != "string" {
			return
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, completed(values, list)) // fails for a flag that is not there
	})
}

// completed completes one of some names, or the last of several between commas.
func completed(values func() []string, list bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) (out []string, _ cobra.ShellCompDirective) {
		front := ""
		if list {
			if at := strings.LastIndex(typed, ","); at >= 0 {
				front, typed = typed[:at+1], typed[at+1:]
			}
		}
		for _, v := range values() {
			if strings.HasPrefix(v, typed) {
				out = append(out, front+v)
			}
		}
		if out == nil {
			return nil, cobra.ShellCompDirectiveDefault // perhaps a file
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// installs says of each shell with which line completion is installed.
func installs(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Short = "Have the shell complete commands, flags, methods, models, platforms and experiments"
		c.Long = "Print a script that has a shell complete commands, flags, methods, models, platforms, experiments, profiles and data sets.\n" +
			"One line installs it, for shells that are opened from then on:\n\n" + installLines
		c.Example = "  gradsync completion bash"
		for _, shell := range c.Commands() {
			shell.Example = cmp.Or(shell.Example, "  gradsync completion "+shell.Name())
		}
	}
}

// installLines install the completion; README.md has the first.
const installLines = "bash: echo \"source <('$PWD/bin/gradsync' completion bash)\" >> ~/.bashrc   " +
	"# with the package bash-completion\n" +
	"zsh:  echo \"autoload -U compinit; compinit; source <('$PWD/bin/gradsync' completion zsh)\" >> ~/.zshrc\n" +
	"fish: bin/gradsync completion fish > ~/.config/fish/completions/gradsync.fish\n" +
	"PowerShell: bin\\gradsync.exe completion powershell >> $PROFILE"
