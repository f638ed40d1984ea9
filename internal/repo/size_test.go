package repo

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"gradsync/internal/oktest"
)

// sizeFile lists how large the repository may be. CONTRIBUTING.md, "Size", says how a row changes.
const sizeFile = "internal/repo/testdata/size.csv"

// renewEnv makes a test renew the file that it compares with.
const renewEnv = "GRADSYNC_RENEW"

const (
	wideColumns = 120 // a tab is one
	wideRow     = "Go lines over 120 columns"
	deadRow     = "Go functions that only tests reach"
	foreignRow  = ".js of others"
	labelsRow   = "labels*.csv"
)

// kinds are the texts beside Go whose bytes are counted.
var kinds = []string{".js", ".css", ".py", ".tmpl", ".txtar"}

// sizeHead names the columns of sizeFile.
var sizeHead = []string{"what", "unit", "number", "lines", "in tests", "lines of tests", "allowed", "reason"}

// size is a row of sizeFile: number of a unit outside of tests and testdata, and inside. number may be exceeded by
// allowed, for a reason.
type size struct {
	what, unit                             string
	number, lines, tests, testLines, allow int
	reason                                 string
}

// add counts a text of n units and its lines.
func (s *size) add(n, lines int, test bool) {
	if test {
		s.tests, s.testLines = s.tests+n, s.testLines+lines
	} else {
		s.number, s.lines = s.number+n, s.lines+lines
	}
}

// String returns the row as a line of sizeFile.
func (s size) String() string {
	cells := []string{s.what, s.unit}
	for _, n := range []int{s.number, s.lines, s.tests, s.testLines, s.allow} {
		cells = append(cells, strconv.Itoa(n))
	}
	return csvLine(append(cells, s.reason))
}

// csvLine writes cells on one line, without its end.
func csvLine(cells []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(cells) // a builder has no errors
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// countTokens counts what go/scanner finds in Go, without comments and without the semicolons that a newline makes.
func countTokens(src []byte) (n int) {
	var scan scanner.Scanner
	scan.Init(token.NewFileSet().AddFile("", -1, len(src)), src, nil, 0)
	for _, tok, lit := scan.Scan(); tok != token.EOF; _, tok, lit = scan.Scan() {
		if tok != token.SEMICOLON || lit == ";" {
			n++
		}
	}
	return n
}

// countWide counts the lines of a text that have over wideColumns characters.
func countWide(src []byte) (n int) {
	for line := range strings.Lines(string(src)) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > wideColumns {
			n++
		}
	}
	return n
}

// kindOf returns the row of a file that is not Go, "" where nothing counts it: a rendered page repeats its sources.
func kindOf(file string) string {
	base := path.Base(file)
	switch {
	case strings.HasPrefix(file, "reports/html/"):
		return ""
	case strings.HasPrefix(file, "reports/text/labels") && path.Ext(base) == ".csv":
		return labelsRow
	case !slices.Contains(kinds, path.Ext(base)):
		return ""
	case strings.HasSuffix(base, ".min.js"):
		return foreignRow
	}
	return path.Ext(base)
}

// measureSizes counts the files of a tree by the rows of sizeFile, but for deadRow: the top-level folders that hold Go
// and do not begin with a dot, generated files included, then the kinds of other texts, then the wide lines.
func measureSizes(root string) ([]size, error) {
	files, err := listFiles(root)
	if err != nil {
		return nil, err
	}
	folders, others, wide := map[string]*size{}, map[string]*size{}, size{what: wideRow, unit: "lines"}
	for _, kind := range append(slices.Clone(kinds), foreignRow, labelsRow) {
		others[kind] = &size{what: kind, unit: "bytes"}
	}
	for _, file := range files {
		top, _, below := strings.Cut(file, "/")
		isGo, kind := path.Ext(file) == ".go", kindOf(file)
		if !isGo && kind == "" || strings.HasPrefix(top, ".") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if os.IsNotExist(err) {
			continue // a temporary file that is gone by now
		}
		if err != nil {
			return nil, err
		}
		text = normal(text)
		test := strings.HasSuffix(file, "_test.go") || strings.Contains("/"+file, "/testdata/")
		lines := bytes.Count(text, []byte("\n"))
		if !isGo {
			others[kind].add(len(text), lines, test)
			continue
		}
		if !below {
			top = "(root)"
		}
		if folders[top] == nil {
			folders[top] = &size{what: top, unit: "tokens"}
		}
		folders[top].add(countTokens(text), lines, test)
		wide.add(countWide(text), 0, test)
	}
	var all []size
	for _, rows := range []map[string]*size{folders, others} {
		for _, what := range slices.Sorted(maps.Keys(rows)) {
			all = append(all, *rows[what])
		}
	}
	return append(all, wide), nil
}

