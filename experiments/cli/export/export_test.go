package export

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/tensorboard"
	"gradsync/internal/oktest"
	"gradsync/reports/notebook"
)

// drawn returns the page of a result with a figure of each kind, in words of its own.
func drawn(t *testing.T, profile string) *notebook.Page {
	t.Helper()
	r := &result.Result{ID: "dasp/drawn", Source: "DASP", Profile: profile, Kind: result.Trained, Status: result.Complete, Seeds: []uint64{1},
		Config: map[string]any{"rate": 0.05}, Claims: []result.Claim{{ID: "D39", Verdict: "holds", Reasons: []result.Reason{result.Because("holds")}}}}
	line := func(id, unit string, x1, x2 float64) {
		s := kit.NewSheet(id, "name:name seed x/"+unit+" accuracy/%")
		s.Add("one", 1, x1, 100.0/3)
		s.Add("one", 1, x2, 2)
		s.Add("one", nil, x1, 100.0/3)
		s.Add("one", nil, x2, 2)
		s.Add("other", nil, x1, 100.0/3)
		s.Add("other", nil, x2, 2)
		r.Frames = append(r.Frames, s.Frame)
		r.Figures = append(r.Figures, result.Figure{ID: id, Form: "line", Frame: id, X: "x", Y: []string{"accuracy"}, By: []string{"name"}, Seed: "seed"})
	}
	line("time", "ms", 0.25, 1e3/3)
	line("gradients", "", 60, 1200+1./3)
	line("few", "", 1, 2)
	line("ratio", "", -0.5, 2)
	r.Frames = append(r.Frames, kit.NewSheet("bars", "name:name accuracy/%").Frame)
	r.Frames[4].Rows = [][]any{{"one", 1.0}}
	r.Figures = append(r.Figures, result.Figure{ID: "bars", Form: "bar", Frame: "bars", X: "name", Y: []string{"accuracy"}})
	for _, of := range [][2]string{{"lanes", "ms"}, {"samples", ""}, {"later", "s"}} {
		s := kit.NewSheet(of[0], "lane:lane from/"+of[1]+" to/"+of[1]+" state:state label")
		s.Kind = result.TimingOnly
		s.Add("w0", 0, 1.5, "compute", "a")
		s.Add("w1", 0.25, 1e3, "WSS", nil)
		r.Frames = append(r.Frames, s.Frame)
		r.Figures = append(r.Figures, result.Figure{ID: of[0], Form: "gantt", Frame: of[0], X: "from", Y: []string{"to"}, Lane: "lane", State: "state",
			Label: "label"})
	}
	return pageOf(t, r, `name.one,SSP s = 3
name.other,ssp | S = 3
column.accuracy,accuracy
column.time.x,virtual time
column.gradients.x,gradients used
column.few.x,r
column.ratio.x,Tcomm/Tcalc
column.name,name
column.lanes.from,virtual time
column.samples.from,sample
column.later.from,time
lane.w0,worker 0
lane.w1,worker 1
state.compute,compute
state.WSS,WSS
`)
}

// pageOf gives a result a notebook that draws its figures, in the words of some labels.
func pageOf(t *testing.T, r *result.Result, labels string) *notebook.Page {
	t.Helper()
	text := "# A title\n\n"
	for _, f := range r.Figures {
		text += fmt.Sprintf("{{figure %q}}\n: Caption.\nalt: What it shows.\n\n", f.ID)
	}
	words := fstest.MapFS{}
	for _, lang := range notebook.Languages {
		words["labels."+lang+".csv"] = &fstest.MapFile{Data: []byte("id,text\n" + labels)}
		words["reasons."+lang+".tmpl"] = &fstest.MapFile{}
		words[r.ID+"."+lang+".md"] = &fstest.MapFile{Data: []byte(text)}
	}
	book := oktest.Must(notebook.Open(words))(t)
	raw := oktest.Must(result.Encode(r))(t)
	r = oktest.Must(result.Decode(r.ID, raw))(t)
	return oktest.Must(book.Page(r, nil))(t)
}

// eventFile returns the bytes of an event file with what write puts into it.
func eventFile(t *testing.T, write func(w *tensorboard.Writer)) string {
	t.Helper()
	w := oktest.Must(tensorboard.Create(t.TempDir()))(t)
	write(w)
	return string(oktest.Must(os.ReadFile(oktest.Must(w.Close())(t)))(t))
}

// eventFiles returns the event files below dir, by the folder they lie in. A file that is called otherwise is an error.
func eventFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	oktest.Nil(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if d.Name() != tensorboard.FileName {
			t.Errorf("%s is no event file", path)
		}
		raw, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, filepath.Dir(path))
		out[filepath.ToSlash(rel)] = string(raw)
		return err
	}))
	return out
}

