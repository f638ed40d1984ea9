package reports

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
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
	if r.Status != result.Complete && r.Status != result.Incomplete {
		return fmt.Errorf("status %q, want complete or incomplete", r.Status)
	}
	if _, ok := kinds[r.Kind]; !ok {
		return fmt.Errorf("unknown kind %q", r.Kind)
	}
	for _, f := range r.Frames {
		if _, ok := kinds[f.Kind]; !ok && f.Kind != "" {
			return fmt.Errorf("frame %s: unknown kind %q", f.ID, f.Kind)
		}
	}
	for _, c := range r.Claims {
		if _, ok := findVerdict(c.Verdict); !ok {
			return fmt.Errorf("claim %s: unknown verdict %q", c.ID, c.Verdict)
		}
		for _, ci := range c.CI95 {
			if ci != nil && !(ci[0] <= ci[1]) {
				return fmt.Errorf("claim %s: interval from %v to %v", c.ID, ci[0], ci[1])
			}
		}
	}
	return nil
}

// checkDrawing refuses a figure that cannot be drawn.
func checkDrawing(f notebook.Drawing) error {
	if f.Form == "gantt" {
		for i, b := range f.Bands {
			if !(b.From <= b.To) || math.IsInf(b.To, 0) {
				return fmt.Errorf("band %d: from %v to %v", i, b.From, b.To)
			}
		}
		return nil
	}
	for _, s := range f.Series {
		if f.Y.Log && slices.ContainsFunc(s.Y, func(y float64) bool { return y <= 0 }) {
			return fmt.Errorf("series %s: a value ≤ 0 on a logarithmic axis", s.Name)
		}
		if f.X.Log && slices.ContainsFunc(s.X, func(x float64) bool { return x <= 0 }) {
			return fmt.Errorf("series %s: a place ≤ 0 on a logarithmic axis", s.Name)
		}
	}
	return nil
}
