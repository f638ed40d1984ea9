package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"gradsync/experiments/exp"
)

// TestListFits: no line is wider than the terminal, or than 100 columns; ids are whole
// and first, and a wide terminal has everything.
func TestListFits(t *testing.T) {
	rc, out, msg := gradsync("list")
	if rc != exitOK {
		t.Fatalf("exit code %d: %s", rc, msg)
	}
	all := Experiments()
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != len(all) {
		t.Fatalf("%d lines of %d experiments", len(lines), len(all))
	}
	var list []listed
	for i, e := range all {
		if n := utf8.RuneCountInString(lines[i]); n > 100 || !strings.HasPrefix(lines[i], e.ID+" ") {
			t.Errorf("%d columns: %s", n, lines[i])
		}
		list = append(list, listed{e.ID, e.Title, e.Source, e.Profiles})
	}
	if !strings.Contains(out, "dasp/fig3 ") || !strings.Contains(out, "Accuracy over time, equal workers (not in ci)") {
		t.Errorf("no profile is said to be missing:\n%s", out)
	}
	for i, line := range listLines(list, 300) {
		if e := all[i]; !strings.Contains(line, e.Title) || !strings.HasSuffix(line, "  "+e.Source) || strings.Contains(line, "…") {
			t.Errorf("in 300 columns: %s", line)
		}
	}
	for i, line := range listLines(list, 10) {
		if line != all[i].ID {
			t.Errorf("in 10 columns: %q", line)
		}
	}
}

// TestNearestNames: there may be fewer than three, of however long a name.
func TestNearestNames(t *testing.T) {
	if got := nearest([]exp.Experiment{{ID: "a/b"}}, strings.Repeat("环", 5000)); got != "a, a/b" {
		t.Errorf("nearest of two: %q", got)
	}
}

// TestEdits: by hand.
func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"环", "ring", 4}, {"ab", "ba", 1}, {"dsap", "dasp", 1}, {"flaw", "lawn", 2}} {
		if got := edits(c.a, c.b); got != c.want {
			t.Errorf("edits(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