// hold compares a row of sizeFile with what is measured. It returns the row that the table should have, in which the
// limit rises never, and what is wrong: "" if nothing is. Bytes, lines and tests stand beside and are not judged.
func (s size) hold(is size) (row size, wrong string) {
	over := is.number - s.number
	row = is
	row.number, row.allow, row.reason = s.number, s.allow, s.reason
	switch {
	case is.unit == "bytes":
		row.number = is.number
	case s.allow != 0 && is.unit != "tokens":
		return s, fmt.Sprintf("%s: only falls, and %d are allowed above it", s.what, s.allow)
	case s.allow < 0 || (s.allow > 0) != (s.reason != "") || s.reason == noReason:
		return s, fmt.Sprintf("%s: %d allowed with the reason %q: neither stands alone", s.what, s.allow, s.reason)
	case over > s.allow:
		wrong = fmt.Sprintf("%s: %d %s, at most %d: make it smaller", is.what, is.number, is.unit, s.number+s.allow)
		if is.unit == "tokens" {
			wrong += fmt.Sprintf(", or, as far as the change may grow, commit with your reason in %s\n%s",
				sizeFile, is.raised(s.number))
		}
		row = s
	case over < s.allow:
		row.number, row.allow = min(s.number, is.number), max(over, 0)
		if row.allow == 0 {
			row.reason = ""
		}
		wrong = fmt.Sprintf("%s fell: commit in %s (%s=1 go test ./internal/repo -run TestSize writes it)\n%s",
			is.what, sizeFile, renewEnv, row)
	}
	return row, wrong
}

// raised returns the row of what is measured, allowed above a number for a reason to be written.
func (s size) raised(from int) size {
	s.number, s.allow, s.reason = from, s.number-from, noReason
	return s
}

// noReason stands where a reason is to be written.
const noReason = "REASON"

// readSizes reads a table of sizes.
func readSizes(text []byte) (rows []size, err error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = len(sizeHead)
	all, err := r.ReadAll()
	if err != nil || len(all) == 0 || !slices.Equal(all[0], sizeHead) {
		return nil, fmt.Errorf("%s: want the columns %q (%v)", sizeFile, sizeHead, err)
	}
	for _, c := range all[1:] {
		s := size{what: c[0], unit: c[1], reason: c[7]}
		for i, to := range []*int{&s.number, &s.lines, &s.tests, &s.testLines, &s.allow} {
			if *to, err = strconv.Atoi(c[2+i]); err != nil {
				return nil, fmt.Errorf("%s: row %s: %w", sizeFile, s.what, err)
			}
		}
		rows = append(rows, s)
	}
	return rows, nil
}

