// Command exported lists the exported names that nobody outside of their package uses: functions, types, constants,
// variables and the methods of exported types, one a line. Tests are users, a package's own external ones too. It has
// the module file of the other tools, .ci/tools.mod:
//
//	go run -modfile=.ci/tools.mod .ci/exported/main.go ./...
//
// Not listed is what is needed without being named: a method that makes its type implement an interface, and a type
// that a used name has in its own. Files that this system does not build (tags, other systems), and templates, have no
// types: a name in one is a use of all that are called so.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	found, err := list(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "exported:", err)
		os.Exit(2)
	}
	for _, line := range found {
		fmt.Println(line)
	}
}

// usage is who uses what in the packages of a module.
type usage struct {
	fset       *token.FileSet
	module     string
	interfaces map[string][]*types.Interface // by each of their methods
	used       map[token.Pos]bool            // declarations, by where they stand
	names      map[string][]string           // what files without types name, and in which packages
	seen       map[types.Type]bool
}

// list returns the names that nobody uses.
func list(patterns []string) (found []string, err error) {
	u := usage{fset: token.NewFileSet(), interfaces: map[string][]*types.Interface{}, used: map[token.Pos]bool{},
		names: map[string][]string{}, seen: map[types.Type]bool{}}
	ours, err := u.load(patterns)
	if err != nil {
		return nil, err
	}
	root := ours[0].Module.Dir
	if err := u.readTexts(root, ours); err != nil {
		return nil, err
	}
	for _, p := range ours {
		u.read(p)
	}
	for _, p := range ours {
		for _, obj := range exported(p) {
			if u.isNamedInText(obj) {
				u.use(obj)
			}
		}
	}
	for _, p := range ours {
		for _, obj := range exported(p) {
			if at := u.fset.Position(obj.Pos()); !u.used[obj.Pos()] {
				name := obj.Name()
				if recv := receiver(obj); recv != nil {
					name = recv.Obj().Name() + "." + name
				}
				rel, _ := filepath.Rel(root, at.Filename)
				found = append(found, fmt.Sprintf("%s:%d: %s", filepath.ToSlash(rel), at.Line, name))
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// load returns the module's packages, each again with its tests, and notes the interfaces that all packages know.
func (u *usage) load(patterns []string) (ours []*packages.Package, err error) {
	mode := packages.LoadSyntax | packages.NeedModule
	all, err := packages.Load(&packages.Config{Fset: u.fset, Tests: true, Mode: mode}, patterns...)
	if err != nil {
		return nil, err
	}
	packages.Visit(all, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			err = e
		}
		for _, name := range p.Types.Scope().Names() {
			u.addInterface(p.Types.Scope().Lookup(name).Type())
		}
		if p.Module != nil && p.Module.Main && !strings.HasSuffix(p.ID, ".test") {
			ours, u.module = append(ours, p), p.Module.Path
			for _, v := range p.TypesInfo.Types {
				u.addInterface(v.Type)
			}
		}
	})
	if err == nil && len(ours) == 0 {
		err = errors.New("no package")
	}
	return ours, err
}

// read notes what a package uses: names of others, those in templates, and what makes its types implement interfaces.
func (u *usage) read(p *packages.Package) {
	for _, f := range p.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				u.readTemplate(lit.Value)
			}
			return true
		})
	}
	for _, obj := range p.TypesInfo.Defs {
		if name, ok := obj.(*types.TypeName); ok && !types.IsInterface(name.Type()) {
			u.useMethods(name.Type())
		}
	}
	for _, obj := range p.TypesInfo.Uses {
		if u.isOurs(obj) && obj.Pkg().Path() != p.PkgPath {
			u.use(obj)
		}
	}
}

