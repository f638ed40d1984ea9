package reports

import (
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

func TestChapters(t *testing.T) {
	oktest.Slow(t)
	stems := []string{"zebra", "explain", "dssp-anchor", "sensitivity", "fig4", "thresholds", "table10", "dynamic", "table2", "fig2",
		"versions-vs-clocks", "switches", "tuning", "network", "apple"}
	slices.SortStableFunc(stems, func(a, b string) int { return compareStems("dasp", a, b) })
	want := []string{"table2", "table10", "fig2", "fig4", "thresholds", "tuning", "switches", "sensitivity", "versions-vs-clocks", "dynamic", "network",
		"dssp-anchor", "explain", "apple", "zebra"}
	if !slices.Equal(stems, want) {
		t.Errorf("order %v, want %v", stems, want)
	}
	var got []string
	for _, stem := range stems {
		c, _ := chapterOf("dasp", stem)
		if title := chapterTitle("dasp", c).En(); len(got) == 0 || got[len(got)-1] != title {
			got = append(got, title)
		}
	}
	if want := []string{"The paper’s tables and figures", "Choices the paper leaves open", "Beyond the paper", "What must have been true",
		"Further results"}; !slices.Equal(got, want) {
		t.Errorf("chapters %q, want %q", got, want)
	}
	list := cut(t, pageOf(t, "dasp.html"), `<details class="fold" id="data"`, "</details>")
	if !strings.Contains(list, ">Further results<") || !strings.Contains(list, "Example: assumed devices") {
		t.Errorf("the list of results reads %s", list)
	}
}

// Every chapter has a name in both languages; pages share names of experiments, not their order.
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
		for _, stem := range stems {
			if c, _ := chapterOf(paper, stem); chapterTitle(paper, c) == otherChapter {
				t.Errorf("%s: %s has no chapter", paper, stem)
			}
		}
	}
}
