package dev

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/cli/memo"
	"gradsync/experiments/paper"
	"gradsync/internal/oktest"
)

// put writes files below dir, by their slash paths.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		oktest.Nil(t, os.MkdirAll(filepath.Dir(path), 0o755))
		oktest.Nil(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

func TestCompareIsByteByByte(t *testing.T) {
	want := map[string]string{"dasp/ci/table1.json": "1", "dasp/ci/table1.run.json": "Monday", "dasp/table1.json": "quick", "ring/ci/fig1.json": "2"}
	for name, test := range map[string]struct {
		got     map[string]string
		problem string
	}{
		"equal but for the sidecar": {map[string]string{"dasp/ci/table1.json": "1", "dasp/ci/table1.run.json": "Friday", "ring/ci/fig1.json": "2"}, ""},
		"one byte more":             {map[string]string{"dasp/ci/table1.json": "1\n", "ring/ci/fig1.json": "2"}, "1 of 2 results differ"},
		"one file less":             {map[string]string{"dasp/ci/table1.json": "1"}, "sets of result files differ"},
		"the committed one is lacking": {map[string]string{"dasp/ci/table1.json": "1", "ring/ci/fig1.json": "2", "ring/ci/fig2.json": "3"},
			"sets of result files differ"},
	} {
		a, b := t.TempDir(), t.TempDir()
		put(t, a, want)
		put(t, b, test.got)
		var out bytes.Buffer
		err := compare(a, b, &out)
		if (err == nil) != (test.problem == "") || err != nil && !strings.Contains(err.Error(), test.problem) {
			t.Errorf("%s: %v, want %q", name, err, test.problem)
		}
	}
	if err := compare(t.TempDir(), t.TempDir(), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "no results of profile ci") {
		t.Errorf("nothing to compare: %v", err)
	}
}

// The reruns are of what profile ci has.
func TestCIRuns(t *testing.T) {
	dir := clone(t)
	put(t, dir, map[string]string{"experiments/results/dasp/ci/table1.json": "1", "experiments/results/dasp/ci/table2.json": "1"})
	check, _ := checked(nil)
	if len(check) != 4 || !strings.Contains(check[1].Command, " run dasp --profile ci --seeds 0 --engine portable ") {
		t.Fatalf("ci-check is %+v, want: remove, run dasp, compare twice", check)
	}
}

// The reruns are by the engine that the committed results name, and of one.
func TestCIRunsUseTheResultsEngine(t *testing.T) {
	dir := clone(t)
	put(t, dir, map[string]string{
		"experiments/results/dasp/ci/table1.json":     "{\n  \"engine\": \"fast (bit class x)\",\n}",
		"experiments/results/dasp/ci/table2.json":     "{\n  \"id\": 1\n}",
		"experiments/results/dasp/ci/table2.run.json": "{\n  \"engine\": \"other (bit class y)\",\n}",
	})
	if check, _ := checked(nil); len(check) != 4 || !strings.Contains(check[1].Command, " --engine fast --out ") {
		t.Errorf("ci-check is %+v, want one run with the engine fast", check)
	}
	put(t, dir, map[string]string{"experiments/results/dasp/ci/table3.json": "{\n  \"engine\": \"other (bit class y)\",\n}"})
	check, _ := checked(nil)
	if len(check) != 1 {
		t.Fatalf("ci-check of results of two engines is %+v", check)
	}
	if err := check[0].own(dir, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "several engines: fast, other") {
		t.Errorf("results of two engines: %v", err)
	}
}

// TestCICheckOfSomeStems: what is named is rerun and compared, once each, with the engine that it names, and nothing
// else; a name that is no committed result's is a usage error on one line.
func TestCICheckOfSomeStems(t *testing.T) {
	dir := clone(t)
	engine := func(name string) string { return "{\n  \"engine\": \"" + name + " (bit class x)\",\n}" }
	put(t, dir, map[string]string{
		"experiments/results/dasp/ci/table1.json":     engine("other"),
		"experiments/results/dasp/ci/table2.json":     engine("fast"),
		"experiments/results/dasp/ci/table2.run.json": "Monday",
		"experiments/results/dasp/ci/table3.json":     "3",
		"experiments/results/dasp/table4.json":        "of profile quick",
		"experiments/results/ring/ci/steps.json":      "4",
		"out/ci-check/results/dasp/ci/table2.json":    engine("fast"),
		"out/ci-check/results/ring/ci/steps.json":     "4",
	})
	steps, err := checked([]string{"ring/steps", "dasp/table2", "ring/steps"})
	if err != nil || len(steps) != 5 ||
		!strings.Contains(steps[1].Command, " run dasp/table2 --profile ci --seeds 0 --engine fast ") ||
		!strings.Contains(steps[2].Command, " run ring/steps --profile ci --seeds 0 --engine portable ") {
		t.Fatalf("ci-check of two stems: %+v, %v", steps, err)
	}
	var out bytes.Buffer
	if err := steps[3].own(dir, &out); err != nil ||
		out.String() != "2 results of profile ci rerun, 0 differ from the committed bytes\n" {
		t.Errorf("two results of two: %v, %s", err, out.String())
	}
	put(t, dir, map[string]string{"out/ci-check/results/ring/ci/steps.json": "5"})
	if err := steps[3].own(dir, &out); err == nil || !strings.Contains(err.Error(), "1 of 2 results differ") {
		t.Errorf("one of two differs: %v", err)
	}
	all := "dasp/table1, dasp/table2, dasp/table3"
	stopped, stop := context.WithCancel(t.Context()) // a step would start this test
	stop()
	for stem, known := range map[string]string{"dasp/tabel2": all, "dasp": all, "dasp/table4": all,
		"moon/*": all + ", ring/steps"} {
		var usage *UsageError
		want := "ci-check: no committed result of profile ci \"" + stem + "\": known are " + known
		c := ciCheck()
		c.SetContext(stopped)
		if out, _, err := call(c, "ring/steps", stem); !errors.As(err, &usage) || err.Error() != want || out != "" {
			t.Errorf("ci-check %s: %v, printed %q, want the usage error %q", stem, err, out, want)
		}
	}
	c := ciCheck()
	c.SetContext(stopped)
	if out, _, err := call(c, "ring/steps"); !errors.Is(err, context.Canceled) ||
		!strings.Contains(out, " run ring/steps --profile ci ") || strings.Contains(out, "dasp") {
		t.Errorf("ci-check ring/steps, stopped before its run: %v, %s", err, out)
	}
}

// All experiments of every document are renewed.
func TestWhatIsRenewed(t *testing.T) {
	for _, profile := range []string{"ci", "quick", "standard", "paper"} {
		s := renewed(profile, "0")[0]
		if want := "gradsync run " + strings.Join(paper.Keys(), " ") + " --profile " + profile + " --seeds 0 --engine asm "; !strings.Contains(s.Command, want) {
			t.Errorf("%q does not run %s", s.Command, want)
		}
	}
}

// halfEach estimates 30 s for one experiment and 100 s for a document.
func halfEach(ids, _ []string, _, _ string) float64 {
	if strings.Contains(ids[0], "/") {
		return 30
	}
	return 100
}

// All documents are run by one command, and the pages rendered last.
func TestReproductionRunsThenRenders(t *testing.T) {
	steps := reproduction(halfEach, "there", "ci", "0", nil, paper.Keys())
	if len(steps) != 2 || !strings.HasPrefix(steps[0].Command, "gradsync run "+strings.Join(paper.Keys(), " ")+" --profile ci --seeds 0 --out ") ||
		!strings.HasPrefix(steps[1].Command, "gradsync report --results "+filepath.Join("there", "results")) {
		t.Errorf("%+v", steps)
	}
	steps = reproduction(halfEach, "there", "quick", "", []string{"dasp/table4"}, []string{"dasp"})
	if len(steps) != 5 || !strings.HasPrefix(steps[0].Command, "gradsync run dasp/table4 --profile quick --out ") ||
		!strings.HasSuffix(steps[2].Command, " --except dasp/table4 --kept "+filepath.Join("there", "parts", memo.BuildHash())) ||
		steps[1].Command != steps[3].Command {
		t.Errorf("with a page of the first results: %+v", steps)
	}
	for i, want := range map[int]Stretch{0: {0, 30, 70}, 2: {30, 70, 0}} {
		env := steps[i].env[len(steps[i].env)-1]
		if got, ok := ParseStretch(strings.TrimPrefix(env, StretchEnv+"=")); !ok || got != want || strings.Contains(steps[i].Command, StretchEnv) {
			t.Errorf("step %d has %s, want %v", i, env, want)
		}
	}
	if more := reproduction(halfEach, "there", "ci", "+4", nil, []string{"dasp"}); !strings.Contains(more[0].Command, " --more-seeds 4 ") {
		t.Errorf("of four seeds more: %+v", more)
	}
	if steps = reproduction(halfEach, "there", "ci", "0", []string{"dasp/table6"}, []string{"dasp"}); len(steps) != 2 {
		t.Errorf("profile ci, with a page of the first results: %+v", steps)
	}
	var names []string
	for _, c := range Reproductions(halfEach) {
		names = append(names, c.Name())
	}
	for _, p := range append([]string{"all"}, paper.Keys()...) {
		if !slices.Contains(names, "reproduce-"+p) {
			t.Errorf("no command reproduce-%s among %v", p, names)
		}
	}
}
