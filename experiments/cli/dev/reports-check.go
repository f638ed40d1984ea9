package dev

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gradsync/experiments/cli/dev/readme"
	"gradsync/internal/gosource"
	render "gradsync/reports"
)

// rendering is the command, behind the program's name, that the committed pages say
// made them.
const rendering = "report --results experiments/results --out reports/html"

// pages is where the committed pages lie.
const pages = "reports/html"

func reportsCheck() []step {
	const files = ", README.md, REPRODUCIBILITY.md, COURSEWORK.md and reports/published.json"
	return []step{{Command: "render " + committed + " anew and compare with " + pages + files, own: checkReports}}
}

// checkReports renders the committed results into a temporary folder and fails unless
// the committed pages, with their assets, are the same files of the same bytes, and so is
// what the other documents say of the results. Each difference is a line of out.
func checkReports(root string, out io.Writer) error {
	dir, err := os.MkdirTemp("", "reports-check-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	results := filepath.Join(root, filepath.FromSlash(committed))
	o := render.Options{Results: results, Out: dir, Command: "gradsync " + rendering, Sources: gosource.All}
	if _, err := render.Render(o); err != nil {
		return err
	}
	want, err := filesBelow(dir)
	if err != nil {
		return err
	}
	got, err := filesBelow(filepath.Join(root, filepath.FromSlash(pages)))
	if err != nil {
		return err
	}
	over, err := render.OverBudget(want)
	if err != nil {
		return err
	}
	if len(over) > 0 {
		return fmt.Errorf("pages are longer than they may be:\n%s", strings.Join(over, "\n"))
	}
	lines := differences(pages+"/", want, got)
	made, err := readme.Files(root)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(made)) {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if !bytes.Equal(got, made[name]) {
			lines = append(lines, "differs: "+name)
		}
	}
	for _, l := range lines {
		fmt.Fprintln(out, l)
	}
	if len(lines) > 0 {
		return fmt.Errorf("%d files are not what the committed results make: run `make reports`, remove what is named as extra, and commit the files", len(lines))
	}
	fmt.Fprintf(out, "%d files are what the committed results make\n", len(want)+len(made))
	return nil
}

// filesBelow reads every file under dir by its slash-separated name.
func filesBelow(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	return files, err
}

// differences names what two sets of files do not share, in the order of the names.
func differences(prefix string, want, got map[string][]byte) []string {
	var lines []string
	for name, b := range want {
		have, ok := got[name]
		switch {
		case !ok:
			lines = append(lines, prefix+name+": lacking")
		case !bytes.Equal(b, have):
			lines = append(lines, prefix+name+": differs")
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			lines = append(lines, prefix+name+": extra, no result makes it")
		}
	}
	slices.Sort(lines)
	for i, l := range lines {
		name, what, _ := strings.Cut(l, ": ")
		lines[i] = what + ": " + name
	}
	return lines
}
