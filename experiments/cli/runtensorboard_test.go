package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/tensorboard/tensorboardtest"
)

// drawn is an experiment of two parts with a figure of each kind. Part 0 finds
// the accuracy; stop is asked before each part.
func drawn(stop func(part int) error) exp.Experiment {
	e := fake("dasp/table5", 0, new([]string), never)
	e.Old = func(_ context.Context, env exp.Env) (*result.Result, error) {
		accuracy := 0.0
		for part := range 2 {
			if err := stop(part); err != nil {
				return nil, err
			}
			if part == 0 && !env.Memo.Load("part 0", &accuracy) {
				accuracy = 100.0 / 3
				if err := env.Memo.Save("part 0", accuracy); err != nil {
					return nil, err
				}
			}
		}
		seed := uint64(1)
		line := func(id string, x result.Axis, xs ...float64) result.Figure {
			s := result.Series{Name: "SSP s = 3", X: xs, Y: []float64{accuracy, 2}}
			one, other := s, s
			one.Seed, other.Name = &seed, "ssp | S = 3"
			return result.Figure{ID: id, Title: id, Kind: result.Trained, Form: "line", X: x, Y: result.Axis{Title: "accuracy", Unit: "%"},
				Series: []result.Series{one, s, other}}
		}
		gantt := func(id string, x result.Axis) result.Figure {
			return result.Figure{ID: id, Title: "One run", Kind: result.TimingOnly, Form: "gantt", X: x, Lanes: []string{"worker 0", "worker 1"},
				Bands: []result.Band{{Lane: 0, From: 0, To: 1.5, State: "compute", Label: "a"}, {Lane: 1, From: 0.25, To: 1e3, State: "WSS"}}}
		}
		return &result.Result{ID: e.ID, Profile: env.Profile, Kind: result.Trained, Status: "complete", Seeds: env.Seeds, Config: map[string]any{"rate": 0.05},
			Claims: []result.Claim{{ID: "D1", Statement: "a | b", Verdict: "within", Paper: 1.5}},
			Figures: []result.Figure{
				line("time", result.Axis{Title: "virtual time", Unit: "ms"}, 0.25, 1e3/3),
				line("gradients", result.Axis{Title: "gradients used"}, 60, 1200+1./3),
				line("few", result.Axis{Title: "r"}, 1, 2),
				line("ratio", result.Axis{Title: "Tcomm/Tcalc"}, -0.5, 2),
				{ID: "bars", Title: "bars", Kind: result.Trained, Form: "bar", Series: []result.Series{{Name: "a", X: []float64{0}, Y: []float64{1}}}},
				gantt("lanes", result.Axis{Title: "virtual time", Unit: "ms"}), gantt("samples", result.Axis{Title: "sample"}), gantt("later", result.Axis{Title: "time", Unit: "s"}),
			}}, nil
	}
	return e
}

// ranWith runs dasp/table5 with both flags into folders of dir.
func ranWith(t *testing.T, dir string, more ...string) ran {
	t.Helper()
	rc, out, msg := gradsync(append([]string{"run", "dasp", "--quiet", "--json", "--out", filepath.Join(dir, "out"),
		"--tensorboard", filepath.Join(dir, "tb"), "--traces", filepath.Join(dir, "traces")}, more...)...)
	var o struct{ Results []ran }
	if err := json.Unmarshal([]byte(out), &o); err != nil || rc != exitOK || len(o.Results) != 1 {
		t.Fatalf("run: exit code %d, %v, %s%s", rc, err, out, msg)
	}
	return o.Results[0]
}

func TestRunTensorboard(t *testing.T) {
	with(t, drawn(never))
	dir := t.TempDir()
	r := ranWith(t, dir)
	if want := filepath.Join(dir, "tb", "dasp", "table5"); r.TensorBoard != want {
		t.Errorf("the files are said to be in %s, want %s", r.TensorBoard, want)
	}
	files := eventFiles(t, filepath.Join(dir, "tb"))
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
			got := files["dasp/table5/"+fig.id+"/"+series]
			tag := "dasp table5 " + fig.id + " (trained)/" + fig.tag
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
	for _, e := range files["dasp/table5"] {
		texts += e.Tag + "\n" + e.Text
	}
	for _, want := range []string{"dasp table5/experiment", "config:\n\n```\n{\n  \"rate\": 0.05\n}\n```", "dasp table5/claims", `| D1 | a \| b | 1.5 | – |  | within |`} {
		if !strings.Contains(texts, want) {
			t.Errorf("the texts lack %q:\n%s", want, texts)
		}
	}
	ranWith(t, dir, "--profile", "ci")
	if again := eventFiles(t, filepath.Join(dir, "tb")); len(again) != 2*13 || again["dasp/ci/table5/few/ssp-S-3-2/mean"] == nil {
		t.Errorf("with another profile %d event files, want 26", len(again))
	}
}

// Figures whose ids are one folder's name each have a folder of their own, also where
// a file system takes capitals for small letters.
func TestRunTensorboardKeepsFiguresApart(t *testing.T) {
	r := &result.Result{ID: "dasp/fig3", Profile: "paper"}
	for i, id := range []string{"time", "Time", "time!", "环", "", "figure", "time-2"} {
		r.Figures = append(r.Figures, result.Figure{ID: id, Form: "line", Series: []result.Series{{Name: "a", X: []float64{1}, Y: []float64{float64(i)}}}})
	}
	dir := t.TempDir()
	root, err := writeEvents(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	files := eventFiles(t, root)
	for i, want := range []string{"time", "Time-2", "time-3", "figure", "figure-2", "figure-3", "time-2-2"} {
		if got := files[want+"/a/mean"]; len(got) != 2 || got[1].Value != float32(i) {
			t.Errorf("figure %d is not in %s, which holds %+v", i, want, got)
		}
	}
	if len(files) != 1+len(r.Figures) {
		t.Errorf("%d event files, want one of the experiment and one of each of %d figures", len(files), len(r.Figures))
	}
}

// Parts from an interrupted run make the files of a whole one.
func TestRunTensorboardAfterAnInterruption(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	with(t, drawn(never))
	ranWith(t, whole)
	ctx, cancel := context.WithCancel(context.Background())
	with(t, drawn(func(part int) error {
		if part == 1 {
			cancel()
		}
		return ctx.Err()
	}))
	var out, msg strings.Builder
	flags := []string{"run", "dasp", "--quiet", "--out", filepath.Join(parts, "out"), "--tensorboard", filepath.Join(parts, "tb"), "--traces", filepath.Join(parts, "traces")}
	if rc := run(ctx, flags, &out, &msg); rc != exitFailed || !strings.Contains(msg.String(), "1 finished part is in") {
		t.Fatalf("the interrupted run: exit code %d, %s", rc, msg.String())
	}
	if left := dirText(t, filepath.Join(parts, "tb")); left != "" {
		t.Errorf("the interrupted run, which has no result, left %q", left)
	}
	with(t, drawn(never))
	ranWith(t, parts)
	for _, sub := range []string{"tb", "traces"} {
		if a, b := dirText(t, filepath.Join(whole, sub)), dirText(t, filepath.Join(parts, sub)); a == "" || a != b {
			t.Errorf("%s: %d bytes of a whole run, %d after an interruption, not the same", sub, len(a), len(b))
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
