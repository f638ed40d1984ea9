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
	{"equal", "＝", said{"equal", "相等"}, said{"the same to the last digit", "到最后一位都相同"}},
	{"within", "✓", said{"within", "在容差内"}, said{"inside the tolerance that was fixed before the run", "在运行之前确定的容差之内"}},
	{"same-sign", "↗", said{"same sign", "方向一致"}, said{"the direction holds, the size does not or is not comparable", "方向成立，大小不成立或不可比"}},
	{"differs", "✗", said{"differs", "不符"}, said{"everything else: a finding", "其余情况：一项发现"}},
	{"not-run", "○", said{"not run", "未运行"}, said{"no number of ours; its section says why", "本复现没有相应的数；原因写在所属小节"}},
	{"not-stated", "–", said{"not stated", "未陈述"}, said{"the source gives no number to compare with", "原文没有可比较的数"}},
}

type verdict struct {
	Key, Sign   string
	Word, Means said
}

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
var kinds = map[string]said{
	result.Trained:    said{"real gradients, real arithmetic", "真实的梯度，真实的运算"},
	result.TimingOnly: said{"the same events without the arithmetic, at full model size", "事件相同，不做运算，按完整模型大小计时"},
	result.Modelled:   said{"a formula evaluated", "由公式计算得出"},
	result.Shared:     said{"one training run, timed on several clusters", "一次训练，在多个集群上计时"},
	result.Counted:    said{"sets, messages and bytes are counted; numbers that were exchanged are made up", "集合、消息和字节是数出来的；所交换的数值是任意给定的"},
	result.Stated:     said{"assumptions and their reasons; nothing was run", "假设及其理由；没有运行任何程序"},
}

// kindNames are the words on the badges of kinds.
var kindNames = map[string]said{
	result.Trained: {"trained", "实际训练"}, result.TimingOnly: {"timing-only", "仅计时"}, result.Modelled: {"modelled", "公式计算"},
	result.Shared: {"timed on a shared trajectory", "同一训练轨迹上计时"}, result.Counted: {"counted", "计数"}, result.Stated: {"stated", "假设与陈述"},
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
