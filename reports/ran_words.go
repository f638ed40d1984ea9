package reports

import (
	"html/template"
	"slices"
	"strings"

	"gradsync/reports/notebook"
)

// Published reports that every result is a published one itself: nobody ran anything.
func (v *ranView) Published() bool { return len(v.Results) > 0 && v.count[ranItself] == len(v.Results) }

// Verdict returns the first sentence of the box, "" where no result could be compared.
func (v *ranView) Verdict() said {
	of := v.count[ranSame] + v.count[ranOther]
	switch {
	case v.Published():
		return said{"These are the published results themselves; nothing was run anew here.", "这些就是发布的结果本身；此处没有重新运行任何内容。"}
	case v.count[ranUnpublished] == len(v.Results):
		return said{"None of these results is published in this profile: there is nothing to compare them with.", "这些结果在此档位均未发布：没有可比较的对象。"}
	case of == 0:
		return said{}
	}
	return notebook.Bothf("%d of %d results have the published bits.", "%[2]d 个结果中有 %[1]d 个与发布的结果逐位相同。", v.count[ranSame], of)
}

// Counts returns the sentences about all that the verdict does not count, or not as it is.
func (v *ranView) Counts() []said {
	var out []said
	say := func(n int, format said) {
		if n > 0 {
			out = append(out, notebook.Bothf(format.En(), format.Zh(), n))
		}
	}
	say(v.Seedless, said{"But for the list of seeds: %d; no seed is used there.", "其中仅种子列表不同的：%d 个；这些结果不使用种子。"})
	say(v.count[ranOther], said{"Differing: %d.", "不同的：%d 个。"})
	say(v.count[ranApart], said{"Not comparable: %d.", "无法比较的：%d 个。"})
	say(v.count[ranUnrecorded], said{"With the published bits, but without a record that they were run: %d.", "与发布的逐位相同、但没有运行记录的：%d 个。"})
	if !v.Published() {
		say(v.count[ranItself], said{"The published results themselves, not run anew: %d.", "就是发布的结果本身、并未重新运行的：%d 个。"})
	}
	if v.count[ranUnpublished] < len(v.Results) {
		say(v.count[ranUnpublished], said{"Not published in this profile: %d.", "此档位没有发布结果的：%d 个。"})
	}
	return out
}

// Warnings lists what a reader must know before the rest.
func (v *ranView) Warnings() []said {
	var out []said
	if n := v.count[ranChanged]; n > 0 {
		out = append(out, notebook.Bothf("Changed after their run: %d. The record beside each names other bytes: command and machine may not be theirs.",
			"运行之后被改动的：%d 个。其旁边的运行记录对应另一份内容：所列命令和机器可能不是它的。", n))
	}
	if v.Dirty {
		out = append(out, said{"The program was built from a tree with changes that no commit holds.", "程序由含有未提交修改的代码编译而成。"})
	}
	if v.NoRecord > 0 {
		out = append(out, notebook.Bothf("Results without a record of their run: %d. Their command and machine are unknown.", "没有运行记录的结果：%d 个，其命令和机器未知。", v.NoRecord))
	}
	return out
}

// Reasons reports whether a result has any for its other bits.
func (v *ranView) Reasons() bool {
	return slices.ContainsFunc(v.Results, func(x ranResult) bool { return len(x.Why) > 0 })
}

// Judged says how many claims have a result, "" where all have.
func (v *ranView) Judged() said {
	if v.Claims == v.AllClaims {
		return said{}
	}
	has := "have"
	if v.Claims == 1 {
		has = "has"
	}
	return notebook.Bothf("%d of %d claims "+has+" a result here.", "%[2]d 条论断中有 %[1]d 条在此有结果。", v.Claims, v.AllClaims)
}

// Word names a result's standing in the table; its reasons follow.
func (x ranResult) Word() said {
	switch {
	case x.Standing == ranUnrecorded:
		return said{"yes, but no record says that it was run", "是，但没有记录表明运行过"}
	case x.Standing == ranSame && x.Seedless:
		return said{"yes, but for the list of seeds: no seed is used", "是，仅种子列表不同：此结果不使用种子"}
	}
	return map[ranStanding]said{
		ranUnpublished: said{"not published", "未发布"}, ranItself: said{"the published result itself: nothing was run anew", "就是发布的结果本身：没有重新运行"},
		ranChanged: said{"changed", "被改动"}, ranSame: said{"yes", "是"}, ranApart: said{"not comparable", "无法比较"}, ranOther: said{"no", "否"},
	}[x.Standing]
}

// Day returns when the run started; it is not broken at its hyphens.
func (x ranResult) Day() string {
	day, _, _ := strings.Cut(x.Started, " ")
	return day
}

// Hour returns the time of day at which the run started.
func (x ranResult) Hour() string {
	_, hour, _ := strings.Cut(x.Started, " ")
	return hour
}

// ofPublished marks a chapter that tells of the published results, below its heading.
var ofPublished = said{"Of the published results, not of this run.", "以下内容说的是发布的结果，而不是这次运行的。"}

// mark says below the heading of each chapter whose results it tells of, where the
// page's are not all of those. A page without a box is one of the published results, or
// of a reader's own folder.
func (v *ranView) mark(chapters []chapterText) {
	if v == nil || !v.Partial {
		return
	}
	for i, c := range chapters {
		head, body, _ := strings.Cut(string(c.HTML), "\n")
		note := `<p class="warn"><b>` + string(ofPublished.HTML()) + "</b></p>\n"
		chapters[i].HTML = template.HTML(head + "\n" + note + body)
	}
}
