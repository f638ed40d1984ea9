package cited

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// stepMark is a comment that says which steps of an algorithm a piece of Go carries
// out. At the end of a line it is of that line; on a line of its own, of the whole
// statement or field that follows.
type stepMark struct {
	Of          string // the algorithm, as algorithm.Place
	Steps       []int
	File        string
	At          int // line of the comment
	First, Last int // lines of what it marks
}

// The one form of a mark is "// Alg. 1, line 5: why", with "lines 9–11" or "lines
// 2, 4" for several; the words up to "line" or "step" are the algorithm's.
var (
	markForm = regexp.MustCompile(`^// ([^,:]+, (?:line|step))(s?) (\d+(?:(?:–|, )\d+)*)(?:: \S.*)?$`)
	markLike = regexp.MustCompile(`(?i)^//\s*(alg(orithm)?\b\.?\s*\d|(lines?|steps?)\s+\d|(reduce-scatter|all-gather|training|S\d[^,]*),? (lines?|steps?)\b)`)
)

// readMark returns what a comment marks; ok is false if it is none. What begins
// like a mark and is none is an error, so that a slip cannot hide a line.
func readMark(text string) (of string, steps []int, ok bool, err error) {
	m := markForm.FindStringSubmatch(text)
	if m == nil {
		if markLike.MatchString(text) {
			err = fmt.Errorf("comment %q, want the form %q", text, "// Alg. 1, lines 9–11: why")
		}
		return "", nil, false, err
	}
	for _, part := range strings.Split(m[3], ", ") {
		lo, hi, ranged := strings.Cut(part, "–")
		first, err1 := strconv.Atoi(lo)
		last := first
		var err2 error
		if ranged {
			last, err2 = strconv.Atoi(hi)
		}
		if err1 != nil || err2 != nil || last < first || ranged && last == first {
			return "", nil, false, fmt.Errorf("comment %q: %q is no range of steps", text, part)
		}
		for n := first; n <= last; n++ {
			steps = append(steps, n)
		}
	}
	if !slices.IsSorted(steps) || (len(steps) > 1) != (m[2] == "s") {
		return "", nil, false, fmt.Errorf("comment %q: want one line or step, or several that ascend", text)
	}
	return m[1], steps, true, nil
}

// readMarks notes the marks of one file. Comments of declarations are none: they
// have a Source line instead.
func (f *folder) readMarks(name string, text []byte, syntax *ast.File) error {
	line := func(p token.Pos) int { return f.fset.Position(p).Line }
	docs, ends := map[*ast.CommentGroup]bool{syntax.Doc: true}, map[int]int{}
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch d := n.(type) {
		case *ast.FuncDecl:
			docs[d.Doc] = true
		case *ast.GenDecl:
			docs[d.Doc] = true
		case *ast.TypeSpec:
			docs[d.Doc] = true
		case ast.Stmt, *ast.Field, *ast.ValueSpec, *ast.KeyValueExpr:
			from := line(n.Pos())
			ends[from] = max(ends[from], line(n.End()))
		}
		return true
	})
	for _, group := range syntax.Comments {
		if docs[group] {
			continue
		}
		for _, c := range group.List {
			of, steps, ok, err := readMark(c.Text)
			if err != nil {
				return fmt.Errorf("cited: source %s:%d: %w", name, line(c.Pos()), err)
			}
			if !ok {
				continue
			}
			m := stepMark{Of: of, Steps: steps, File: name, At: line(c.Pos())}
			m.First, m.Last = m.At, m.At
			if alone(text, f.fset.Position(c.Pos())) {
				m.First = line(group.End()) + 1
				if m.Last = ends[m.First]; m.Last == 0 {
					return fmt.Errorf("cited: source %s:%d: comment %q stands before no statement", name, m.At, c.Text)
				}
			}
			f.marks = append(f.marks, m)
		}
	}
	return nil
}

// alone reports whether nothing stands before a comment on its line.
func alone(text []byte, at token.Position) bool {
	return strings.TrimSpace(string(text[at.Offset-at.Column+1:at.Offset])) == ""
}
