package reports

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
)

// update rewrites testdata/results from fixture. Its numbers are invented to be
// plainly invented (multiples of 1.11): they test the pages and mean nothing.
var update = flag.Bool("update", false, "rewrite the fixture under testdata")

func TestFixtureIsWhatTheFilesHold(t *testing.T) {
	for _, r := range fixture() {
		want, err := result.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", "results", filepath.FromSlash(r.ID)+".json")
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not what fixture() says; run with -update", file)
		}
	}
}

func fixture() []*result.Result {
	return []*result.Result{exampleTimes(), exampleCurves(), exampleLines(), exampleStated(), exampleCost(), exampleDecisions(), exampleOverlap(), exampleLoads(), exampleExchange(), exampleProof(), exampleCompare()}
}

func newFixture(id, title, source, kind string) *result.Result {
	return &result.Result{
		Schema: result.Schema, ID: id, Title: title, Source: source, Profile: "quick", Kind: kind, Status: "complete",
		Seeds: []uint64{0, 1, 2}, Engine: "portable", Config: map[string]any{"invented": true},
		Data: &result.Data{Name: "invented images", Origin: "synthetic", Train: 11111, Test: 1111,
			SHA256: "2222222222222222222222222222222222222222222222222222222222222222", Note: "fixture of a test"},
	}
}

func ptr(x float64) *float64 { return &x }

