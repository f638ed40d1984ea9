package notebook

import (
	"bufio"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/template"
	"text/template/parse"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

var texts = os.DirFS("../text")

const results = "../../experiments/results"

func notebooks(t *testing.T, pattern string) []string {
	t.Helper()
	all, err := fs.Glob(texts, "*/*."+pattern+".md")
	if err != nil || len(all) == 0 {
		t.Fatal("no notebooks: ", err)
	}
	return all
}

// tree parses a notebook, or a file of reasons, and visits the trees of all its templates.
func tree(t *testing.T, path string, visit func(root *parse.ListNode)) {
	t.Helper()
	src := oktest.Must(fs.ReadFile(texts, path))(t)
	all := oktest.Must(template.New(path).Funcs(new(page).funcs()).Parse(string(src)))(t)
	for _, one := range all.Templates() {
		if one.Tree != nil {
			visit(one.Root)
		}
	}
}

// narratives returns the texts that speak of several results: <paper>.en.md, <paper>.short.en.md. What students found
// in their own runs has no result here: experiments/cli/dev/readme runs their commands and looks for the numbers.
func narratives(t *testing.T, pattern string) []string {
	t.Helper()
	all, err := fs.Glob(texts, "*."+pattern+".md")
	if err != nil || len(all) == 0 {
		t.Fatal("no narratives: ", err)
	}
	return slices.DeleteFunc(all, func(name string) bool { return strings.HasPrefix(name, "coursework.") })
}

// No number of a notebook or a narrative is typed: what has a digit is bound, or a name in
// names.txt, or history that is marked as past.
func TestNoTypedNumbers(t *testing.T) {
	oktest.Slow(t)
	names := []*regexp.Regexp{regexp.MustCompile("(?s)`[^`]*`"), regexp.MustCompile(`\]\([^)]*\)`), regexp.MustCompile(`\{#[a-z0-9.-]+\}`),
		regexp.MustCompile(`<sub>[^<]*</sub>|<[^>]*>`)}
	f := oktest.Must(texts.Open("names.txt"))(t)
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := s.Text(); line != "" && line[0] != '#' {
			names = append(names, regexp.MustCompile(line))
		}
	}
	for _, path := range slices.Concat(notebooks(t, "en"), notebooks(t, "zh"), narratives(t, "en"), narratives(t, "zh")) {
		tree(t, path, func(root *parse.ListNode) {
			said(root, func(text string) {
				for _, name := range names {
					text = name.ReplaceAllString(text, "")
				}
				for _, line := range strings.Split(text, "\n") {
					if strings.ContainsAny(line, "0123456789") {
						t.Errorf("%s: a number that nothing binds: %q", path, strings.TrimSpace(line))
					}
				}
			})
		})
	}
}

// said visits what a template says itself: its text, and the formats of its lists.
func said(n parse.Node, say func(string)) {
	branch := func(b *parse.BranchNode) {
		said(b.List, say)
		if b.ElseList != nil {
			said(b.ElseList, say)
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, x := range n.Nodes {
			said(x, say)
		}
	case *parse.TextNode:
		say(string(n.Text))
	case *parse.ActionNode:
		said(n.Pipe, say)
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			if f, ok := c.Args[0].(*parse.IdentifierNode); ok && slices.Contains([]string{"list", "n", "fold"}, f.Ident) {
				for _, a := range c.Args[1:] {
					if s, ok := a.(*parse.StringNode); ok {
						say(hole.ReplaceAllString(s.Text, ""))
					}
				}
			}
		}
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	}
}

// Every binding of a notebook, in branches that no result takes too, stands as often in the
// other language, and so do the arguments of every reason.
func TestLanguagesBindTheSame(t *testing.T) {
	paths := notebooks(t, "en")
	for _, path := range slices.Concat(paths, narratives(t, "en"), []string{"reasons.en.tmpl"}) {
		en, zh := bindings(t, path), bindings(t, strings.Replace(path, ".en.", ".zh.", 1))
		for _, b := range slices.Sorted(maps.Keys(en)) {
			if en[b] > 0 && zh[b] == 0 {
				t.Errorf("%s: only in English: %s", path, b)
			}
		}
		for _, b := range slices.Sorted(maps.Keys(zh)) {
			if en[b] == 0 {
				t.Errorf("%s: only in Chinese: %s", path, b)
			}
		}
	}
}

