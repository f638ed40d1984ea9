package source

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The Map section of doc.go begins and ends with these lines.
const (
	mapHeading = "# Map"
	mapNext    = "# Notation"
)

// WriteMap rewrites the Map section of folder/doc.go.
func WriteMap(folder, paper string) error {
	path := filepath.Join(folder, "doc.go")
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("mapgen: %w", err)
	}
	fresh, err := Rewrite(string(text), folder, paper)
	if err != nil || fresh == string(text) {
		return err
	}
	return os.WriteFile(path, []byte(fresh), 0o644)
}

// Rewrite returns doc with its Map section as the folder's Source lines have it.
func Rewrite(doc, folder, paper string) (string, error) {
	from := strings.Index(doc, "// "+mapHeading+"\n")
	to := strings.Index(doc, "// "+mapNext+"\n")
	if from < 0 || to < from {
		return "", fmt.Errorf("mapgen: doc.go has no %q before %q", mapHeading, mapNext)
	}
	section, err := Map(folder, paper)
	if err != nil {
		return "", err
	}
	return doc[:from] + section + doc[to:], nil
}

// Map returns the section: per item of the paper its place on the page, its symbols, whichever files they stand in, and
// the tests named for it; what is "ours" is left to "Differences". Items go by kind, then by name.
func Map(folder, paper string) (string, error) {
	symbols, err := Read(folder)
	if err != nil {
		return "", err
	}
	tests, err := testNames(folder)
	if err != nil {
		return "", err
	}
	names := map[string][]string{} // item → symbols
	var items []string
	for _, s := range symbols {
		if s.Source == "" || strings.HasPrefix(s.Source, "ours: ") {
			continue
		}
		if names[s.Source] == nil {
			items = append(items, s.Source)
		}
		names[s.Source] = append(names[s.Source], s.Name)
	}
	slices.SortFunc(items, func(a, b string) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a, b))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n//\n// By item of the paper; generated from the Source: lines by go generate.\n//\n", mapHeading)
	for _, item := range items {
		fmt.Fprintf(&b, "//\t%s (%s)\n", item, page(paper, item))
		slices.Sort(names[item])
		list(&b, "Go", names[item])
		if found := testsOf(item, tests); found != nil {
			list(&b, "tests", found)
		}
	}
	b.WriteString("//\n")
	return b.String(), nil
}

// list writes one label and its entries, wrapped.
func list(b *strings.Builder, label string, entries []string) {
	const width = 84
	line := fmt.Sprintf("//\t    %-5s ", label)
	indent := "//\t" + strings.Repeat(" ", 10)
	for i, e := range entries {
		if i < len(entries)-1 {
			e += ","
		}
		if len(line)+len(e) > width && strings.TrimSpace(line) != "//" {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = indent
		}
		line += e + " "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// order puts sections first, then equations, algorithms, claims, figures, tables,
// and a patent's steps.
func order(item string) int {
	kinds := []string{"§", "Eq", "Alg", "Claim", "Fig", "Table", "S"}
	return slices.IndexFunc(kinds, func(k string) bool { return strings.HasPrefix(item, k) })
}

var (
	numbers  = regexp.MustCompile(`\d+(\.\d+)*`)
	testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// anchor returns the item's id on the page: eq1, alg1, table4, fig2, s2.1, s42.
func anchor(item string) string {
	kind := [...]string{"s", "eq", "alg", "claim", "fig", "table", "s"}[max(order(item), 0)]
	return kind + numbers.FindString(item)
}

// page returns where the item stands among the pages: equations and algorithms beside their code, a figure or table on
// its result's page, the others in the story.
func page(paper, item string) string {
	a := anchor(item)
	switch order(item) {
	case 1, 2:
		return paper + "/code.html#" + a
	case 4, 5:
		return paper + "/" + a + ".html"
	}
	return paper + ".html#" + a
}

// testsOf names the tests of an item: those whose name has the item in it, as
// Section22, Equation1, Algorithm2Line7, S42.
func testsOf(item string, tests []string) (found []string) {
	n := numbers.FindAllString(item, -1)
	kind := [...]string{"Section", "Equation", "Algorithm", "Claim", "Figure", "Table", "S"}[max(order(item), 0)]
	key := kind + strings.ReplaceAll(n[0], ".", "")
	if len(n) > 1 {
		key += "Line" + n[1]
	}
	pattern := regexp.MustCompile(key + `(\D|$)`)
	for _, t := range tests {
		if pattern.MatchString(t) {
			found = append(found, t)
		}
	}
	return found
}

// testNames returns the folder's test functions, sorted.
func testNames(folder string) (names []string, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("mapgen: %w", err)
		}
		for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return names, err
}
