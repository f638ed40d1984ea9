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
	"strings"

	"gradsync/experiments/paper"
	"gradsync/internal/atomic"
	"gradsync/reports"
	"gradsync/reports/page"
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

// tabulate counts the claims of each document in the committed results below root, by the words and of the
// profile that its page shows.
func tabulate(root string) (string, error) {
	var b strings.Builder
	b.WriteString("| source | results |")
	shown := slices.DeleteFunc(slices.Clone(page.Verdicts), func(v page.Verdict) bool { return !v.Counted() })
	for _, v := range shown {
		fmt.Fprintf(&b, " %s |", v.Word.En())
	}
	fmt.Fprintf(&b, "\n|---|---|%s\n", strings.Repeat("---|", len(shown)))
	for _, s := range paper.All() {
		if s.Ours {
			continue
		}
		n, counts, err := reports.Counts(root, "", s.Key)
		if err != nil {
			return "", err
		}
		if n == 0 {
			fmt.Fprintf(&b, "| %s | %s |%s\n", s.Dated, none, strings.Repeat(" |", len(shown)))
			continue
		}
		fmt.Fprintf(&b, "| [%s](reports/html/%s.html) | %d |", s.Dated, s.Key, n)
		number := map[string]int{}
		for _, c := range counts {
			number[c.Key] = c.N
		}
		for _, v := range shown {
			fmt.Fprintf(&b, " %d |", number[v.Key])
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}
