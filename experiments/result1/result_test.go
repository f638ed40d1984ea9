package result1

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gradsync/experiments/result"
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
	left, _ := filepath.Glob(filepath.Join(dir, "dasp", ".writing-*"))
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

func schema(t *testing.T) *jsonschema.Schema { t.Helper(); return compile(t, SchemaJSON) }

func compile(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// obeysRun judges the sidecar of the result at path.
func obeysRun(s *jsonschema.Schema, path string) error {
	raw, err := os.ReadFile(strings.TrimSuffix(path, ".json") + ".run.json")
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if err := s.Validate(doc); err != nil {
		return err
	}
	run, err := ReadRun(path)
	if err != nil {
		return err
	}
	of, err := os.ReadFile(path)
	if err == nil && run.ResultSHA256 != Sum(of) {
		err = fmt.Errorf("the sidecar names result %s, the file is %s", run.ResultSHA256, Sum(of))
	}
	return err
}

// What Write puts beside a result obeys the schema; another field, a missing one and a
// commit that is none do not.
func TestRunSchema(t *testing.T) {
	s := compile(t, result.RunSchemaJSON)
	path, err := Write(t.TempDir(), sample(), &Run{Command: "c", Commit: "unknown", Go: "go1", Platform: "linux/amd64", GOMAXPROCS: 2, Engine: "none", Started: "2026-01-02T03:04:05Z"})
	if err != nil {
		t.Fatal(err)
	}
	if err := obeysRun(s, path); err != nil {
		t.Errorf("what Write writes: %v", err)
	}
	side := strings.TrimSuffix(path, ".json") + ".run.json"
	raw, _ := os.ReadFile(side)
	for name, spoil := range map[string]func(string) string{
		"another field":   func(s string) string { return strings.Replace(s, `"dirty"`, `"host": "a name", "dirty"`, 1) },
		"a missing field": func(s string) string { return strings.Replace(s, `"command": "c",`, "", 1) },
		"no commit":       func(s string) string { return strings.Replace(s, `"unknown"`, `"main"`, 1) },
		"another time":    func(s string) string { return strings.Replace(s, `T03:04:05Z`, ` 03:04`, 1) },
		"a negative time": func(s string) string { return strings.Replace(s, `"wall_seconds": 0`, `"wall_seconds": -1`, 1) },
		"other bytes":     func(s string) string { return strings.Replace(s, `"result_sha256": "`, `"result_sha256": "0`, 1) },
	} {
		if err := os.WriteFile(side, []byte(spoil(string(raw))), 0o644); err != nil {
			t.Fatal(err)
		}
		if obeysRun(s, path) == nil {
			t.Errorf("the schema lets pass: %s", name)
		}
	}
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

// Every committed result of this version obeys the schema and is written as Encode writes it, and has
// a record of its run that obeys its own schema and names these bytes.
func TestCommittedResults(t *testing.T) {
	s, side := schema(t), compile(t, result.RunSchemaJSON)
	for _, pattern := range []string{"../results/*/*.json", "../results/*/*/*.json"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, ".run.json") {
				continue
			}
			if _, err := result.Read(f); !errors.Is(err, result.ErrSchema) {
				continue // of version 2: judged in its own package
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
			if err := obeysRun(side, f); err != nil {
				t.Errorf("%s: %v", f, err)
			}
		}
	}
}
