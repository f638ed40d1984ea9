package page

import (
	"html/template"
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
	"gradsync/reports/typeset"
)

// Verdicts lists the verdicts of package claims, best first, with the sign and the words that a page
// shows. Colour is never the only carrier of a verdict.
var Verdicts = []Verdict{
	{"equal", "＝", notebook.Both{"equal", "相等"}, notebook.Both{"the same to the last digit", "到最后一位都相同"}},
	{"within", "✓", notebook.Both{"within", "在容差内"}, notebook.Both{"inside the tolerance that was fixed before the run", "在运行之前确定的容差之内"}},
	{"same-sign", "↗", notebook.Both{"same sign", "方向一致"}, notebook.Both{"the direction holds, the size does not or is not comparable", "方向成立，大小不成立或不可比"}},
	{"differs", "✗", notebook.Both{"differs", "不符"}, notebook.Both{"everything else: a finding", "其余情况：一项发现"}},
	{"not-run", "○", notebook.Both{"not run", "未运行"}, notebook.Both{"no number of ours; its section says why", "本复现没有相应的数；原因写在所属小节"}},
	{"not-stated", "–", notebook.Both{"not stated", "未陈述"}, notebook.Both{"the source gives no number to compare with", "原文没有可比较的数"}},
}

// Verdict is a verdict of package claims with its sign, its words and what it means.
type Verdict struct {
	Key, Sign   string
	Word, Means notebook.Both
}

// FindVerdict returns the verdict named key.
func FindVerdict(key string) (Verdict, bool) {
	for _, v := range Verdicts {
		if v.Key == key {
			return v, true
		}
	}
	return Verdict{}, false
}

// Kinds holds, by kind of result, what a page says of a table or figure of that kind.
var Kinds = map[string]notebook.Both{
	result.Trained:    notebook.Both{"real gradients, real arithmetic", "真实的梯度，真实的运算"},
	result.TimingOnly: notebook.Both{"the same events without the arithmetic, at full model size", "事件相同，不做运算，按完整模型大小计时"},
	result.Modelled:   notebook.Both{"a formula evaluated", "由公式计算得出"},
	result.Shared:     notebook.Both{"one training run, timed on several clusters", "一次训练，在多个集群上计时"},
	result.Counted:    notebook.Both{"sets, messages and bytes are counted; numbers that were exchanged are made up", "集合、消息和字节是数出来的；所交换的数值是任意给定的"},
	result.Stated:     notebook.Both{"assumptions and their reasons; nothing was run", "假设及其理由；没有运行任何程序"},
}

// kindNames are the words on the badges of kinds.
var kindNames = map[string]notebook.Both{
	result.Trained: {"trained", "实际训练"}, result.TimingOnly: {"timing-only", "仅计时"}, result.Modelled: {"modelled", "公式计算"},
	result.Shared: {"timed on a shared trajectory", "同一训练轨迹上计时"}, result.Counted: {"counted", "计数"}, result.Stated: {"stated", "假设与陈述"},
}

// KindOrder is every kind, in the order in which a badge names them.
var KindOrder = []string{result.TimingOnly, result.Trained, result.Shared, result.Modelled, result.Counted, result.Stated}

// KindsOf lists the kinds of r and of its frames, in the order of KindOrder.
func KindsOf(r *result.Result) []string {
	has := map[string]bool{r.Kind: true}
	for _, f := range r.Frames {
		has[KindOr(f.Kind, r.Kind)] = true
	}
	return slices.DeleteFunc(slices.Clone(KindOrder), func(k string) bool { return !has[k] })
}

// KindOr returns a frame's own kind or else its result's.
func KindOr(kind, otherwise string) string {
	if kind != "" {
		return kind
	}
	return otherwise
}

// KindMeans explains one kind, and leaves several to their tables and figures.
func KindMeans(list []string) notebook.Both {
	if len(list) == 1 {
		return Kinds[list[0]]
	}
	return notebook.Both{"each table and figure says which", "每张表和图各自注明"}
}

