package cited

import (
	"fmt"
	"go/format"
	"html"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gradsync/experiments/paper"
	"gradsync/internal/gosource"
	"gradsync/internal/oktest"
	"gradsync/reports/notebook"
)

// besideSource puts algorithms and formulas of p beside a source.
func besideSource(p *Document, tree fs.FS) (*Shown, error) {
	v := &Shown{}
	for _, f := range p.Formulas {
		v.Formulas = append(v.Formulas, formulaView{Formula: f})
	}
	return v, v.beside(p, NewSource(tree))
}

// embedded returns the source that the program holds.
func embedded() fs.FS { return gosource.All }

// TestExcerptsAreTheSource: an excerpt is the text of a file of its folder, which is the one that the program was compiled from.
func TestExcerptsAreTheSource(t *testing.T) {
	tags := regexp.MustCompile(`<[^>]*>`)
	for i := range Documents {
		p := &Documents[i]
		page := oktest.Must(besideSource(p, embedded()))(t)
		var all []excerpt
		for _, a := range page.Algs {
			all = append(all, a.Go...)
		}
		for _, f := range page.Formulas {
			all = append(all, f.Go...)
		}
		for _, e := range all {
			text := oktest.Must(os.ReadFile("../../" + e.File))(t)
			lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
			var shown []string
			for _, l := range e.Lines {
				got := html.UnescapeString(tags.ReplaceAllString(string(l.HTML), ""))
				if want := lines[e.First+l.N-2]; got != want {
					t.Errorf("%s:%d shows %q, the file has %q", e.File, l.N, got, want)
				}
				shown = append(shown, got)
			}
			if _, err := format.Source([]byte(strings.Join(shown, "\n"))); err != nil {
				t.Errorf("%s of %s is no whole declaration: %v", e.Symbol, e.File, err)
			}
		}
	}
}

// TestNoMarkOutsideThePages: a mark in a file that no page cites would be lost.
func TestNoMarkOutsideThePages(t *testing.T) {
	places := map[string]bool{}
	for i := range Documents {
		if _, err := besideSource(&Documents[i], os.DirFS("../..")); err != nil {
			t.Errorf("with all files of the tree: %v", err)
		}
		for _, a := range Documents[i].Algorithms {
			places[a.Place] = true
		}
	}
	marks := 0
	for _, root := range []string{"papers", "shared", "experiments", "datasets"} {
		oktest.Nil(t, fs.WalkDir(os.DirFS("../.."), root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := os.ReadFile("../../" + name)
			if err != nil {
				return err
			}
			_, embedded := fs.Stat(embedded(), name)
			for n, line := range strings.Split(string(text), "\n") {
				at := strings.Index(line, "// ")
				if at < 0 {
					continue
				}
				if of, _, ok, _ := readMark(strings.TrimRight(line[at:], "\r")); ok && places[of] {
					marks++
					if embedded != nil {
						t.Errorf("%s:%d has a mark, but no page shows the file", name, n+1)
					}
				}
			}
			return nil
		}))
	}
	if marks < 100 {
		t.Errorf("only %d marks in the tree: are they read?", marks)
	}
}

// small returns a source of one file and a paper with one algorithm of three steps.
func small(text string) (*Document, fs.FS) {
	p := &Document{Paper: paper.Paper{Key: "small"}, Algorithms: []algorithm{{
		ID: "alg1", Place: "Alg. 1, line", Code: []string{"a F"},
		Steps:     []algorithmLine{{0, notebook.Alike("first"), false}, {0, notebook.Alike("second"), false}, {0, notebook.Alike("end"), false}},
		Elsewhere: map[int]notebook.Both{3: notebook.Alike("closes line 1")},
	}}}
	return p, fstest.MapFS{"a/a.go": {Data: []byte(text)}}
}

const smallGo = `package a

// F says how.
func F(x int) int {
	for range x { // Alg. 1, line 1
		// Alg. 1, line 2: the whole of it
		if x > 1 {
			x--
		}
	}
	return x
}
`

func TestMarksFindTheirLines(t *testing.T) {
	p, tree := small(smallGo)
	page := oktest.Must(besideSource(p, tree))(t)
	a := page.Algs[0]
	if got := fmt.Sprint(a.Views[0].Places, a.Views[1].Places, a.Views[2].Places); got != "[{F 2 2 alg1-L1}] [{F 4 6 alg1-L2}] []" {
		t.Errorf("steps are at %s", got)
	}
	e := a.Go[0]
	if e.First != 4 || e.Last() != 12 || e.Says != "F says how." {
		t.Errorf("the excerpt is lines %d to %d, %q", e.First, e.Last(), e.Says)
	}
	for _, l := range e.Lines {
		if want := map[int][]int{2: {1}, 4: {2}, 5: {2}, 6: {2}}[l.N]; !slices.Equal(l.Steps, want) {
			t.Errorf("line %d carries out %v, want %v", l.N, l.Steps, want)
		}
	}
}

