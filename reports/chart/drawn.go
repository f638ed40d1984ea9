package chart

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"gradsync/reports/notebook"
	"gradsync/reports/typeset"
)

// andWords join two names in each language.
var andWords = [2]string{" and ", " 和 "}

// asDrawn returns a figure in each language as it is drawn, with the names of the curves
// that coincide.
func asDrawn(f *notebook.Figure) (en, zh notebook.Drawing, together [2][]string) {
	en, together[0] = merge(apartInGroups(f.Drawn[0]), andWords[0])
	zh, together[1] = merge(apartInGroups(f.Drawn[1]), andWords[1])
	return en, zh, together
}

// HowDrawn says what a reader of the drawing must know besides its caption.
func HowDrawn(f *notebook.Figure) notebook.Both {
	en, _, together := asDrawn(f)
	return howDrawn(en, together)
}

// merge returns f with each set of line groups that coincide, mean, band and seeds,
// to the last bit as one group, named "ASP = DASP", in the look of the page's
// own method where it is among them; together are the names of each set, and is the word
// between names that are formulas. Curves that hide one another could not be told apart,
// and each would weigh as much as a visible one.
func merge(f notebook.Drawing, and string) (out notebook.Drawing, together []string) {
	if f.Form != "line" {
		return f, nil
	}
	var order []string
	of := map[string][]notebook.Series{}
	for _, s := range ordered(f.Series) {
		if g := group(s); of[g] == nil {
			order = append(order, g)
		}
		of[group(s)] = append(of[group(s)], s)
	}
	var sets [][]string
	for _, g := range order {
		i := slices.IndexFunc(sets, func(set []string) bool { return coincide(of[set[0]], of[g]) })
		if i < 0 {
			sets = append(sets, []string{g})
			continue
		}
		sets[i] = append(sets[i], g)
	}
	out = f
	out.Series, out.Before = nil, f.Series
	for _, set := range sets {
		list := slices.Clone(of[set[0]])
		if len(set) > 1 {
			var names []string
			for _, g := range set {
				names = append(names, of[g][0].Name)
			}
			join := " = "
			if strings.ContainsAny(strings.Join(names, ""), "=∝") {
				join = and // the names are formulas
			}
			name, look := strings.Join(names, join), set[0]
			if i := slices.IndexFunc(set, subject); i >= 0 {
				look = set[i]
			}
			for i := range list {
				list[i].Name, list[i].Group = name, look
			}
			together = append(together, name)
		}
		out.Series = append(out.Series, list...)
	}
	return out, together
}

// coincide reports whether two groups differ in their names only.
func coincide(a, b []notebook.Series) bool {
	return slices.EqualFunc(a, b, func(x, y notebook.Series) bool {
		x.Name, x.Group, y.Name, y.Group = "", "", "", ""
		return len(x.Y) > 0 && reflect.DeepEqual(x, y)
	})
}

// howDrawn says what a reader of the drawing must know besides the caption. together are the
// names of curves that coincide.
func howDrawn(f notebook.Drawing, together [2][]string) notebook.Both {
	var en, zh []string
	if len(together[0]) > 0 {
		en = append(en, "Drawn once, with the same numbers in every point: "+strings.Join(together[0], "; ")+".")
		zh = append(zh, strings.Join(together[1], "；")+"：每个点的数值都相同，只画一次。")
	}
	if f.Form == "line" {
		if lo, _, ok := percentRange(f); ok && lo > 0 {
			en = append(en, "The axis starts at "+typeset.Number(lo, 0)+typeset.NBSP+"%; lines that begin below it are cut there.")
			zh = append(zh, "纵轴从 "+typeset.Number(lo, 0)+typeset.NBSP+"% 开始，起点更低的线在此截断。")
		}
	}
	return notebook.Both{strings.Join(en, " "), strings.Join(zh, "")}
}

// settledAbove returns a round start, 80 or more, for the axis of accuracies that all
// stay above 80 % after the first fifth of the points; ok is false for others.
// The steep start, which every method has, is cut off there: it would press the
// rest into a line.
func settledAbove(f notebook.Drawing) (lo float64, ok bool) {
	if !strings.Contains(f.Y.Title, "accuracy") && !strings.Contains(f.Y.Title, "准确率") {
		return 0, false
	}
	least := math.Inf(1)
	for _, s := range f.Series {
		if len(s.Y) < 5 {
			return 0, false
		}
		least = min(least, slices.Min(s.Y[(len(s.Y)+4)/5:]))
	}
	return math.Floor(least/5) * 5, least > 80 && least < 100
}

