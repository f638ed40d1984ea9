package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/experiments/tensorboard"
	"gradsync/reports"
	"gradsync/reports/notebook"
)

// secondsOf lists the units of time in figures, in seconds.
var secondsOf = map[string]float64{"s": 1, "ms": 1e-3, "µs": 1e-6}

// Writable makes the folder of a flag of run and tries to make a file in it, so that a
// folder that cannot be written is known before the experiments run. "" is no folder.
func Writable(flag, dir string) error {
	if dir == "" {
		return nil
	}
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var tmp *os.File
		if tmp, err = os.CreateTemp(dir, ".writing-*"); err == nil {
			err = errors.Join(tmp.Close(), os.Remove(tmp.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("run: --%s: %w", flag, err)
	}
	return nil
}

// stemBelow returns where the files of r lie below dir: as its result below --out.
func stemBelow(dir string, r *result.Result) string {
	return strings.TrimSuffix(result.Path(dir, r.ID, r.Profile), ".json")
}

// Events writes a result's event files below dir and returns their folder:
//
//	DIR/dasp/fig3/                    the experiment, its claims and configuration as texts
//	DIR/dasp/fig3/time/DASP/seed-0/   one series of one seed; mean instead for one of none
//
// All series of a figure share a tag, so that TensorBoard draws them together.
func Events(dir string, p *notebook.Page) (string, error) {
	r := p.Result
	root := stemBelow(dir, r)
	w, err := tensorboard.Create(root)
	if err != nil {
		return "", fmt.Errorf("run: --tensorboard: %w", err)
	}
	if err := experimentEvents(w, p); err != nil {
		w.Discard()
		return "", err
	}
	if _, err := w.Close(); err != nil {
		return "", fmt.Errorf("run: --tensorboard: %w", err)
	}
	figures := map[string]bool{}
	for _, f := range drawings(p) {
		if f.Form != "line" {
			continue
		}
		by := scaleOf(f)
		figure, used := ownFolder(f.ID, "figure", "", figures), map[string]bool{}
		for _, s := range f.Series {
			at := filepath.Join(root, figure, seriesFolder(s, used))
			if err := seriesEvents(at, tagOf(r, f, by), s, by); err != nil {
				return "", fmt.Errorf("run: --tensorboard: %w", err)
			}
		}
	}
	return root, nil
}

// seriesEvents writes one series.
func seriesEvents(dir, tag string, s notebook.Series, by stepScale) error {
	w, err := tensorboard.Create(dir)
	if err != nil {
		return err
	}
	for i := range min(len(s.X), len(s.Y)) {
		w.Scalar(tag, by.step(s.X[i]), s.X[i]*by.seconds, s.Y[i])
	}
	_, err = w.Close()
	return err
}

// seriesFolder returns the folder of s below its figure's, a different one for each series.
func seriesFolder(s notebook.Series, used map[string]bool) string {
	seed := "mean"
	if s.Seed != nil {
		seed = fmt.Sprintf("seed-%d", *s.Seed)
	}
	return ownFolder(s.Name, "series", seed, used)
}

// ownFolder returns the folder of a name, or of what if the name has no letter that a
// folder may have, joined with below. It differs from the folders used, also where a file
// system ignores case.
func ownFolder(name, what, below string, used map[string]bool) string {
	if name = folder(name); name == "" {
		name = what
	}
	for n := 1; ; n++ {
		at := filepath.Join(name, below)
		if n > 1 {
			at = filepath.Join(fmt.Sprintf("%s-%d", name, n), below)
		}
		if key := strings.ToLower(at); !used[key] {
			used[key] = true
			return at
		}
	}
}

// stepScale turns a figure's x into the whole numbers that TensorBoard draws along.
type stepScale struct {
	name    string  // what a step is
	factor  float64 // steps per unit of x
	seconds float64 // of a unit of x; 0 where x is no time
}

func (by stepScale) step(x float64) int64 { return int64(math.Round(x * by.factor)) }

// scaleOf chooses microseconds where x is time. Elsewhere a step is x if all x are whole
// numbers or span at least 1,000, as means of counts do (then rounded), and a millionth of
// x otherwise.
func scaleOf(f notebook.Drawing) stepScale {
	if unit, ok := secondsOf[f.X.Unit]; ok {
		return stepScale{f.X.Title + " (µs)", unit * 1e6, unit}
	}
	name := titled(f.X)
	whole, low, high := true, math.Inf(1), math.Inf(-1)
	for _, s := range f.Series {
		for _, x := range s.X {
			whole = whole && x == math.Round(x)
			low, high = min(low, x), max(high, x)
		}
	}
	if whole || high-low >= 1000 {
		return stepScale{name, 1, 0}
	}
	return stepScale{"millionths of " + name, 1e6, 0}
}

// titled writes an axis' title with its unit.
func titled(a notebook.Axis) string {
	if a.Unit == "" {
		return a.Title
	}
	return a.Title + " (" + a.Unit + ")"
}

// tagOf returns the tag of a figure's scalars; TensorBoard groups by the part before the
// slash.
func tagOf(r *result.Result, f notebook.Drawing, by stepScale) string {
	id := strings.ReplaceAll(r.ID, "/", " ")
	return fmt.Sprintf("%s %s (%s)/%s by %s", id, f.ID, f.Kind, titled(f.Y), by.name)
}

// experimentEvents writes the experiment's texts.
func experimentEvents(w *tensorboard.Writer, p *notebook.Page) error {
	r := p.Result
	id := strings.ReplaceAll(r.ID, "/", " ")
	about := map[string]any{"title": p.Title[0], "source": r.Source, "kind": r.Kind, "profile": r.Profile, "status": r.Status,
		"seeds": r.Seeds, "engine": r.Engine, "config_sha256": r.ConfigSHA256, "config": r.Config, "data": r.Data}
	w.Text(id+"/experiment", markdown(about))
	claims, err := reports.ClaimRows(r)
	if err == nil && len(claims) > 0 {
		w.Text(id+"/claims", claimsTable(claims))
	}
	return err
}

// claimsTable writes a table of stated and found values.
func claimsTable(claims []notebook.ClaimRow) string {
	var b strings.Builder
	b.WriteString("| claim | statement | stated | found | 95 % interval | verdict |\n|---|---|---|---|---|---|\n")
	for _, c := range claims {
		for _, text := range []string{c.ID, c.Statement[0], c.Stated[0], c.Found[0], c.Interval[0], c.Verdict} {
			if text == "" {
				text = "–"
			}
			b.WriteString("| " + cellText(text) + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// folder writes a name in letters, digits and .-_ alone.
func folder(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(".-_", r))
	})
	return strings.Trim(strings.Join(parts, "-"), ".-")
}

// asMap returns v as decoded JSON that keeps its numbers as they are written.
func asMap(v any) (map[string]any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("tensorboard: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var out map[string]any
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("tensorboard: %w", err)
	}
	return out, nil
}

// numbers calls put with each number below v, named by its path. Histograms (counts) and
// settings (options, rates) are left to the text.
func numbers(path string, v any, put func(tag string, value float64)) {
	switch v := v.(type) {
	case json.Number:
		if value, err := v.Float64(); err == nil {
			put(path, value)
		}
	case []any:
		for i, each := range v {
			numbers(fmt.Sprintf("%s/%d", path, i), each, put)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if k != "counts" && k != "options" && k != "rates" {
				numbers(path+"/"+k, v[k], put)
			}
		}
	}
}

// markdown writes an object as a table, and its nested values below it as JSON: in a cell
// they would leave the names no room.
func markdown(v map[string]any) string {
	var table, deeper strings.Builder
	table.WriteString("| name | value |\n|---|---|\n")
	for _, k := range slices.Sorted(maps.Keys(v)) {
		text, ok := v[k].(string)
		if !ok {
			raw, err := json.MarshalIndent(v[k], "", "  ")
			if err != nil {
				raw = []byte(err.Error())
			}
			text = string(raw)
		}
		if strings.ContainsRune(text, '\n') {
			fmt.Fprintf(&deeper, "\n%s:\n\n```\n%s\n```\n", k, text)
			continue
		}
		fmt.Fprintf(&table, "| %s | %s |\n", k, cellText(text))
	}
	return table.String() + deeper.String()
}

// cellText writes text as a cell of a table.
func cellText(text string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text) }
