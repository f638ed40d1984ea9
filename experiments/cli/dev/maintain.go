package dev

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/kit"
	"gradsync/experiments/paper"
	"gradsync/internal/repo"
)

// committed is where the results lie that pages are rendered from.
const committed = "experiments/results"

func build() []step {
	bin := "bin/gradsync"
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	return []step{program("go", "build", stripped, "-o", bin, "./experiments/gradsync")}
}

// stripped leaves out the debugger's tables; stack traces and profiles do not need them.
const stripped = "-ldflags=-s -w"

// systems lists GOOS/GOARCH of what the program is built for.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// cross builds for the systems that platforms names, GOOS/GOARCH each.
func cross() *cobra.Command {
	var platforms []string
	cmd := &cobra.Command{
		Use: "cross", Short: "Build for Linux, macOS and Windows on amd64 and arm64 (as make cross)",
		Example: "  gradsync dev cross --platforms windows/amd64", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var steps []step
			for _, p := range platforms {
				system, arch, _ := strings.Cut(p, "/") // go build names what it does not know
				steps = append(steps, program("go", "build", stripped, "./...").with("CGO_ENABLED=0").with("GOARCH="+arch).with("GOOS="+system))
			}
			return do(cmd, steps)
		},
	}
	cmd.Flags().StringSliceVar(&platforms, "platforms", systems, "GOOS/GOARCH, separated by commas")
	return cmd
}

// publish runs all experiments into the committed results and renders the pages.
func publish() *cobra.Command {
	var profile, seeds string
	cmd := &cobra.Command{
		Use: "publish", Short: "Renew the committed results of a profile and all pages (as make publish)",
		Example: "  gradsync dev publish --profile quick", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return do(cmd, append(renewed(profile, seeds), reports()...))
		},
	}
	cmd.Flags().StringVar(&profile, "profile", "quick", "size of the run: ci, quick, standard, paper")
	cmd.Flags().StringVar(&seeds, "seeds", "", "seeds, separated by commas (default: each experiment's own)")
	return cmd
}

// ciResults renews the results of profile ci and the list of their parts.
func ciResults() []step {
	kept := filepath.Join("out", "ci-results", "kept")
	run := renewed("ci", "0", "--kept", kept)
	return slices.Concat([]step{removed(filepath.Dir(kept))}, run, []step{{Command: "write " + partsFile, own: func(root string, out io.Writer) error {
		return writeParts(root, filepath.Join(root, kept), kit.Bits, out)
	}}})
}

// removed is a step that removes a folder of the root.
func removed(dir string) step {
	return step{Command: "remove " + dir, own: func(root string, _ io.Writer) error { return os.RemoveAll(filepath.Join(root, dir)) }}
}

// renewed runs engine asm by name, so that committed results are of one bit class
// whoever renews them. Run takes the embedded images for profiles ci and quick, real data for others.
func renewed(profile, seeds string, more ...string) []step {
	args := slices.Concat([]string{"run"}, paper.Keys(), []string{"--profile", profile}, seeded(seeds), []string{"--engine", "asm", "--out", committed}, more)
	return []step{self(args...)}
}

// benchmarks measures this machine.
func benchmarks() []step { return []step{self("bench", "report")} }

// ciCheck makes the command that reruns committed results of profile ci.
func ciCheck() *cobra.Command {
	cmd := command("ci-check",
		"Rerun profile ci on the embedded images and compare with the committed results byte by byte", nil)
	cmd.Use, cmd.Args = "ci-check [STEM ...]", cobra.ArbitraryArgs
	cmd.Example += "\n  gradsync dev ci-check dasp/table4 ring/steps   # these alone"
	cmd.RunE = func(cmd *cobra.Command, stems []string) error {
		steps, err := checked(stems)
		if err != nil {
			return err
		}
		return do(cmd, steps)
	}
	return cmd
}

