package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/assets"
	"gradsync/reports/notebook"
	"gradsync/reports/ran"
	"gradsync/reports/typeset"
)

func cssOf(t *testing.T) string {
	t.Helper()
	return string(oktest.Must(assets.ReadFile("report.css"))(t))
}

// gridOf shows a table with these heads and rows of text, the same in both languages but for the titles.
func gridOf(t *testing.T, heads []notebook.Head, rows ...[]notebook.Cell) *gridView {
	t.Helper()
	r := &renderer{}
	g, err := r.grid(loaded{File: ran.File{Result: exampleStated(), Stem: "example1"}}, &notebook.Table{Frame: "devices", Head: heads, Rows: rows})
	oktest.Nil(t, err)
	return g
}

// The style of a table names each column in both languages, whatever is in the name, and
// the style sheet has a rule for each column that a table may name.
func TestColumnsAreNamedOnce(t *testing.T) {
	g := gridOf(t, []notebook.Head{{Title: notebook.Both{"time", "时间"}, Unit: notebook.Both{"s", "秒"}},
		{Title: notebook.Both{`a "b" 'c' \ <d>`, `a "b" 'c' \ <d>`}},
		{Title: notebook.Both{"x\ny", "x\ny"}}, {Title: notebook.Both{"half", "半"}, Bound: result.Half}, {Title: notebook.Both{"ends", "端"}, Bound: result.Low}})
	if want := `style="--c1:'time (s)';--z1:'时间 (秒)';--c2:'a &#34;b&#34; \27 c\27  \5c  &lt;d&gt;';--c3:'x\a y';--c4:'half ± 95` + typeset.NBSP +
		`%';--z4:'半 ± 95` + typeset.NBSP +
		`%';--c5:'ends [95` + typeset.NBSP + `%]';--z5:'端 [95` + typeset.NBSP + `%]'"`; string(g.Style) != want {
		t.Errorf("labels\n%s, want\n%s", g.Style, want)
	}
	for i := 1; i <= ruledColumns+1; i++ {
		rule := fmt.Sprintf(".data tr > :nth-child(%d) { --en: var(--c%d); --zh: var(--z%d, var(--c%d)); }", i, i, i, i)
		if n := strings.Count(cssOf(t), rule); n != 1 && i <= ruledColumns || n != 0 && i > ruledColumns {
			t.Errorf("%d rules for column %d", n, i)
		}
	}
	if got := gridOf(t, make([]notebook.Head, ruledColumns+1)); strings.Contains(string(got.Style), fmt.Sprintf("--c%d:", ruledColumns+1)) {
		t.Errorf("a column that no rule names: %s", got.Style)
	}
}

// A number is set as one, a short name and an empty cell are marked.
func TestCells(t *testing.T) {
	page := pageOf(t, "dasp/example5.html")
	for _, want := range []string{`<td>1.720 [1.634, 1.841]</td>`, `<span class="none">–</span>`, `<th scope="row" class="brief">LeNet-5</th>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the table lacks %s", want)
		}
	}
}

// A table of more rows than a page may have is a line that says how many, and the command and the file that hold them.
func TestLongTablesAreExported(t *testing.T) {
	oktest.Slow(t)
	for n, want := range map[int]bool{documentRoom.rows: false, documentRoom.rows + 1: true} {
		r := exampleStated()
		for len(r.Frames[0].Rows) < n {
			r.Frames[0].Rows = append(r.Frames[0].Rows, []any{"link", 1.11, "other", "low"})
		}
		root := t.TempDir()
		put(t, root, r)
		files := oktest.Must(renderFrom(root, false))(t)
		page := english(files["dasp/example1.html"])
		line := fmt.Sprintf("A table of %d rows: <code>bin/gradsync export dasp/example1</code> → <code>dasp/example1/%s.csv</code>", n, r.Frames[0].ID)
		if rows := strings.Count(page, ">1.11</td>"); strings.Contains(page, line) != want || want && rows > 0 || !want && rows < n-2 {
			t.Errorf("%d rows, of which the page shows %d, want a line: %v", n, rows, want)
		}
	}
}

// Readers choose rows by the columns that a notebook marks: those of names that come first head groups, a list
// has the key of each of its values, and no choice is without a row.
func TestRowsCanBeChosen(t *testing.T) {
	word := func(en, zh string, items ...notebook.Both) notebook.Cell {
		if items == nil {
			items = []notebook.Both{{en, zh}}
		}
		return notebook.Cell{Text: notebook.Both{en, zh}, Items: items}
	}
	number := func(text string, list ...any) notebook.Cell {
		c := notebook.Cell{Text: notebook.Both{text, strings.ReplaceAll(text, ", ", "、")}, V: list}
		for _, x := range list {
			c.Items = append(c.Items, notebook.Alike(fmt.Sprint(x)))
		}
		return c
	}
	heads := []notebook.Head{{Key: "set", Asked: true, Title: notebook.Both{"workers", "工作节点"}}, {Key: "model", Asked: true},
		{Key: "n", Asked: true, Number: true, Unit: notebook.Both{"s", "秒"}}, {Key: "time", Number: true}}
	g := gridOf(t, heads,
		[]notebook.Cell{word("equal", "相等"), word("LeNet-5", "LeNet-5"), number("3, 4", 3.0, 4.0), {Text: notebook.Alike("1.5")}},
		[]notebook.Cell{word("equal", "相等"), word("LeNet-5", "LeNet-5"), number("6", 6.0), {Empty: true}},
		[]notebook.Cell{word("spread", "参差"), word("LeNet-5", "LeNet-5"), number("3", 3.0), {Text: notebook.Alike("2.5")}})
	if g.Long() || g.Asked == nil || len(g.Head) != 2 || len(g.Asked.Groups) != 2 || len(g.Asked.Asks) != 3 {
		t.Fatalf("%+v", g)
	}
	first := g.Asked.Groups[0]
	if got := string(first.Title); !strings.Contains(got, "equal") || !strings.HasSuffix(got, " · LeNet-5") || first.Keys != "1 3" ||
		g.Asked.Groups[1].Keys != "2 3" {
		t.Errorf("groups %q with %q, and %q", got, first.Keys, g.Asked.Groups[1].Keys)
	}
	if a, b := first.Rows[0], first.Rows[1]; a.Keys != "4 5" || b.Keys != "6" || a.Cells[0].HTML != "3, 4" || !b.Cells[1].Empty {
		t.Errorf("rows %+v and %+v", a, b)
	}
	if n := g.Asked.Asks[2]; len(n.Of) != 3 || n.Of[0] != (choice{"4", notebook.Both{"3" + typeset.NBSP + "s", "3" + typeset.NBSP + "秒"}}) {
		t.Errorf("choices %+v", n)
	}
	rows := func(n int) [][]notebook.Cell {
		return slices.Repeat([][]notebook.Cell{make([]notebook.Cell, len(heads))}, n)
	}
	heads[0].Asked, heads[1].Asked, heads[2].Asked = false, false, false
	if g := gridOf(t, heads, rows(documentRoom.rows+1)...); g.Asked != nil || !g.Long() {
		t.Error("nobody chooses, and a long table is no line")
	}
	heads[2].Asked = true
	if g := gridOf(t, heads, rows(manyAsked+1)...); g.Asked != nil || !g.Long() {
		t.Errorf("a table of more than %d rows is no line", manyAsked)
	}
}
