package repo

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gradsync/internal/oktest"
)

const (
	maxFileLines     = 600
	maxFunctionLines = 70
	maxFiles         = 30  // of Go in a folder, tests apart
	maxLineLength    = 160 // characters
)

// longFunctions may exceed maxFunctionLines. The list only shrinks: a function
// on it that has become short, or is gone, fails the test too.
var longFunctions = []string{}

// unfinished are words of work left over; workplace and neighbour name where somebody works. They
// are written so that this file does not hold them.
var (
	unfinished = []string{"TO" + "DO", "FIX" + "ME", "XX" + "X"}
	workplace  = []string{"/wor" + "k/", "/far" + "m/", "bash_" + "jobs", "sub" + "agent", "sub-" + "agent", "../.lib" + "rary",
		"../shared/" + "design", "../shared/" + "sources", "../shared/" + "hooks"}
	neighbour = []string{"../shared/" + "datasets"}
)

// neighbourFiles may name the folder with real data beside a checkout.
var neighbourFiles = []string{".ci/run", "CONTRIBUTING.md"}

// foreign are texts of others, kept as they came, and what is generated.
var foreign = []string{"reports/assets/", "reports/page/lib/", "reports/draw/lib/", "reports/chart/lib/", "reports/html/",
	"datasets/embedded/", "LICENSE", "go.sum", ".ci/tools.sum"}

// fileName matches the names of Go files. What follows an underscore decides where and when a
// file is built; _unix and _other leave that to its build line.
var fileName = regexp.MustCompile(`^[a-z0-9-]+(_(linux|darwin|windows|unix|other))?(_(amd64|arm64))?(_test)?\.go$`)

func isForeign(file string) bool {
	return slices.ContainsFunc(foreign, func(p string) bool { return strings.HasPrefix(file, p) })
}

// TestTidy: files and functions stay small, code is formatted, nothing is left
// unfinished and no line names a workplace.
func TestTidy(t *testing.T) {
	root := mustRoot(t)
	files := oktest.Must(listFiles(root))(t)
	seen, inFolder := 0, map[string]int{}
	var long []string
	for _, file := range files {
		if isForeign(file) {
			continue
		}
		if path.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go") {
			inFolder[path.Dir(file)]++
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if os.IsNotExist(err) {
			continue // a temporary file that is gone by now
		}
		oktest.Nil(t, err)
		if bytes.IndexByte(text, 0) >= 0 {
			continue // not text
		}
		for _, complaint := range judgeText(file, text) {
			t.Error(complaint)
		}
		if path.Ext(file) == ".go" {
			seen++
			complaints, functions := judgeGo(file, text)
			for _, c := range complaints {
				t.Error(c)
			}
			long = append(long, functions...)
		}
	}
	for dir, n := range inFolder {
		if n > maxFiles {
			t.Errorf("%s has %d Go files beside its tests, want at most %d: give it a room", dir, n, maxFiles)
		}
	}
	if seen < 40 {
		t.Errorf("judged %d Go files, want at least 40: is %s the whole repository?", seen, root)
	}
	for _, f := range longFunctions {
		if !slices.ContainsFunc(long, func(l string) bool { return strings.HasPrefix(l, f+":") }) {
			t.Errorf("%s is no longer longer than %d lines: take it off longFunctions", f, maxFunctionLines)
		}
	}
	for _, l := range long {
		if name, _, _ := strings.Cut(l, ":"); !slices.Contains(longFunctions, name) {
			t.Error(l)
		}
	}
}

// judgeText complains about words that may stand in no text file.
func judgeText(file string, text []byte) (complaints []string) {
	complain := func(words []string, whole bool, complaint string) {
		for _, w := range words {
			for at := 0; ; at += len(w) {
				i := bytes.Index(text[at:], []byte(w))
				if i < 0 {
					break
				}
				at += i
				if !whole || isWord(text, at, at+len(w)) {
					complaints = append(complaints, fmt.Sprintf("%s:%d: ", file, 1+bytes.Count(text[:at], []byte("\n")))+strings.ReplaceAll(complaint, "WORD", w))
				}
			}
		}
	}
	complain(unfinished, true, "says WORD: finish it or open an issue")
	complain(workplace, false, "names a workplace: WORD")
	if !slices.Contains(neighbourFiles, file) {
		complain(neighbour, false, "only "+strings.Join(neighbourFiles, " and ")+" may name the folder beside the checkout")
	}
	return complaints
}

// isWord tells whether no letter, digit or underscore stands just before text[from:to] or just after it.
func isWord(text []byte, from, to int) bool {
	part := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] == '_' || text[i] < utf8.RuneSelf && (unicode.IsLetter(rune(text[i])) || unicode.IsDigit(rune(text[i]))))
	}
	return !part(from-1) && !part(to)
}

// judgeGo complains about length and formatting of a Go file and lists its
// functions over the limit as "file.Name: n lines …".
func judgeGo(file string, text []byte) (complaints, long []string) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.ParseComments)
	if err != nil {
		return []string{err.Error()}, nil
	}
	if !isFormatted(text) {
		complaints = append(complaints, file+": not formatted by gofmt")
	}
	if !fileName.MatchString(path.Base(file)) {
		complaints = append(complaints, file+": in a file's name hyphens join words; an underscore begins _test, a system or a processor")
	}
	if ast.IsGenerated(parsed) {
		return complaints, nil
	}
	if n := bytes.Count(text, []byte("\n")); n > maxFileLines {
		complaints = append(complaints, fmt.Sprintf("%s: %d lines, at most %d", file, n, maxFileLines))
	}
	complaints = append(complaints, judgeWords(set, parsed)...)
	complaints = append(complaints, judgeNames(set, parsed)...)
	for i, line := range strings.Split(string(text), "\n") {
		if n := utf8.RuneCountInString(line); n > maxLineLength {
			complaints = append(complaints, fmt.Sprintf("%s:%d: %d characters in a line, at most %d", file, i+1, n, maxLineLength))
		}
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > maxFunctionLines {
			long = append(long, fmt.Sprintf("%s.%s: %d lines, at most %d", file, f.Name.Name, n, maxFunctionLines))
		}
	}
	return complaints, long
}

