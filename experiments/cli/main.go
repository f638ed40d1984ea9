// Package cli is the command line: flags, files, terminals and exit codes. What
// it calls knows of none of them.
package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gradsync/experiments/cli/dev"
	"gradsync/shared/gpu"
	_ "gradsync/shared/tensor/codec/entropy" // codecs register themselves; only the command line links a compressor
)

// Exit codes of every command.
const (
	exitOK     = 0
	exitFailed = 1 // the run failed or was interrupted
	exitUsage  = 2 // the command was not understood
	exitDiffer = 3 // a verification or a comparison found a difference
)

// Version is the release; CITATION.cff and CHANGELOG.md carry the same.
const Version = "0.1.0"

// app holds what all commands share: where they write, and the flags of all.
type app struct {
	out, err io.Writer
	json     bool // one object on out, and nothing else
	quiet    bool
	name     string        // of the program, as a command is to be typed
	device   *gpu.Device   // nil: the CPU computes
	peers    []*gpu.Device // of other ranks of this process
}

// called returns the program's name as it was typed: bin/gradsync if that is how it was
// found, and gradsync if a folder of PATH or `go run` found it.
func called(arg string) string {
	slashed := filepath.ToSlash(arg)
	if strings.TrimSuffix(path.Base(slashed), ".exe") != "gradsync" || filepath.IsAbs(arg) || !strings.Contains(slashed, "/") {
		return "gradsync"
	}
	return arg
}

// asCalled replaces the program's name in commands between back quotes by the name as it
// was typed, so that they can be copied.
func (a *app) asCalled(text string) string {
	return strings.ReplaceAll(text, "`gradsync ", "`"+a.name+" ")
}

// usageError marks a command that was not understood: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errDiffer means that a difference was found and printed: exit code 3, no further message.
var errDiffer = dev.ErrDiffer

// Main runs one command and returns its exit code. Ctrl-C cancels the
// command's context once; a second one ends the process.
func Main(args []string, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the next signal is the system's again
	return run(ctx, args, out, errOut)
}

// run runs one command and maps its error to an exit code.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	checked := &checkedWriter{Writer: out}
	a := &app{out: checked, err: errOut, name: called(os.Args[0])}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(checked)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if e := a.closeDevice(); err == nil {
		err = e
	}
	if checked.err != nil && (err == nil || errors.Is(err, errDiffer)) {
		err = fmt.Errorf("standard output: %w", checked.err)
	}
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errDiffer):
		return exitDiffer
	default:
		fmt.Fprintln(errOut, "gradsync: "+a.asCalled(nearestOf(oneLine(err))))
		var usage usageError
		var chore *dev.UsageError
		if errors.As(err, &usage) || errors.As(err, &chore) || cobraUsage(err) {
			return exitUsage
		}
		return exitFailed
	}
}

// checkedWriter remembers the first error of a writer. Most prints ignore theirs, and a
// script must not take half an output for a whole one.
type checkedWriter struct {
	io.Writer
	err error
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}

// cobraUsage recognises the errors that cobra itself reports before a command runs; they
// have no type.
func cobraUsage(err error) bool {
	for _, p := range []string{"unknown command", "required flag", "if any flags in the group", "at least one of the flags"} {
		if strings.HasPrefix(err.Error(), p) {
			return true
		}
	}
	return false
}

// oneLine writes an error on one line; a joined error has several.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(strings.TrimSpace(err.Error()), func(r rune) bool { return r == '\n' || r == '\t' }), "; ")
}

// root makes the command gradsync with all its subcommands.
func (a *app) root() *cobra.Command {
	a.name = cmp.Or(a.name, "gradsync")
	var version bool
	root := &cobra.Command{
		Use:         "gradsync",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: a.name},
		Short:       "Gradient synchronisation, reproduced: ring all-reduce, DASP and their rivals",
		Long: `gradsync reproduces documents on gradient synchronisation in distributed deep
learning. It runs their experiments, checks their formulas, trains with their
methods and renders pages that set every number a paper states beside what was
found.

Exit codes: 0 done (whatever the verdicts) · 1 failed or interrupted · 2 usage ·
3 a verification or a comparison differs.`,
		Example: "  gradsync list\n  gradsync run dasp/table5 --profile quick\n" +
			"  gradsync train --sync dasp --model lenet5 --workers 6 --updates 300 --json",
		SilenceErrors: true, SilenceUsage: true,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if version && len(args) == 0 {
				return a.printVersion()
			}
			if len(args) > 0 {
				return usagef("unknown command %q:%s `gradsync --help` lists the commands", args[0], didYouMean(args[0], commandNames(cmd), "gradsync "))
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVarP(&version, "version", "v", false, "print version, commit and Go release")
	root.SetCompletionCommandGroupID(otherGroup)
	root.SetHelpCommand(a.helpCommand())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%s: %s (see `%s --help`)", cmd.Name(), flagProblem(cmd, err), cmd.CommandPath())}
	})
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON object and nothing else on standard output")
	root.PersistentFlags().BoolVar(&a.quiet, "quiet", false, "no progress, and no line on the engine")
	inGroups(root, a.commands())
	root.SetOut(a.out) // which completion remembers
	root.InitDefaultCompletionCmd()
	installs(root)
	completions(root)
	a.nameExamples(root)
	return root
}

