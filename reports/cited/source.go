package cited

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// excerpt is one declaration of the present source, as it stands in its file.
type excerpt struct {
	Symbol string // Type.Method, or the name of a function, type, constant or variable
	Says   string // the first sentence of its comment; may be empty
	Folder string // from the module's root
	File   string // in which it stands today: no page says so, since what moves to another is the same code
	First  int    // line of the file
	Of     string // the algorithm or formula that it stands beside
	Marked bool   // it carries out steps; beside a formula none does
	Lines  []codeLine
	Cap    int // how many lines of a step in a row a page shows
}

// Last returns the last line of the file that e shows.
func (e excerpt) Last() int { return e.First + len(e.Lines) - 1 }

// decisive is one line that a page shows; Gap: lines before it are left out.
type decisive struct {
	codeLine
	Gap bool
}

// Decisive returns the lines that carry out steps, of each run of them at most e.Cap. The source has the
// whole.
func (e excerpt) Decisive() (out []decisive) {
	run, last := 0, -1
	for i, l := range e.Lines {
		if len(l.Steps) == 0 {
			run = 0
			continue
		}
		if len(l.Begins) > 0 {
			run = 0
		}
		if run++; run > e.Cap {
			continue
		}
		out = append(out, decisive{l, len(out) > 0 && i != last+1})
		last = i
	}
	return out
}

// Broken reports whether the last line that a page shows is not the last of its step.
func (e excerpt) Broken() bool {
	shown := e.Decisive()
	return len(shown) > 0 && slices.ContainsFunc(e.Lines, func(l codeLine) bool { return len(l.Steps) > 0 && l.N > shown[len(shown)-1].N })
}

// codeLine is one line of the source, N counted from the first of the symbol. Steps numbers the steps of the algorithm
// that it belongs to, Begins the steps that begin with it.
type codeLine struct {
	N      int
	HTML   template.HTML
	Steps  []int
	Begins []lineStart
}

// lineStart is where lines of a step begin, with a place to link to.
type lineStart struct {
	Step   int
	Anchor string
}

// Source is the program's source, read by folder as it is asked for.
type Source struct {
	tree    fs.FS
	folders map[string]*folder
}

// folder is the Go of one package.
type folder struct {
	path    string
	fset    *token.FileSet
	symbols map[string]declared
	marks   []stepMark
}

// declared is where a symbol stands: from `at`, which is behind its comment, to end.
type declared struct {
	file     string
	text     []byte // of the file
	syntax   *ast.File
	at, end  token.Pos
	comments *ast.CommentGroup
}

// NewSource reads a program's source from a tree; without one it returns nil.
func NewSource(tree fs.FS) *Source {
	if tree == nil {
		return nil
	}
	return &Source{tree: tree, folders: map[string]*folder{}}
}

// find returns the folder and the place of "folder symbol", the symbol being a
// method as Type.Method. What is not there is an error: an excerpt is never old.
func (s *Source) find(name string) (*folder, declared, error) {
	at, symbol, ok := strings.Cut(name, " ")
	if !ok {
		return nil, declared{}, fmt.Errorf("cited: source %q, want a folder and a symbol", name)
	}
	f, err := s.folder(at)
	if err != nil {
		return nil, declared{}, err
	}
	d, ok := f.symbols[symbol]
	if !ok {
		return nil, declared{}, fmt.Errorf("cited: source %s has no symbol %s", at, symbol)
	}
	return f, d, nil
}

// folder parses a package; its tests are left out.
func (s *Source) folder(at string) (*folder, error) {
	if f := s.folders[at]; f != nil {
		return f, nil
	}
	names, err := fs.Glob(s.tree, path.Join(at, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("cited: source %s: %w", at, err)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return strings.HasSuffix(n, "_test.go") })
	if len(names) == 0 {
		return nil, fmt.Errorf("cited: source %s: no Go files in it", at)
	}
	f := &folder{path: at, fset: token.NewFileSet(), symbols: map[string]declared{}}
	for _, name := range names {
		text, err := fs.ReadFile(s.tree, name)
		if err != nil {
			return nil, fmt.Errorf("cited: source %s: %w", name, err)
		}
		syntax, err := parser.ParseFile(f.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("cited: source: %w", err)
		}
		f.declare(name, text, syntax)
		if err := f.readMarks(name, text, syntax); err != nil {
			return nil, err
		}
	}
	s.folders[at] = f
	return f, nil
}

// declare notes the symbols of one file.
func (f *folder) declare(name string, text []byte, syntax *ast.File) {
	add := func(symbol string, n ast.Node, comments *ast.CommentGroup) {
		f.symbols[symbol] = declared{name, text, syntax, n.Pos(), n.End(), comments}
	}
	for _, decl := range syntax.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			add(receiver(d)+d.Name.Name, d, d.Doc)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				// One of several in brackets is shown by itself, a lone one with its keyword.
				var n ast.Node = spec
				comments := d.Doc
				if !d.Lparen.IsValid() {
					n = d
				}
				switch t := spec.(type) {
				case *ast.TypeSpec:
					if t.Doc != nil {
						comments = t.Doc
					}
					add(t.Name.Name, n, comments)
				case *ast.ValueSpec:
					if t.Doc != nil {
						comments = t.Doc
					}
					for _, id := range t.Names {
						add(id.Name, n, comments)
					}
				}
			}
		}
	}
}

// receiver returns "Type." of a method, "" of a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	switch g := t.(type) { // of one type parameter, or of several
	case *ast.IndexExpr:
		t = g.X
	case *ast.IndexListExpr:
		t = g.X
	}
	return t.(*ast.Ident).Name + "."
}

// excerpt returns a symbol's lines, whole ones, coloured.
func (s *Source) excerpt(name string) (excerpt, error) {
	f, d, err := s.find(name)
	if err != nil {
		return excerpt{}, err
	}
	first, last := f.fset.Position(d.at).Line, f.fset.Position(d.end).Line
	_, symbol, _ := strings.Cut(name, " ")
	e := excerpt{Symbol: symbol, Folder: f.path, File: d.file, First: first}
	if d.comments != nil {
		e.Says = new(doc.Package).Synopsis(d.comments.Text())
		if s, ok := strings.CutSuffix(e.Says, ":"); ok { // a formula follows there
			e.Says = s + "."
		}
	}
	all := strings.Split(strings.ReplaceAll(string(d.text), "\r\n", "\n"), "\n")
	lines, err := coloured(strings.Join(all[first-1:last], "\n"))
	if err != nil {
		return excerpt{}, fmt.Errorf("cited: colouring %s: %w", name, err)
	}
	for i, h := range lines {
		e.Lines = append(e.Lines, codeLine{N: i + 1, HTML: h})
	}
	return e, nil
}
