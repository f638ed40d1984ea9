package reports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"gradsync/internal/oktest"
	"gradsync/reports/typeset"
)

// pairOf is a text of the program in both languages, where it is written.
type pairOf struct {
	said
	at string
}

// saidIn finds the texts of Go files: literals of notebook.Both, alone or in lists, and the formats of notebook.Bothf.
func saidIn(t *testing.T) (out []pairOf) {
	t.Helper()
	var files []string
	for _, in := range []string{"*.go", "*/*.go"} {
		some := oktest.Must(filepath.Glob(in))(t)
		files = append(files, some...)
	}
	set := token.NewFileSet()
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree := oktest.Must(parser.ParseFile(set, file, nil, 0))(t)
		add := func(n ast.Node, list []ast.Expr) {
			if len(list) < 2 {
				return
			}
			en, ok := literal(list[0])
			if zh, both := literal(list[1]); ok && both {
				out = append(out, pairOf{said{en, zh}, set.Position(n.Pos()).String()})
			}
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if isSaid(n.Type) {
					add(n, n.Elts)
				}
				for _, x := range n.Elts {
					if kv, ok := x.(*ast.KeyValueExpr); ok {
						x = kv.Value
					}
					if inner, ok := x.(*ast.CompositeLit); ok && inner.Type == nil && holdsSaid(n.Type) {
						add(inner, inner.Elts)
					}
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Bothf" {
					add(n, n.Args)
				}
			}
			return true
		})
	}
	return out
}

// isSaid reports whether x names notebook.Both, or said, this package's short name for it.
func isSaid(x ast.Expr) bool {
	if s, ok := x.(*ast.SelectorExpr); ok {
		return s.Sel.Name == "Both"
	}
	id, ok := x.(*ast.Ident)
	return ok && (id.Name == "said" || id.Name == "Both")
}

// holdsSaid tells whether a list or a map is of texts in both languages.
func holdsSaid(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ArrayType:
		return isSaid(x.Elt)
	case *ast.MapType:
		return isSaid(x.Value)
	}
	return false
}

// literal returns the text of an expression of string literals.
func literal(x ast.Expr) (string, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(x.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		a, okA := literal(x.X)
		b, okB := literal(x.Y)
		return a + b, okA && okB
	case *ast.SelectorExpr:
		return typeset.NBSP, x.Sel.Name == "NBSP"
	case *ast.Ident:
		return typeset.NBSP, x.Name == "NBSP"
	}
	return "", false
}

// inTemplates are the texts of the templates.
var inTemplates = regexp.MustCompile(`\b(?:say|sayf) "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"`)

// Every text that the pages say themselves stands in both languages: what is no name or
// formula has Chinese, and no template shows a word beside them.
func TestEveryTextIsInBothLanguages(t *testing.T) {
	texts := saidIn(t)
	for _, name := range oktest.Must(fs.Glob(templates, "templates/*.html"))(t) {
		raw := oktest.Must(fs.ReadFile(templates, name))(t)
		for _, m := range inTemplates.FindAllStringSubmatch(string(raw), -1) {
			texts = append(texts, pairOf{said{m[1], m[2]}, name})
		}
	}
	for _, x := range texts {
		word := regexp.MustCompile(`[a-z]{3}`).MatchString(strings.ReplaceAll(x.En(), "%s", ""))
		chinese := strings.ContainsFunc(x.Zh(), func(r rune) bool { return unicode.Is(unicode.Han, r) })
		if (x.Zh() == "") != (x.En() == "") || word && !chinese && !sameWords[x.En()] {
			t.Errorf("%s: %q is %q", x.at, x.En(), x.Zh())
		}
	}
	if len(texts) < 500 {
		t.Errorf("%d texts", len(texts))
	}
}

// sameWords are names and formulas, which are the same in both languages.
var sameWords = map[string]bool{"RingSparse": true, "gradsync": true, "position ← pos": true}

// The words of a template that both languages show are names, units and signs.
func TestTemplatesSayNothingInOneLanguage(t *testing.T) {
	names := oktest.Must(fs.Glob(templates, "templates/*.html"))(t)
	actions := regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	marked := regexp.MustCompile(`(?s)<(span|p)[^>]* lang="(?:en|zh)"[^>]*>.*?</(span|p)>|<span class="en">.*?</span>|<code>.*?</code>|<(style|script|` +
		`title)[^>]*>.*?</(style|script|title)>|<[^>]*>`)
	for _, name := range names {
		raw := oktest.Must(fs.ReadFile(templates, name))(t)
		text := marked.ReplaceAllString(actions.ReplaceAllString(string(raw), ""), " ")
		for _, line := range strings.Split(text, "\n") {
			for _, w := range regexp.MustCompile(`[A-Za-z]{3,}`).FindAllString(line, -1) {
				if !map[string]bool{"gradsync": true, "CSV": true, "SVG": true, "PNG": true, "BibTeX": true, "Theme": true, "auto": true, "TeX": true,
					"doctype": true, "html": true, "Apache": true, "sha": true}[w] {
					t.Errorf("%s: %q stands in no language: %s", name, w, strings.TrimSpace(line))
				}
			}
		}
	}
}