// nameExamples replaces the program's name in the examples of all commands, and in the
// indented lines of their texts, by the name as it was typed.
func (a *app) nameExamples(cmd *cobra.Command) {
	if a.name != "gradsync" {
		cmd.Example = strings.ReplaceAll(cmd.Example, "gradsync ", a.name+" ")
		cmd.Long = indented.ReplaceAllString(cmd.Long, "${1}"+strings.ReplaceAll(a.name, "$", "$$")+" ")
	}
	for _, c := range cmd.Commands() {
		a.nameExamples(c)
	}
}

// indented matches a command on a line of its own in a text.
var indented = regexp.MustCompile(`(?m)^(  .*?)\bgradsync `)

// flagProblem words an unreadable number without the parser's own terms, and names the
// flag that an unknown one comes near to.
func flagProblem(cmd *cobra.Command, err error) string {
	var number *strconv.NumError
	text := err.Error()
	if name, unknown := strings.CutPrefix(text, "unknown flag: --"); unknown {
		if like := didYouMean(name, flagNames(cmd), "--"); like != "" {
			text += ":" + like
		} else if cmd.Name() == "run" && slices.Contains([]string{"sync", "set", "vary", "target-accuracy"}, name) {
			text += ": methods of your choice are compared by `gradsync compare`"
		} else if cmd.Name() == "run" && slices.Contains(compareShared, name) {
			text += ": an experiment's settings are fixed; `gradsync train` and `gradsync compare` take it"
		}
		if cmd.Name() == "compare" && slices.Contains([]string{"profile", "except", "kept", "dry-run"}, name) {
			text += ": the document's experiments are run by `gradsync run compare`"
		}
		return text
	}
	if !errors.As(err, &number) {
		return text
	}
	want := map[string]string{"ParseUint": "a whole number from 0", "ParseInt": "a whole number", "ParseFloat": "a number",
		"ParseBool": "true or false"}[number.Func]
	if errors.Is(number.Err, strconv.ErrRange) {
		want += " of at most 64 bits"
	}
	text, _, _ = strings.Cut(text, ": strconv.")
	return text + ": want " + want
}

// usagef makes an error of exit code 2.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// args checks the number of arguments: at least lo, at most hi (−1: any).
func args(lo, hi int, want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, got []string) error {
		if len(got) < lo || hi >= 0 && len(got) > hi {
			return usagef("%s: %d arguments, want %s (see `%s --help`)", cmd.Name(), len(got), want, cmd.CommandPath())
		}
		return nil
	}
}

// printJSON writes v as one indented object.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// commands returns all subcommands: ours, then the Makefile's targets for machines
// without make, those of a maintainer below dev.
func (a *app) commands() []*cobra.Command {
	return slices.Concat([]*cobra.Command{
		a.listCommand(), a.runCommand(), a.trainCommand(), a.compareCommand(), a.replayCommand(), a.launchCommand(), a.certsCommand(),
		a.gradCommand(), a.evalCommand(),
		a.verifyCommand(), a.claimsCommand(), a.diffCommand(), a.quizCommand(), a.dataCommand(), a.platformCommand(),
		a.reportCommand(), a.exportCommand(), a.serveCommand(),
		a.devicesCommand(), a.benchCommand(), a.labCommand(), a.calibrateCommand(), a.swarmCommand(), a.versionCommand(),
	}, dev.Reproductions(estimate), []*cobra.Command{dev.Develop(Version)})
}

// plainEvery is the time between lines of progress where there can be no bar.
const plainEvery = 5 * time.Second

// bar shows progress on standard error: a bar on a terminal, a plain line every
// five seconds elsewhere. Its methods may be called from several goroutines.
type bar struct {
	mu    sync.Mutex
	w     io.Writer
	name  string
	bar   *progressbar.ProgressBar // nil: plain lines
	last  time.Time
	quiet bool
}

// newBar starts the progress of one piece of work; on a terminal it says the time left.
func (a *app) newBar(name string) *bar { return a.newBarOf(name, true) }

// newBarOf starts the progress of one piece of work, whose time left is the bar's to say or the caller's.
func (a *app) newBarOf(name string, predict bool) *bar {
	b := &bar{w: a.err, name: name, quiet: a.quiet, last: time.Now()}
	if f, ok := a.err.(*os.File); ok && !a.quiet && term.IsTerminal(int(f.Fd())) {
		b.bar = progressbar.NewOptions64(1000, progressbar.OptionSetWriter(a.err), progressbar.OptionSetDescription(name),
			progressbar.OptionEnableColorCodes(os.Getenv("NO_COLOR") == ""), progressbar.OptionSetWidth(30),
			progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetPredictTime(predict))
	}
	return b
}

// set reports done of total, in any unit.
func (b *bar) set(done, total float64, what string) {
	if b.quiet || total <= 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	share := min(max(done/total, 0), 1)
	if b.bar != nil {
		b.bar.Describe(b.name + "  " + what)
		_ = b.bar.Set64(int64(1000 * share)) // a bar that cannot be drawn stops nothing
		return
	}
	if now := time.Now(); now.Sub(b.last) >= plainEvery {
		b.last = now
		fmt.Fprintf(b.w, "%s: %3.0f %%  %s\n", b.name, 100*share, what)
	}
}

// finish removes the bar.
func (b *bar) finish() {
	if b.bar != nil {
		_ = b.bar.Finish()
	}
}
