package papers_test

import (
	"os"
	"path/filepath"
	"testing"

	"gradsync/papers/internal/source"
)

// papers returns the folders of the papers that are built. A room that has
// doc.go alone, which says that nothing is built yet, is not among them.
func papers(t *testing.T) (folders []string) {
	t.Helper()
	entries, err := os.ReadDir(".")
	must(t, err)
	for _, e := range entries {
		files, err := filepath.Glob(filepath.Join(e.Name(), "*.go"))
		must(t, err)
		if e.IsDir() && e.Name() != "internal" && len(files) > 1 {
			folders = append(folders, e.Name())
		}
	}
	if len(folders) == 0 {
		t.Fatal("no paper found")
	}
	return folders
}

// TestEverySymbolNamesItsSource: every exported symbol of a paper says in its
// doc comment which item of the paper it is, or that it is ours and why.
func TestEverySymbolNamesItsSource(t *testing.T) {
	for _, paper := range papers(t) {
		symbols, err := source.Read(paper)
		must(t, err)
		if len(symbols) < 5 {
			t.Errorf("%s: only %d exported symbols found", paper, len(symbols))
		}
		for _, s := range symbols {
			if s.Source == "" {
				t.Errorf("papers/%s/%s: %s has no valid Source: line", paper, s.File, s.Name)
			}
		}
	}
}

// TestSourceLine: what counts as a Source line and what does not.
func TestSourceLine(t *testing.T) {
	for text, want := range map[string]bool{
		"Source: Eq. (2)": true, "Source: Alg. 1": true, "Source: Alg. 1, line 15": true, "Source: Alg. 2, step 3": true,
		"Source: Claim 4": true, "Source: §2.1": true, "Source: Table 4": true, "Source: Fig. 2": true, "Source: S42": true,
		"Source: S51, first sentence": true, "Source: ours: no such thing": true, "first\n\nSource: §2": true,
		"Source: ours:": false, "Source: ours: ": false, "Source: Eq. 2": false, "Source: the paper": false,
		"Source: §": false, "Source: S": false, "Source: S42, 2": false, "source: §2": false, "see Source: §2": false,
		"Source: Alg. 1, line fifteen": false,
	} {
		if got := source.Valid(text); got != want {
			t.Errorf("%q: valid %v, want %v", text, got, want)
		}
	}
}
