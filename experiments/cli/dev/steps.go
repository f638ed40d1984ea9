package dev

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/cli/memo"
	"gradsync/experiments/paper"
	"gradsync/internal/repo"
)

// rules are the judgements of seconds.
func rules() []step {
	return []step{program("go", "vet", "./..."), tool(".ci/depguard/main.go", "./...")}
}

func lint() []step {
	return append(append([]step{{Command: "gofmt", own: formatted}}, rules()...),
		tool("honnef.co/go/tools/cmd/staticcheck", "-checks", "inherit,-ST*", "./..."))
}

// tool runs a program at its version in .ci/tools.mod.
func tool(argv ...string) step {
	return program(append([]string{"go", "run", "-modfile=.ci/tools.mod"}, argv...)...)
}

// check judges a change within a minute. Tests that are not quick skip
// themselves with -short, and so does the browser's package.
func check() []step {
	return append(append([]step{program("go", "build", stripped, "./...")}, rules()...), program("go", "test", "-short", "-vet=off", "-p", packages(1), "./..."))
}

// formatted lists the Go files that gofmt would change.
func formatted(root string, out io.Writer) error {
	bad, err := repo.Unformatted(root)
	if err != nil {
		return err
	}
	for _, f := range bad {
		fmt.Fprintln(out, f)
	}
	if len(bad) > 0 {
		return fmt.Errorf("%d files are not formatted", len(bad))
	}
	return nil
}

// tests leave go vet to lint. The browser's package takes as long as half of the others and
// stands first, since go test starts packages as they are named.
func tests() []step {
	all := []step{program("go", "test", "-vet=off", "-timeout", "18m", "-p", packages(2), "./internal/browser", "./...")}
	if repo.Chromium() == "" {
		all = append([]step{{Command: "tests of the pages in a browser skipped: there is no Chromium on PATH"}}, all...)
	}
	return append(all, race()...)
}

// packages returns how many packages are tested at a time, more than there are cores: some wait for a lost rank or a
// browser.
func packages(more int) string { return strconv.Itoa(runtime.NumCPU() + more) }

// raced are the packages whose tests have threads of their own: the others below the
// same folders are formulas and rules, in which nothing can race. Of a GPU these are the
// interpreter's workers, and the drivers and the engine that several goroutines use at once.
var raced = []string{
	"./shared/cluster", "./shared/cluster/collective", "./shared/cluster/faults", "./shared/cluster/internal/...", "./shared/cluster/local",
	"./shared/cluster/mpi", "./shared/cluster/tcp", "./shared/cluster/virtual",
	"./papers/codedsgd", "./papers/dasp", "./papers/ringsparse", "./shared/tensor/engine/asm", "./shared/tensor/engine/internal/team",
	"./shared/gpu/check", "./shared/gpu/driver", "./shared/gpu/engine", "./shared/gpu/internal/ptx",
}

// race is skipped, in one line, where there is no C compiler. What races does so in the
// first rounds of a small exchange as well: -short, and gradsync/shared/race.
func race() []step { return detector(append([]string{"-short", "-p", packages(2)}, raced...)...) }

// detector runs tests under the race detector.
func detector(args ...string) []step {
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "gcc"
	}
	if _, err := exec.LookPath(cc); err != nil {
		return []step{{Command: "race tests skipped: the race detector needs a C compiler and there is no " + cc}}
	}
	return []step{program(append([]string{"go", "test", "-race", "-vet=off"}, args...)...).with("CGO_ENABLED=1")}
}

// long is all tests, the slow ones too; those of a GPU once more with the race detector, on
// the emulator, on the fake driver and on the lazy one.
func long() []step {
	all := []step{program("go", "test", "-timeout", "60m", "./...").with("GRADSYNC_LONG=1")}
	for _, s := range detector("-timeout", "60m", "./shared/gpu/...") {
		if s.argv != nil {
			s = s.with("GRADSYNC_LONG=1")
		}
		all = append(all, s)
	}
	return all
}

// self is this binary with arguments.
func self(args ...string) step {
	s := program(append([]string{"gradsync"}, args...)...)
	if path, err := os.Executable(); err == nil {
		s.argv[0] = path
	}
	return s
}

func reports() []step {
	return []step{
		self(strings.Fields(rendering)...),
		{Command: "what README.md, REPRODUCIBILITY.md, COURSEWORK.md and reports/published.json say of the results", own: renew},
	}
}

// reproductions returns a command for each document, and one for all.
func reproductions(estimate Estimate) (out []*cobra.Command) {
	for _, p := range paper.All() {
		out = append(out, reproduce(estimate, p.Key, p.Name()+" and render the page", p.First, p.Key))
	}
	return append(out, reproduce(estimate, "all", "all documents, then the comparison, and render the pages", nil, paper.Keys()...))
}

