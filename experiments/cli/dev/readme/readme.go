// Package readme writes what the committed results say outside of the pages: the
// table of verdicts between the markers of README.md (without results it says so),
// the table of machines and minutes in REPRODUCIBILITY.md, reports/published.json,
// which tells other people's results from the published ones, and COURSEWORK.md, which a page
// has in two languages. `make reports` runs it; tests and `make reports-check` keep all
// four current, and the commands of COURSEWORK.md are run by make test-long.
package readme

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/paper"
	"gradsync/experiments/result"
	"gradsync/internal/atomic"
	"gradsync/reports"
)

const (
	begin = "<!-- verdicts: written by `make reports` from experiments/results -->"
	end   = "<!-- end of verdicts -->"
)

// none stands in the row of a folder without results.
const none = "built; no committed results yet"

// Update renews the files below root and returns the names of those that changed.
func Update(root string) (changed []string, err error) {
	files, err := Files(root)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(root, filepath.FromSlash(name))
		if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, files[name]) {
			continue
		}
		if err := atomic.WriteFile(file, files[name]); err != nil {
			return changed, err
		}
		changed = append(changed, name)
	}
	return changed, nil
}

// Files are the files as the committed results below root make them, by
// slash-separated name; nothing is written.
func Files(root string) (map[string][]byte, error) {
	results := filepath.Join(root, "experiments", "results")
	files := map[string][]byte{}
	for _, block := range []struct {
		name, begin, end string
		table            func(results string) (string, error)
	}{
		{"README.md", begin, end, tabulate},
		{"REPRODUCIBILITY.md", beginMinutes, endMinutes, minutes},
	} {
		old, err := os.ReadFile(filepath.Join(root, block.name))
		if err != nil {
			return nil, err
		}
		table, err := block.table(results)
		if err != nil {
			return nil, err
		}
		text, err := splice(strings.ReplaceAll(string(old), "\r\n", "\n"), table, block.begin, block.end)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", block.name, err)
		}
		files[block.name] = []byte(text)
	}
	list, err := reports.Published(results)
	if err != nil {
		return nil, err
	}
	files["reports/published.json"] = list
	if files["COURSEWORK.md"], err = reports.Coursework(); err != nil {
		return nil, err
	}
	return files, nil
}

// splice puts table between the lines begin and end of text.
func splice(text, table, begin, end string) (string, error) {
	head, rest, ok := strings.Cut(text, begin+"\n")
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("no line %q followed by %q", begin, end)
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
	fmt.Fprintf(&b, "| source | results | %s |\n|---|---|%s\n", strings.Join(claims.Verdicts, " | "), strings.Repeat("---|", len(claims.Verdicts)))
	for _, s := range paper.All() {
		if s.Ours {
			continue
		}
		rows := 0
		for _, p := range profiles {
			n, counts, err := countVerdicts(filepath.Join(root, s.Key, p.folder))
			if err != nil {
				return "", err
			}
			if n == 0 {
				continue
			}
			rows++
			fmt.Fprintf(&b, "| [%s](reports/html/%s.html)%s | %d |", s.Dated, s.Key, p.title, n)
			for _, v := range claims.Verdicts {
				fmt.Fprintf(&b, " %s |", counts[v])
			}
			b.WriteByte('\n')
		}
		if rows == 0 {
			fmt.Fprintf(&b, "| %s | %s |%s\n", s.Dated, none, strings.Repeat(" |", len(claims.Verdicts)))
		}
	}
	return b.String(), nil
}

// judged counts the claims of one verdict, and those of them whose number is derived.
type judged struct{ all, derived int }

func (j judged) String() string {
	s := strconv.Itoa(j.all)
	if j.derived > 0 {
		s += fmt.Sprintf(", %d derived", j.derived)
	}
	return s
}

// countVerdicts counts the results in a folder and the verdicts in them.
func countVerdicts(dir string) (n int, counts map[string]judged, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return 0, nil, err
	}
	counts = map[string]judged{}
	for _, f := range files {
		if strings.HasSuffix(f, ".run.json") {
			continue
		}
		r, err := result.Read(f)
		if err != nil {
			return 0, nil, err
		}
		r.Claims = claims.InScope(r.Claims)
		n++
		for _, c := range r.Claims {
			if !slices.Contains(claims.Verdicts, c.Verdict) {
				return 0, nil, fmt.Errorf("%s: claim %s has the unknown verdict %q", f, c.ID, c.Verdict)
			}
			k := counts[c.Verdict]
			if k.all++; c.Remark == claims.DerivedRemark {
				k.derived++
			}
			counts[c.Verdict] = k
		}
	}
	return n, counts, nil
}
