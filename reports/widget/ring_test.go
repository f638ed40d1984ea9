package widget

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/notebook"
)

// allWords reads the program's words once.
var allWords = sync.OnceValues(func() (*notebook.Book, error) { return notebook.Open(os.DirFS("../text")) })

// committedOf returns a committed result of profile quick, read anew, with its words.
func committedOf(t *testing.T, id string) worded {
	t.Helper()
	r := oktest.Must(result.Read(result.Path("../../experiments/results", id, "quick")))(t)
	book := oktest.Must(allWords())(t)
	return worded{r, oktest.Must(book.Page(r, nil))(t)}
}

func committedRing(t *testing.T) (w *ringWalk, states *frame) {
	t.Helper()
	l := committedOf(t, "ring/steps")
	w = oktest.Must(ringOf(l.Result, l.Frame("transfers")))(t)
	return w, l.Frame("states")
}

// Walking every transfer gives the recorded state after every step.
func TestTheRingWalksToItsStates(t *testing.T) {
	w, states := committedRing(t)
	if w.GPUs != 5 || len(w.Steps) != 8 {
		t.Fatalf("%d GPUs, %d steps", w.GPUs, len(w.Steps))
	}
	chunk := states.At("chunk0")
	for at := range len(w.Steps) + 1 {
		held, _ := worked(t, "ringHolds", w, at).([]any)
		for _, row := range states.Rows {
			if int(exact(row[0])) != at-1 {
				continue
			}
			gpu := int(exact(row[states.At("gpu")]))
			for c := range w.GPUs {
				if want, got := fmt.Sprint(ints(row[chunk+c])), fmt.Sprint(held[gpu].([]any)[c]); got != want {
					t.Errorf("after step %d, GPU %d, chunk %d holds %s, recorded %s", at-1, gpu, c, got, want)
				}
			}
		}
	}
}

// What is said of every step agrees with the table of states: which loop it is of,
// how many GPUs' chunks a received one sums, how many of the 25 chunks are complete.
func TestTheRingInWords(t *testing.T) {
	w, states := committedRing(t)
	chunk := states.At("chunk0")
	for at := 1; at <= len(w.Steps); at++ {
		done, loop := 0, ""
		for _, row := range states.Rows {
			if int(exact(row[0])) == at-1 {
				loop = row[states.At("loop")].(string)
				for c := range w.GPUs {
					if len(ints(row[chunk+c])) == w.GPUs {
						done++
					}
				}
			}
		}
		en, zh := fmt.Sprint(worked(t, "ringSaid", w, at, "en")), fmt.Sprint(worked(t, "ringSaid", w, at, "zh"))
		does := map[string]string{"reduce-scatter": "adds the chunk", "all-gather": "overwrites its chunk"}[loop]
		wants := []string{does, fmt.Sprintf("%d of the 25 chunks are complete", done)}
		if at <= 4 {
			wants = append(wants, fmt.Sprintf("the sum of %d GPUs", at+1))
		}
		for _, want := range wants {
			if !strings.Contains(en, want) {
				t.Errorf("after step %d the page says %q, want %q", at-1, en, want)
			}
		}
		if got, want := fmt.Sprint(worked(t, "ringPlace", w, at, "en")), fmt.Sprintf("exchange %d of 8: %s", at, loop); got != want {
			t.Errorf("the place is %q, want %q", got, want)
		}
		sign := map[string]string{"reduce-scatter": "(+) is added", "all-gather": "(=) is copied"}[loop]
		if key := fmt.Sprint(worked(t, "ringKey", w.Steps[at-1], "en")); !strings.Contains(key, sign) || strings.Contains(key, "✓") != (loop == "all-gather") {
			t.Errorf("after step %d the key says %q", at-1, key)
		}
		if !strings.Contains(zh, fmt.Sprintf("25 个块中有 %d 个", done)) || strings.Contains(zh, "GPU has") {
			t.Errorf("after step %d the Chinese page says %q", at-1, zh)
		}
	}
	if last := fmt.Sprint(worked(t, "ringSaid", w, 8, "en")); !strings.HasSuffix(last, "complete: every GPU has the sum of all.") {
		t.Errorf("the end is told as %q", last)
	}
	if got, want := fmt.Sprint(worked(t, "ringTransfer", w.Steps[1].Transfers[0], "en")), "GPU 4 → 0: chunk 3, 3+4, added: 0+3+4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A frame of transfers that does not tell a ring is refused.
func TestUnreadableRingsAreRefused(t *testing.T) {
	for want, harm := range map[string]func(r *result.Result, f *frame){
		"a column is missing":       func(_ *result.Result, f *frame) { f.Columns[f.At("from")].Key = "sender" },
		"or the frame of states":    func(r *result.Result, _ *frame) { r.Frames = r.Frames[:1] },
		"row 3: step 7":             func(_ *result.Result, f *frame) { f.Rows[3][0] = 7.0 },
		"row 2: step 0, GPU 9":      func(_ *result.Result, f *frame) { f.Rows[2][1] = 9.0 },
		"whose first transfer does": func(_ *result.Result, f *frame) { f.Rows[4][f.At("holds")] = "0" },
		"GPU 0 begins with":         func(r *result.Result, _ *frame) { r.Frame("states").Rows[0][3] = "4" },
	} {
		l := committedOf(t, "ring/steps")
		harm(l.Result, l.Frame("transfers"))
		if w, err := widgetOf(l, "transfers"); err == nil || w != nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "frame transfers: ") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// The keys lead where they say and never beyond the ends.
func TestStepperKeys(t *testing.T) {
	for key, want := range map[string]float64{"ArrowLeft": 2, "ArrowRight": 4, "Home": 0, "End": 8, "a": -1} {
		if got := worked(t, "keyed", key, 3, 8); got != want {
			t.Errorf("%s from 3 of 8 leads to %v, want %v", key, got, want)
		}
	}
	if l, r := worked(t, "keyed", "ArrowLeft", 0, 8), worked(t, "keyed", "ArrowRight", 8, 8); l != 0.0 || r != 8.0 {
		t.Errorf("beyond the ends: %v, %v", l, r)
	}
}

// Chunk 4 of the five GPUs, by hand: GPU 4 begins, each next one adds its own, GPU 3
// has the sum, and the copies go on from there.
func TestOneChunkRoundTheRing(t *testing.T) {
	w, _ := committedRing(t)
	var got []string
	for _, s := range w.Steps {
		for _, x := range s.Transfers {
			if x.Receives == 4 {
				got = append(got, fmt.Sprintf("%d>%d %s", x.From, x.GPU, x.Holds))
			}
		}
	}
	if want := "[4>0 0+4 0>1 0+1+4 1>2 0+1+2+4 2>3 0+1+2+3+4 3>4 0+1+2+3+4 4>0 0+1+2+3+4 0>1 0+1+2+3+4 1>2 0+1+2+3+4]"; fmt.Sprint(got) != want {
		t.Errorf("chunk 4 goes %v, want %s", got, want)
	}
}
