// Package source reads the `Source:` lines of a paper's folder: which symbol
// reproduces which item of the paper.
package source

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
)

// line is a valid Source line; its first group is the item of the paper, or
// "ours: reason".
var line = regexp.MustCompile(
	`(?m)^Source: (Eq\. \(\d+\)|Alg\. \d+(?:, (?:line|step) \d+)?|Claim \d+|§\d+(?:\.\d+)*|` +
		`S\d+(?:, [a-z]+(?: [a-z]+)*)?|(?:Fig|Table)\. ?\d+|Table \d+|ours: \S.*)$`)

// Symbol is a symbol of a package that is exported, or has a Source line.
type Symbol struct {
	File   string // relative to the root that was read, with slashes
	Name   string // Type, Func or Type.Method, with the package below the root before it
	Source string // the paper's item, or "ours: reason"; "" without a valid line
}

// Read returns the symbols of all packages under root that are exported or have
// a Source line, test files and folders named testdata or internal aside, in
// order of file and position. Of a const or var group, the group's or each
// entry's comment counts; constants of a type of the same file have its source.
func Read(root string) ([]Symbol, error) {
	var symbols []Symbol
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (d.Name() == "testdata" || d.Name() == "internal") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		found, err := file(path, filepath.ToSlash(rel))
		symbols = append(symbols, found...)
		return err
	})
	return symbols, err
}

// file returns the symbols of one file.
func file(path, rel string) (symbols []Symbol, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	prefix := ""
	if i := strings.LastIndex(rel, "/"); i >= 0 {
		prefix = rel[:i][strings.LastIndex(rel[:i], "/")+1:] + "."
	}
	sources := map[string]string{} // of the types
	add := func(name string, exported bool, ofType string, docs ...*ast.CommentGroup) {
		s := Symbol{File: rel, Name: prefix + name, Source: sources[ofType]}
		for _, doc := range docs {
			if m := line.FindStringSubmatch(doc.Text()); m != nil {
				s.Source = m[1]
				break
			}
		}
		if sources[name] = s.Source; name != "_" && (exported || s.Source != "") {
			symbols = append(symbols, s)
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if name, exported := funcName(d); name != "" {
				add(name, exported, "", d.Doc)
			}
		case *ast.GenDecl:
			ofType := ""
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name.Name, spec.Name.IsExported(), "", spec.Doc, d.Doc)
				case *ast.ValueSpec:
					if id, ok := spec.Type.(*ast.Ident); ok {
						ofType = id.Name
					}
					for _, name := range spec.Names {
						add(name.Name, name.IsExported(), ofType, spec.Doc, spec.Comment, d.Doc)
					}
				}
			}
		}
	}
	return symbols, nil
}

// funcName returns the name of a function or Type.Method, and whether it is exported and so needs a source. String and
// Name, which only print, need none. The type of a generic one's receiver has no name here.
func funcName(d *ast.FuncDecl) (name string, exported bool) {
	if d.Recv == nil {
		return d.Name.Name, d.Name.IsExported()
	}
	recv := d.Recv.List[0].Type
	if star, ok := recv.(*ast.StarExpr); ok {
		recv = star.X
	}
	id, ok := recv.(*ast.Ident)
	if !ok || d.Name.Name == "String" || d.Name.Name == "Name" {
		return "", false
	}
	return id.Name + "." + d.Name.Name, id.IsExported() && d.Name.IsExported()
}

// Valid reports whether one line of a doc comment is a valid Source line.
func Valid(text string) bool { return line.MatchString(text) }
