package dev

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gradsync/internal/repo"
)

// ErrDiffer means that something was found out and printed: exit code 3, no further message.
var ErrDiffer = errors.New("differs")

// verdict holds what one way of running kernels says of a mistake.
type verdict struct {
	Found  bool   `json:"found"`
	Wanted bool   `json:"wanted"` // it must be found
	Says   string `json:"says,omitempty"`
}

// mutant is a mistake and both verdicts; nil where that way did not run.
type mutant struct {
	Mistake     string   `json:"mistake"`
	Interpreter *verdict `json:"interpreter"`
	Fake        *verdict `json:"fake"`
}

// mutants holds what the tests of shared/gpu/mutants reported.
type mutants struct {
	Command string    `json:"command"`
	Seconds float64   `json:"seconds"`
	Mutants []*mutant `json:"mutants"`
	Both    int       `json:"both"` // found by both
	NotRun  []string  `json:"not_run,omitempty"`
	failed  []string  // tests that did
}

// What must be planted, and found both by the interpreter and on the fake driver.
const (
	fewestMutants = 10
	fewestByBoth  = 7
)

// gpuMutants runs tests that only tests may be linked to, and prints what they report.
func gpuMutants() *cobra.Command {
	return &cobra.Command{
		Use: "gpu-mutants", Short: "Plant mistakes into the GPU's kernels and say who finds them (exit code 3 if one is missed; as make gpu-mutants)",
		Long: "Plant mistakes into the kernels of shared/gpu, one at a time, and run each in the interpreter of PTX, which names instruction, block and thread,\n" +
			"and on the fake driver. It needs clang-19 to compile them and g++ for the fake driver, without which that column stays empty; no GPU. Some two minutes.",
		Example: "  gradsync dev gpu-mutants --json", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			root, err := repo.Root()
			if err != nil {
				return fmt.Errorf("%s: run it inside a clone of gradsync: %w", cmd.Name(), err)
			}
			tests := program("go", "test", "-json", "-count=1", "-vet=off", "-timeout", "30m", "./shared/gpu/mutants").with("GRADSYNC_LONG=1")
			fmt.Fprintln(cmd.ErrOrStderr(), tests.Command)
			start := time.Now()
			var events bytes.Buffer
			failed := tests.run(cmd.Context(), root, &events, cmd.ErrOrStderr())
			all, err := readMutants(&events)
			if err != nil {
				return fmt.Errorf("%s: %w", cmd.Name(), errors.Join(err, failed))
			}
			all.Command, all.Seconds = cmd.Name(), time.Since(start).Seconds()
			if cmd.Flag("json") != nil && cmd.Flag("json").Value.String() == "true" {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetEscapeHTML(false)
				enc.SetIndent("", "  ")
				err = enc.Encode(all)
			} else {
				all.print(cmd.OutOrStdout())
			}
			return errors.Join(err, all.judge(failed))
		},
	}
}

// readMutants reads the events of go test -json: what tests report as attributes, why
// they skip themselves, and which fail.
func readMutants(from io.Reader) (*mutants, error) {
	type key struct{ test, name string }
	attributes, said, rows, all := map[key]string{}, map[string]string{}, map[string]*mutant{}, &mutants{}
	for events := json.NewDecoder(from); ; {
		var e struct{ Action, Test, Key, Value, Output string }
		if err := events.Decode(&e); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go test -json: %w", err)
		}
		switch e.Action {
		case "output":
			if _, text, ok := strings.Cut(e.Output, "_test.go:"); ok { // its line, then what it says
				_, text, _ = strings.Cut(text, ": ")
				said[e.Test] = strings.TrimSpace(text)
			}
		case "skip":
			if e.Test == "TestEmulator" || e.Test == "TestFake" {
				all.NotRun = append(all.NotRun, said[e.Test])
			}
		case "fail":
			if e.Test != "" {
				all.failed = append(all.failed, e.Test+": "+said[e.Test])
			}
		case "attr":
			if attributes[key{e.Test, e.Key}] = e.Value; e.Key != "says" { // the last
				continue
			}
			mistake := attributes[key{e.Test, "mistake"}]
			row := rows[mistake]
			if row == nil {
				row = &mutant{Mistake: mistake}
				rows[mistake], all.Mutants = row, append(all.Mutants, row)
			}
			v := &verdict{Found: e.Value != "", Wanted: attributes[key{e.Test, "wanted"}] == "true", Says: shortened(e.Value)}
			if attributes[key{e.Test, "by"}] == "fake" {
				row.Fake = v
			} else {
				row.Interpreter = v
			}
			if row.Fake != nil && row.Interpreter != nil && row.Fake.Found && row.Interpreter.Found {
				all.Both++
			}
		}
	}
}

// shortened leaves out what every error of a lost device says.
func shortened(says string) string {
	for _, mark := range []string{"ptx: ", "fake cuda: "} {
		if _, after, ok := strings.Cut(says, mark); ok {
			return after
		}
	}
	return says
}

func (m *mutants) print(out io.Writer) {
	word := func(v *verdict) string {
		switch {
		case v == nil:
			return "not run"
		case v.Found:
			return "found"
		case v.Wanted:
			return "MISSED"
		}
		return "not found"
	}
	fmt.Fprintf(out, "%-52s %-12s %s\n", "mistake", "interpreter", "fake driver")
	for _, x := range m.Mutants {
		fmt.Fprintf(out, "%-52s %-12s %s\n", x.Mistake, word(x.Interpreter), word(x.Fake))
		if x.Interpreter != nil && x.Interpreter.Says != "" {
			fmt.Fprintln(out, "    interpreter: "+x.Interpreter.Says)
		}
		if x.Fake != nil && x.Fake.Says != "" {
			fmt.Fprintln(out, "    fake driver: "+x.Fake.Says)
		}
	}
	for _, why := range m.NotRun {
		fmt.Fprintln(out, "not run: "+why)
	}
	fmt.Fprintf(out, "%d mistakes, %d found by both\n", len(m.Mutants), m.Both)
	for _, f := range m.failed {
		fmt.Fprintln(out, "failed: "+f)
	}
}

// judge says whether all was found that must be; failed is the error of the tests.
func (m *mutants) judge(failed error) error {
	byInterpreter, missed := 0, 0
	for _, x := range m.Mutants {
		if x.Interpreter != nil {
			byInterpreter++
		}
		for _, v := range []*verdict{x.Interpreter, x.Fake} {
			if v != nil && v.Wanted && !v.Found {
				missed++
			}
		}
	}
	switch {
	case missed > 0, len(m.failed) > 0:
		return ErrDiffer
	case failed != nil:
		return fmt.Errorf("gpu-mutants: the tests of shared/gpu/mutants: %w", failed)
	case byInterpreter < fewestMutants:
		return fmt.Errorf("gpu-mutants: the interpreter ran %d mistakes: %s", byInterpreter, strings.Join(m.NotRun, "; "))
	case len(m.NotRun) == 0 && m.Both < fewestByBoth:
		return ErrDiffer
	}
	return nil
}
