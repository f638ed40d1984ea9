package reports

import (
	"os"
	"strings"
	"testing"

	"gradsync/experiments/result"
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
		got := software(c.rs, "page.html")
		if !strings.HasSuffix(got.Plain, c.want+".") || !strings.Contains(got.BibTeX, c.want+"}\n}") {
			t.Errorf("%q, want %q", got, c.want)
		}
		if has := strings.Contains(got.BibTeX, "year    = {"+c.year+"},") && strings.Contains(got.Plain, ", "+c.year+", "); has != (c.year != "") ||
			c.year == "" && strings.Contains(got.BibTeX, "year") {
			t.Errorf("%q, want the year %q", got, c.year)
		}
	}
	if got := software(nil, ""); strings.Contains(got.Plain, "html") {
		t.Errorf("no page: %q", got.Plain)
	}
}

// TestOneNameForTheSoftware: CITATION.cff, BibTeX and text have one title and one author.
func TestOneNameForTheSoftware(t *testing.T) {
	b, err := os.ReadFile("../CITATION.cff")
	if err != nil {
		t.Fatal(err)
	}
	own, _, _ := strings.Cut(string(b), "\nreferences:\n")
	for _, want := range []string{"\ntitle: \"" + citeTitle + "\"\n", "\nauthors:\n  - name: \"" + citeAuthors + "\"\n"} {
		if strings.Count(own, want) != 1 {
			t.Errorf("CITATION.cff lacks %q", want)
		}
	}
	got := software(nil, "")
	for _, text := range []string{got.Plain, got.BibTeX} {
		if !strings.Contains(text, citeTitle) || !strings.Contains(text, citeAuthors) {
			t.Errorf("%q lacks title or author", text)
		}
	}
}

// TestPagesSayHowToCite: the page, its commit and the page of a result that is there.
func TestPagesSayHowToCite(t *testing.T) {
	files, err := rendered()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dasp.html", "ring.html", "compare.html"} {
		cite := cut(t, english(files[name]), `<section id="cite"`, "</section>")
		if strings.Count(cite, name+", results of commit") != 2 || strings.Contains(cite, "several") {
			t.Errorf("%s: %s", name, cite)
		}
		if example := cut(t, cite, "<code>", "</code>"); files[example] == "" {
			t.Errorf("%s: the page %q is none", name, example)
		}
	}
	const own = "dasp/example5.html"
	if cite := cut(t, pageOf(t, own), `<p lang="en" id="cite-gradsync">`, "</p>"); !strings.Contains(cite, own+", results of commit "+strings.Repeat("c", 40)) {
		t.Errorf("%s: %s", own, cite)
	}
	if cite := cut(t, pageOf(t, "index.html"), `<section id="cite"`, "</section>"); strings.Count(cite, "index.html, results of commit") != 2 ||
		strings.Contains(cite, "Provenance") {
		t.Errorf("the index: %s", cite)
	}
}
