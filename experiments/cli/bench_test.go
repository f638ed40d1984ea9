package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gradsync/experiments/bench"
	"gradsync/internal/oktest"
)

// contenders stands for the program of benchmarks: each step of a peer takes 10 µs.
const contenders = `#!/bin/sh
for word in "$@"; do case $word in -test.bench=*) name=$(echo "${word#*=}" | tr -d '^$\\'); esac; done
case $name in */by=channels) time=10000 ;; *) time=TIME ;; esac
echo "$name 1 $time ns/op"
`

// bench prints a table or a book, report writes both files, and check finds what fell, of which exit code 3 tells.
func TestBench(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the contender is a shell's script")
	}
	dir := t.TempDir()
	takes := func(ns string) {
		script := strings.Replace(contenders, "TIME", ns, 1)
		oktest.Nil(t, os.WriteFile(filepath.Join(dir, "bench.test"), []byte(script), 0o700))
	}
	takes("2000")
	from, book := " --quiet --python no-such-python --rounds 1 --from "+dir, " --book "+filepath.Join(dir, "B.json")
	rc, out, msg := gradsync(fields("bench messages" + from)...)
	if rc != exitOK || msg != "" || !strings.Contains(out, "| ranks=64 | 2.000 µs | – | **5** |\n") {
		t.Errorf("exit code %d, %s%s", rc, msg, out)
	}
	rc, out, msg = gradsync(fields("bench messages --json" + from)...)
	var b bench.Book
	err := json.Unmarshal([]byte(out), &b)
	if err != nil || rc != exitOK || len(b.Answers) != 1 || len(b.Answers[0].Cases) != 3 {
		t.Errorf("exit code %d, %v, %s%s", rc, err, msg, out)
	}
	if rc, _, msg := gradsync(fields("bench report" + from + book)...); rc != exitOK || msg != "" {
		t.Fatalf("exit code %d, %s", rc, msg)
	}
	page, err := os.ReadFile(filepath.Join(dir, "B.md"))
	if err != nil || !strings.Contains(string(page), "## Messages of virtual time") ||
		!strings.Contains(string(page), "not measured: pytorch: ") {
		t.Errorf("%v, %s", err, page)
	}
	takes("2500")
	rc, _, msg = gradsync(fields("bench report messages" + from + book)...)
	raw, err := os.ReadFile(filepath.Join(dir, "B.json"))
	renewed, bad := bench.ReadBook(raw)
	if err != nil || bad != nil || rc != exitOK || msg != "" || len(renewed.Answers) != len(bench.Questions()) ||
		renewed.Find("Messages", "ranks=64").By["virtual"]["sec/op"][0] != 2.5e-6 {
		t.Errorf("one table anew: exit code %d, %s, %v, %v, %s", rc, msg, err, bad, raw)
	}
	for _, c := range []struct {
		ns   string
		rc   int
		want string
	}{{"2000", exitOK, "3 ratios compared, 0 fell"},
		{"4000", exitDiffer, "fell: Messages: ranks=64 × channels: 4 → 2.5 (-38 %)"}} {
		takes(c.ns)
		rc, out, msg := gradsync(fields("bench check messages" + from + book)...)
		if rc != c.rc || msg != "" || !strings.Contains(out, c.want) {
			t.Errorf("%s ns: exit code %d, %s%s, want %q", c.ns, rc, msg, out, c.want)
		}
	}
}
