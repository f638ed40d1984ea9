package papers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/papers/internal/source"
)

// TestMapsAreFresh: the Map of every paper's doc.go says what its Source: lines
// say. After a change: go generate ./papers/...
func TestMapsAreFresh(t *testing.T) {
	for _, paper := range papers(t) {
		doc, err := os.ReadFile(filepath.Join(paper, "doc.go"))
		must(t, err)
		fresh, err := source.Rewrite(string(doc), paper, paper)
		must(t, err)
		if fresh != string(doc) {
			t.Errorf("papers/%s/doc.go: the Map is stale: go generate ./papers/...", paper)
		}
	}
}

// TestDocsHaveTheirHeadings: the sections of a paper's page, in order.
func TestDocsHaveTheirHeadings(t *testing.T) {
	for _, paper := range papers(t) {
		doc, err := os.ReadFile(filepath.Join(paper, "doc.go"))
		must(t, err)
		rest := string(doc)
		for _, h := range []string{"# Idea", "# Map", "# Notation", "# Differences from the paper", "# Not implemented"} {
			_, after, found := strings.Cut(rest, "// "+h+"\n")
			if !found {
				t.Fatalf("papers/%s/doc.go: no %q in its place", paper, h)
			}
			rest = after
		}
	}
}