// reproduce is the README's command: experiments, then pages, and last what held, what did not and where to
// look.
func reproduce(estimate Estimate, name, of string, first []string, run ...string) *cobra.Command {
	var profile, seeds, out string
	var more int
	cmd := &cobra.Command{
		Use: "reproduce-" + name, Short: "Run the experiments of " + of + " (as make reproduce-" + name + ")",
		Example: "  gradsync reproduce-" + name + " --profile ci --seeds 0", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := filepath.Abs(out) // the steps run in the root, the flag is the caller's
			if err != nil {
				return err
			}
			if more != 0 && seeds != "" || more < 0 {
				return usagef("reproduce-%s: --more-seeds %d: want 0 or more, and no --seeds beside it", name, more)
			}
			if more > 0 {
				seeds = fmt.Sprint("+", more)
			}
			return do(cmd, append(reproduction(estimate, dir, profile, seeds, first, run), summed(out, dir, profile, run)))
		},
	}
	cmd.Flags().StringVar(&profile, "profile", "quick", "size of the run: ci, quick, standard, paper")
	cmd.Flags().StringVar(&seeds, "seeds", "", "seeds, separated by commas (default: each experiment's own)")
	cmd.Flags().IntVar(&more, "more-seeds", 0, "so many seeds beside those each experiment begins with")
	cmd.Flags().StringVar(&out, "out", "out", "folder of results and pages")
	return cmd
}

// reproduction is the steps of reproduce. first is run and rendered before the rest, so that the page
// can be read meanwhile; profile ci takes seconds and lacks most of it.
func reproduction(estimate Estimate, dir, profile, seeds string, first, run []string) []step {
	results := filepath.Join(dir, "results")
	runs := func(ids []string, more ...string) step {
		return self(slices.Concat([]string{"run"}, ids, []string{"--profile", profile}, seeded(seeds), []string{"--out", results}, more)...)
	}
	render := self("report", "--results", results, "--out", filepath.Join(dir, "html"))
	if first != nil && profile != "ci" {
		// Both runs share trainings, and an interrupted reproduction goes on from them: the same build's, since another may have other rules.
		parts := filepath.Join(dir, "parts")
		own := filepath.Join(parts, memo.BuildHash())
		soon, all := estimate(first, nil, profile, seeds), estimate(run, nil, profile, seeds)
		later := max(all-soon, 0)
		return []step{runs(first, "--kept", own).within(Stretch{0, soon, later}), render,
			runs(run, "--except", strings.Join(first, ","), "--kept", own).within(Stretch{soon, later, 0}), render,
			{Command: "remove " + parts, own: func(string, io.Writer) error { return os.RemoveAll(parts) }}}
	}
	return []step{runs(run), render}
}

// seeded returns the flag of seeds, nothing for each experiment's own; "+5" is five more than these.
func seeded(seeds string) []string {
	if seeds == "" {
		return nil
	}
	if more, ok := strings.CutPrefix(seeds, "+"); ok {
		return []string{"--more-seeds", more}
	}
	return []string{"--seeds", seeds}
}

// clean removes bin and out. A running binary cannot be removed on Windows;
// then the rest goes and the error names what stayed.
func clean() []step {
	return []step{{Command: "remove bin and out", own: func(root string, _ io.Writer) error {
		return errors.Join(os.RemoveAll(filepath.Join(root, "out")), os.RemoveAll(filepath.Join(root, "bin")))
	}}}
}

// soak hands its words to the script, which judges them.
func soak() *cobra.Command {
	cmd := command("soak", "Run the tests on machines unlike this one: busy, raced, of one processor, a stranger's", nil)
	cmd.Use, cmd.Args = "soak [CONDITION ...]", cobra.ArbitraryArgs
	cmd.Example = "  gradsync dev soak race --part quick --times 10 --no-ledger"
	times := cmd.Flags().Int("times", 20, "how often each test of .ci/soak/tests.csv runs")
	part := cmd.Flags().String("part", "", "suite, listed or quick alone")
	alone := cmd.Flags().Bool("no-ledger", false, "neither read nor write .ci/soak/ledger.csv")
	cmd.RunE = func(cmd *cobra.Command, conditions []string) error {
		words := append(conditions, "--times", strconv.Itoa(*times))
		if *part != "" {
			words = append(words, "--part", *part)
		}
		if *alone {
			words = append(words, "--no-ledger")
		}
		err := do(cmd, []step{program(append([]string{"bash", ".ci/soak/run"}, words...)...)})
		if said := new(exec.ExitError); errors.As(err, &said) && said.ExitCode() == 2 {
			return &UsageError{err}
		}
		return err
	}
	return cmd
}
