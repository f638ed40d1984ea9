package repo

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// TestAMethodOfOnesOwn follows CONTRIBUTING.md, "Add your own policy", in a copy of the
// tree: a method with a parameter of its own is two new files, and train, its help,
// compare and the playground have it.
func TestAMethodOfOnesOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program in a copy of the tree: not with -short")
	}
	root, dir := mustRoot(t), t.TempDir()
	made := copyTemplates(t, root)
	if len(made) != 2 {
		t.Errorf("a method of one's own is %d files, want 2", len(made))
	}
	probe := "package main\n\nimport \"gradsync/reports/playground\"\n\nfunc main() {\n\tfor _, m := range playground.Methods() {\n\t\tprintln(m.Key)\n\t}\n}\n"
	made["probe/main.go"] = []byte(probe)
	overlay := writeOverlay(t, root, made)

	bin := filepath.Join(dir, "mine.exe")
	run := func(want int, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		if cmd.Dir = dir; name == "go" {
			cmd.Dir = root
		}
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Fatalf("%s %s: exit %d, want %d\n%s", name, strings.Join(args, " "), code, want, out)
		}
		return string(out)
	}
	run(0, "go", "build", "-overlay", overlay, "-ldflags=-s -w", "-o", bin, "./experiments/gradsync")
	if help := run(0, bin, "train", "--help"); !strings.Contains(help, "--mine-group") || !strings.Contains(help, "mine: gradients that are applied together") {
		t.Error("the help of train has no --mine-group")
	}
	train := []string{"train", "--sync", "mine", "--timing-only", "--workers", "4", "--updates", "12", "--json"}
	pushes := func(args ...string) (n struct{ Pushes, Updates int }) {
		oktest.Nil(t, json.Unmarshal([]byte(run(0, bin, append(train, args...)...)), &n))
		return n
	}
	if two, three := pushes(), pushes("--mine-group", "3"); two.Updates != 12 || two.Pushes != 24 || three.Updates != 12 || three.Pushes != 36 {
		t.Errorf("12 updates of pairs take %+v, of triples %+v, want 24 and 36 gradients", two, three)
	}
	record := filepath.Join(dir, "mine.jsonl")
	pushes("--mine-group", "3", "--record", record)
	checkTrail(t, record, func(want int) string { return run(want, bin, "replay", "--check", record) })
	if out := run(2, bin, "train", "--sync", "ssp", "--mine-group", "3"); !strings.Contains(out, "--mine-group is for mine, not for ssp") {
		t.Errorf("a flag of mine given to ssp: %s", out)
	}
	if out := run(2, bin, append(train, "--mine-group", "0")...); !strings.Contains(out, "--mine-group 0: at least 1") {
		t.Errorf("a value out of range: %s", out)
	}
	run(0, bin, "run", "compare/facts", "--profile", "ci", "--seeds", "0", "--out", filepath.Join(dir, "out"), "--quiet")
	facts, err := os.ReadFile(filepath.Join(dir, "out", "compare", "ci", "facts.json"))
	if err != nil || !bytes.Contains(facts, []byte(`"mine"`)) {
		t.Errorf("compare/facts has no method mine (%v)", err)
	}
	if keys := strings.Fields(run(0, "go", "run", "-overlay", overlay, "-ldflags=-s -w", "./probe")); !slices.Contains(keys, "mine") {
		t.Errorf("the playground compares %v", keys)
	}
}

// checkTrail checks the audit trail of a run with --mine-group 3, as it is and with a header that says 2.
func checkTrail(t *testing.T, trail string, check func(want int) string) {
	t.Helper()
	check(0)
	raw := oktest.Must(os.ReadFile(trail))(t)
	oktest.Nil(t, os.WriteFile(trail, bytes.Replace(raw, []byte(`"Value":3`), []byte(`"Value":2`), 1), 0o644))
	if out := check(3); !strings.Contains(out, "push 2 of worker") {
		t.Errorf("a trail of triples, checked as one of pairs: %s", out)
	}
}

// copyTemplates returns the files that CONTRIBUTING.md says to make, by their paths.
func copyTemplates(t *testing.T, root string) map[string][]byte {
	t.Helper()
	guide, made := oktest.Must(os.ReadFile(filepath.Join(root, "CONTRIBUTING.md")))(t), map[string][]byte{}
	for from, to := range map[string]string{"papers/dasp/rivals/template.go": "papers/dasp/rivals/mine.go",
		"experiments/method/template.go": "experiments/method/mine.go"} {
		if !bytes.Contains(guide, []byte(from)) || !bytes.Contains(guide, []byte(to)) {
			t.Errorf("CONTRIBUTING.md does not say to copy %s to %s", from, to)
		}
		text := oktest.Must(os.ReadFile(filepath.Join(root, from)))(t)
		made[to] = []byte(strings.NewReplacer("template", "mine", "Compare: false", "Compare: true", "// Costs:", "Costs:",
			"package method\n", "package method\n\nimport \"gradsync/experiments/method/cost\"\n").Replace(string(text)))
	}
	return made
}
