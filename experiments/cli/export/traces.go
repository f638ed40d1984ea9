package export

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gradsync/experiments/result"
	"gradsync/internal/atomic"
	"gradsync/reports"
	"gradsync/reports/notebook"
	"gradsync/shared/cluster"
)

// chromeBand holds the arguments of a stretch of a lane beside its state.
type chromeBand struct {
	Label string `json:"label,omitempty"`
	Kind  string `json:"kind"` // of the figure: trained, timing-only …
}

// timeline reports whether f draws lanes along a time. Samples of a batch or columns of a
// matrix are no time, and a trace would call them microseconds.
func timeline(f notebook.Drawing) bool { return f.Form == "gantt" && secondsOf[f.X.Unit] > 0 }

// Traces writes the time lines of p as one Chrome trace below dir and returns its path, ""
// if p has none.
func Traces(dir string, p *notebook.Page) (path string, err error) {
	if !slices.ContainsFunc(drawings(p), timeline) {
		return "", nil
	}
	path = stemBelow(dir, p.Result) + ".trace.json"
	if err := writeChrome(path, p); err != nil {
		return "", fmt.Errorf("run: --traces: %w", err)
	}
	return path, nil
}

// writeChrome writes the time lines of p, making the folder.
func writeChrome(path string, p *notebook.Page) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomic.Write(path, func(w io.Writer) error {
		return cluster.WriteChromeEvents(w, func(yield func(cluster.ChromeEvent) bool) { chromeFigures(p, yield) })
	})
}

// chromeFigures yields the time lines of p: the names of each figure's rows, then their
// stretches, in the figure's order.
func chromeFigures(p *notebook.Page, yield func(cluster.ChromeEvent) bool) {
	pid := 0
	for _, f := range drawings(p) {
		if !timeline(f) {
			continue
		}
		events := []cluster.ChromeEvent{cluster.ChromeProcess(pid, p.Result.ID+" "+f.ID+": "+p.Title[0])}
		for lane, name := range f.Lanes {
			events = append(events, cluster.ChromeThread(pid, lane, name))
		}
		unit := secondsOf[f.X.Unit] * float64(time.Second)
		for _, b := range f.Bands {
			e := cluster.ChromeSpan(pid, b.Lane, b.State, nanoseconds(b.From*unit), nanoseconds(b.To*unit))
			e.Cat, e.Args = f.Kind, chromeBand{b.Label, f.Kind}
			events = append(events, e)
		}
		for _, e := range events {
			if !yield(e) {
				return
			}
		}
		pid++
	}
}

// nanoseconds rounds a number of nanoseconds to a duration.
func nanoseconds(x float64) time.Duration { return time.Duration(math.Round(x)) }

// Page reads a result file with its page: titles and labels in words.
func Page(path string) (*notebook.Page, error) {
	r, err := result.Read(path)
	if err != nil {
		return nil, err
	}
	return reports.Presented(r)
}

// drawings returns the figures of a page, with their words in English.
func drawings(p *notebook.Page) (out []notebook.Drawing) {
	for _, part := range p.Parts {
		if part.Figure != nil {
			out = append(out, part.Figure.Drawn[0])
		}
	}
	return out
}
