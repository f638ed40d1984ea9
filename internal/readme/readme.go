// Package readme writes the table of verdicts between the markers of README.md,
// from the committed results. `make reports` runs it; a test keeps the table
// current. Without committed results the table says so.
package readme

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gradsync/experiments/result"
)

const (
	begin = "<!-- verdicts: written by `make reports` from experiments/results -->"
	end   = "<!-- end of verdicts -->"
)

// sources are the rows: a folder of results and what the table calls it.
var sources = []struct{ key, title string }{
	{"dasp", "DASP: dynamic adaptive synchronous parallel (2023)"},
	{"ring", "Ring all-reduce (2017)"},
	{"ringsparse", "RingSparse (patent application, 2021)"},
	{"codedsgd", "Coded SGD (2021)"},
}

// none stands in the row of a folder without results.
const none = "built; no committed results yet"

// verdicts are the columns, best first.
var verdicts = []string{"equal", "within", "same-sign", "differs", "not-run", "not-stated"}

// Update renews the table of the README.md below root and reports whether it
// changed.
func Update(root string) (changed bool, err error) {
	file := filepath.Join(root, "README.md")
	old, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	table, err := tabulate(filepath.Join(root, "experiments", "results"))
	if err != nil {
		return false, err
	}
	updated, err := splice(string(old), table)
	if err != nil || updated == string(old) {
		return false, err
	}
	return true, os.WriteFile(file, []byte(updated), 0o644)
}

// splice puts table between the markers of text.
func splice(text, table string) (string, error) {
	head, rest, ok := strings.Cut(text, begin+"\n")
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("README.md: no line %q followed by %q", begin, end)
	}
	return head + begin + "\n" + table + end + tail, nil
}

// profiles are the rows of a source, with what follows its title. The first is
// what a reader gets from the README's command; another stands only where it has
// results.
var profiles = []struct{ folder, title string }{
	{"", ""},
	{"standard", ", profile `standard`"},
	{"paper", ", profile `paper`"},
}

// tabulate counts the verdicts of the committed results below root, one row per
// source and profile.
func tabulate(root string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "| source | results | %s |\n|---|---|%s\n", strings.Join(verdicts, " | "), strings.Repeat("---|", len(verdicts)))
	for _, s := range sources {
		rows := 0
		for _, p := range profiles {
			n, counts, err := countVerdicts(filepath.Join(root, s.key, p.folder))
			if err != nil {
				return "", err
			}
			if n == 0 {
				continue
			}
			rows++
			fmt.Fprintf(&b, "| [%s](reports/html/%s.html)%s | %d |", s.title, s.key, p.title, n)
			for _, v := range verdicts {
				fmt.Fprintf(&b, " %d |", counts[v])
			}
			b.WriteByte('\n')
		}
		if rows == 0 {
			fmt.Fprintf(&b, "| %s | %s |%s\n", s.title, none, strings.Repeat(" |", len(verdicts)))
		}
	}
	return b.String(), nil
}

// countVerdicts counts the results in a folder and the verdicts in them.
func countVerdicts(dir string) (n int, counts map[string]int, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return 0, nil, err
	}
	counts = map[string]int{}
	for _, f := range files {
		if strings.HasSuffix(f, ".run.json") {
			continue
		}
		r, err := result.Read(f)
		if err != nil {
			return 0, nil, err
		}
		n++
		for _, c := range r.Claims {
			if !slices.Contains(verdicts, c.Verdict) {
				return 0, nil, fmt.Errorf("%s: claim %s has the unknown verdict %q", f, c.ID, c.Verdict)
			}
			counts[c.Verdict]++
		}
	}
	return n, counts, nil
}
