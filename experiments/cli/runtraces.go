package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gradsync/internal/atomic"
	"gradsync/reports/notebook"
	"gradsync/shared/cluster"
)

// chromeBand is what a stretch of a lane says beside its state.
type chromeBand struct {
	Label string `json:"label,omitempty"`
	Kind  string `json:"kind"` // of the figure: trained, timing-only …
}

// timeline reports whether f draws lanes along a time, and not along the samples
// of a batch or the columns of a matrix, which a trace would call microseconds.
func timeline(f notebook.Drawing) bool { return f.Form == "gantt" && secondsOf[f.X.Unit] > 0 }

// writeTraces writes p's time lines as one Chrome trace below dir and returns its
// path, "" if it has none.
func writeTraces(dir string, p *notebook.Page) (path string, err error) {
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

// chromeFigures yields p's time lines: the names of each figure's rows, then what
// stands on them, in the figure's order.
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

func nanoseconds(x float64) time.Duration { return time.Duration(math.Round(x)) }
