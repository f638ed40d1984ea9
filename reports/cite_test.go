package reports

import (
	"os"
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/ran"
)

// TestSoftwareCitesItsCommits: every commit once, with the page, and the last year.
func TestSoftwareCitesItsCommits(t *testing.T) {
	run := func(commit string, dirty bool, started string) loaded {
		return loaded{File: ran.File{Result: exampleStated(), Run: &result.Run{Commit: commit, Dirty: dirty, Version: "v1", Started: started}}}
	}
	const long, other = "0123456789abcdef0123", "fedcba9876543210fedc"
	for _, c := range []struct {
		rs         []loaded
		want, year string
	}{
		{nil, "page.html, results of commit unknown", ""},
		{[]loaded{run(long, false, "2025-12-31T23:59:59Z"), run(long, false, "2026-01-01T00:00:00Z")}, "page.html, results of commit " + long, "2026"},
		{[]loaded{run(long, false, "2026-01-01"), run(other, false, "2025-01-01"), run(long, false, "")},
			"page.html, results of commits 0123456789ab and fedcba987654", "2026"},
		{[]loaded{run("aaa", true, "now"), run("aaa", true, "")}, "results of commit aaa (with changes that no commit holds)", ""},
		{[]loaded{run(long, true, ""), run(long, false, "")}, "results of commits 0123456789ab (with changes that no commit holds) and 0123456789ab", ""},
		{[]loaded{run("unknown", true, "")}, "results of commit unknown", ""},
		{[]loaded{{File: ran.File{Result: exampleStated()}}, run("aaa", false, "")}, "results of commits unknown and aaa", ""},
	} {
		got := cite("key", "title", "page.html", "", c.rs)
		if !strings.HasSuffix(strings.ReplaceAll(got.Plain, "; ", ", "), c.want+".") || !strings.Contains(got.BibTeX, c.want+"}\n}") {
			t.Errorf("%q, want %q", got, c.want)
		}
		if has := strings.Contains(got.BibTeX, "year    = {"+c.year+"},") && strings.Contains(got.Plain, ", "+c.year+", "); has != (c.year != "") ||
			c.year == "" && strings.Contains(got.BibTeX, "year") {
			t.Errorf("%q, want the year %q", got, c.year)
		}
	}
	if got := software(nil); strings.Contains(got.Plain, "html") {
		t.Errorf("no page: %q", got.Plain)
	}
	if got := cite("key", "title", "dasp/table6.html#table6", "https://example.org/", nil); !strings.Contains(got.BibTeX, "@software{key,") ||
		!strings.Contains(got.BibTeX, "url     = {https://example.org/dasp/table6.html#table6},") {
		t.Errorf("with an address: %s", got.BibTeX)
	}
}

// TestOneNameForTheSoftware: CITATION.cff, BibTeX and text have one title and one author.
func TestOneNameForTheSoftware(t *testing.T) {
	b := oktest.Must(os.ReadFile("../CITATION.cff"))(t)
	own, _, _ := strings.Cut(string(b), "\nreferences:\n")
	for _, want := range []string{"\ntitle: \"" + citeTitle + "\"\n", "\nauthors:\n  - name: \"" + citeAuthors + "\"\n"} {
		if strings.Count(own, want) != 1 {
			t.Errorf("CITATION.cff lacks %q", want)
		}
	}
	got := software(nil)
	for _, text := range []string{got.Plain, got.BibTeX} {
		if !strings.Contains(text, citeTitle) || !strings.Contains(text, citeAuthors) {
			t.Errorf("%q lacks title or author", text)
		}
	}
}

// TestPagesSayHowToCite: the page, a key of its own and its commits.
func TestPagesSayHowToCite(t *testing.T) {
	oktest.Slow(t)
	for name, key := range map[string]string{"dasp.html": "gradsync-dasp", "ring.html": "gradsync-ring", "compare.html": "gradsync-compare",
		"dasp/example5.html": "gradsync-dasp-example5", "index.html": "gradsync"} {
		bib := cut(t, pageOf(t, name), `id="bib-gradsync" tabindex="0">`, "</pre>")
		if !strings.HasPrefix(bib, "@software{"+key+",") || !strings.Contains(bib, "results of commit") || name != "index.html" && !strings.Contains(bib, "{"+name) {
			t.Errorf("%s: %s", name, bib)
		}
	}
}
