package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"gradsync/experiments/result"
	"gradsync/experiments/tensorboard"
	"gradsync/reports"
	"gradsync/reports/notebook"
)

const (
	runTensorboardUsage = "write TensorBoard event files below `DIR`: a run folder per experiment, figure, series and seed, of all line figures"
	runTracesUsage      = "write a Chrome trace for Perfetto below `DIR` per experiment with time lines: a process per figure, a row per lane"
)

// secondsOf are the units in which figures have time.
var secondsOf = map[string]float64{"s": 1, "ms": 1e-3, "µs": 1e-6}

// writable makes dir and tries whether a file can be made in it: better known
// before the experiments than after. "" need not be.
func writable(flag, dir string) error {
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

// stemBelow is where the files of r lie below dir, as its result does below --out.
func stemBelow(dir string, r *result.Result) string {
	return strings.TrimSuffix(result.Path(dir, r.ID, r.Profile), ".json")
}

// writeEvents writes r's event files below dir and returns their folder:
//
//	DIR/dasp/fig3/                    the experiment, its claims and configuration as texts
//	DIR/dasp/fig3/time/DASP/seed-0/   one series of one seed; mean instead for one of none
//
// A scalar's tag is that of its figure, the same for all its series, so that
// TensorBoard draws them together.
func writeEvents(dir string, p *notebook.Page) (string, error) {
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
		by := stepsOf(f)
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

func seriesEvents(dir, tag string, s notebook.Series, by steps) error {
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

// seriesFolder is s's folder below its figure's, another for each series of it.
func seriesFolder(s notebook.Series, used map[string]bool) string {
	seed := "mean"
	if s.Seed != nil {
		seed = fmt.Sprintf("seed-%d", *s.Seed)
	}
	return ownFolder(s.Name, "series", seed, used)
}

// ownFolder is the folder of a name, or of what it is if the name has no letter for
// one, with below in it; another than those used, also where a file system takes
// capitals for small letters.
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

// steps is how a figure's x become the whole numbers that TensorBoard draws along.
type steps struct {
	name    string  // what a step is
	factor  float64 // steps per unit of x
	seconds float64 // of a unit of x; 0 where x is no time
}

func (by steps) step(x float64) int64 { return int64(math.Round(x * by.factor)) }

// stepsOf is microseconds where x is time; x itself where all of the figure's are
// whole numbers, or rounded where they reach over 1,000, as means of counts do;
// else millionths of x.
func stepsOf(f notebook.Drawing) steps {
	if unit, ok := secondsOf[f.X.Unit]; ok {
		return steps{f.X.Title + " (µs)", unit * 1e6, unit}
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
		return steps{name, 1, 0}
	}
	return steps{"millionths of " + name, 1e6, 0}
}

func titled(a notebook.Axis) string {
	if a.Unit == "" {
		return a.Title
	}
	return a.Title + " (" + a.Unit + ")"
}

// tagOf groups a figure's scalars by what stands before the slash.
func tagOf(r *result.Result, f notebook.Drawing, by steps) string {
	id := strings.ReplaceAll(r.ID, "/", " ")
	return fmt.Sprintf("%s %s (%s)/%s by %s", id, f.ID, f.Kind, titled(f.Y), by.name)
}

// experimentEvents are the experiment's texts.
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

// claimsTable sets what the paper states beside what was found.
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
