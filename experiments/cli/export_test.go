package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// exportable returns a result with something in every file.
func exportable(id, profile string) *result.Result {
	yes, ci := true, [2]float64{0.1, 0.25}
	return &result.Result{ID: id, Source: "DASP", Profile: profile, Kind: result.Trained, Status: result.Complete,
		Seeds: []uint64{7, 18446744073709551615},
		Facts: []result.Fact{{Key: "ratio", Value: 1.0 / 3, CI95: &ci, N: 2, Samples: []float64{0.25, 0.5}, Unit: "%"},
			{Key: "side", Value: "above", Enum: "side"}, {Key: "missed", Value: nil}},
		Frames: []result.Frame{
			{ID: "times", Columns: []result.Column{{Key: "method", Enum: "method"}, {Key: "bytes", Unit: "B"}, {Key: "seconds", Unit: "s"},
				{Key: "seconds_half", Unit: "s", Bound: result.Half}, {Key: "seconds_samples", Unit: "s", Bound: result.Samples}, {Key: "late", Enum: "bool"}},
				Rows: [][]any{{"bsp", 241094160123, 1.0 / 3, 1e-9, []any{0.5, 0.125}, true}, {"asp", 1, nil, nil, nil, false}}},
			{ID: "facts", Columns: []result.Column{{Key: "x"}, {Key: "x_samples", Bound: result.Samples}}, Rows: [][]any{{1, []any{1, 2, 3}}}},
			{ID: "../up", Columns: []result.Column{{Key: "x"}}, Rows: [][]any{}}},
		Claims: []result.Claim{{ID: "D42", Measured: []float64{0.5, 2}, CI95: []*[2]float64{nil, &ci}, Samples: [][]float64{{0.25, 0.75}, {2, 2}},
			Seeds: 2, Verdict: "within", Reasons: []result.Reason{result.Because("gap", "gap", 0.1, "unit", "<1>")},
			Table: "6", Network: "lenet5"},
			{ID: "D40", Found: &result.Reason{Code: "D40"}, Verdict: "same-sign",
				Parts: []result.Part{{Of: map[string]string{"method": "bsp"}, Value: 2.5, CI95: &ci, Holds: &yes}}}}}
}

// exportFolder writes results of two profiles.
func exportFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, r := range []*result.Result{exportable("dasp/table6", "quick"), exportable("dasp/table6", "ci"), exportable("ring/steps", "quick")} {
		if r.ID == "ring/steps" {
			r.Claims = nil
		}
		oktest.Must(result.Write(dir, r, &result.Run{}))(t)
	}
	return dir
}