// holdAll compares a table with those measured, which are deadRow or all others. It returns the table that should be,
// to which rows are added by hand alone, and what is wrong.
func holdAll(table, measured []size) (should []size, wrong []string) {
	dead, seen := measured[0].what == deadRow, map[string]bool{}
	for _, was := range table {
		i := slices.IndexFunc(measured, func(is size) bool { return is.what == was.what })
		switch {
		case (was.what == deadRow) != dead:
			should = append(should, was)
		case i < 0 || seen[was.what]:
			wrong = append(wrong, was.what+": not there, or twice: take its row off "+sizeFile)
		default:
			row, w := was.hold(measured[i])
			if should = append(should, row); w != "" {
				wrong = append(wrong, w)
			}
		}
		seen[was.what] = true
	}
	for _, is := range measured {
		if !seen[is.what] {
			if is.unit == "tokens" {
				is = is.raised(0)
			}
			wrong = append(wrong, fmt.Sprintf("%s is new: commit in %s, with your reason\n%s", is.what, sizeFile, is))
		}
	}
	return should, wrong
}

// judgeSizes holds sizeFile to the rows measured. With renewEnv it first writes what fell.
func judgeSizes(t *testing.T, root string, measured []size) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(sizeFile))
	text := oktest.Must(os.ReadFile(file))(t)
	table := oktest.Must(readSizes(normal(text)))(t)
	should, wrong := holdAll(table, measured)
	if os.Getenv(renewEnv) != "" {
		lines := csvLine(sizeHead) + "\n"
		for _, s := range should {
			lines += s.String() + "\n"
		}
		oktest.Nil(t, os.WriteFile(file, []byte(lines), 0o644))
		_, wrong = holdAll(should, measured)
	}
	for _, w := range wrong {
		t.Error(w)
	}
}

// TestSize: the Go of no folder, and no count of wide lines, is above what sizeFile allows, nor below what it lists.
func TestSize(t *testing.T) {
	root := mustRoot(t)
	judgeSizes(t, root, oktest.Must(measureSizes(root))(t))
}

// TestSizeOfWhatOnlyTestsReach: the functions that no program of the repository reaches become no more. What is for tests
// (apparatus) is not counted. All systems count what Linux on amd64 has.
func TestSizeOfWhatOnlyTestsReach(t *testing.T) {
	oktest.Slow(t)
	root := mustRoot(t)
	tool := filepath.Join(t.TempDir(), "deadcode.exe") // Windows needs the suffix, others do not mind
	run(t, root, "go", "build", "-modfile=.ci/tools.mod", "-o", tool, "golang.org/x/tools/cmd/deadcode")
	cmd := exec.Command(tool, "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	cmd.Stderr = os.Stderr
	out := oktest.Must(cmd.Output())(t)
	judgeSizes(t, root, []size{{what: deadRow, unit: "functions", number: countDead(string(out))}})
	if t.Failed() {
		t.Log("all of them: go run -modfile=.ci/tools.mod golang.org/x/tools/cmd/deadcode ./...")
	}
}

// apparatus reports whether a folder has code for tests alone: a name that ends in test, a GPU that is none, or a compiler of kernels.
func apparatus(dir string) bool {
	return strings.HasSuffix(dir, "test") || strings.HasPrefix(dir, "shared/gpu/internal/") || strings.HasPrefix(dir, "shared/gpu/fake") ||
		dir == "shared/gpu/kernels/clang"
}

// TestTheProgramHasNoApparatus: gradsync links nothing that is for tests.
func TestTheProgramHasNoApparatus(t *testing.T) {
	root, cmd := mustRoot(t), exec.Command("go", "list", "-deps", "./experiments/gradsync")
	cmd.Dir = root
	out, ours := oktest.Must(cmd.Output())(t), 0
	for _, pkg := range strings.Fields(string(out)) {
		dir, is := strings.CutPrefix(pkg, "gradsync/")
		if is {
			ours++
		}
		if is && apparatus(dir) || pkg == "testing" {
			t.Errorf("gradsync links %s", pkg)
		}
	}
	if ours < 50 {
		t.Errorf("%d packages of ours, want 50 at least", ours)
	}
}

// countDead counts the functions that deadcode lists outside of apparatus.
func countDead(list string) (n int) {
	for line := range strings.Lines(list) {
		if file, _, found := strings.Cut(filepath.ToSlash(line), ":"); found && !apparatus(path.Dir(file)) {
			n++
		}
	}
	return n
}
