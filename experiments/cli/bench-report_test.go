package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/bench"
)

// One section, from the command line to the document, and the check of its ratios: those that fell by more than a
// quarter are named, and only those.
func TestBenchReportAndCheck(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	dir := t.TempDir()
	book, kept := filepath.Join(dir, "b.json"), filepath.Join(dir, "out", "k.json")
	const quick = " --only messages --rounds 1 --seconds 0.001 --pause 0.01 --wait 0 --quiet --book "
	rc, out, msg := gradsync(fields("bench report --limit 0 --kept " + kept + quick + book)...)
	if rc != exitOK || msg != "" || out != filepath.Join(dir, "b.md")+": 1 sections\n" {
		t.Fatalf("exit code %d, %s\n%s", rc, msg, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "b.md"))
	if err != nil || !strings.Contains(string(text), "\n| 10000 | virtual | ") ||
		!strings.Contains(string(text), "## Messages of virtual time\n\nProcessors in use by other programs") {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := os.Stat(kept); err == nil {
		t.Error("what was kept for an interruption is still there")
	}
	raw, err := os.ReadFile(book)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		factor float64 // of what is committed for 64 ranks
		rc     int
	}{{1e6, exitDiffer}, {1e-6, exitOK}} {
		b, err := bench.ReadBook(raw)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range b.Sections[0].Outcomes { // one round varies: all but the first case were far slower
			for _, r := range o.Results {
				if r.Contender != bench.ChannelRing {
					r.Speeds[0] *= map[bool]float64{true: c.factor, false: 1e-6}[i == 0]
				}
			}
		}
		changed, err := b.Bytes()
		if err == nil {
			err = os.WriteFile(book, changed, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.rc == exitDiffer {
			rc, out, msg := gradsync(fields("bench check" + quick + book)...)
			const fell = "fell: Messages of virtual time: a ring of 64 ranks in virtual time: virtual × channels: "
			if rc != c.rc || !strings.Contains(out, fell) || !strings.Contains(out, "3 ratios compared, ") {
				t.Errorf("exit code %d, %s\n%s", rc, msg, out)
			}
			continue
		}
		rc, out, msg := gradsync(fields("bench check --json" + quick + book)...)
		var got struct {
			Machine string
			Ratios  []bench.Change
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || rc != c.rc || got.Machine != "" || len(got.Ratios) != 3 {
			t.Errorf("exit code %d, %v, %s\n%s", rc, err, msg, out)
		}
	}
}

func TestBenchReportUsage(t *testing.T) {
	for command, want := range map[string]string{
		"report --rounds 0": "--rounds 0", "report --only vec,rings": `no section "rings": did you mean`, "report --tries 0": "--tries 0: at least 1",
		"report --max-load NaN": "--max-load NaN", "report --wait -1": "--wait -1", "report --pause 61": "--pause 61: 0 to 60", "check --only x": "no section",
	} {
		if rc, _, msg := gradsync(fields("bench " + command)...); rc != exitUsage || !strings.Contains(msg, want) {
			t.Errorf("%s: exit code %d, %s", command, rc, msg)
		}
	}
	if rc, _, msg := gradsync("bench", "report", "--book", t.TempDir()+"/none/B.json"); rc != exitFailed || !strings.Contains(msg, "none") {
		t.Errorf("exit code %d, %s; want to fail before measuring for minutes", rc, msg)
	}
	if rc, _, msg := gradsync("bench", "check", "--book", t.TempDir()+"/none.json"); rc != exitFailed || !strings.Contains(msg, "none.json") {
		t.Errorf("exit code %d, %s; want to fail before measuring for minutes", rc, msg)
	}
}