// TestWhatIsWrongBesideTheSource: none of these slips gives a page.
func TestWhatIsWrongBesideTheSource(t *testing.T) {
	for name, c := range map[string]struct {
		change    func(p *Document) // may be nil
		old       string            // in smallGo, to be
		new, want string
	}{
		"no symbol":       {func(p *Document) { p.Algorithms[0].Code[0] = "a G" }, "", "", "no symbol G (small, alg1)"},
		"no folder":       {func(p *Document) { p.Algorithms[0].Code[0] = "b F" }, "", "", "source b: no Go files"},
		"no space":        {func(p *Document) { p.Algorithms[0].Code[0] = "a.F" }, "", "", "want a folder and a symbol"},
		"step unmarked":   {nil, "// Alg. 1, line 1", "", `no Go is marked "Alg. 1, line 1"`},
		"mark of no step": {nil, "line 2: the", "line 4: the", "marks Alg. 1, line 4, of 3"},
		"mark of nothing": {nil, "Alg. 1, line 2: the", "Alg. 2, line 2: the", "marks Alg. 2, line 2, which no excerpt of small shows"},
		"mark elsewhere":  {nil, "func F(", "func G() {\n\t_ = 1 // Alg. 1, line 1\n}\n\nfunc F(", "which no excerpt of small shows"},
		"other form":      {nil, "// Alg. 1, line 1", "// line 1", "want the form"},
		"long word":       {nil, "// Alg. 1, line 1", "// Algorithm 1, line 1", "marks Algorithm 1, line 1, which no excerpt of small shows"},
		"hyphen":          {nil, "line 2: the", "lines 1-2: the", "want the form"},
		"one as several":  {nil, "line 2: the", "lines 2: the", "want one line or step"},
		"several as one":  {nil, "line 2: the", "line 1, 2: the", "want one line or step"},
		"backward":        {nil, "line 2: the", "lines 2–1: the", "no range of steps"},
		"at the end":      {nil, "\treturn x\n", "\treturn x\n\t// Alg. 1, line 2\n", "stands before no statement"},
		"both":            {func(p *Document) { p.Algorithms[0].Elsewhere[2] = notebook.Alike("why") }, "", "", "Alg. 1, line 2 has a mark at F:4 and a reason"},
		"reason for none": {func(p *Document) { p.Algorithms[0].Elsewhere[4] = notebook.Alike("why") }, "", "", "a reason for Alg. 1, line 4, of 3"},
		"no mark": {func(p *Document) { p.Algorithms[0].Code = append(p.Algorithms[0].Code, "a G") }, "func F(", "func G() {}\n\nfunc F(",
			"source a G carries out no step of Alg. 1, line (small)"},
		"not Go": {nil, "package a", "pack", "expected 'package'"},
		"formula without": {func(p *Document) { p.Formulas = []Formula{{ID: "eq1"}} }, "", "",
			"want functions that compute it, or a reason to have none (small, formula eq1)"},
		"formula unknown": {func(p *Document) { p.Formulas = []Formula{{ID: "eq1", Code: []string{"a H"}}} }, "", "", "no symbol H (small, formula eq1)"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(smallGo, c.old) {
				t.Fatalf("%q is not in the text", c.old)
			}
			text := smallGo
			if c.old != "" {
				text = strings.Replace(smallGo, c.old, c.new, 1)
			}
			p, tree := small(text)
			if c.change != nil {
				c.change(p)
			}
			if _, err := besideSource(p, tree); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

const symbolsGo = `package a

// T is one.
type T[X any] struct {
	n X
}

func (t *T[X]) M() {}

// Numbers.
const (
	A = 1
	// B is two.
	B = 2
)

// V is three.
var V = 3

// Pairs.
type (
	// P is a pair.
	P[X, Y any] struct{}
	Q           struct{}
)

// M does it.
func (p *P[X, Y]) M() {}
`

// TestEverySymbolCanBeShown: methods, types, constants and variables, alone or in
// brackets, with their own comments, else their brackets' comments.
func TestEverySymbolCanBeShown(t *testing.T) {
	s := NewSource(fstest.MapFS{"a/a.go": {Data: []byte(symbolsGo)}})
	for symbol, want := range map[string]string{"T": "4–6 T is one.", "T.M": "8–8 ", "A": "12–12 Numbers.", "B": "14–14 B is two.", "V": "18–18 V is three.",
		"P": "23–23 P is a pair.", "Q": "24–24 Pairs.", "P.M": "28–28 M does it."} {
		if e, err := s.excerpt("a " + symbol); err != nil {
			t.Error(err)
		} else if got := fmt.Sprintf("%d–%d %s", e.First, e.Last(), e.Says); got != want {
			t.Errorf("%s is lines %q, want %q", symbol, got, want)
		}
	}
}
