package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestChapters(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	stems := []string{"zebra", "explain", "dssp-anchor", "sensitivity", "fig4", "thresholds", "table10", "dynamic", "table2", "fig2",
		"versions-vs-clocks", "switches", "tuning", "network", "apple"}
	slices.SortStableFunc(stems, func(a, b string) int { return compareStems("dasp", a, b) })
	want := []string{"table2", "table10", "fig2", "fig4", "thresholds", "tuning", "switches", "sensitivity", "versions-vs-clocks", "dynamic", "network",
		"dssp-anchor", "explain", "apple", "zebra"}
	if !slices.Equal(stems, want) {
		t.Errorf("order %v, want %v", stems, want)
	}
	var sections []experimentLink
	for _, s := range stems {
		sections = append(sections, experimentLink{ID: "dasp/" + s})
	}
	var got []string
	for _, p := range parts(sections) {
		got = append(got, fmt.Sprint(p.Title.En(), " ", len(p.Sections)))
	}
	if want := []string{"The paper’s tables and figures 4", "Choices the paper leaves open 4", "Beyond the paper 4", "What must have been true 1",
		"Further results 2"}; !slices.Equal(got, want) {
		t.Errorf("chapters %q, want %q", got, want)
	}
	toc := cut(t, pageOf(t, "dasp.html"), `<nav class="toc"`, "</nav>")
	if !strings.Contains(toc, `href="#part-further-results">Further results</a><ul>`) || !strings.Contains(toc, "Example: assumed devices") {
		t.Errorf("the table of contents reads %s", toc)
	}
}

// Every chapter has a name in both languages; pages share names of experiments, not
// their order.
func TestChaptersOfThePapers(t *testing.T) {
	for paper, list := range chapters {
		for _, c := range append(list, chapter{Title: otherChapter}) {
			if c.Title.En() == "" || c.Title.Zh() == "" || c.Title.En() == c.Title.Zh() {
				t.Errorf("%s: chapter %q", paper, c.Title)
			}
		}
	}
	for paper, want := range map[string][]string{
		"ring":       {"steps", "cost", "scaling", "overlap", "placement", "slow-link", "equals-sgd"},
		"ringsparse": {"decisions", "traffic", "time", "fill-in", "conversion-error", "scaling", "accuracy", "overlap"},
	} {
		stems := slices.Clone(want)
		slices.Sort(stems)
		slices.SortStableFunc(stems, func(a, b string) int { return compareStems(paper, a, b) })
		if !slices.Equal(stems, want) {
			t.Errorf("%s: order %v, want %v", paper, stems, want)
		}
		var sections []experimentLink
		for _, s := range stems {
			sections = append(sections, experimentLink{ID: paper + "/" + s})
		}
		for _, p := range parts(sections) {
			if p.Title == otherChapter {
				t.Errorf("%s: %d sections have no chapter", paper, len(p.Sections))
			}
		}
	}
}