func exampleTimes() *result.Result {
	r := newFixture("dasp/example5", "Example: mean iteration time, unequal workers", "Example, Table 5", result.TimingOnly)
	claim := func(id, statement string, paper, ours any, ci *[2]float64, verdict, why string, differs ...string) {
		r.Claims = append(r.Claims, result.Claim{ID: id, Statement: statement, Source: "Example §3.2, Table 5", Paper: paper, Unit: "%",
			Tolerance: ptr(5), Measured: ours, CI95: ci, Verdict: verdict, Why: why, Differs: differs})
	}
	claim("X01", "The invented method needs less time per iteration than BSP, LeNet-5", 11.1, 11.1, nil, "equal", "")
	claim("X02", "The invented method needs less time per iteration than SSP, LeNet-5", 22.2, 24.4, &[2]float64{21.1, 27.7}, "within", "")
	claim("X03", "The invented method needs less time per iteration than DSSP, ResNet-18", 33.3, 55.5, &[2]float64{51.1, 59.9}, "same-sign",
		"The platform is ours: the paper’s devices are not known.", "platform", "data set: invented images instead of CIFAR-10", "width 1/8")
	claim("X04", "The invented method needs less time per iteration than BSP, VGG-19", 66.6, 11.1, &[2]float64{-2.2, 24.4}, "differs",
		"the 95 % interval [-2.2, 24.4] contains the null 0; waiting at the server costs more than it saves where the link, not the worker, is slow.", "platform")
	claim("X05", "The invented method needs less time than ASP", nil, 4.44, nil, "not-stated", "The column of the paper is lost.")
	claim("X06", "A title with <b>tags</b> & </script> in it", 77.7, nil, nil, "not-run", "Left out of this profile: it takes 111 minutes.")
	r.Notes = []string{
		"In the equal cluster the invented method never leaves QIS: DASP is ASP here.",
		"Verdicts are for the reference platform; over eleven plausible platforms the reduction runs from −11.1 % to 55.5 %.",
	}
	models, methodNames := []string{"LeNet-5", "ResNet-18", "VGG-19-BN"}, []string{"BSP", "ASP", "SSP", "DSSP", "DASP"}
	t := result.Table{ID: "times", Title: "Mean iteration time per worker, with waits", Kind: result.TimingOnly,
		Caption: "Invented numbers. Six workers and a server.",
		Columns: []result.Column{{Key: "model", Title: "model"}}}
	f := result.Figure{ID: "bars", Title: "Mean iteration time by method", Kind: result.TimingOnly, Form: "bar",
		Caption: "Whiskers: 95 % over three invented seeds.", Alt: "Grouped bars: BSP is the slowest for each of three models, ASP the fastest.",
		X: result.Axis{Title: "model", Categories: models}, Y: result.Axis{Title: "mean iteration time", Unit: "s"}}
	for i, m := range methodNames {
		t.Columns = append(t.Columns, result.Column{Key: m, Title: m, Unit: "s", Digits: 3})
		s := result.Series{Name: m, Group: strings.ToLower(m)}
		for j := range models {
			y := 1.11 * float64(j+1) * (1 + 0.11*float64(5-i))
			s.Y, s.Lo, s.Hi = append(s.Y, y), append(s.Lo, y*0.95), append(s.Hi, y*1.07)
		}
		f.Series = append(f.Series, s)
	}
	for j, m := range models {
		row := []any{m}
		for _, s := range f.Series {
			row = append(row, s.Y[j])
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows[2][4] = nil
	r.Tables, r.Figures = []result.Table{t}, []result.Figure{f}
	return r
}

func exampleCurves() *result.Result {
	r := newFixture("dasp/example-fig4", "Example: accuracy on the test set, unequal workers", "Example, Fig. 4", result.Trained)
	r.Notes = []string{"Share of pushes: QIS 77.7 %, WSS 16.6 %, FSS 5.55 % (invented)."}
	f := result.Figure{ID: "accuracy", Title: "Accuracy over virtual time, LeNet-5 </script><script>alert(1)</script>", Kind: result.Trained, Form: "line",
		Caption: "Bold: mean of three seeds; faint: each seed; shaded: 95 %.", Alt: "Five rising curves that end between 77 and 88 per cent.",
		X: result.Axis{Title: "virtual time", Unit: "s"}, Y: result.Axis{Title: "test accuracy", Unit: "%"}}
	for i, m := range []string{"BSP", "ASP", "SSP", "DSSP", "DASP"} {
		at := func(k int, wobble float64) (x, y float64) {
			x = 11.1 * float64(k)
			return x, 88.8*(1-math.Exp(-x/(44+11*float64(i)))) + wobble*math.Sin(float64(k)+wobble)
		}
		mean := result.Series{Name: m, Group: m}
		for k := range 25 {
			x, y := at(k, 0)
			mean.X, mean.Y = append(mean.X, x), append(mean.Y, y)
			mean.Lo, mean.Hi = append(mean.Lo, y-1.11-0.3*float64(i)), append(mean.Hi, y+1.11+0.3*float64(i))
		}
		f.Series = append(f.Series, mean)
		for seed := range uint64(3) {
			s := result.Series{Name: fmt.Sprintf("%s, seed %d", m, seed), Group: m, Seed: &seed}
			for k := range 25 {
				x, y := at(k, 0.5+0.4*float64(seed))
				s.X, s.Y = append(s.X, x), append(s.Y, y)
			}
			f.Series = append(f.Series, s)
		}
	}
	r.Figures = []result.Figure{f}
	r.Claims = []result.Claim{{ID: "X40", Statement: "The curve of ASP fluctuates clearly, that of BSP does not", Source: "Example, Figs. 3–4",
		Paper: "ASP > BSP", Measured: "ASP 1.11, BSP 0.22 points", Verdict: "same-sign", Why: "One model of three.", Differs: []string{"data set"}}}
	return r
}

func exampleLines() *result.Result {
	r := newFixture("dasp/example-fig2", "Example: who waits for whom", "Example, Fig. 2", result.Trained)
	r.Status = "incomplete"
	f := result.Figure{ID: "lanes", Title: "Time lines of six workers", Kind: result.Trained, Form: "gantt",
		Caption: "One band per stretch; colours and textures name the state.", Alt: "Fast workers show WSS and FSS bands, the slowest worker computes without a pause.",
		X: result.Axis{Title: "virtual time", Unit: "s"}, Y: result.Axis{Title: "worker"},
		Lanes: []string{"worker 1", "worker 2", "worker 3", "worker 4", "worker 5", "worker 6 (slow)"}}
	for lane := range f.Lanes {
		at, step := 0.0, 1.11*(1+0.33*float64(lane))
		for k := 0; at < 20; k++ {
			f.Bands = append(f.Bands, result.Band{Lane: lane, From: at, To: at + step, State: "compute"})
			at += step
			f.Bands = append(f.Bands, result.Band{Lane: lane, From: at, To: at + 0.22, State: "push"})
			at += 0.22
			wait := map[bool]string{true: "WSS", false: "FSS"}[k%4 != 3]
			if lane < 3 && k%2 == 1 {
				f.Bands = append(f.Bands, result.Band{Lane: lane, From: at, To: at + 0.66, State: wait, Label: "waits for worker 6"})
				at += 0.66
			}
		}
	}
	r.Figures = []result.Figure{f}
	return r
}

func exampleStated() *result.Result {
	r := newFixture("dasp/example1", "Example: assumed devices", "Example, Table 1", result.Stated)
	r.Seeds, r.Engine, r.Data = nil, "", nil
	r.Notes = []string{"The body of the table is lost; every entry is an assumption with its reason."}
	r.Tables = []result.Table{{ID: "devices", Title: "Assumed devices", Caption: "Invented.",
		Columns: []result.Column{{Key: "item", Title: "item"}, {Key: "value", Title: "value"}, {Key: "reason", Title: "reason"}, {Key: "sure", Title: "how sure"}},
		Rows: [][]any{{"link", "11.1 Gb/s", "an invented reason that is long enough to wrap in a narrow column of a table", "low"},
			{"worker", "1.11 TFLOP/s", "another invented reason", "medium"}}}}
	return r
}