// KindWords joins the badges of kinds.
func KindWords(kinds []string) notebook.Both {
	var en, zh []string
	for _, k := range kinds {
		en, zh = append(en, kindNames[k].En()), append(zh, kindNames[k].Zh())
	}
	return notebook.Both{typeset.InWords(en), strings.Join(zh, "与")}
}

// inChinese puts the few words of a source that are not names into Chinese.
var inChinese = strings.NewReplacer("the blog, ", "博客，", "the patent, ", "专利，", "Tables ", "表 ", "Table ", "表 ", "Figs. ", "图 ", "Figs ", "图 ",
	"Fig. ", "图 ", "Fig ", "图 ",
	"Algorithms ", "算法 ", "Algorithm ", "算法 ", "equations ", "式 ", "equation ", "式 ", "Section ", "", "abstracts", "摘要", "abstract", "摘要", "benefits", "有益效果",
	"derived", "推导", "conclusion", "结论", "embodiment", "实施例", " and ", "和", " to ", "至 ", " against ", "对照", "ours", "我们的", ", ", "，")

// sourceOf returns where a result or a claim stands in its document, in both languages.
func sourceOf(s string) notebook.Both { return notebook.Both{s, inChinese.Replace(s)} }

// Remark says what a verdict alone does not: that the seeds do not decide, or that
// there was nothing to find. The zero remark says nothing.
type Remark struct {
	Key         string
	Word, Means notebook.Both
}

var Remarks = []Remark{
	{"undecided", notebook.Both{"undecided", "未定"}, notebook.Both{"differs, since the 95 % interval holds the null, the value of no effect (a reduction " +
		"of 0 %, a ratio of " +
		"1): these seeds neither bear the claim out nor refute it",
		"判为“不符”，因为 95 % 区间包含零值，即“没有效果”的取值（降低 0 %，比值为 1）：这些种子既不能证实、也不能推翻该论断"}},
	{"given", notebook.Both{"given", "给定"}, notebook.Both{"we set the number, or worked it out from the source’s own; nothing was found, whatever the verdict",
		"该数由我们设定，或由来源自己的数算出；无论判定如何，都不是运行得到的发现"}},
	{"derived", notebook.Both{"derived", "推导得出"}, notebook.Both{"the source does not state the number; it follows from what the source states",
		"来源没有给出该数；它可由来源所述推出"}},
}

// RemarkOn returns the remark on a claim's verdict; the zero Remark says nothing.
func RemarkOn(c result.Claim) Remark {
	if i := slices.IndexFunc(Remarks, func(r Remark) bool { return r.Key == c.Remark }); i >= 0 {
		return Remarks[i]
	}
	return Remark{}
}

// remarkCount is the number of claims with a remark.
type remarkCount struct {
	Remark
	N int
}

// remarkCounts counts the remarks on the claims with a verdict, in the order of remarks.
func remarkCounts(list []result.Claim, verdict string) []remarkCount {
	var out []remarkCount
	for _, r := range Remarks {
		with := slices.DeleteFunc(slices.Clone(list), func(c result.Claim) bool { return c.Verdict != verdict || RemarkOn(c) != r })
		if len(with) > 0 {
			out = append(out, remarkCount{r, len(with)})
		}
	}
	return out
}

// VerdictCount holds the number of claims with a verdict.
type VerdictCount struct {
	Verdict
	N  int
	Of []remarkCount // how many of them have which remark
}

// Count tallies claims by verdict, best first, without the verdicts nobody got.
func Count(claims []result.Claim) []VerdictCount {
	var ts []VerdictCount
	for _, v := range Verdicts {
		n := 0
		for _, c := range claims {
			if c.Verdict == v.Key {
				n++
			}
		}
		if n > 0 {
			ts = append(ts, VerdictCount{v, n, remarkCounts(claims, v.Key)})
		}
	}
	return ts
}

// total returns the number of claims that ts counts.
func total(ts []VerdictCount) int {
	n := 0
	for _, t := range ts {
		n += t.N
	}
	return n
}

// kindName returns the word on a badge.
func kindName(key string) template.HTML { return kindNames[key].HTML() }