// bindings counts a notebook's calls with their constants; the words of a list count by
// their holes, and other words not at all.
func bindings(t *testing.T, path string) map[string]int {
	out := map[string]int{}
	var visit func(n parse.Node)
	command := func(n *parse.CommandNode) {
		name := n.Args[0].String()
		call := []string{name}
		for i, a := range n.Args[1:] {
			switch a := a.(type) {
			case *parse.StringNode:
				switch {
				case name == "list" && i == 1 || name == "list" && i == 0 && len(hole.FindAllString(a.Text, -1)) > 0:
					holes := hole.FindAllString(a.Text, -1)
					slices.Sort(holes)
					call = append(call, strings.Join(holes, ""))
				case name == "list" || name == "n" || name == "fold" || name == "join":
				default:
					call = append(call, a.Text)
				}
			case *parse.PipeNode:
				visit(a)
			case *parse.FieldNode, *parse.VariableNode, *parse.DotNode:
			default:
				call = append(call, a.String())
			}
		}
		if chain, ok := n.Args[0].(*parse.ChainNode); ok {
			visit(chain.Node)
		}
		visit(n.Args[0])
		asked := name[strings.LastIndex(name, ".")+1:] // of a row or of another result
		switch n.Args[0].(type) {
		case *parse.IdentifierNode:
			if !slices.Contains([]string{"fold", "endfold", "n", "join", "not", "and", "or", "eq"}, name) {
				out[strings.Join(call, " ")]++
			}
		case *parse.FieldNode, *parse.VariableNode, *parse.ChainNode:
			switch {
			case slices.Contains([]string{"Get", "Fact", "Cell", "Rows", "Has", "Measured"}, asked):
				out[strings.Join(call[1:], " ")]++
			case asked != name:
				out["."+asked]++ // an argument of a reason
			}
		}
	}
	visit = func(n parse.Node) { commands(n, command) }
	tree(t, path, func(root *parse.ListNode) { visit(root) })
	return out
}

// commands visits what a template calls, in branches too.
func commands(n parse.Node, command func(*parse.CommandNode)) {
	branch := func(b *parse.BranchNode) {
		commands(b.Pipe, command)
		commands(b.List, command)
		if b.ElseList != nil {
			commands(b.ElseList, command)
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, x := range n.Nodes {
			commands(x, command)
		}
	case *parse.ActionNode:
		commands(n.Pipe, command)
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			command(c)
		}
	}
}

// Both languages have the same labels, and each is of use to somebody.
func TestLabels(t *testing.T) {
	var all [2]words
	for l, lang := range Languages {
		var err error
		if all[l], err = readWords(texts, lang); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range apart(keysOf(all[0].labels), keysOf(all[1].labels)) {
		t.Errorf("only in one language: label %s", id)
	}
}

func keysOf(m map[string]string) map[string]bool {
	out := map[string]bool{}
	for k := range m {
		out[k] = true
	}
	return out
}

// read are the committed results, which belong to all callers.
var read = sync.OnceValues(func() (out []*result.Result, err error) {
	err = filepath.WalkDir(results, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".run.json") {
			return err
		}
		r, err := result.Read(path)
		out = append(out, r)
		return err
	})
	return out, err
})

// committedResults returns the committed results.
func committedResults(t *testing.T) []*result.Result {
	t.Helper()
	return slices.Clone(oktest.Must(read())(t))
}

// find finds a committed result for a text that speaks of several.
func find(id, profile string) (*result.Result, error) {
	all, err := read()
	for _, r := range all {
		if r.ID == id && r.Profile == profile {
			return r, nil
		}
	}
	return nil, errors.Join(err, fs.ErrNotExist)
}

// opened returns the words of the program.
func opened(t *testing.T) *Book {
	t.Helper()
	return oktest.Must(Open(texts))(t)
}

// Every committed result has a page, also where one seed has no interval, and it shows
// every figure of the result.
func TestCommittedResultsRender(t *testing.T) {
	oktest.Slow(t)
	b, all, told := opened(t), committedResults(t), map[string]bool{}
	for _, r := range all {
		p := reads(t, b, "as committed", r, told)
		if p == nil {
			continue
		}
		for _, f := range r.Figures {
			if !p.Used["figure "+f.ID] {
				t.Errorf("%s, profile %s: its notebook draws no figure %s", r.ID, r.Profile, f.ID)
			}
		}
		for _, c := range r.Claims {
			if _, ok := claims.Get(c.ID); !ok || !p.Used["claim "+c.ID] {
				t.Errorf("%s, profile %s: claim %s is not in claims.csv, or its notebook places none of it", r.ID, r.Profile, c.ID)
			}
		}
	}
	if len(all) < 90 {
		t.Errorf("%d results", len(all))
	}
}
