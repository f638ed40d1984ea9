package papers_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mark is the first line of a file of a paper's rules. They know no Proc: whoever reads them needs to know nothing of processes, and
// whoever tests them needs no runtime.
const mark = "//gradsync:pure"

// clocks lists the names of package time that look at a clock; its durations are welcome.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// worlds are packages that reach out of a computation.
var worlds = []string{"os", "net", "syscall", "unsafe", "sync", "math/rand", "math/rand/v2", "crypto/rand", "runtime", "log", "testing"}

// impurities lists what f may not hold: concurrency, clocks, randomness and the
// outside world; with rules also maps (their order is random) and Proc.
func impurities(f *ast.File, rules bool) (found []string) {
	for _, imp := range f.Imports {
		path, _ := strconv.Unquote(imp.Path.Value)
		if slices.ContainsFunc(worlds, func(w string) bool { return path == w || strings.HasPrefix(path, w+"/") }) {
			found = append(found, "import of "+path)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, "go statement")
		case *ast.SelectStmt:
			found = append(found, "select statement")
		case *ast.ChanType:
			found = append(found, "channel")
		case *ast.MapType:
			if rules {
				found = append(found, "map")
			}
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			if !ok {
				break
			}
			if pkg.Name == "time" && slices.Contains(clocks, n.Sel.Name) {
				found = append(found, "time."+n.Sel.Name)
			}
			if rules && pkg.Name == "cluster" && n.Sel.Name == "Proc" {
				found = append(found, "cluster.Proc")
			}
		}
		return true
	})
	return found
}

// source files of a folder and below, tests and internal aside.
func goFiles(t *testing.T, root string) (files []string) {
	t.Helper()
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "internal" {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	}))
	return files
}

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	must(t, err)
	return f
}

// TestPapersAreDeterministic: no file of a paper, and no collective, starts a goroutine, looks at a clock, draws a
// random number or touches the world but through cluster.Proc.
func TestPapersAreDeterministic(t *testing.T) {
	roots := papers(t)
	if collective := filepath.Join("..", "shared", "cluster", "collective"); exists(collective) {
		roots = append(roots, collective)
	}
	for _, root := range roots {
		for _, path := range goFiles(t, root) {
			for _, what := range impurities(parse(t, path), false) {
				t.Errorf("%s: %s", path, what)
			}
		}
	}
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// TestRulesArePure: the papers' rules hold no map either, and know no Proc. Rivals and formulas are rules, and each paper has more.
func TestRulesArePure(t *testing.T) {
	for _, root := range papers(t) {
		rules := 0
		for _, path := range goFiles(t, root) {
			text, err := os.ReadFile(path)
			must(t, err)
			folder, marked := filepath.Dir(path), strings.HasPrefix(string(text), mark+"\n\n")
			if kind := filepath.Base(folder); !marked && (kind == "rivals" || kind == "formula") {
				t.Errorf("%s does not begin with %s", path, mark)
			}
			if !marked {
				continue
			}
			if folder == root {
				rules++
			}
			for _, what := range impurities(parse(t, path), true) {
				t.Errorf("%s: %s", path, what)
			}
		}
		if rules == 0 {
			t.Errorf("no file of %s begins with %s", root, mark)
		}
	}
}

// TestImpuritiesAreSeen: one offence per line is found, durations are not.
func TestImpuritiesAreSeen(t *testing.T) {
	for body, want := range map[string]string{
		"func f() { go f() }":                         "go statement",
		"func f() { select {} }":                      "select statement",
		"var c chan<- int":                            "channel",
		"var m struct{ x map[int]bool }":              "map",
		"var t = time.Now()":                          "time.Now",
		"func f() { time.Sleep(1) }":                  "time.Sleep",
		"func f(p cluster.Proc) {}":                   "cluster.Proc",
		"import \"math/rand/v2\"":                     "import of math/rand/v2",
		"import \"net/http\"":                         "import of net/http",
		"import \"os\"":                               "import of os",
		"var d = 3 * time.Second":                     "",
		"import \"time\"\nfunc f(d time.Duration) {}": "",
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+body, 0)
		must(t, err)
		if got := fmt.Sprint(impurities(f, true)); got != fmt.Sprintf("[%s]", want) {
			t.Errorf("%s: found %s, want [%s]", body, got, want)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
