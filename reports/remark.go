package reports

import (
	"slices"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
)

// remark says what a verdict alone does not: that the seeds do not decide, or that
// there was nothing to find. The zero remark says nothing.
type remark struct {
	Key         string
	Word, Means said
}

var remarks = []remark{
	{"undecided", said{"undecided", "未定"}, said{"differs, since the 95 % interval holds the null, the value of no effect (a reduction of 0 %, a ratio of 1): these seeds neither bear the claim out nor refute it",
		"判为“不符”，因为 95 % 区间包含零值，即“没有效果”的取值（降低 0 %，比值为 1）：这些种子既不能证实、也不能推翻该论断"}},
	{"given", said{"given", "给定"}, said{"we set the number, or worked it out from the source’s own; nothing was found, whatever the verdict",
		"该数由我们设定，或由来源自己的数算出；无论判定如何，都不是运行得到的发现"}},
	{"derived", said{"derived", "推导得出"}, said{"the source does not state the number; it follows from what the source states", "来源没有给出该数；它可由来源所述推出"}},
}

// remarkOn is what there is to say of the verdict on a claim.
func remarkOn(c result.Claim) remark {
	switch {
	case c.Remark != "":
		return remarks[slices.IndexFunc(remarks, func(r remark) bool { return r.Key == c.Remark })]
	case claims.Undecided(c):
		return remarks[0]
	case claims.Given(c):
		return remarks[1]
	case claims.Derived(c):
		return remarks[2]
	}
	return remark{}
}

// share is how many claims of a tally have a remark.
type share struct {
	remark
	N int
}

// shares counts the remarks on the claims with a verdict, in the order of remarks.
func shares(list []result.Claim, verdict string) []share {
	var out []share
	for _, r := range remarks {
		with := slices.DeleteFunc(slices.Clone(list), func(c result.Claim) bool { return c.Verdict != verdict || remarkOn(c) != r })
		if len(with) > 0 {
			out = append(out, share{r, len(with)})
		}
	}
	return out
}

// made are the remarks on claims of the results, for a page that explains them.
func made(rs []loaded) []remark {
	var out []remark
	for _, r := range remarks {
		if slices.ContainsFunc(rs, func(l loaded) bool {
			return slices.ContainsFunc(l.Claims, func(c result.Claim) bool { return remarkOn(c) == r })
		}) {
			out = append(out, r)
		}
	}
	return out
}
