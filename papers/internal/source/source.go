// Package source reads the `Source:` lines of a paper's folder: which exported
// symbol reproduces which item of the paper.
package source

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// line is a valid Source line; its first group is the item of the paper, or
// "ours: reason".
var line = regexp.MustCompile(
	`(?m)^Source: (Eq\. \(\d+\)|Alg\. \d+(?:, (?:line|step) \d+)?|Claim \d+|§\d+(?:\.\d+)*|` +
		`S\d+(?:, [a-z]+(?: [a-z]+)*)?|(?:Fig|Table)\. ?\d+|Table \d+|ours: \S.*)$`)

// Symbol is one exported symbol of a package.
type Symbol struct {
	File   string // relative to the root that was read, with slashes
	Name   string // Type, Func or Type.Method, with the package below the root before it
	Source string // the paper's item, or "ours: reason"; "" without a valid line
	Doc    string // first sentence of the doc comment
}

// Read returns the exported symbols of all packages under root, test files and
// folders named testdata or internal aside, in order of file and position. Of a
// const or var group, the group's or each entry's comment counts; constants of
// an exported type of the same file have its source.
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

// file returns the exported symbols of one file.
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
	add := func(name, ofType string, docs ...*ast.CommentGroup) {
		s := Symbol{File: rel, Name: prefix + name}
		for _, doc := range docs {
			if s.Source != "" || doc == nil {
				continue
			}
			if m := line.FindStringSubmatch(doc.Text()); m != nil {
				s.Source = m[1]
			}
			s.Doc = firstSentence(doc.Text())
		}
		if s.Source == "" {
			s.Source = sources[ofType]
		}
		sources[name] = s.Source
		symbols = append(symbols, s)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if name, ok := exportedFunc(d); ok {
				add(name, "", d.Doc)
			}
		case *ast.GenDecl:
			ofType := ""
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.IsExported() {
						add(spec.Name.Name, "", spec.Doc, d.Doc)
					}
				case *ast.ValueSpec:
					if id, ok := spec.Type.(*ast.Ident); ok {
						ofType = id.Name
					}
					for _, name := range spec.Names {
						if name.IsExported() {
							add(name.Name, ofType, spec.Doc, spec.Comment, d.Doc)
						}
					}
				}
			}
		}
	}
	return symbols, nil
}

// exportedFunc returns the name of an exported function, or Type.Method if both
// are exported. String and Name, which only print, need no source.
func exportedFunc(d *ast.FuncDecl) (string, bool) {
	if !d.Name.IsExported() {
		return "", false
	}
	if d.Recv == nil {
		return d.Name.Name, true
	}
	recv := d.Recv.List[0].Type
	if star, ok := recv.(*ast.StarExpr); ok {
		recv = star.X
	}
	id, ok := recv.(*ast.Ident)
	printing := slices.Contains([]string{"String", "Name"}, d.Name.Name)
	if !ok || !id.IsExported() || printing {
		return "", false
	}
	return id.Name + "." + d.Name.Name, true
}

// firstSentence returns doc's first sentence on one line.
func firstSentence(doc string) string {
	doc, _, _ = strings.Cut(doc, "\n\n")
	doc = strings.Join(strings.Fields(doc), " ")
	if i := strings.Index(doc, ". "); i >= 0 {
		doc = doc[:i+1]
	}
	return doc
}

// Valid reports whether one line of a doc comment is a valid Source line.
func Valid(text string) bool { return line.MatchString(text) }