// Every file has every digit; samples are columns by seed; what has no place of its own in a CSV is JSON.
func TestExport(t *testing.T) {
	results, out := exportFolder(t), filepath.Join(t.TempDir(), "csv")
	rc, said, msg := gradsync("export", "--results", results, "--out", out, "--json")
	if rc != exitOK {
		t.Fatalf("exit %d: %s", rc, msg)
	}
	if msg != "" {
		t.Errorf("it says %q", msg)
	}
	var list struct{ Files []string }
	if err := json.Unmarshal([]byte(said), &list); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var want []string
	for _, dir := range []string{"dasp/table6", "ring/steps", "dasp/ci/table6"} {
		for _, name := range []string{"columns", "facts", "claims", "parts", "times", "frame-facts", "-up"} {
			if dir == "ring/steps" && name == "parts" {
				continue // no claim, no part of one
			}
			want = append(want, filepath.Join(out, filepath.FromSlash(dir), name+".csv"))
		}
	}
	if diff := cmp.Diff(want, list.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for name, want := range map[string][][]string{
		"times": {{"method", "bytes", "seconds", "seconds_half", "seconds_seed_7", "seconds_seed_18446744073709551615", "late"},
			{"bsp", "241094160123", "0.333333333", "1e-09", "0.5", "0.125", "true"}, {"asp", "1", "", "", "", "", "false"}},
		"frame-facts": {{"x", "x_sample_1", "x_sample_2", "x_sample_3"}, {"1", "1", "2", "3"}},
		"-up":         {{"x"}},
		"columns": {{"frame", "column", "unit", "enum", "bound"}, {"times", "method", "", "method", ""}, {"times", "bytes", "B", "", ""},
			{"times", "seconds", "s", "", ""}, {"times", "seconds_half", "s", "", "half"}, {"times", "seconds_samples", "s", "", "samples"},
			{"times", "late", "", "bool", ""},
			{"facts", "x", "", "", ""}, {"facts", "x_samples", "", "", "samples"}, {"../up", "x", "", "", ""}},
		"facts": {{"key", "value", "unit", "enum", "n", "ci95_lo", "ci95_hi", "value_seed_7", "value_seed_18446744073709551615"},
			{"ratio", "0.333333333", "%", "", "2", "0.1", "0.25", "0.25", "0.5"}, {"side", "above", "", "side", "", "", "", "", ""},
			{"missed", "", "", "", "", "", "", "", ""}},
		"claims": {{"id", "number", "measured", "ci95_lo", "ci95_hi", "seeds", "verdict", "remark", "found", "reasons", "differs",
			"table", "network", "rival", "cluster", "value_seed_7", "value_seed_18446744073709551615"},
			{"D42", "1", "0.5", "", "", "2", "within", "", "", `[{"code":"gap","args":{"gap":0.1,"unit":"<1>"}}]`, "", "6", "lenet5", "", "", "0.25", "0.75"},
			{"D42", "2", "2", "0.1", "0.25", "2", "within", "", "", `[{"code":"gap","args":{"gap":0.1,"unit":"<1>"}}]`, "", "6", "lenet5", "", "", "2", "2"},
			{"D40", "1", "", "", "", "0", "same-sign", "", `{"code":"D40"}`, "", "", "", "", "", "", "", ""}},
		"parts": {{"claim", "of", "value", "ci95_lo", "ci95_hi", "finding"}, {"D40", `{"method":"bsp"}`, "2.5", "0.1", "0.25", "holds"}},
	} {
		f, err := os.Open(filepath.Join(out, "dasp", "ci", "table6", name+".csv"))
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := csv.NewReader(f).ReadAll()
		f.Close()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s (%v, -want +got):\n%s", name, err, diff)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(out, "dasp", "table6", ".writing-*")); len(left) != 0 {
		t.Errorf("temporary files stay behind: %v", left)
	}
}

// What is not named is left alone; what cannot be done is one line and an exit code.
func TestExportSome(t *testing.T) {
	with(t, fake("dasp/table6", 1, nil, nil), fake("dasp/table5", 1, nil, nil), fake("dasp/table7", 1, nil, nil), fake("ring/steps", 1, nil, nil))
	results := exportFolder(t)
	folders := func(out string) (list []string) {
		for _, pattern := range []string{"*/*/facts.csv", "*/*/*/facts.csv"} {
			found, _ := filepath.Glob(filepath.Join(out, filepath.FromSlash(pattern)))
			for _, f := range found {
				below, _ := filepath.Rel(out, filepath.Dir(f))
				list = append(list, filepath.ToSlash(below))
			}
		}
		return list
	}
	for _, c := range []struct {
		args string
		rc   int
		says string
		want []string
	}{
		{"dasp/table6", exitOK, "", []string{"dasp/table6", "dasp/ci/table6"}},
		{"dasp", exitOK, "", []string{"dasp/table6", "dasp/ci/table6"}},
		{"ring/steps dasp/table7", exitOK, "", []string{"ring/steps"}},
		{"all", exitOK, "", []string{"dasp/table6", "ring/steps", "dasp/ci/table6"}},
		{"dasp/table7", exitFailed, "gradsync: export: no results of dasp/table7 in " + results + "\n", nil},
		{"dasp/table", exitUsage, `gradsync: export: no experiment "dasp/table": the nearest are `, nil},
		{"--out=", exitUsage, "want a folder each", nil},
		{"--results=" + filepath.Join(results, "none"), exitFailed, "none", nil},
		{"--results=" + filepath.Join(results, "ring"), exitFailed, "no results of any experiment in", nil},
	} {
		out := filepath.Join(t.TempDir(), "csv")
		rc, said, msg := gradsync(append([]string{"export", "--results", results, "--out", out}, fields(c.args)...)...)
		got, wrong := folders(out), !strings.Contains(msg, c.says) || c.says == "" && msg != "" || strings.Count(msg, "\n") > 1
		if rc != c.rc || wrong || !slices.Equal(got, c.want) {
			t.Errorf("export %s: exit %d, %q, wrote %v, want %d, %q, %v", c.args, rc, msg, got, c.rc, c.says, c.want)
		}
		files := 7 * len(c.want)
		if slices.Contains(c.want, "ring/steps") {
			files--
		}
		if rc == exitOK && strings.Count(said, "\n") != files {
			t.Errorf("export %s prints\n%s", c.args, said)
		}
	}
	out := t.TempDir()
	oktest.Nil(t, os.WriteFile(filepath.Join(out, "dasp"), nil, 0o600))
	if rc, _, msg := gradsync("export", "--results", results, "--out", out); rc != exitFailed || strings.Count(msg, "\n") != 1 {
		t.Errorf("a file in the way: exit %d, %q", rc, msg)
	}
	oktest.Nil(t, os.WriteFile(filepath.Join(results, "dasp", "table6.json"), []byte(`{"schema": "gradsync.result/v1"}`), 0o600))
	if rc, _, msg := gradsync("export", "--results", results, "--out", t.TempDir()); rc != exitFailed ||
		!strings.Contains(msg, `schema is "gradsync.result/v1", want "gradsync.result/v2"`) {
		t.Errorf("a result of another version: exit %d, %q", rc, msg)
	}
	oktest.Nil(t, os.WriteFile(filepath.Join(results, "dasp", "table6.json"), []byte(`{"schema": "gradsync.result/v2"`), 0o600))
	if rc, _, msg := gradsync("export", "--results", results, "--out", t.TempDir()); rc != exitFailed || !strings.Contains(msg, "table6.json") {
		t.Errorf("half a file: exit %d, %q", rc, msg)
	}
}