// exported returns the exported names of a package without its tests, and of its exported types the methods.
func exported(p *packages.Package) (out []types.Object) {
	if p.ID != p.PkgPath || strings.HasSuffix(p.ID, "_test") {
		return nil
	}
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if !obj.Exported() {
			continue
		}
		out = append(out, obj)
		if t, ok := obj.Type().(*types.Named); ok && t.Obj() == obj {
			for m := range t.Methods() {
				if m.Exported() {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// receiver returns the type of a method, nil for anything else.
func receiver(obj types.Object) *types.Named {
	f, ok := obj.(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return nil
	}
	t := f.Signature().Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := t.(*types.Named)
	return n
}

func (u *usage) isOurs(obj types.Object) bool {
	return obj.Exported() && obj.Pkg() != nil && strings.HasPrefix(obj.Pkg().Path()+"/", u.module+"/")
}

// use notes that a name is used, and with it the types that it has.
func (u *usage) use(obj types.Object) {
	if f, ok := obj.(*types.Func); ok {
		obj = f.Origin()
	}
	if !u.used[obj.Pos()] {
		u.used[obj.Pos()] = true
		u.useType(obj.Type())
	}
}

// useType notes the exported types of ours within a type.
func (u *usage) useType(t types.Type) {
	if u.seen[t] {
		return
	}
	u.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			u.useType(a)
		}
		if u.isOurs(t.Obj()) {
			u.used[t.Obj().Pos()] = true
			u.useType(t.Underlying())
		}
	case *types.Alias:
		u.used[t.Obj().Pos()] = true
		u.useType(t.Rhs())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				u.useType(f.Type())
			}
		}
	case *types.Signature:
		u.useType(t.Params())
		u.useType(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			u.useType(v.Type())
		}
	case *types.Interface:
		for m := range t.Methods() {
			u.useType(m.Type())
		}
	case *types.Map:
		u.useType(t.Key())
		u.useType(t.Elem())
	case interface{ Elem() types.Type }:
		u.useType(t.Elem())
	}
}

// addInterface notes a type that is an interface.
func (u *usage) addInterface(t types.Type) {
	if t == nil {
		return
	}
	if i, ok := t.Underlying().(*types.Interface); ok {
		for m := range i.Methods() {
			if list := u.interfaces[m.Name()]; !slices.Contains(list, i) {
				u.interfaces[m.Name()] = append(list, i)
			}
		}
	}
}

// useMethods notes the methods by which a type implements an interface, promoted ones too, and those that package
// errors has in the interfaces of its functions.
func (u *usage) useMethods(t types.Type) {
	pointer := types.NewPointer(t)
	for m := range types.NewMethodSet(pointer).Methods() {
		if name := m.Obj().Name(); u.isOurs(m.Obj()) && (slices.Contains([]string{"Is", "As", "Unwrap"}, name) ||
			slices.ContainsFunc(u.interfaces[name], func(i *types.Interface) bool { return types.Implements(pointer, i) })) {
			u.use(m.Obj())
		}
	}
}

var (
	action = regexp.MustCompile(`\{\{.*?\}\}`)
	field  = regexp.MustCompile(`\.([A-Z]\w*)`)
)

// readTexts notes the names in files that have no types: Go that is not built here, and templates.
func (u *usage) readTexts(root string, ours []*packages.Package) error {
	typed := map[string]bool{}
	for _, p := range ours {
		for _, f := range p.GoFiles {
			typed[f] = true
		}
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || typed[path] || d.IsDir() {
			if err == nil && d.IsDir() && slices.Contains([]string{"bin", "out", ".git", "html"}, d.Name()) {
				return filepath.SkipDir
			}
			return err
		}
		switch filepath.Ext(path) {
		case ".go":
			f, err := parser.ParseFile(u.fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil // a test's example of what is wrong
			}
			rel, err := filepath.Rel(root, filepath.Dir(path))
			user := u.module + "/" + filepath.ToSlash(rel)
			if strings.HasSuffix(f.Name.Name, "_test") {
				user += "_test"
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.IsExported() && !slices.Contains(u.names[id.Name], user) {
					u.names[id.Name] = append(u.names[id.Name], user)
				}
				return true
			})
			return err
		case ".html", ".tmpl", ".md", ".story", ".assumptions":
			text, err := os.ReadFile(path)
			u.readTemplate(string(text))
			return err
		}
		return nil
	})
}

// readTemplate notes the names in the actions of a text.
func (u *usage) readTemplate(text string) {
	for _, a := range action.FindAllString(text, -1) {
		for _, m := range field.FindAllStringSubmatch(a, -1) {
			u.names[m[1]] = append(u.names[m[1]], "")
		}
	}
}

// isNamedInText reports whether a file without types, of another package, names an object.
func (u *usage) isNamedInText(obj types.Object) bool {
	return slices.ContainsFunc(u.names[obj.Name()], func(user string) bool { return user != obj.Pkg().Path() })
}
