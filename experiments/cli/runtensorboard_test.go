package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/tensorboard/tensorboardtest"
	"gradsync/reports/notebook"
)

// drawn is the page of a result with a figure of each kind, in words of its own.
func drawn(t *testing.T, profile string) *notebook.Page {
	t.Helper()
	r := &result.Result{ID: "dasp/drawn", Source: "DASP", Profile: profile, Kind: result.Trained, Status: result.Complete, Seeds: []uint64{1},
		Config: map[string]any{"rate": 0.05}, Claims: []result.Claim{{ID: "D39", Verdict: "same-sign", Reasons: []result.Reason{result.Because("holds")}}}}
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
		r.Figures = append(r.Figures, result.Figure{ID: of[0], Form: "gantt", Frame: of[0], X: "from", Y: []string{"to"}, Lane: "lane", State: "state", Label: "label"})
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
	book, err := notebook.Open(words)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := result.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = result.Decode(r.ID, raw); err != nil {
		t.Fatal(err)
	}
	p, err := book.Page(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRunTensorboard(t *testing.T) {
	dir := t.TempDir()
	root, err := writeEvents(dir, drawn(t, "quick"))
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "dasp", "drawn"); root != want {
		t.Errorf("the files are said to be in %s, want %s", root, want)
	}
	files := eventFiles(t, dir)
	if len(files) != 1+4*3 {
		t.Errorf("%d event files, want one of the experiment and three of each line figure", len(files))
	}
	for _, fig := range []struct {
		id, tag    string
		steps      [2]int64
		per, third float64 // seconds of both points
	}{
		{"time", "accuracy (%) by virtual time (µs)", [2]int64{250, 333333}, 0.25e-3, 333.333333e-3},
		{"gradients", "accuracy (%) by gradients used", [2]int64{60, 1200}, 0, 0},
		{"few", "accuracy (%) by r", [2]int64{1, 2}, 0, 0},
		{"ratio", "accuracy (%) by millionths of Tcomm/Tcalc", [2]int64{-500_000, 2_000_000}, 0, 0},
	} {
		for _, series := range []string{"SSP-s-3/seed-1", "SSP-s-3/mean", "ssp-S-3-2/mean"} {
			got := files["dasp/drawn/"+fig.id+"/"+series]
			tag := "dasp drawn " + fig.id + " (trained)/" + fig.tag
			if len(got) != 3 {
				t.Errorf("%s of %s has %d events, want 3", series, fig.id, len(got))
				continue
			}
			for i, want := range []tensorboardtest.Event{{Tag: tag, Step: fig.steps[0], Seconds: fig.per, Value: 33.3333333},
				{Tag: tag, Step: fig.steps[1], Seconds: fig.third, Value: 2}} {
				if d := got[i+1].Seconds - want.Seconds; d < 1e-12 && d > -1e-12 {
					want.Seconds = got[i+1].Seconds
				}
				if got[i+1] != want {
					t.Errorf("%s of %s: %+v, want %+v", series, fig.id, got[i+1], want)
				}
			}
		}
	}
	var texts string
	for _, e := range files["dasp/drawn"] {
		texts += e.Tag + "\n" + e.Text
	}
	for _, want := range []string{"dasp drawn/experiment", "config:\n\n```\n{\n  \"rate\": 0.05\n}\n```", "dasp drawn/claims",
		"| D39 | ASP has the lowest average iteration time, BSP the highest (both clusters) | ASP <= {DASP,DSSP,SSP} <= BSP | – | – | same-sign |"} {
		if !strings.Contains(texts, want) {
			t.Errorf("the texts lack %q:\n%s", want, texts)
		}
	}
	if _, err := writeEvents(dir, drawn(t, "ci")); err != nil {
		t.Fatal(err)
	}
	if again := eventFiles(t, dir); len(again) != 2*13 || again["dasp/ci/drawn/few/ssp-S-3-2/mean"] == nil {
		t.Errorf("with another profile %d event files, want 26", len(again))
	}
}

// Figures whose ids are one folder's name each have a folder of their own, also where
// a file system takes capitals for small letters.
func TestRunTensorboardKeepsFiguresApart(t *testing.T) {
	r := &result.Result{ID: "dasp/apart", Source: "DASP", Profile: "paper", Kind: result.Trained, Status: result.Complete}
	ids := []string{"time", "Time", "time!", "环", "figure", "time-2"}
	for i, id := range ids {
		r.Frames = append(r.Frames, result.Frame{ID: id, Columns: []result.Column{{Key: "x"}, {Key: "y"}, {Key: "of", Enum: "of"}}, Rows: [][]any{{1, i, "a"}}})
		r.Figures = append(r.Figures, result.Figure{ID: id, Form: "line", Frame: id, X: "x", Y: []string{"y"}, By: []string{"of"}})
	}
	dir := t.TempDir()
	root, err := writeEvents(dir, pageOf(t, r, "column.x,x\ncolumn.y,y\nof.a,a\n"))
	if err != nil {
		t.Fatal(err)
	}
	files := eventFiles(t, root)
	for i, want := range []string{"time", "Time-2", "time-3", "figure", "figure-2", "time-2-2"} {
		if got := files[want+"/a/mean"]; len(got) != 2 || got[1].Value != float32(i) {
			t.Errorf("figure %d is not in %s, which holds %+v", i, want, got)
		}
	}
	if len(files) != 1+len(ids) {
		t.Errorf("%d event files, want one of the experiment and one of each of %d figures", len(files), len(ids))
	}
}

// ranWith runs one experiment with both flags into folders of dir.
func ranWith(t *testing.T, id, dir string) ran {
	t.Helper()
	rc, out, msg := gradsync("run", id, "--quiet", "--json", "--profile", "ci", "--seeds", "0", "--out", filepath.Join(dir, "out"),
		"--tensorboard", filepath.Join(dir, "tb"), "--traces", filepath.Join(dir, "traces"))
	var o struct{ Results []ran }
	if err := json.Unmarshal([]byte(out), &o); err != nil || rc != exitOK || len(o.Results) != 1 {
		t.Fatalf("run: exit code %d, %v, %s%s", rc, err, out, msg)
	}
	return o.Results[0]
}

// The command writes both, says where, and the same result has the same files.
func TestRunWritesEventsAndTraces(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	r := ranWith(t, "ring/steps", one)
	ranWith(t, "ring/steps", two)
	if want := filepath.Join(one, "tb", "ring", "ci", "steps"); r.TensorBoard != want {
		t.Errorf("the events are said to be in %s, want %s", r.TensorBoard, want)
	}
	if want := filepath.Join(one, "traces", "ring", "ci", "steps.trace.json"); r.Trace != want {
		t.Errorf("the trace is said to be %s, want %s", r.Trace, want)
	}
	for _, sub := range []string{"tb", "traces"} {
		if a, b := dirText(t, filepath.Join(one, sub)), dirText(t, filepath.Join(two, sub)); a == "" || a != b {
			t.Errorf("%s: %d bytes of one run, %d of another, not the same", sub, len(a), len(b))
		}
	}
}

// Folders that cannot be are said before anything runs.
func TestRunRefusesFolders(t *testing.T) {
	var ran []string
	with(t, fake("dasp/table5", 1, &ran, never))
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"--tensorboard", "--traces"} {
		rc, out, msg := gradsync("run", "dasp", "--out", filepath.Join(dir, "out"), flag, filepath.Join(file, "x"))
		if rc != exitFailed || out != "" || len(ran) != 0 || strings.Count(msg, "\n") != 1 || !strings.Contains(msg, flag) || !strings.Contains(msg, file) {
			t.Errorf("%s in a file: exit code %d, %q, %q, ran %v; want 1 and one line", flag, rc, out, msg, ran)
		}
	}
}