// checked reruns profile ci of the stems, of every committed result where there are none, with
// the engine that the results name. A CPU that cannot run it cannot make those bytes:
// run then fails and says so.
func checked(stems []string) ([]step, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, nil // do reports it
	}
	results := filepath.Join(root, filepath.FromSlash(committed))
	for _, s := range stems {
		if len(ciFiles(results, s)) == 0 {
			return nil, usagef("ci-check: no committed result of profile ci %q: known are %s", s,
				strings.Join(stemsNear(results, s), ", "))
		}
	}
	fresh, kept := filepath.Join("out", "ci-check", "results"), filepath.Join("out", "ci-check", "kept")
	steps := []step{removed(filepath.Dir(fresh))}
	var papers []string
	engines, ids := map[string]string{}, map[string][]string{} // by paper
	for _, f := range ciFiles(results, stems...) {
		key, _, _ := strings.Cut(filepath.ToSlash(f), "/")
		if ids[key] = append(ids[key], stemOf(f)); len(ids[key]) == 1 {
			papers = append(papers, key)
		}
		raw, err := os.ReadFile(filepath.Join(results, f))
		named := engineLine.FindSubmatch(raw)
		if err != nil || named == nil {
			continue // compare reports what cannot be read; the rest trained nothing
		}
		if e := string(named[1]); engines[key] != "" && engines[key] != e {
			return []step{{Command: "choose the engine of " + key, own: func(string, io.Writer) error {
				return fmt.Errorf("the committed results of %s are of several engines: %s, %s", key, engines[key], e)
			}}}, nil
		}
		engines[key] = string(named[1])
	}
	for _, p := range papers {
		engine := cmp.Or(engines[p], "portable") // where nothing was trained any engine does
		if len(stems) == 0 {
			ids[p] = []string{p}
		}
		run := slices.Concat([]string{"run"}, ids[p],
			[]string{"--profile", "ci", "--seeds", "0", "--engine", engine, "--out", fresh, "--kept", kept})
		steps = append(steps, self(run...))
	}
	same := func(root string, out io.Writer) error {
		return compare(results, filepath.Join(root, fresh), out, stems...)
	}
	parts := func(root string, _ io.Writer) error {
		return checkParts(root, filepath.Join(root, kept), kit.Bits, len(stems) == 0)
	}
	return append(steps, step{Command: "compare " + fresh + " with " + committed + " byte by byte", own: same},
		step{Command: "compare " + kept + " with " + partsFile, own: parts}), nil
}

// engineLine is where a result names what trained it: "NAME (bit class CLASS)".
var engineLine = regexp.MustCompile(`(?m)^  "engine": "(\S+) \(bit class `)

// stemOf returns the stem of a result file of profile ci: dasp/table4.
func stemOf(file string) string {
	return strings.Replace(strings.TrimSuffix(filepath.ToSlash(file), ".json"), "/ci/", "/", 1)
}

// stemsNear lists the stems of the document that a name begins with, of all where it is none's.
func stemsNear(results, name string) (near []string) {
	key, _, _ := strings.Cut(name, "/")
	var all []string
	for _, f := range ciFiles(results) {
		if all = append(all, stemOf(f)); strings.HasPrefix(stemOf(f), key+"/") {
			near = append(near, stemOf(f))
		}
	}
	if near == nil {
		return all
	}
	return near
}

// ciFiles lists the result files of profile ci below a folder of results, of all stems where none is named,
// without their sidecars, which tell of host and hour.
func ciFiles(results string, stems ...string) []string {
	all, _ := filepath.Glob(filepath.Join(results, "*", "ci", "*.json")) // the pattern is well formed
	var out []string
	for _, f := range all {
		rel, err := filepath.Rel(results, f)
		if err == nil && !strings.HasPrefix(rel, ".") && !strings.HasSuffix(rel, ".run.json") &&
			(len(stems) == 0 || slices.Contains(stems, stemOf(rel))) {
			out = append(out, rel)
		}
	}
	return out
}

// compare fails unless both folders hold the same results of profile ci, of the stems or of all.
func compare(want, got string, out io.Writer, stems ...string) error {
	files := ciFiles(want, stems...)
	if len(files) == 0 {
		return fmt.Errorf("no results of profile ci under %s", want)
	}
	if again := ciFiles(got); !slices.Equal(files, again) {
		return fmt.Errorf("the sets of result files differ: committed %v, rerun %v", files, again)
	}
	bad := 0
	for _, f := range files {
		x, err := os.ReadFile(filepath.Join(want, f))
		y, err2 := os.ReadFile(filepath.Join(got, f))
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if !bytes.Equal(x, y) {
			bad++
			fmt.Fprintf(out, "differs: gradsync diff %s %s\n", filepath.Join(want, f), filepath.Join(got, f))
		}
	}
	fmt.Fprintf(out, "%d results of profile ci rerun, %d differ from the committed bytes\n", len(files), bad)
	if bad > 0 {
		return fmt.Errorf("%d of %d results differ", bad, len(files))
	}
	return nil
}
