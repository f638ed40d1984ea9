package reports

import (
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
)

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
	tr, err := newTranslator()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tr", "prose", "subs", "pretty"} {
		var b strings.Builder
		src := "{{" + name + " \"at 3 % by `run x`\"}}"
		if err := template.Must(template.New("").Funcs(tr.funcs()).Parse(src)).Execute(&b, nil); err != nil {
			t.Fatal(err)
		}
		if want := "at 3" + nbsp + "% by <code>run x</code>"; !strings.Contains(b.String(), want) {
			t.Errorf("%s: %q, want %q in it", name, b.String(), want)
		}
	}
}

func TestListsTakeThePapersDecimals(t *testing.T) {
	for _, c := range []struct {
		paper, ours any
		unit        string
		want        string
	}{
		{"0.807; 0.8522; 0.8337", "0.54498; 0.99387; 0.90399", "ratio", "0.545; 0.9939; 0.9040"},
		{"1; 2.50", "-3.4; 2", "ratio", "−3; 2.00"},
		{"0.807; 0.8522", "0.54498; 0.99387; 0.90399", "ratio", "0.54498; 0.99387; 0.90399"}, // not the same list
		{"0.1; 0.2", "0.123; none", "ratio", "0.123; none"},
		{"1.8-61.2", "1.8-61.2", "%", "1.8–61.2\u00a0%"},
		{"ASP > BSP", "ASP 1.11, BSP 0.22 points", "%", "ASP 1.11, BSP 0.22\u00a0points"},
		{11.1, 22.25, "%", "22.25\u00a0%"},
		{nil, nil, "%", ""},
	} {
		if _, got := claimValues(result.Claim{Paper: c.paper, Measured: c.ours, Unit: c.unit}); got != c.want {
			t.Errorf("%v beside %v prints as %q, want %q", c.ours, c.paper, got, c.want)
		}
	}
}

func TestIntervalsPrintBothEndsAlike(t *testing.T) {
	for _, c := range []struct {
		ci   [2]float64
		want string
	}{
		{[2]float64{-0.00602845697, 11.5865566}, "−0.01 … 11.59"}, {[2]float64{0, 0}, "0 … 0"},
		{[2]float64{45.0895577, 45.9121958}, "45.09 … 45.91"}, {[2]float64{0.611, 1.895}, "0.611 … 1.895"},
		{[2]float64{12345.6, 23456.7}, "12\u202f346 … 23\u202f457"},
	} {
		if got := interval(&c.ci, ""); got != c.want {
			t.Errorf("interval %v prints as %q, want %q", c.ci, got, c.want)
		}
	}
}

// Terms in brackets that many claims share stand once; none gets lost.
func TestCommonTermsAreSaidOnce(t *testing.T) {
	rows := []claimRow{{ID: "D1", Statement: "A below B (equal; LeNet; 6 workers)"}, {ID: "D2", Statement: "A below C (equal; 6 workers)"},
		{ID: "D3", Statement: "A (equal; VGG; 6 workers)"}, {ID: "D4", Statement: "A (equal; 6 workers)"}, {ID: "D5", Statement: "odd (nested (equal))"}}
	got := hoistTerms(rows)
	if want := []commonWhy{{"D1–D4", "equal"}, {"D1–D4", "6 workers"}}; !slices.Equal(got, want) {
		t.Errorf("common %v, want %v", got, want)
	}
	for i, want := range []string{"A below B (LeNet)", "A below C", "A (VGG)", "A", "odd (nested (equal))"} {
		if rows[i].Statement != want {
			t.Errorf("%s: %q, want %q", rows[i].ID, rows[i].Statement, want)
		}
	}
	halves := []claimRow{{Statement: "A (x)"}, {Statement: "A (x)"}, {Statement: "A (x)"}, {Statement: "A (x)"},
		{Statement: "A (y)"}, {Statement: "A (y)"}, {Statement: "A (y)"}, {Statement: "A (y)"}}
	if got := hoistTerms(halves); got != nil {
		t.Errorf("what tells the rows apart was taken out of them: %v", got)
	}
	sources := []claimRow{{ID: "D1", Source: "s"}, {ID: "D2", Source: "s"}, {ID: "D3", Source: "other"}, {ID: "D4", Source: "s"}, {ID: "D5", Source: "s"}}
	if got, want := hoistSources(sources), []commonWhy{{"D1, D2, D4, D5", "source: s"}}; !slices.Equal(got, want) || sources[2].Source != "other" || sources[0].Source != "" {
		t.Errorf("sources %v, want %v; rows %v", got, want, sources)
	}
	joined := oneLineEach([]commonWhy{{"a", "1"}, {"b", "2"}, {"a", "3"}})
	if want := []commonWhy{{"a", "1; 3"}, {"b", "2"}}; !slices.Equal(joined, want) {
		t.Errorf("joined %v, want %v", joined, want)
	}
}

// An axis of shares stays within 0 to 100 whatever its bands do.
func TestShareAxisIgnoresWideBands(t *testing.T) {
	fig := func(unit string, y, lo, hi float64) result.Figure {
		return result.Figure{Y: result.Axis{Unit: unit}, Series: []result.Series{
			{X: []float64{0}, Y: []float64{y}, Lo: []float64{lo}, Hi: []float64{hi}}}}
	}
	for _, c := range []struct {
		f      result.Figure
		lo, hi float64
		ok     bool
	}{
		{fig("%", 70, -300, 450), 0, 100, true}, {fig("%", 12, 5, 33), 0, 40, true}, {fig("%", 97, 93, 98.5), 90, 100, true},
		{fig("%", 110, 0, 120), 0, 0, false}, {fig("s", 70, 0, 100), 0, 0, false},
	} {
		lo, hi, ok := percentRange(c.f)
		if ok != c.ok || ok && (lo != c.lo || hi != c.hi) {
			t.Errorf("%v: from %v to %v, %v; want from %v to %v, %v", c.f.Series, lo, hi, ok, c.lo, c.hi, c.ok)
		}
	}
}

