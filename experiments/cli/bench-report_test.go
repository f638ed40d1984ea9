package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"gradsync/experiments/bench"
)

// The committed BENCHMARKS.md is a whole report of these cases: every aim
// judged, the engine and its peer in every case, no empty cell. What
// the numbers are is the machine's affair.
func TestBenchmarksAreComplete(t *testing.T) {
	raw, err := os.ReadFile("../../BENCHMARKS.md")
	if err != nil {
		t.Fatalf("%v: make benchmarks writes it", err)
	}
	text := string(raw)
	aims := 0
	for _, c := range bench.Cases() {
		aims += len(c.Aims)
		_, part, _ := strings.Cut(text, "\n### "+c.Title+"\n")
		part, _, _ = strings.Cut(part, "\n#")
		names := []string{preferred[0], c.Peer}
		switch c.Job.Kind {
		case bench.KindVec:
			names = bench.Kernels()
		case bench.KindCoded:
			names = bench.CodedKernels()
		case bench.KindPush:
			names = bench.PushContenders()
		}
		for _, name := range names {
			if !strings.Contains(part, "\n| "+name+" |") {
				t.Errorf("%s has no row of %s", c.Title, name)
			}
		}
		if !strings.Contains(part, "`"+c.Command()+"`") {
			t.Errorf("%s lacks its command", c.Title)
		}
	}
	text, _, _ = strings.Cut(text, "\n## GPU\n") // which may wait for a card
	if got := len(regexp.MustCompile(`(?m)^\|.*\| (held|missed) \|$`).FindAllString(text, -1)); got != aims {
		t.Errorf("%d aims judged, want %d", got, aims)
	}
	for _, bad := range []string{"not measured", "|  |", "NaN", "Inf"} {
		if strings.Contains(text, bad) {
			t.Errorf("the report says %q", bad)
		}
	}
}

func TestBenchReportUsage(t *testing.T) {
	rc, _, msg := gradsync("bench", "report", "--rounds", "0")
	if rc != exitUsage {
		t.Errorf("exit code %d, %s", rc, msg)
	}
	if rc, _, msg := gradsync("bench", "report", "--out", t.TempDir()+"/none/B.md"); rc != exitFailed || !strings.Contains(msg, "none") {
		t.Errorf("exit code %d, %s; want to fail before measuring for minutes", rc, msg)
	}
}
