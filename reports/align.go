package reports

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// item is one table, or one figure, of an experiment as its profiles have it.
type item struct {
	Title, Kind string // said once above all; "" where they differ
	Caption     string // said once below all; "" where they differ
	Columns     bool   // narrow enough to stand beside one another
	Tables      []tableView
	Figures     []figureView
	told
}

// within is the place of a table or figure among those of other profiles; zero
// where the experiment has one profile.
type within struct {
	Profile     string   // whose it is, "" for an experiment of one profile
	Who         string   // label of the profile
	Same        string   // profiles that have the very same, in words
	Aliases     []string // anchors it would have on their side
	SharedTitle bool     // stands above all
	SharedNote  bool     // the caption stands below all
}

// align lists what the profiles call by the same id together: set[i] is what
// profile i has, nil for nothing. The order is the first profile's; what only a
// later one has follows what stands before it there.
func align[T any](rs []loaded, of func(loaded) []T, id func(T) string) [][]*T {
	var order []string
	sets := map[string][]*T{}
	for i, r := range rs {
		after := 0
		list := of(r)
		for k := range list {
			name := slug(id(list[k]))
			if sets[name] == nil {
				sets[name] = make([]*T, len(rs))
				order = slices.Insert(order, after, name)
			}
			sets[name][i] = &list[k]
			after = slices.Index(order, name) + 1
		}
	}
	out := make([][]*T, len(order))
	for i, name := range order {
		out[i] = sets[name]
	}
	return out
}

// placed is a table or figure and the first result that has it.
type placed[T any] struct {
	loaded
	of T
	within
}

// same merges what is the same to the last byte in several profiles. Alone, an
// experiment of one profile, it says nothing of profiles.
func same[T any](rs []loaded, set []*T) []placed[T] {
	var out []placed[T]
	var texts []string
	var others [][]string
	for i, x := range set {
		if x == nil {
			continue
		}
		raw, err := json.Marshal(x)
		if err != nil {
			raw = nil // never: it was read from JSON
		}
		if k := slices.Index(texts, string(raw)); k >= 0 && len(raw) > 0 {
			others[k] = append(others[k], rs[i].Profile)
			out[k].Aliases = append(out[k].Aliases, rs[i].Anchor())
			continue
		}
		texts, others = append(texts, string(raw)), append(others, nil)
		out = append(out, placed[T]{loaded: rs[i], of: *x})
	}
	if len(rs) == 1 {
		return out
	}
	for k := range out {
		w := &out[k].within
		w.Profile, w.Who = out[k].loaded.Profile, who(out[k].Result).En
		if len(others[k]) > 0 {
			word := "profile "
			if len(others[k]) > 1 {
				word = "profiles "
			}
			w.Same = "the same in " + word + inWords(others[k])
		}
	}
	return out
}

// at returns w with the anchors, on their sides, of the profiles that have the
// same thing under this id.
func (w within) at(id string) within {
	w.Aliases = slices.Clone(w.Aliases)
	for i := range w.Aliases {
		w.Aliases[i] += "-" + slug(id)
	}
	return w
}

// half is how many characters a table may be wide to stand beside another.
const half = 62

// words are what stands above and below a table or figure.
type words struct{ title, kind, caption string }

// share takes what all say into the item, to be said once.
func (it *item) share(all []words) (title, caption bool) {
	same := func(of func(words) string) bool {
		return !slices.ContainsFunc(all, func(w words) bool { return of(w) != of(all[0]) })
	}
	title = same(func(w words) string { return w.title + "\n" + w.kind })
	caption = same(func(w words) string { return w.caption })
	if title {
		it.Title, it.Kind = all[0].title, all[0].kind
	}
	if caption {
		it.Caption = all[0].caption
	}
	return title, caption
}

// shareTables says once what the tables of several profiles have in common.
func (it *item) shareTables() {
	all := make([]words, len(it.Tables))
	it.Columns = len(all) > 1
	for i, t := range it.Tables {
		all[i] = words{t.Title, t.Kind, t.Caption}
		it.Columns = it.Columns && t.width() <= half
	}
	title, caption := it.share(all)
	for i := range it.Tables {
		it.Tables[i].SharedTitle, it.Tables[i].SharedNote = title, caption
	}
}

// shareFigures says once what the figures of several profiles have in common.
func (it *item) shareFigures() {
	all := make([]words, len(it.Figures))
	it.Columns = len(all) > 1
	for i, f := range it.Figures {
		all[i] = words{f.Title, f.Kind, f.Caption}
	}
	title, caption := it.share(all)
	for i := range it.Figures {
		it.Figures[i].SharedTitle, it.Figures[i].SharedNote = title, caption
	}
}

// width is about how many characters wide a table is on screen: words of more
// than 24 characters wrap, and a column has a margin of 3.
func (v tableView) width() int {
	sum := 0
	for i, c := range v.Columns {
		w := longestWord(c.Title + " " + c.Unit)
		for _, row := range v.Rows {
			n := utf8.RuneCountInString(row[i].Text)
			if !c.Number {
				n = min(n, 24)
			}
			w = max(w, n)
		}
		sum += w + 3
	}
	return sum
}

// longestWord is the length of the longest word of s.
func longestWord(s string) int {
	n := 0
	for _, w := range strings.Fields(s) {
		n = max(n, utf8.RuneCountInString(w))
	}
	return n
}