// Every place on the page that the paper package's map names is there: the map
// is in its doc comment, read as text.
func TestEveryAnchorOfTheMapIsOnThePage(t *testing.T) {
	for paper, places := range map[string]int{"dasp": 8, "ringsparse": 8, "codedsgd": 0} {
		t.Run(paper, func(t *testing.T) { mapOf(t, paper, places) })
	}
}

func mapOf(t *testing.T, paper string, places int) {
	doc, err := os.ReadFile(filepath.FromSlash("../papers/" + paper + "/doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{}
	for _, m := range regexp.MustCompile(`page +`+paper+`\.html#(\S+)`).FindAllStringSubmatch(string(doc), -1) {
		anchors[m[1]] = true
	}
	if paper == "codedsgd" { // every number that a Source: line can name
		for i := 1; i <= 30; i++ {
			anchors[fmt.Sprint("eq", i)] = true
		}
		for _, a := range []string{"alg1", "alg2", "alg3", "alg4", "s1", "s2", "s2.1", "s2.2", "s2.3", "s2.4", "s3.1", "s3.2", "s3.2.1", "s3.2.2", "s3.2.3", "s3.2.4", "s3.2.5", "s4"} {
			anchors[a] = true
		}
	}
	if len(anchors) < places {
		t.Fatalf("the map names %d places, want at least %d", len(anchors), places)
	}
	root, out := t.TempDir(), t.TempDir()
	stems := []string{"table1"} // a page needs a result
	for a := range anchors {
		if regexp.MustCompile(`^(table|fig)\d+$`).MatchString(a) && a != "table1" {
			stems = append(stems, a) // the section of a result, there if the result is
		}
	}
	for _, stem := range stems {
		r := exampleStated()
		r.ID = paper + "/" + stem
		put(t, filepath.Join(root, paper, stem+".json"), r)
	}
	if _, err := Render(Options{Results: root, Out: out}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(out, paper+".html"))
	if err != nil {
		t.Fatal(err)
	}
	for a := range anchors {
		if n := strings.Count(string(page), fmt.Sprintf(` id="%s"`, a)); n != 1 {
			t.Errorf("the map of papers/%s names #%s, the page has it %d times", paper, a, n)
		}
	}
}

// A column "±" stands beside the numbers it belongs to, if the unit is theirs.
func TestSpreadsStandBesideTheirNumbers(t *testing.T) {
	tb := result.Table{ID: "t", Columns: []result.Column{{Title: "m"}, {Title: "time", Unit: "s", Digits: 1}, {Title: "±", Unit: "s", Digits: 2}, {Title: "share", Unit: "%"}, {Title: "±", Unit: "points"}},
		Rows: [][]any{{"A", 1.25, 0.111, 50.0, 2.0}, {"B", nil, nil, 60.0, 3.0}, {"C", 2.0, nil, 70.0, 4.0}}}
	read := func() (got string) {
		v := viewTable(loaded{Result: exampleStated()}, tb)
		for _, c := range v.Columns {
			got += strings.ReplaceAll(c.Title, nbsp, " ") + "|"
		}
		for _, r := range v.Rows {
			got += "\n"
			for _, c := range r {
				got += strings.ReplaceAll(c.Text, nbsp, " ") + "|"
			}
		}
		return got
	}
	if got, want := read(), "m|time ± 95 %|share|95 % ±|\nA|1.2 ± 0.11|50|2|\nB||60|3|\nC|2.0|70|4|"; got != want {
		t.Errorf("the table reads\n%s\nwant\n%s", got, want)
	}
	tb.Rows = [][]any{{"A", 1.25, nil, 50.0, nil}} // a single seed
	if got, want := read(), "m|time|share|\nA|1.2|50|"; got != want {
		t.Errorf("of a single seed the table reads\n%s\nwant\n%s", got, want)
	}
}

// "from" and "to" behind a number bound 95 % of it, in the head and on the cards
// of a narrow screen; behind words, as the lanes of a time line, they do not.
func TestBoundsSayOfWhat(t *testing.T) {
	for _, c := range []struct{ before, want string }{{"BSP = 1", "BSP = 1|95 % from|95 % to|"}, {"lane", "lane|from|to|"}} {
		tb := result.Table{ID: "t", Columns: []result.Column{{Title: c.before}, {Title: "from"}, {Title: "to"}}, Rows: [][]any{{1.5, 1.0, 2.0}}}
		if c.before == "lane" {
			tb.Rows[0][0] = "worker 1"
		}
		v := viewTable(loaded{Result: exampleStated()}, tb)
		head, cards := "", ""
		for _, col := range v.Columns {
			head, cards = head+col.Title+"|", cards+col.Label()+"|"
		}
		for _, got := range []string{head, cards} {
			if got = strings.ReplaceAll(got, nbsp, " "); got != c.want {
				t.Errorf("behind %s: %q, want %q", c.before, got, c.want)
			}
		}
	}
}