func TestEvents(t *testing.T) {
	dir := t.TempDir()
	root := oktest.Must(Events(dir, drawn(t, "quick")))(t)
	if want := filepath.Join(dir, "dasp", "drawn"); root != want {
		t.Errorf("the files are said to be in %s, want %s", root, want)
	}
	files := eventFiles(t, dir)
	if len(files) != 1+4*3 {
		t.Errorf("%d event files, want one of the experiment and three of each line figure", len(files))
	}
	for _, fig := range []struct {
		id, tag string
		steps   [2]int64
		x       [2]float64 // of both points
		unit    float64    // seconds, 0 where x is no time
	}{
		{"time", "accuracy (%) by virtual time (µs)", [2]int64{250, 333333}, [2]float64{0.25, 333.333333}, 1e-3},
		{"gradients", "accuracy (%) by gradients used", [2]int64{60, 1200}, [2]float64{}, 0},
		{"few", "accuracy (%) by r", [2]int64{1, 2}, [2]float64{}, 0},
		{"ratio", "accuracy (%) by millionths of Tcomm/Tcalc", [2]int64{-500_000, 2_000_000}, [2]float64{-0.5, 2}, 0},
	} {
		tag := "dasp drawn " + fig.id + " (trained)/" + fig.tag
		want := eventFile(t, func(w *tensorboard.Writer) {
			w.Scalar(tag, fig.steps[0], fig.x[0]*fig.unit, 33.3333333)
			w.Scalar(tag, fig.steps[1], fig.x[1]*fig.unit, 2)
		})
		for _, series := range []string{"SSP-s-3/seed-1", "SSP-s-3/mean", "ssp-S-3-2/mean"} {
			if got := files["dasp/drawn/"+fig.id+"/"+series]; got != want {
				t.Errorf("%s of %s: %q, want %q", series, fig.id, got, want)
			}
		}
	}
	texts := files["dasp/drawn"]
	for _, want := range []string{"dasp drawn/experiment", "config:\n\n```\n{\n  \"rate\": 0.05\n}\n```", "dasp drawn/claims",
		"| D39 | ASP has the lowest average iteration time, BSP the highest (both clusters) | ASP <= {DASP,DSSP,SSP} <= BSP | – | – | holds |"} {
		if !strings.Contains(texts, want) {
			t.Errorf("the texts lack %q:\n%s", want, texts)
		}
	}
	oktest.Must(Events(dir, drawn(t, "ci")))(t)
	if again := eventFiles(t, dir); len(again) != 2*13 || again["dasp/ci/drawn/few/ssp-S-3-2/mean"] == "" {
		t.Errorf("with another profile %d event files, want 26", len(again))
	}
}

// Figures whose ids are one folder's name each have a folder of their own, also where
// a file system takes capitals for small letters.
func TestEventsKeepsFiguresApart(t *testing.T) {
	r := &result.Result{ID: "dasp/apart", Source: "DASP", Profile: "paper", Kind: result.Trained, Status: result.Complete}
	ids := []string{"time", "Time", "time!", "环", "figure", "time-2"}
	for i, id := range ids {
		r.Frames = append(r.Frames, result.Frame{ID: id, Columns: []result.Column{{Key: "x"}, {Key: "y"}, {Key: "of", Enum: "of"}}, Rows: [][]any{{1, i, "a"}}})
		r.Figures = append(r.Figures, result.Figure{ID: id, Form: "line", Frame: id, X: "x", Y: []string{"y"}, By: []string{"of"}})
	}
	dir := t.TempDir()
	root := oktest.Must(Events(dir, pageOf(t, r, "column.x,x\ncolumn.y,y\nof.a,a\n")))(t)
	files := eventFiles(t, root)
	for i, folder := range []string{"time", "Time-2", "time-3", "figure", "figure-2", "time-2-2"} {
		value := string(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(i)))) // the last before the checksum
		if got := files[folder+"/a/mean"]; len(got) < 8 || got[len(got)-8:len(got)-4] != value || !strings.Contains(got, ids[i]+" ") {
			t.Errorf("figure %d is not in %s, which holds %q", i, folder, got)
		}
	}
	if len(files) != 1+len(ids) {
		t.Errorf("%d event files, want one of the experiment and one of each of %d figures", len(files), len(ids))
	}
}

// A trace has a named process per time line, a named row per lane and every band
// in microseconds; lanes along samples are no time line.
func TestTraces(t *testing.T) {
	dir := t.TempDir()
	path := oktest.Must(Traces(dir, drawn(t, "quick")))(t)
	if want := filepath.Join(dir, "dasp", "drawn.trace.json"); path != want {
		t.Fatalf("the trace is said to be %s, want %s", path, want)
	}
	raw := oktest.Must(os.ReadFile(path))(t)
	var got map[string]any
	oktest.Nil(t, json.Unmarshal(raw, &got))
	var want []any
	for pid, f := range []struct {
		name string
		unit float64 // microseconds
	}{{"lanes", 1e3}, {"later", 1e6}} {
		named := func(what string, tid int, name string) map[string]any {
			return map[string]any{"name": what, "ph": "M", "pid": float64(pid), "tid": float64(tid), "args": map[string]any{"name": name}}
		}
		band := func(tid int, from, to float64, state string, args map[string]any) map[string]any {
			return map[string]any{"name": state, "cat": "timing-only", "ph": "X", "ts": from * f.unit, "dur": (to - from) * f.unit,
				"pid": float64(pid), "tid": float64(tid), "args": args}
		}
		want = append(want, named("process_name", 0, "dasp/drawn "+f.name+": A title"),
			named("thread_name", 0, "worker 0"), named("thread_name", 1, "worker 1"),
			band(0, 0, 1.5, "compute", map[string]any{"kind": "timing-only", "label": "a"}),
			band(1, 0.25, 1e3, "WSS", map[string]any{"kind": "timing-only"}))
	}
	if diff := cmp.Diff(map[string]any{"displayTimeUnit": "ms", "traceEvents": want}, got); diff != "" {
		t.Errorf("the trace is not what was drawn:\n%s", diff)
	}
}
