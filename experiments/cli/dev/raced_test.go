package dev

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// Below the folders of raced, a package that is not among them starts no goroutine and
// no runtime, in its tests either: nothing in it can race.
func TestWhatMayRaceIsRaced(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	listed := func(dir string) bool {
		return slices.ContainsFunc(raced, func(p string) bool {
			below, all := strings.CutSuffix(strings.TrimPrefix(p, "./"), "/...")
			return dir == below || all && strings.HasPrefix(dir, below+"/")
		})
	}
	tested, others := map[string]bool{}, map[string]bool{}
	for _, top := range []string{"shared/cluster", "papers", "shared/tensor/engine/asm", "shared/tensor/engine/internal", "shared/gpu"} {
		oktest.Nil(t, filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			rel, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			dir := filepath.ToSlash(rel)
			if strings.Contains(dir+"/", "/testdata/") || strings.Contains(dir+"/", "/gen/") {
				return nil
			}
			if strings.HasSuffix(path, "_test.go") {
				tested[dir] = true
			}
			if why := threads(t, path); why != "" && !listed(dir) {
				others[dir+": "+why] = true
			}
			return nil
		}))
	}
	for what := range others {
		if dir, _, _ := strings.Cut(what, ":"); tested[dir] {
			t.Errorf("%s; its tests are not in raced", what)
		}
	}
	for _, p := range raced {
		dir, all := strings.CutSuffix(strings.TrimPrefix(p, "./"), "/...")
		if !tested[dir] && !all {
			t.Errorf("%s has no tests", p)
		}
	}
}

// threads says how a file may run code on several threads, "" if it cannot.
func threads(t *testing.T, path string) (why string) {
	t.Helper()
	f := oktest.Must(parser.ParseFile(token.NewFileSet(), path, nil, 0))(t)
	for _, i := range f.Imports {
		name := oktest.Must(strconv.Unquote(i.Path.Value))(t)
		if slices.Contains([]string{"gradsync/shared/cluster/virtual", "gradsync/shared/cluster/local", "gradsync/shared/cluster/tcp"}, name) {
			return path + " imports " + name
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			why = path + " starts a goroutine"
		case *ast.SelectorExpr:
			switch n.Sel.Name {
			case "Parallel":
				why = path + " has parallel tests"
			case "Go":
				why = path + " starts a goroutine"
			}
		}
		return true
	})
	return why
}
