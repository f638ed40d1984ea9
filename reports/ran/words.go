package ran

import (
	"slices"
	"strings"

	"gradsync/reports/notebook"
)

// Published reports that every result is a published one itself: nobody ran anything.
func (v *Box) Published() bool { return len(v.Results) > 0 && v.count[itself] == len(v.Results) }

// Verdict returns the first sentence of the box, "" where no result could be compared.
func (v *Box) Verdict() said {
	of := v.count[same] + v.count[other]
	switch {
	case v.Published():
		return said{"These are the published results themselves; nothing was run anew here.", "这些就是发布的结果本身；此处没有重新运行任何内容。"}
	case v.count[unpublished] == len(v.Results):
		return said{"None of these results is published in this profile: there is nothing to compare them with.", "这些结果在此档位均未发布：没有可比较的对象。"}
	case of == 0:
		return said{}
	}
	return notebook.Bothf("%d of %d results have the published bits.", "%[2]d 个结果中有 %[1]d 个与发布的结果逐位相同。", v.count[same], of)
}

// Counts returns the sentences about all that the verdict does not count, or not as it is.
func (v *Box) Counts() []said {
	var out []said
	say := func(n int, format said) {
		if n > 0 {
			out = append(out, notebook.Bothf(format.En(), format.Zh(), n))
		}
	}
	say(v.Seedless, said{"But for the list of seeds: %d; no seed is used there.", "其中仅种子列表不同的：%d 个；这些结果不使用种子。"})
	say(v.count[other], said{"Differing: %d.", "不同的：%d 个。"})
	say(v.count[apart], said{"Not comparable: %d.", "无法比较的：%d 个。"})
	say(v.count[unrecorded], said{"With the published bits, but without a record that they were run: %d.", "与发布的逐位相同、但没有运行记录的：%d 个。"})
	if !v.Published() {
		say(v.count[itself], said{"The published results themselves, not run anew: %d.", "就是发布的结果本身、并未重新运行的：%d 个。"})
	}
	if v.count[unpublished] < len(v.Results) {
		say(v.count[unpublished], said{"Not published in this profile: %d.", "此档位没有发布结果的：%d 个。"})
	}
	return out
}

// Warnings lists what a reader must know before the rest.
func (v *Box) Warnings() []said {
	var out []said
	if n := v.count[changed]; n > 0 {
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
func (v *Box) Reasons() bool {
	return slices.ContainsFunc(v.Results, func(x row) bool { return len(x.Why) > 0 })
}

// Judged says how many claims have a result, "" where all have.
func (v *Box) Judged() said {
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
func (x row) Word() said {
	switch {
	case x.Standing == unrecorded:
		return said{"yes, but no record says that it was run", "是，但没有记录表明运行过"}
	case x.Standing == same && x.Seedless:
		return said{"yes, but for the list of seeds: no seed is used", "是，仅种子列表不同：此结果不使用种子"}
	}
	return map[standing]said{
		unpublished: said{"not published", "未发布"}, itself: said{"the published result itself: nothing was run anew", "就是发布的结果本身：没有重新运行"},
		changed: said{"changed", "被改动"}, same: said{"yes", "是"}, apart: said{"not comparable", "无法比较"}, other: said{"no", "否"},
	}[x.Standing]
}

// Day returns when the run started; it is not broken at its hyphens.
func (x row) Day() string {
	day, _, _ := strings.Cut(x.Started, " ")
	return day
}

// Hour returns the time of day at which the run started.
func (x row) Hour() string {
	_, hour, _ := strings.Cut(x.Started, " ")
	return hour
}
