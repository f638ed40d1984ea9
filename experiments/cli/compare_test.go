package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fakeBinary stands for gradsync: it notes its arguments, refuses the engine
// none-such, and copies the committed results to --out, with a change to those
// named broken.
const fakeBinary = `#!/bin/sh
echo "$@" >>calls
while [ $# -gt 0 ]; do
  case $1 in
  --engine) engine=$2 ;;
  --out) out=$2 ;;
  --dry-run) dry=1 ;;
  esac
  shift
done
if [ "$engine" = none-such ]; then echo "engine none-such cannot run here" >&2; exit 2; fi
if [ -n "$dry" ]; then exit 0; fi
mkdir -p "$out" && cp -r experiments/results/. "$out"
for f in "$out"/dasp/ci/broken*; do if [ -e "$f" ]; then echo >>"$f"; fi; done
`

// .ci/compare reruns with the engine that the results name, and what cannot be
// compared is a failure that says so.
func TestCompareUsesTheResultsEngine(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash for .ci/compare")
	}
	script, err := filepath.Abs("../../.ci/compare")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(script); err != nil { // so that go test's cache knows of it
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		results map[string]string // file: engine
		fails   bool
		calls   int    // of run
		engine  string // of each
		says    string
	}{
		"same bytes":  {map[string]string{"a": "asm (bit class fma32)", "b": ""}, false, 2, "asm", "0 differ"},
		"other bytes": {map[string]string{"broken": "asm (bit class fma32)"}, true, 2, "asm", "1 differ"},
		"cannot run": {map[string]string{"a": "none-such (bit class x)"}, true, 1, "none-such",
			"FAILED: the committed results of dasp are of engine none-such (bit class x), which this machine cannot run"},
		"two engines":    {map[string]string{"a": "asm (bit class fma32)", "b": "portable (bit class portable)"}, true, 0, "", "several engines"},
		"nothing trains": {map[string]string{"a": ""}, false, 2, "portable", "0 differ"},
		"no results":     {nil, true, 0, "", "no results of profile ci"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			ci := filepath.Join(dir, "experiments", "results", "dasp", "ci")
			if err := os.MkdirAll(ci, 0o755); err != nil {
				t.Fatal(err)
			}
			write := func(path, text string) {
				if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for file, engine := range test.results {
				line := ""
				if engine != "" {
					line = "  \"engine\": \"" + engine + "\",\n"
				}
				write(filepath.Join(ci, file+".json"), "{\n"+line+"  \"id\": 1\n}\n")
			}
			write(filepath.Join(dir, "fake"), fakeBinary)
			cmd := exec.Command(bash, script, "./fake")
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if (err != nil) != test.fails || !strings.Contains(string(out), test.says) {
				t.Errorf("error %v, output %s; want failure %v and %q", err, out, test.fails, test.says)
			}
			raw, _ := os.ReadFile(filepath.Join(dir, "calls")) // absent: none
			var calls []string
			for _, call := range strings.Split(string(raw), "\n") {
				if strings.HasPrefix(call, "run ") { // the others explain differences
					calls = append(calls, call)
				}
			}
			if len(calls) != test.calls {
				t.Errorf("%d calls of the binary, want %d: %q", len(calls), test.calls, calls)
			}
			for _, call := range calls {
				if !strings.Contains(call, "--profile ci --seeds 0 --engine "+test.engine+" ") {
					t.Errorf("called with %s, want engine %s", call, test.engine)
				}
			}
		})
	}
}
