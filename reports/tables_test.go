package reports

import (
	"fmt"
	"html/template"
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
)

func cssOf(t *testing.T) string {
	t.Helper()
	b, err := assets.ReadFile("assets/report.css")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// gridOf shows a table with these heads and rows of text, the same in both languages but
// for the titles.
func gridOf(t *testing.T, heads []notebook.Head, rows ...[]notebook.Cell) *gridView {
	t.Helper()
	r := &renderer{}
	g, err := r.grid(loaded{Result: exampleStated(), Stem: "example1"}, &notebook.Table{Frame: "devices", Head: heads, Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The style of a table names each column in both languages, whatever is in the name, and
// the style sheet has a rule for each column that a table may name.
func TestColumnsAreNamedOnce(t *testing.T) {
	g := gridOf(t, []notebook.Head{{Title: notebook.Both{"time", "时间"}, Unit: notebook.Both{"s", "秒"}}, {Title: notebook.Both{`a "b" 'c' \ <d>`, `a "b" 'c' \ <d>`}},
		{Title: notebook.Both{"x\ny", "x\ny"}}, {Title: notebook.Both{"half", "半"}, Bound: result.Half}, {Title: notebook.Both{"ends", "端"}, Bound: result.Low}})
	if want := `style="--c1:'time (s)';--z1:'时间 (秒)';--c2:'a &#34;b&#34; \27 c\27  \5c  &lt;d&gt;';--c3:'x\a y';--c4:'half ± 95` + nbsp + `%';--z4:'半 ± 95` + nbsp +
		`%';--c5:'ends [95` + nbsp + `%]';--z5:'端 [95` + nbsp + `%]'"`; string(g.Style) != want {
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

// A cell keeps every digit of a number for who takes the table away; an empty one says so.
func TestCellsKeepEveryDigit(t *testing.T) {
	page := pageOf(t, "dasp/example5.html")
	for _, want := range []string{`<td role="cell" data-v="1.7205">1.720 [1.634, 1.841]</td>`, `<span class="none" title="no value">–</span>`, `<th scope="row" role="rowheader" class="brief">LeNet-5</th>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the table lacks %s", want)
		}
	}
	if strings.Contains(pageOf(t, "dasp/example1.html"), `data-v="11.1"`) {
		t.Error("a number that is printed whole is said twice")
	}
}

// Tables of many rows are closed by a script alone.
func TestLongTablesStandOpenWithoutScripts(t *testing.T) {
	for n, want := range map[int]bool{manyRows: false, manyRows + 1: true} {
		r := exampleStated()
		for len(r.Frames[0].Rows) < n {
			r.Frames[0].Rows = append(r.Frames[0].Rows, []any{"link", 1.11, "other", "low"})
		}
		root := t.TempDir()
		put(t, root, r)
		files, err := renderFrom(root, false)
		if err != nil {
			t.Fatal(err)
		}
		page := english(files["dasp/example1.html"])
		open := strings.Contains(page, fmt.Sprintf(`<details class="rows" open="open"><summary>%d rows</summary>`, n))
		if open != want || strings.Count(page, ">1.11</td>") < n-2 {
			t.Errorf("%d rows: in a closable box %v", n, open)
		}
	}
}

// Expected words: written by hand.
func TestTypedSignsArePrinted(t *testing.T) {
	for s, want := range map[string]string{
		"ASP <= {DASP,DSSP,SSP} <= BSP": "ASP ≤\u00a0{DASP, DSSP, SSP} ≤\u00a0BSP",
		"+-0.002 from rounding":         "±0.002 from rounding",
		"time x iterations, max x1":     "time × iterations, max x1",
		"95 % of 3 %":                   "95\u00a0% of 3\u00a0%",
		"a, b, {c, d}":                  "a, b, {c, d}",
		"1.2 s at 10 Gb/s, 3 seeds":     "1.2\u00a0s at 10\u00a0Gb/s, 3 seeds",

		// The formulas of claims.csv, and names that look like parts of some.
		"2*(N-1)*K/N":                         "2·(N−1)·K/N",
		"2*(N-1)/N * D/B":                     "2·(N−1)/N · D/B",
		"((k+1)*W0-(Pw'+Pw''))/eta":           "((k+1)·W0−(Pw′+Pw″))/η",
		"Pw = eta*(Pg'+Pg'')+(k+1)*W0":        "Pw = η·(Pg′+Pg″)+(k+1)·W0",
		"tie -> weights":                      "tie → weights",
		"only as N->inf: 2D/B":                "only as N→∞: 2D/B",
		"repeat S4 and S5 N-1 times":          "repeat S4 and S5 N−1 times",
		"ResNet-18, VGG-19, CIFAR-10, beta-1": "ResNet-18, VGG-19, CIFAR-10, beta-1",
		"best r* = 3, it's":                   "best r* = 3, it's",
	} {
		if got := pretty(s); got != want {
			t.Errorf("pretty(%q) = %q, want %q", s, got, want)
		}
	}
}

// Expected HTML: written by hand.
func TestNumbersKeepTheirUnits(t *testing.T) {
	const s = `<p id="a 1 s">2.4 s, <b>70 %</b> and <code>wait 3 s</code><pre>wait
3 s</pre> of 5 MB/s, 2 sets</p>`
	const want = `<p id="a 1 s">2.4` + nbsp + `s, <b>70` + nbsp + `%</b> and <code>wait 3 s</code><pre>wait
3 s</pre> of 5` + nbsp + `MB/s, 2 sets</p>`
	if got := unitsHTML(s); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestBackticksAreCode(t *testing.T) {
	for s, want := range map[string]template.HTML{
		"w_1 by `a_b <c>`, w_2": "w<sub>1</sub> by <code>a_b &lt;c&gt;</code>, w<sub>2</sub>",
		"one ` alone_1":         "one ` alone<sub>1</sub>",
	} {
		if got := coded(subs)(s); got != want {
			t.Errorf("coded(%q) = %q, want %q", s, got, want)
		}
	}
	for _, name := range []string{"tr", "subs", "md"} {
		var b strings.Builder
		src := "{{" + name + " (say \"at 3 % by `run x`\" \"用 3 %\")}}"
		if err := template.Must(template.New("").Funcs(textFuncs()).Parse(src)).Execute(&b, nil); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"at 3" + nbsp + "% by <code>run x</code>", "用 3" + nbsp + "%"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %q, want %q in it", name, b.String(), want)
			}
		}
	}
}
