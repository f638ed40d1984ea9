package jupyter

import (
	"strings"
	"testing"
)

// Expected texts: written by hand.
func TestMarkdown(t *testing.T) {
	for src, want := range map[string]string{
		"T_wait is at most f_j, Smax 3":   `$T_{\mathrm{wait}}$ is at most $f_j$, $S_{\max}$ 3`,
		"`T_wait` of *N* nodes for $5":    "`T_wait` of $N$ nodes for \\$5",
		"```\n!gradsync run a_b\n``` x_i": "```\n!gradsync run a_b\n``` $x_i$",
		"第一行，\n第二行\n第三行 end\nof it":       "第一行，第二行第三行 end\nof it",
		"an_identifier and *many words*":  "an_identifier and *many words*",
	} {
		if got := Markdown(src); got != want {
			t.Errorf("Markdown(%q) = %q, want %q", src, got, want)
		}
	}
}

func TestTableOfRows(t *testing.T) {
	for want, rows := range map[string][]int{
		`table("f", "a b")`: nil, `table("f", "a b", rows=range(2, 6))`: {2, 3, 4, 5},
		`table("f", "a b", rows=range(0, 7, 3))`: {0, 3, 6}, `table("f", "a b", rows=[4, 2, 0])`: {4, 2, 0},
		`table("f", "a b", rows=[1, 5])`: {1, 5}, `table("f", "a b", rows=[1, 2, 3, 5, 6])`: {1, 2, 3, 5, 6},
	} {
		if got := Table("f", []string{"a", "b"}, rows); got != want {
			t.Errorf("%v: %s, want %s", rows, got, want)
		}
	}
}

// A table of more rows than an output shows says that there are more, in HTML and in letters of one width.
func TestGrid(t *testing.T) {
	g := Grid{Caption: "of <b>two</b>", Head: []string{"方法", "time (s)"}, Words: []bool{true, false}, Rows: [][]string{{"a<b", "1.5"}, {"S_b", "10"}}}
	o := g.Output()
	if want := "方法  time (s)\na<b        1.5\nS_b         10"; o.Plain != want {
		t.Errorf("plain\n%s\nwant\n%s", o.Plain, want)
	}
	for _, want := range []string{"<caption>of <b>two</b></caption>", `<td style="text-align:left">a&lt;b</td><td>1.5</td>`, "S<sub>b</sub>"} {
		if !strings.Contains(o.HTML, want) {
			t.Errorf("no %s in\n%s", want, o.HTML)
		}
	}
	for len(g.Rows) <= mostRows {
		g.Rows = append(g.Rows, []string{"x", "1"})
	}
	if o := g.Output(); strings.Count(o.HTML, "<td>1</td>") != mostRows-2 || !strings.HasSuffix(o.Plain, "⋮") {
		t.Errorf("of %d rows: %s", len(g.Rows), o.Plain)
	}
}

// Cells of one name have ids of their own, of 64 letters at most.
func TestCellIDs(t *testing.T) {
	var n Notebook
	taken := map[string]bool{}
	for range 3 {
		for _, name := range []string{"table-a", "table-a-2", strings.Repeat("long ", 30)} {
			id := n.id(name)
			if taken[id] || len(id) > 64 || id == "" {
				t.Errorf("id %q of %q: taken %v", id, name, taken[id])
			}
			taken[id] = true
		}
	}
}
