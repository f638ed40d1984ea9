// Package dev holds the steps of the Makefile's targets, as commands that print
// each step before it runs. make calls the command of the same name, those of a maintainer
// below gradsync dev, and a machine without make has them all. The command line adds them
// to its own.
package dev

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/cli/dev/readme"
	"gradsync/internal/repo"
)

// ErrDiffer means that something was found out and printed: exit code 3, no further message.
var ErrDiffer = errors.New("differs")

// UsageError marks a chore that was not understood.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

// usagef makes a UsageError.
func usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// step is one part of a chore: a program, or a function of ours.
type step struct {
	Command string  `json:"command"`
	Seconds float64 `json:"seconds"`
	argv    []string
	env     []string
	own     func(root string, out io.Writer) error
}

// program is a step that runs argv in the repository's root.
func program(argv ...string) step {
	typed := slices.Clone(argv)
	for i, a := range typed {
		if strings.Contains(a, " ") {
			typed[i] = "'" + a + "'"
		}
	}
	return step{Command: strings.Join(typed, " "), argv: argv}
}

// with adds "KEY=value" to the step's environment.
func (s step) with(env string) step {
	s.Command, s.env = env+" "+s.Command, append(s.env, env)
	return s
}

// Develop returns gradsync dev, which has the chores of whoever changes gradsync itself; version is the
// release's.
func Develop(version string) *cobra.Command {
	dev := &cobra.Command{
		Use: "dev CHORE", Short: "What make calls, for whoever changes gradsync itself: build, check, test, publish, release …",
		Long:    "The chores of whoever changes gradsync itself, in a clone of it; make X calls gradsync dev X.",
		Example: "  gradsync dev check\n  gradsync dev rename-module github.com/you/gradsync",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, got []string) error {
			if len(got) == 0 {
				return cmd.Help()
			}
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			return usagef("unknown command %q of dev: known are %s", got[0], strings.Join(names, ", "))
		},
	}
	dev.AddCommand(maintenance(version)...)
	return dev
}

// Reproductions returns a command for each document, and one for all; estimate says how many seconds a run of
// experiments takes.
func Reproductions(estimate Estimate) []*cobra.Command { return reproductions(estimate) }

// maintenance makes the chores of gradsync dev.
func maintenance(version string) []*cobra.Command {
	return []*cobra.Command{
		command("build", "Build bin/gradsync", build),
		command("check", "Build, check import rules and run every quick test", check),
		command("test", "Check style and import rules, then run all tests", func() []step { return append(lint(), tests()...) }),
		command("test-long", "Run all tests, the slow ones too", long),
		command("lint", "Check gofmt, go vet, the import rules and staticcheck", lint),
		command("race",
			"Run the race tests of the cluster, the papers, engine asm and the GPU's drivers (needs a C compiler)", race),
		soak(),
		command("reports", "Render the committed results to reports/html and the README's table", reports),
		command("reports-check", "Render the committed results anew and compare with the committed pages byte by byte", reportsCheck),
		command("clean", "Remove what was built and run here: bin and out", clean),
		cross(),
		gpuBundle(),
		ciCheck(),
		command("ci-results", "Renew the committed results of profile ci", ciResults),
		publish(),
		command("benchmarks", "Measure every table of BENCHMARKS.md on this machine; write it and BENCHMARKS.json", benchmarks),
		release(version),
		renameModule(),
	}
}

func command(name, short string, steps func() []step) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short + " (as make " + name + ")", Example: "  gradsync dev " + name, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return do(cmd, steps()) },
	}
}

// do runs the steps in order, in the repository's root. With --json the steps'
// own output goes to standard error and one object to standard output.
func do(cmd *cobra.Command, steps []step) error {
	root, err := repo.Root()
	if err != nil {
		return fmt.Errorf("%s: run it inside a clone of gradsync: %w", cmd.Name(), err)
	}
	out := cmd.OutOrStdout()
	asJSON := cmd.Flag("json") != nil && cmd.Flag("json").Value.String() == "true"
	if asJSON {
		out = cmd.ErrOrStderr()
	}
	for i := range steps {
		start := time.Now()
		if len(steps) > 1 {
			fmt.Fprintf(out, "step %d of %d: ", i+1, len(steps))
		}
		fmt.Fprintln(out, steps[i].Command)
		if err := steps[i].run(cmd.Context(), root, out, cmd.ErrOrStderr()); err != nil {
			return fmt.Errorf("%s: %s: %w", cmd.Name(), steps[i].Command, err)
		}
		steps[i].Seconds = time.Since(start).Seconds()
	}
	if !asJSON {
		return nil
	}
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetIndent("", "  ")
	return enc.Encode(map[string]any{"command": cmd.Name(), "steps": steps})
}

func (s step) run(ctx context.Context, root string, out, errOut io.Writer) error {
	if s.own != nil {
		return s.own(root, out)
	}
	if s.argv == nil { // a line that says what is not done
		return nil
	}
	c := exec.CommandContext(ctx, s.argv[0], s.argv[1:]...)
	c.Dir, c.Stdout, c.Stderr = root, out, errOut
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) } // it ends what it started
	c.WaitDelay = 10 * time.Second
	c.Env = os.Environ()
	if os.Getenv("CGO_ENABLED") == "" { // as make has it: nothing but the race detector needs a C compiler
		c.Env = append(c.Env, "CGO_ENABLED=0")
	}
	c.Env = append(c.Env, s.env...)
	return c.Run()
}

// renew is the part of reports outside of the pages.
func renew(root string, out io.Writer) error {
	changed, err := readme.Update(root)
	for _, name := range changed {
		fmt.Fprintln(out, name+": renewed from the results")
	}
	return err
}
