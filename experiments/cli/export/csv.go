// Package export writes results and trainings in formats of other programs: the numbers of
// results as CSV files (CSV), curves as TensorBoard event files (Events, BeginTraining), and
// time lines as Chrome traces (Traces). It makes them from result files, so the same result
// gives the same files, however it came about.
package export

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/internal/atomic"
)

// CSV writes the CSV files of the results below from whose id keep accepts, each into a
// folder of its own below to, and returns their paths.
func CSV(from, to string, keep func(id string) bool) (files []string, err error) {
	if _, err := os.ReadDir(from); err != nil {
		return nil, err
	}
	for _, pattern := range []string{"*/*.json", "*/*/*.json"} {
		paths, err := filepath.Glob(filepath.Join(from, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			below, err := filepath.Rel(from, path)
			if err != nil {
				return nil, err
			}
			below = strings.TrimSuffix(below, ".json")
			if strings.HasSuffix(path, ".run.json") || strings.HasPrefix(below, ".") || !keep(idOf(below)) {
				continue
			}
			r, err := result.Read(path)
			if err != nil {
				return nil, err
			}
			written, err := writeSheets(filepath.Join(to, below), r)
			if err != nil {
				return nil, err
			}
			files = append(files, written...)
		}
	}
	return files, nil
}

// idOf returns the id of the result in the file dasp/ci/table6 or dasp/table6.
func idOf(below string) string {
	parts := strings.Split(filepath.ToSlash(below), "/")
	return parts[0] + "/" + parts[len(parts)-1]
}

// writeSheets writes the files of a result into a folder of its own.
func writeSheets(dir string, r *result.Result) (files []string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	s := csvFiles{seeds: r.Seeds}
	s.columns(r)
	s.facts(r)
	s.claims(r)
	for _, f := range r.Frames {
		s.frame(f)
	}
	for _, x := range s.list {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		if err := w.WriteAll(x.rows); err != nil {
			return nil, err
		}
		path := filepath.Join(dir, x.name+".csv")
		if err := atomic.WriteFile(path, b.Bytes()); err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	return files, s.err
}

// csvFiles collects the files to write, in their order.
type csvFiles struct {
	seeds []uint64
	list  []csvFile
	err   error
}

type csvFile struct {
	name string
	rows [][]string
}

// odd matches the letters that no file's name should have.
var odd = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// add adds rows as a file. A name that another file has gets a prefix.
func (s *csvFiles) add(name string, rows [][]string) {
	name = odd.ReplaceAllString(name, "-")
	for slices.ContainsFunc(s.list, func(x csvFile) bool { return strings.EqualFold(x.name, name) }) {
		name = "frame-" + name
	}
	s.list = append(s.list, csvFile{name, rows})
}

// text writes a value as the result file has it; nil is an empty cell.
func (s *csvFiles) text(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	}
	raw, err := result.Canonical(v)
	if err != nil {
		s.err = errors.Join(s.err, err)
	}
	return string(raw)
}

// frame adds the rows of a frame; a column of samples becomes a column per seed.
func (s *csvFiles) frame(f result.Frame) {
	rows := make([][]string, len(f.Rows)+1)
	for i, c := range f.Columns {
		if c.Bound != result.Samples {
			rows[0] = append(rows[0], c.Key)
			for j, row := range f.Rows {
				rows[j+1] = append(rows[j+1], s.text(row[i]))
			}
			continue
		}
		lists := make([][]any, len(f.Rows))
		for j, row := range f.Rows {
			lists[j], _ = row[i].([]any)
		}
		heads, cells := s.perSeed(strings.TrimSuffix(c.Key, "_"+result.Samples), lists)
		rows[0] = append(rows[0], heads...)
		for j := range f.Rows {
			rows[j+1] = append(rows[j+1], cells[j]...)
		}
	}
	s.add(f.ID, rows)
}

// perSeed returns a column for each seed, or for each place in the lists where these have
// another length.
func (s *csvFiles) perSeed(key string, lists [][]any) (heads []string, cells [][]string) {
	longest, bySeed := 0, true
	for _, list := range lists {
		longest = max(longest, len(list))
		bySeed = bySeed && (len(list) == 0 || len(list) == len(s.seeds))
	}
	for k := range longest {
		if bySeed {
			heads = append(heads, fmt.Sprintf("%s_seed_%d", key, s.seeds[k]))
		} else {
			heads = append(heads, fmt.Sprintf("%s_sample_%d", key, k+1))
		}
	}
	cells = make([][]string, len(lists))
	for j, list := range lists {
		cells[j] = make([]string, longest)
		for k, x := range list {
			cells[j][k] = s.text(x)
		}
	}
	return heads, cells
}

// columns adds a file that describes the columns of all frames.
func (s *csvFiles) columns(r *result.Result) {
	rows := [][]string{{"frame", "column", "unit", "enum", "bound"}}
	for _, f := range r.Frames {
		for _, c := range f.Columns {
			rows = append(rows, []string{f.ID, c.Key, c.Unit, c.Enum, c.Bound})
		}
	}
	s.add("columns", rows)
}

func (s *csvFiles) facts(r *result.Result) {
	rows, lists := [][]string{{"key", "value", "unit", "enum", "n", "ci95_lo", "ci95_hi"}}, make([][]any, len(r.Facts))
	for i, f := range r.Facts {
		lo, hi := s.ends(f.CI95)
		n := ""
		if f.N > 0 {
			n = s.text(f.N)
		}
		rows, lists[i] = append(rows, []string{f.Key, s.text(f.Value), f.Unit, f.Enum, n, lo, hi}), boxed(f.Samples)
	}
	s.add("facts", s.beside(rows, lists))
}

// claims adds a row for each number that a claim found, and a file of the parts of
// qualitative ones.
func (s *csvFiles) claims(r *result.Result) {
	rows, lists := [][]string{{"id", "number", "measured", "ci95_lo", "ci95_hi", "seeds", "verdict", "remark", "found", "reasons", "differs",
		"table", "network", "rival", "cluster"}}, [][]any(nil)
	parts, samples := [][]string{{"claim", "of", "value", "ci95_lo", "ci95_hi", "finding"}}, [][]any(nil)
	for _, c := range r.Claims {
		numbers, ok := c.Measured.([]any)
		if !ok {
			numbers = []any{c.Measured}
		}
		var said string
		if c.Found != nil {
			said = s.text(c.Found)
		}
		for i, x := range numbers {
			lo, hi := "", ""
			if i < len(c.CI95) {
				lo, hi = s.ends(c.CI95[i])
			}
			rows = append(rows, []string{c.ID, s.text(i + 1), s.text(x), lo, hi, s.text(c.Seeds), c.Verdict, c.Remark, said,
				s.reasons(c.Reasons), s.reasons(c.Differs), c.Table, c.Network, c.Rival, c.Cluster})
			var list []any
			if i < len(c.Samples) {
				list = boxed(c.Samples[i])
			}
			lists = append(lists, list)
		}
		for _, p := range c.Parts {
			lo, hi := s.ends(p.CI95)
			parts, samples = append(parts, []string{c.ID, s.text(p.Of), s.text(p.Value), lo, hi, claims.FindingOf(p)}), append(samples, boxed(p.Samples))
		}
	}
	s.add("claims", s.beside(rows, lists))
	if len(parts) > 1 {
		s.add("parts", s.beside(parts, samples))
	}
}

// beside puts columns of samples beside rows, whose first is the head.
func (s *csvFiles) beside(rows [][]string, lists [][]any) [][]string {
	heads, cells := s.perSeed("value", lists)
	rows[0] = append(rows[0], heads...)
	for i := range lists {
		rows[i+1] = append(rows[i+1], cells[i]...)
	}
	return rows
}

func (s *csvFiles) ends(ci *[2]float64) (lo, hi string) {
	if ci == nil {
		return "", ""
	}
	return s.text(ci[0]), s.text(ci[1])
}

// reasons writes reasons as JSON: codes with their arguments.
func (s *csvFiles) reasons(list []result.Reason) string {
	if len(list) == 0 {
		return ""
	}
	return s.text(list)
}

func boxed(xs []float64) (out []any) {
	for _, x := range xs {
		out = append(out, x)
	}
	return out
}
