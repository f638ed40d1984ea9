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

// Verdicts are claims.Verdicts, in that order, with the sign and the words a page shows. Colour is
// never the only carrier of a verdict.
var Verdicts = []Verdict{
	{claims.Equal, "＝", notebook.Both{"equal", "相等"}, notebook.Both{"the same to the last digit", "到最后一位都相同"}},
	{claims.Within, "✓", notebook.Both{"within", "在容差内"}, notebook.Both{"inside the tolerance that was fixed before the run", "在运行之前确定的容差之内"}},
	{claims.SameSign, "↗", notebook.Both{"same sign", "方向一致"}, notebook.Both{"the direction holds, the size does not or is not comparable",
		"方向成立，大小不成立或不可比"}},
	{claims.Holds, "✔", notebook.Both{"holds", "成立"}, notebook.Both{"a sentence without a number, and it holds by the criterion that was fixed before the run",
		"不含数值的论断，按运行之前确定的判据成立"}},
	{claims.Differs, "✗", notebook.Both{"differs", "不符"}, notebook.Both{"decided, and otherwise than stated: a finding", "已能判定，且与所述不同：一项发现"}},
	{claims.Undecided, "?", notebook.Both{"undecided", "未定"}, notebook.Both{"these seeds neither bear the claim out nor refute it: the 95 % interval " +
		"holds the value of no effect (a reduction of 0 %, a ratio of 1), on whichever side the estimate lies, or reaches over a bound; or there is no " +
		"interval, as of one seed; or runs miss their target and the sign test does not decide; or it was declared before the run that the claim needs " +
		"more seeds than we can afford; or too few readings of the document are admissible",
		"这些种子既不能证实、也不能推翻该论断：95 % 区间包含“没有效果”的取值（降低 0 %，比值为 1），不论估计值落在哪一侧，或者区间跨过界限；或没有区间，例如只有一个种子；" +
			"或有运行未达到目标，而符号检验不能定论；或运行之前已声明该论断需要的种子多于我们所能承担的；或可接受的解读太少"}},
	{claims.NoCase, "≡", notebook.Both{"no case", "无从比较"}, notebook.Both{"the two methods did exactly the same, event by event: there is nothing to compare",
		"两种方法逐个事件完全相同：没有可比较的"}},
	{claims.Input, "→", notebook.Both{"input", "输入"}, notebook.Both{"we set the number, or worked it out from the source’s own: nothing was found",
		"该数由我们设定，或由来源自己的数算出：没有发现可言"}},
	{claims.Depends, "◇", notebook.Both{"depends", "取决于解读"}, notebook.Both{"judged over many readings of the document, which do not agree; " +
		"it names the choice that decides most, where one does more than chance",
		"按对文献的许多种解读判定，各种解读不一致；若有一项选择的作用超出偶然，则列出其中最大的一项"}},
	{claims.NotRun, "○", notebook.Both{"not run", "未运行"}, notebook.Both{"no number of ours; its section says why", "本复现没有相应的数；原因写在所属小节"}},
	{claims.NotStated, "–", notebook.Both{"not stated", "未陈述"}, notebook.Both{"the source gives no number to compare with", "原文没有可比较的数"}},
}

// Order says in words by which rules, and in which order, a verdict is given.
var Order = notebook.Both{"The first rule that fits decides: *not run*, *input*, *no case*, *depends*, *undecided*, and only then *equal*, *within*, *same " +
	"sign*, *differs*. So a number that " +
	"lies inside the tolerance is *undecided* all the same while its interval holds no effect. A claim that lists several numbers has the worst of their " +
	"verdicts: one that " +
	"differs decides; one that is undecided leaves those undecided that hold; a number without a case counts neither way. A sentence is judged part by " +
	"part in the same manner. " +
	"A claim of no difference has a margin, and a number that has no value of no effect, such as a level or a count, has its tolerance as one: an interval " +
	"inside it holds, one outside differs, any other is undecided. Where a run misses its target the pair has an order at most, and the sign test judges " +
	"in place of the interval: never the size, and with fewer than six pairs of one order nothing. Where two methods did exactly the same there is no case; " +
	"where only their times tie, “at most” holds and “below” does not. One seed can contradict a general sentence, and never bears it out.",
	"从前到后，第一条适用的规则决定判定：未运行、输入、无从比较、取决于解读、未定，然后才是相等、在容差内、方向一致、不符。因此，即使数值在容差之内，只要区间包含“没有效果”，仍判为“未定”。" +
		"列出几个数的论断取其中最差的判定：有一个不符即为不符；有一个未定，其余成立的也随之未定；无从比较的数两边都不计。不含数值的论断按同样的办法逐项判定。" +
		"断言没有差别的论断有一个界限；没有“没有效果”取值的数（如某个水平或个数）以其容差为界限：区间全在界限之内为成立，全在界限之外为不符，否则为未定。" +
		"有运行未达到目标的一对至多有次序，由符号检验代替区间判定：不判定大小，同一次序不足六对时什么也不判定。两种方法完全相同之处无从比较；只是用时相等时，“至多”成立，“低于”不成立。" +
		"一个种子可以推翻一般性的说法，但不能证实它。"}

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

// Remark says what a verdict alone does not: that the source does not state the number. The zero
// remark says nothing.
type Remark struct {
	Key         string
	Word, Means notebook.Both
}

var Remarks = []Remark{
	{claims.DerivedRemark, notebook.Both{"derived", "推导得出"},
		notebook.Both{"the source does not state the number; it follows from what the source states", "来源没有给出该数；它可由来源所述推出"}},
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
