package reports

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	result "gradsync/experiments/result1"
)

// verdicts, best first, with the sign and the words a page shows. Colour is
// never the only carrier of a verdict.
var verdicts = []verdict{
	{"equal", "＝", "equal", "the same to the last digit"},
	{"within", "✓", "within", "inside the tolerance that was fixed before the run"},
	{"same-sign", "↗", "same sign", "the direction holds, the size does not or is not comparable"},
	{"differs", "✗", "differs", "everything else: a finding"},
	{"not-run", "○", "not run", "no number of ours; its section says why"},
	{"not-stated", "–", "not stated", "the source gives no number to compare with"},
}

type verdict struct{ Key, Sign, Word, Means string }

// findVerdict returns the verdict named key.
func findVerdict(key string) (verdict, bool) {
	for _, v := range verdicts {
		if v.Key == key {
			return v, true
		}
	}
	return verdict{}, false
}

// kinds of tables and figures, with what a page says of each.
var kinds = map[string]string{
	result.Trained:    "real gradients, real arithmetic",
	result.TimingOnly: "the same events without the arithmetic, at full model size",
	result.Modelled:   "a formula evaluated",
	result.Shared:     "one training run, timed on several clusters",
	result.Counted:    "sets, messages and bytes are counted; numbers that were exchanged are made up",
	result.Stated:     "assumptions and their reasons; nothing was run",
}

// notAnchor is what may not be a part of an anchor, a file name or an SVG id.
var notAnchor = regexp.MustCompile(`[^a-z0-9]+`)

// slug turns an id into what may.
func slug(id string) string {
	return strings.Trim(notAnchor.ReplaceAllString(strings.ToLower(id), "-"), "-")
}

// check refuses a result that a page would show wrongly.
func check(r *result.Result) error {
	if r.Status != "complete" && r.Status != "incomplete" {
		return fmt.Errorf("status %q, want complete or incomplete", r.Status)
	}
	if _, ok := kinds[r.Kind]; !ok {
		return fmt.Errorf("unknown kind %q", r.Kind)
	}
	seen := map[string]bool{}
	for _, c := range r.Claims {
		if _, ok := findVerdict(c.Verdict); !ok {
			return fmt.Errorf("claim %s: unknown verdict %q", c.ID, c.Verdict)
		}
		if c.ID == "" || seen["claim "+c.ID] {
			return fmt.Errorf("claim %q: empty or repeated id", c.ID)
		}
		seen["claim "+c.ID] = true
		if ci := c.CI95; ci != nil && !(ci[0] <= ci[1]) {
			return fmt.Errorf("claim %s: interval from %v to %v", c.ID, ci[0], ci[1])
		}
	}
	for _, t := range r.Tables {
		if err := checkTable(t); err != nil {
			return fmt.Errorf("table %s: %w", t.ID, err)
		}
		if seen["table "+slug(t.ID)] {
			return fmt.Errorf("table %s: repeated id", t.ID)
		}
		seen["table "+slug(t.ID)] = true
	}
	for _, f := range r.Figures {
		if err := checkFigure(f); err != nil {
			return fmt.Errorf("figure %s: %w", f.ID, err)
		}
		if seen["figure "+slug(f.ID)] {
			return fmt.Errorf("figure %s: repeated id", f.ID)
		}
		seen["figure "+slug(f.ID)] = true
	}
	return nil
}

func checkTable(t result.Table) error {
	if slug(t.ID) == "" {
		return fmt.Errorf("id %q has no letter or digit", t.ID)
	}
	if _, ok := kinds[t.Kind]; !ok && t.Kind != "" {
		return fmt.Errorf("unknown kind %q", t.Kind)
	}
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("row %d has %d cells, %d columns", i, len(row), len(t.Columns))
		}
	}
	return nil
}

func checkFigure(f result.Figure) error {
	if slug(f.ID) == "" {
		return fmt.Errorf("id %q has no letter or digit", f.ID)
	}
	if _, ok := kinds[f.Kind]; !ok && f.Kind != "" {
		return fmt.Errorf("unknown kind %q", f.Kind)
	}
	if f.Alt == "" && f.Caption == "" {
		return fmt.Errorf("no text alternative and no caption")
	}
	switch f.Form {
	case "line", "bar":
		return checkSeries(f)
	case "gantt":
		for i, b := range f.Bands {
			if b.Lane < 0 || b.Lane >= len(f.Lanes) || !(b.From <= b.To) || math.IsInf(b.To, 0) {
				return fmt.Errorf("band %d: lane %d of %d, from %v to %v", i, b.Lane, len(f.Lanes), b.From, b.To)
			}
		}
		return nil
	}
	return fmt.Errorf("unknown form %q", f.Form)
}

func checkSeries(f result.Figure) error {
	for _, s := range f.Series {
		n := len(s.X)
		if f.Form == "bar" {
			n = len(f.X.Categories)
		}
		if len(s.Y) != n {
			return fmt.Errorf("series %s: %d values for %d places", s.Name, len(s.Y), n)
		}
		if len(s.Lo) != len(s.Hi) || (len(s.Lo) != 0 && len(s.Lo) != n) {
			return fmt.Errorf("series %s: bounds of %d and %d values for %d places", s.Name, len(s.Lo), len(s.Hi), n)
		}
		if f.Y.Log && slices.ContainsFunc(s.Y, func(y float64) bool { return y <= 0 }) {
			return fmt.Errorf("series %s: a value ≤ 0 on a logarithmic axis", s.Name)
		}
	}
	return nil
}