// dialect are ways to begin a comment that leave out who does what.
var dialect = regexp.MustCompile(`^[\w.]+ (is|are|was|were) (what|that|those|whom)\b`)

// judgeWords complains about comments that open in dialect, or give no name to a number whose parameter has one.
func judgeWords(set *token.FileSet, parsed *ast.File) (complaints []string) {
	for _, group := range parsed.Comments {
		at := set.Position(group.Pos())
		words := strings.Join(strings.Fields(group.Text()), " ")
		if m := dialect.FindString(words); m != "" {
			complaints = append(complaints, fmt.Sprintf("%s:%d: a comment opens %q: say what it does, holds or returns", at.Filename, at.Line, m))
		}
		if strings.Contains(words, "so many") {
			complaints = append(complaints, fmt.Sprintf("%s:%d: a comment says \"so many\": name the number", at.Filename, at.Line))
		}
	}
	return complaints
}

// judgeNames complains about doc comments that begin with another identifier than the one
// they stand above, as renaming leaves them.
func judgeNames(set *token.FileSet, parsed *ast.File) (complaints []string) {
	judge := func(name *ast.Ident, doc *ast.CommentGroup) {
		if word, _, _ := strings.Cut(doc.Text(), " "); identifier.MatchString(word) && word != name.Name {
			at := set.Position(doc.Pos())
			complaints = append(complaints, fmt.Sprintf("%s:%d: the comment of %s begins with %s", at.Filename, at.Line, name.Name, word))
		}
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			judge(d.Name, d.Doc)
		case *ast.GenDecl:
			if len(d.Specs) != 1 {
				continue
			}
			switch s := d.Specs[0].(type) {
			case *ast.TypeSpec:
				judge(s.Name, d.Doc)
			case *ast.ValueSpec:
				if len(s.Names) == 1 {
					judge(s.Names[0], d.Doc)
				}
			}
		}
	}
	return complaints
}

// identifier matches a word that can only be a name of the source: methodRun, newTask.
var identifier = regexp.MustCompile(`^[a-z]+[A-Z]\w*$`)

// TestTidyFinds: the judges see what they look for.
func TestTidyFinds(t *testing.T) {
	for _, line := range []string{"// T" + "ODO: later", "x :=T" + "ODO(1)", "see /wor" + "k/main", "cp ../shared/" + "datasets/x .", "in ../shared/" + "design"} {
		if got := judgeText("papers/x.go", []byte("fine\n"+line+"\n")); len(got) != 1 || !strings.HasPrefix(got[0], "papers/x.go:2: ") {
			t.Errorf("judgeText(%q) = %q, want one complaint about line 2", line, got)
		}
	}
	for _, bad := range []string{"// x is what it is.\nvar x = 1\n", "// f takes so many\n// numbers.\nfunc f() {}\n",
		"// f are\n// those.\nfunc f() {}\n", "// oldName does.\nfunc newName() {}\n",
		"var x = `" + strings.Repeat("é", 160) + "`\n"} {
		if got, _ := judgeGo("x.go", []byte("package x\n\n"+bad)); len(got) != 1 || !strings.HasPrefix(got[0], "x.go:3: ") {
			t.Errorf("judgeGo(%q) = %q, want one complaint about line 3", bad, got)
		}
	}
	for file, n := range map[string]int{"ring-report_linux_amd64_test.go": 0, "usage_unix.go": 0, "ring_report.go": 1, "ringReport.go": 1} {
		if got, _ := judgeGo("bench/"+file, []byte("package x\n")); len(got) != n {
			t.Errorf("judgeGo of a file %s = %q, want %d complaints", file, got, n)
		}
	}
	if got := judgeText("papers/x.go", []byte("const maxT"+"ODO = 1\nT"+"ODOS\n")); len(got) != 0 {
		t.Errorf("part of a word is no word, got %q", got)
	}
	if got := judgeText("CONTRIBUTING.md", []byte("../shared/"+"datasets")); len(got) != 0 {
		t.Errorf("CONTRIBUTING.md may name the data folder, got %q", got)
	}
	body := strings.Repeat("\t_ = 0\n", maxFunctionLines-1)
	if _, long := judgeGo("x.go", []byte("package x\n\nfunc f() {\n"+body+"}\n")); len(long) != 1 {
		t.Errorf("a function of %d lines passes: %q", maxFunctionLines+1, long)
	}
	if _, long := judgeGo("x.go", []byte("package x\n\nfunc f() {\n"+body[7:]+"}\n")); len(long) != 0 {
		t.Errorf("a function of %d lines does not pass: %q", maxFunctionLines, long)
	}
	if got, _ := judgeGo("x.go", []byte("package  x\n"+strings.Repeat("\n", maxFileLines))); len(got) != 2 {
		t.Errorf("a long, unformatted file: %q, want two complaints", got)
	}
}
