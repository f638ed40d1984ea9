package widget

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// numeric are the columns of each widget's frames in which words are no number.
var numeric = []struct{ id, frame, of, columns string }{
	{"dasp/walk", "events", "events", "time worker by held min oldest gap twait until until_worker staleness group sent newest v1 v2 v3 v4 v5 v6"},
	{"dasp/walk", "events", "walk", "to"},
	{"ring/steps", "transfers", "transfers", "step gpu receives from"},
	{"ringsparse/decisions", "hops", "hops", "m dense_weights dense_gradients sparser tied gradients"},
	{"ringsparse/decisions", "hops", "kinds", "n sparser tied gradients ratio"},
	{"codedsgd/accounting", "loads", "loads", "n r"},
	{"codedsgd/fig2", "packets-4-2", "packets-4-2", "from to"},
}

// Text where a number is gives one clear error that names the frame, in the whole of a
// column and in a single row; a frame without its columns does too.
func TestTextIsNoNumber(t *testing.T) {
	oktest.Slow(t)
	for _, x := range numeric {
		clean := committedOf(t, x.id)
		for _, key := range append(strings.Fields(x.columns), "") {
			for _, whole := range []bool{true, false} {
				if !whole && x.of != x.frame {
					continue // of these frames a widget shows some rows alone
				}
				l := clean
				l.Result = reread(t, clean.Result)
				f := l.Frame(x.of)
				at := f.At(key)
				if key != "" && at < 0 {
					t.Fatalf("%s, %s: no column %s", x.id, x.of, key)
				}
				for i := range f.Columns {
					if key == "" {
						f.Columns[i].Key = fmt.Sprint("c", i)
					}
				}
				for i, row := range f.Rows {
					if key != "" && (whole || i == middle(f)) {
						row[at] = "oops"
					}
				}
				w, err := widgetOf(l, x.frame)
				if err == nil || w != nil || !strings.HasPrefix(err.Error(), "frame "+x.frame+": ") || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s, %s, column %q, the whole of it %t: error %v", x.id, x.of, key, whole, err)
				}
			}
		}
	}
}

// middle returns a row of a frame that its widget reads: of ties to weights alone, where there are others.
func middle(f *frame) int {
	n := len(f.Rows) / 2
	if at := f.At("tie"); at >= 0 {
		return n + slices.IndexFunc(f.Rows[n:], func(row []any) bool { return row[at] == "weights" })
	}
	return n
}

// A frame without rows is refused by every widget.
func TestNoRowsAreNoWidget(t *testing.T) {
	for _, x := range numeric {
		l := committedOf(t, x.id)
		l.Frame(x.frame).Rows = nil
		if w, err := widgetOf(l, x.frame); err == nil || w != nil {
			t.Errorf("%s, %s without rows: widget %v, error %v", x.id, x.frame, w, err)
		}
	}
}

// Nothing in any one cell makes a widget panic or leaves it without data.
func TestNoCellBreaksAWidget(t *testing.T) {
	oktest.Slow(t)
	seen := map[string]bool{}
	for _, x := range numeric {
		if seen[x.id] {
			continue
		}
		seen[x.id] = true
		l := committedOf(t, x.id)
		for i := range l.Frames {
			f := &l.Frames[i]
			if len(f.Rows) == 0 {
				continue
			}
			row := f.Rows[middle(f)]
			for at, was := range row {
				for _, cell := range []any{nil, "", "oops", strings.Repeat("W", 300), -1.0, 0.5, 1e9, 1e300, true, "9,9", "{}[9]", "</script>"} {
					row[at] = cell
					w, err := widgetOf(l, x.frame)
					if (err == nil) == (w == nil) || w != nil && (len(w.Data) < 100 || strings.Contains(string(w.Data), "</")) {
						t.Errorf("%s, frame %s, column %s with %.20v: widget %v, error %v", x.id, f.ID, f.Columns[at].Key, cell, w != nil, err)
					}
				}
				row[at] = was
			}
		}
	}
}
