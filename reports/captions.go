package reports

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// told is a caption whose larger part a reader of the page has just read: Fresh is
// what is new in it, the whole can be opened.
type told struct {
	Again bool
	Fresh string
}

// repeats is how many letters of a caption must have stood before in its section for
// the caption to be shortened.
const repeats = 160

// freshen finds the captions of the section that repeat earlier ones, in the order of
// the page.
func (sec *section) freshen() {
	seen := map[string]bool{}
	hear := func(caption string, t *told) {
		old, fresh := 0, []string{}
		all := sentences(caption)
		for _, s := range all {
			if seen[s] {
				old += utf8.RuneCountInString(s)
			} else {
				fresh = append(fresh, s)
			}
		}
		for _, s := range all {
			seen[s] = true
		}
		if old >= repeats {
			t.Again, t.Fresh = true, strings.Join(fresh, " ")
		}
	}
	visit := func(it *item) {
		for i := range it.Figures {
			if f := &it.Figures[i]; !f.SharedNote {
				hear(f.Caption, &f.told)
			}
		}
		for i := range it.Tables {
			if t := &it.Tables[i]; !t.SharedNote {
				hear(t.Caption, &t.told)
			}
		}
		hear(it.Caption, &it.told)
	}
	tables := func(is func(item) bool) {
		for i := range sec.Tables {
			if is(sec.Tables[i]) {
				visit(&sec.Tables[i])
			}
		}
	}
	tables(item.Answers)
	tables(item.Works)
	for i := range sec.Figures {
		visit(&sec.Figures[i])
	}
	tables(func(it item) bool { return !it.Answers() && !it.Works() })
}

// boundary ends a sentence: a stop, a space, a capital; "Fig. 4" has no capital.
var boundary = regexp.MustCompile(`[.)?]\s+[\p{Lu}]`)

// sentences cuts a caption.
func sentences(s string) (out []string) {
	from := 0
	for _, m := range boundary.FindAllStringIndex(s, -1) {
		if s[m[0]] == ')' && (m[0] == 0 || s[m[0]-1] != '.') {
			continue
		}
		out = append(out, s[from:m[0]+1])
		from = m[0] + 1
		for s[from] == ' ' {
			from++
		}
	}
	if from < len(s) {
		out = append(out, s[from:])
	}
	return out
}
