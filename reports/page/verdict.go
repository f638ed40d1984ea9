package page

import (
	"html/template"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/reports/notebook"
	"gradsync/reports/typeset"
)

// Verdicts are claims.Words, in that order, with the sign and the words a page shows. A finding is
// filled, whatever is none is outlined; sign and word say what colour says.
var Verdicts = []Verdict{
	{claims.WordHolds, "✓", notebook.Both{"holds", "成立"}, notebook.Both{"hold", "成立"},
		notebook.Both{"we found what is stated, within a tolerance fixed before the run", "与所述相符，误差在运行之前规定的范围内"}},
	{claims.WordDirection, "↗", notebook.Both{"holds in direction", "方向成立"}, notebook.Both{"hold in direction", "方向成立"},
		notebook.Both{"the sign is as stated, the size is not", "正负与所述一致，大小不同"}},
	{claims.WordNot, "✗", notebook.Both{"does not hold", "不成立"}, notebook.Both{"do not hold", "不成立"},
		notebook.Both{"we found the opposite, or the text contradicts itself", "结果与所述相反，或原文自相矛盾"}},
	{claims.WordDepends, "◐", notebook.Both{"depends", "取决于假设"}, notebook.Both{"depend", "取决于假设"},
		notebook.Both{"readings of what the text leaves open do not agree; the page names the choice that decides most", "对原文未定之处的各种解读不一致；相应页面写明作用最大的选择"}},
	{claims.WordCannot, "?", notebook.Both{"cannot tell", "无法判断"}, notebook.Both{"cannot be told", "无法判断"},
		notebook.Both{"our interval includes “no effect”, or runs miss their target: they are too few", "我们的区间包含“无差别”，或有运行未达到目标：运行次数太少"}},
	{claims.WordNoCase, "＝", notebook.Both{"no case", "无从比较"}, notebook.Both{"are no case", "无从比较"},
		notebook.Both{"the methods did exactly the same here", "各方法在这里行为完全相同"}},
	{claims.WordInput, "→", notebook.Both{"input", "输入"}, notebook.Both{"inputs", "输入"},
		notebook.Both{"we set this number; nothing was found", "这个数由我们设定，不是结果"}},
	{claims.WordNotRun, "○", notebook.Both{"not run", "未运行"}, notebook.Both{"not run", "未运行"},
		notebook.Both{"no run here can judge it; its page says why", "这里的运行无法判断；相应页面写明原因"}},
	{claims.WordOwn, "–", notebook.Both{"our own value", "我们自己的数"}, notebook.Both{"our own values", "我们自己的数"},
		notebook.Both{"the text states no number; ours is not counted", "原文没有给出数；我们的数不计入"}},
}

// Verdict is one of claims.Words as a page shows it.
type Verdict struct {
	Key, Sign     string
	Word, Several notebook.Both // of one claim, and behind a number of claims: "3 do not hold"
	Means         notebook.Both
}

// finding reports whether the verdict is a finding.
func (v Verdict) finding() bool { return slices.Index(claims.Words, v.Key) < claims.Findings }

// Counted reports whether claims with the verdict are counted.
func (v Verdict) Counted() bool { return v.Key != claims.WordOwn }

// FindVerdict returns the verdict that a page shows for one of claims.Verdicts.
func FindVerdict(verdict string) (Verdict, bool) { return VerdictOf(claims.Word(verdict)) }

// VerdictOf returns the verdict of one of claims.Words.
func VerdictOf(word string) (Verdict, bool) {
	for _, v := range Verdicts {
		if v.Key == word {
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

// kindOrder is every kind, in the order in which a badge names them.
var kindOrder = []string{result.TimingOnly, result.Trained, result.Shared,
	result.Modelled, result.Counted, result.Stated}

// KindsOf lists the kinds of r and of its frames, in the order of kindOrder.
func KindsOf(r *result.Result) []string {
	has := map[string]bool{r.Kind: true}
	for _, f := range r.Frames {
		has[KindOr(f.Kind, r.Kind)] = true
	}
	return slices.DeleteFunc(slices.Clone(kindOrder), func(k string) bool { return !has[k] })
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

// SourceOf returns where a result or a claim stands in its document, in both languages.
func SourceOf(s string) notebook.Both { return notebook.Both{s, inChinese.Replace(s)} }

// Remark says what a verdict alone does not: that the source does not state the number. The zero
// remark says nothing.
type Remark struct {
	Key         string
	Word, Means notebook.Both
}

var remarks = []Remark{
	{claims.DerivedRemark, notebook.Both{"derived", "推导得出"},
		notebook.Both{"the source does not state the number; it follows from what the source states", "来源没有给出该数；它可由来源所述推出"}},
}

// RemarkOn returns the remark on a claim's verdict; the zero Remark says nothing.
func RemarkOn(c result.Claim) Remark {
	if i := slices.IndexFunc(remarks, func(r Remark) bool { return r.Key == c.Remark }); i >= 0 {
		return remarks[i]
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
	for _, r := range remarks {
		with := slices.DeleteFunc(slices.Clone(list), func(c result.Claim) bool { return claims.Word(c.Verdict) != verdict || RemarkOn(c) != r })
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

// Words returns what stands behind the number.
func (c VerdictCount) Words() notebook.Both {
	if c.N == 1 {
		return c.Word
	}
	return c.Several
}

// Count tallies claims by verdict, findings first, without the verdicts nobody got and without what is
// not counted.
func Count(list []result.Claim) []VerdictCount {
	var ts []VerdictCount
	for _, v := range Verdicts {
		n := 0
		for _, c := range list {
			if claims.Word(c.Verdict) == v.Key {
				n++
			}
		}
		if n > 0 && v.Counted() {
			ts = append(ts, VerdictCount{v, n, remarkCounts(list, v.Key)})
		}
	}
	return ts
}

// findings returns the tallies of findings, or else the others.
func findings(ts []VerdictCount, are bool) []VerdictCount {
	return slices.DeleteFunc(slices.Clone(ts), func(t VerdictCount) bool { return t.finding() != are })
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