// apartInGroups gives lines of one group that are no seeds of one mean, and have
// different names, groups of their own: the legend names a group once.
func apartInGroups(f notebook.Drawing) notebook.Drawing {
	if f.Form != "line" {
		return f
	}
	names, seeds := map[string][]string{}, map[string]bool{}
	for _, s := range f.Series {
		g := group(s)
		if s.Seed != nil {
			seeds[g] = true
		} else if !slices.Contains(names[g], s.Name) {
			names[g] = append(names[g], s.Name)
		}
	}
	f.Series = slices.Clone(f.Series)
	for i, s := range f.Series {
		if g := group(s); len(names[g]) > 1 && !seeds[g] {
			f.Series[i].Group = s.Name
		}
	}
	return f
}

// check refuses a figure that cannot be drawn, or that has no words for who cannot see it.
func check(f *notebook.Figure) error {
	if f.Alt[0] == "" {
		return fmt.Errorf("figure %s: the notebook has no alt text under it", f.ID)
	}
	if err := checkDrawing(f.Drawn[0]); err != nil {
		return fmt.Errorf("figure %s: %w", f.ID, err)
	}
	return nil
}

// checkDrawing refuses what would mislead.
func checkDrawing(f notebook.Drawing) error {
	if f.Form == "map" {
		return checkCells(f)
	}
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

// missing tells whether a drawn value is none: a bar that is not there.
func missing(y float64) bool { return math.IsNaN(y) }

// checkCells refuses a map with two cells in one place.
func checkCells(f notebook.Drawing) error {
	taken := map[[2]int]bool{}
	for _, b := range f.Bands {
		at := [2]int{b.Lane, int(b.From)}
		if taken[at] {
			return fmt.Errorf("two cells at %s, %s", f.Lanes[b.Lane], f.X.Categories[at[1]])
		}
		taken[at] = true
	}
	return nil
}

// ordered puts the means first, because the legend draws the first series of a
// name.
func ordered(series []notebook.Series) []notebook.Series {
	var means, seeds []notebook.Series
	for _, s := range series {
		if s.Seed == nil {
			means = append(means, s)
		} else {
			seeds = append(seeds, s)
		}
	}
	return append(means, seeds...)
}

// legendOf maps each group to the name of its mean, which its seeds and its
// band take too, and lists those names once each in the result's order.
func legendOf(series []notebook.Series) (byGroup map[string]string, names []string) {
	byGroup = map[string]string{}
	for _, s := range ordered(series) {
		if _, ok := byGroup[group(s)]; !ok {
			byGroup[group(s)] = s.Name
		}
	}
	for _, s := range series {
		if n := byGroup[group(s)]; !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return byGroup, names
}

// axisTitle returns "iteration time (s)".
func axisTitle(a notebook.Axis) string {
	if a.Unit == "" || a.Unit == "-" {
		return a.Title
	}
	return a.Title + " (" + a.Unit + ")"
}

// percentRange returns the y axis of a figure of shares: it stays within 0 to 100
// however wide a band is, starts at 0 unless everything is far above, and ends
// on round numbers. Accuracies that soon settle above 80 lose their start, see
// settledAbove. Values outside 0 to 100 are no shares: then ECharts chooses.
func percentRange(f notebook.Drawing) (lo, hi float64, ok bool) {
	if f.Y.Unit != "%" || f.Y.Log {
		return 0, 0, false
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range f.Series {
		for _, y := range s.Y {
			if y < 0 || y > 100 {
				return 0, 0, false
			}
		}
		for _, ys := range [][]float64{s.Y, s.Lo, s.Hi} {
			for _, y := range ys {
				lo, hi = min(lo, y), max(hi, y)
			}
		}
	}
	lo, hi = max(0, math.Floor(lo/10)*10), min(100, math.Ceil(hi/10)*10)
	if start, ok := settledAbove(f); ok {
		return start, hi, start < hi
	}
	if lo <= 40 {
		lo, hi = 0, math.Ceil(hi/20)*20
	}
	return lo, hi, lo < hi
}
