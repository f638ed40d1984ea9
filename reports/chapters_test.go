package reports

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"
)

func TestChapters(t *testing.T) {
	stems := []string{"zebra", "explain", "dssp-anchor", "sensitivity", "fig4", "thresholds", "table10", "dynamic", "table2", "fig2", "versions-vs-clocks", "switches", "tuning", "network", "apple"}
	slices.SortStableFunc(stems, compareStems)
	want := []string{"table2", "table10", "fig2", "fig4", "thresholds", "tuning", "switches", "sensitivity", "versions-vs-clocks", "dynamic", "network", "dssp-anchor", "explain", "apple", "zebra"}
	if !slices.Equal(stems, want) {
		t.Errorf("order %v, want %v", stems, want)
	}
	var sections []section
	for _, s := range stems {
		sections = append(sections, section{ID: "dasp/" + s})
	}
	var got []string
	for _, p := range parts(sections) {
		got = append(got, fmt.Sprint(p.Title, " ", len(p.Sections)))
	}
	if want := []string{"The paper’s tables and figures 4", "Choices the paper leaves open 4", "Beyond the paper 4", "What must have been true 1", "Further results 2"}; !slices.Equal(got, want) {
		t.Errorf("chapters %q, want %q", got, want)
	}
	toc := cut(t, pageOf(t, "dasp.html"), `<nav class="toc"`, "</nav>")
	if !strings.Contains(toc, `href="#part-further-results">Further results</a><ul>`) || !strings.Contains(toc, html.EscapeString("Example: assumed devices")) {
		t.Errorf("the table of contents reads %s", toc)
	}
}
