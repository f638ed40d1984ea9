package result

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func sample() *Result {
	seed, tol := uint64(math.MaxUint64), 5.0
	return &Result{ID: "dasp/table5", Title: "Table 5 [mean] <iteration> time", Source: "DASP, Table 5", Profile: "quick",
		Kind: TimingOnly, Status: "complete", Seeds: []uint64{0, seed}, Engine: "portable",
		Data:   &Data{Name: "none", Origin: "synthetic", SHA256: ""},
		Config: map[string]any{"workers": 6, "alpha": 0.5, "third": 1.0 / 3},
		Claims: []Claim{{ID: "D13", Statement: "s", Source: "DASP", Paper: 82.1, Unit: "%", Tolerance: &tol,
			Measured: 100.0 / 3, CI95: &[2]float64{1, 2}, Verdict: "same-sign", Differs: []string{"data"}}},
		Tables: []Table{{ID: "t", Title: "t", Kind: TimingOnly, Columns: []Column{{Key: "m", Title: "method"}, {Key: "s", Title: "time", Unit: "s"}},
			Rows: [][]any{{"BSP, [a", 1.0 / 3}, {"DASP] b", nil}}}},
		Figures: []Figure{{ID: "f", Title: "f", Alt: "a line", Kind: TimingOnly, Form: "line", X: Axis{Title: "x", Unit: "s"}, Y: Axis{Title: "y"},
			Series: []Series{{Name: "BSP", Seed: &seed, X: []float64{0, 1e-9}, Y: []float64{1e22, -2.5}}},
			Bands:  []Band{{Lane: 0, From: 0, To: 1.5, State: "WSS"}}}},
		Notes: []string{"5 % < 6 & \"quoted\" 1.23456789012345"}}
}

func TestWriteReadIsStable(t *testing.T) {
	dir := t.TempDir()
	path, err := Write(dir, sample(), &Run{Command: "gradsync run dasp/table5"})
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "dasp", "table5.json"); path != want {
		t.Errorf("Write went to %s, want %s", path, want)
	}
	first, _ := os.ReadFile(path)
	back, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Encode(back)
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("writing what was read changes the bytes: %v\n%s", err, cmp.Diff(string(first), string(again)))
	}
	text := string(first)
	for _, want := range []string{
		`["BSP, [a", 0.333333333]`,        // rounded, a row on one line
		`[0, 18446744073709551615]`,       // a seed keeps all its digits
		`<iteration>`, `1.23456789012345`, // strings are left alone
		`"x": [0, 1e-09]`, `"y": [1e+22, -2.5]`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the file lacks %s:\n%s", want, text)
		}
	}
	run, err := ReadRun(path)
	if err != nil || run.ResultSHA256 != Sum(first) {
		t.Errorf("the sidecar names result %v (%v), want %s", run, err, Sum(first))
	}
	table, _ := os.ReadFile(filepath.Join(dir, "dasp", "table5.csv"))
	for _, want := range []string{"claim,D13,0,s,measured,%,33.3333333", "figure,f,1,BSP (seed 18446744073709551615),y,,-2.5", `table,t,1,DASP] b,s,s,` + "\n"} {
		if !strings.Contains(string(table), want) {
			t.Errorf("the CSV lacks %q:\n%s", want, table)
		}
	}
	left, _ := filepath.Glob(filepath.Join(dir, "dasp", ".tmp-*"))
	if len(left) != 0 {
		t.Errorf("temporary files stay behind: %v", left)
	}
}

func TestPathOfOtherProfiles(t *testing.T) {
	if got, want := Path("r", "dasp/table5", "ci"), filepath.Join("r", "dasp", "ci", "table5.json"); got != want {
		t.Errorf("Path(ci) = %s, want %s", got, want)
	}
}

func TestNotFiniteIsRefused(t *testing.T) {
	r := sample()
	r.Tables[0].Rows[0][1] = math.NaN()
	if _, err := Write(t.TempDir(), r, nil); err == nil || !strings.Contains(err.Error(), "dasp/table5") {
		t.Errorf("a NaN was written: %v", err)
	}
}

func TestDiff(t *testing.T) {
	a, b := sample(), sample()
	b.Config = map[string]any{"workers": 6, "alpha": 0.5, "third": 1.0/3 + 1e-15} // below 9 digits
	if d, err := Diff(a, b); err != nil || len(d) != 0 {
		t.Errorf("Diff of equal results = %v, %v", d, err)
	}
	b.Claims[0].Measured = 33.4
	b.Notes = nil
	d, err := Diff(a, b)
	if err != nil {
		t.Fatal(err)
	}
	want := []Difference{{Path: "claims[0].measured", A: json.Number("33.3333333"), B: json.Number("33.4")},
		{Path: "notes", A: []any{a.Notes[0]}}}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("Diff (-want +got):\n%s", diff)
	}
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(SchemaJSON))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("result.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("result.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func obeys(t *testing.T, s *jsonschema.Schema, r *Result) error {
	t.Helper()
	raw, err := Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

func TestSchema(t *testing.T) {
	s := schema(t)
	if err := obeys(t, s, sample()); err != nil {
		t.Errorf("the sample disobeys the schema: %v", err)
	}
	for name, spoil := range map[string]func(*Result){
		"a capped verdict better than same-sign": func(r *Result) { r.Claims[0].Verdict = "within" },
		"differs without a reason":               func(r *Result) { r.Claims[0].Verdict = "differs" },
		"an unknown verdict":                     func(r *Result) { r.Claims[0].Verdict = "fine" },
		"an unknown kind":                        func(r *Result) { r.Kind = "measured" },
		"an unknown profile":                     func(r *Result) { r.Profile = "fast" },
		"a figure without words":                 func(r *Result) { r.Figures[0].Alt = "" },
	} {
		r := sample()
		spoil(r)
		if obeys(t, s, r) == nil {
			t.Errorf("the schema lets pass: %s", name)
		}
	}
}

// Every committed result obeys the schema and is written as Encode writes it.
func TestCommittedResults(t *testing.T) {
	s := schema(t)
	for _, pattern := range []string{"../results/*/*.json", "../results/*/*/*.json"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, ".run.json") {
				continue
			}
			r, err := Read(f)
			if err != nil {
				t.Error(err)
				continue
			}
			if err := obeys(t, s, r); err != nil {
				t.Errorf("%s: %v", f, err)
			}
			disk, _ := os.ReadFile(f)
			if raw, _ := Encode(r); !bytes.Equal(raw, disk) {
				t.Errorf("%s was not written by this Encode", f)
			}
		}
	}
}
