package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// TestReportShowsTheSource: pages made by the command have the deciding Go beside each algorithm, and the name
// of what computes a formula.
func TestReportShowsTheSource(t *testing.T) {
	results, out := t.TempDir(), t.TempDir()
	text, err := os.ReadFile(filepath.FromSlash("../results/ring/steps.json"))
	if err == nil {
		err = os.MkdirAll(filepath.Join(results, "ring"), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(results, "ring", "steps.json"), text, 0o644)
	}
	oktest.Nil(t, err)
	if rc, _, msg := gradsync("report", "--results", results, "--out", out); rc != 0 {
		t.Fatal(rc, msg)
	}
	page := oktest.Must(os.ReadFile(filepath.Join(out, "ring", "code.html")))(t)
	for _, want := range []string{
		`<a class="g4" href="#all-gather-4" id="all-gather-L4">4</a>`, `id="all-gather-4"`,
		`<code class="at" title="shared/cluster/formula">`, `>RingTime</code>`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}
