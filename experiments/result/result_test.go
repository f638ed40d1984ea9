package result

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gradsync/internal/oktest"
)

const largest = uint64(math.MaxUint64)

// digitsOf returns d for Fact.Digits and Column.Digits.
func digitsOf(d int) *int { return &d }

// sample returns a result that has something of everything.
func sample() *Result {
	yes, one := true, [2]float64{1, 2}
	frame := Frame{ID: "times", Kind: TimingOnly, Columns: []Column{{Key: "method", Enum: "method"}, {Key: "link", Unit: "Gb/s"},
		{Key: "seconds", Unit: "s", Digits: digitsOf(3)}, {Key: "seconds_half", Unit: "s", Bound: Half},
		{Key: "seconds_samples", Unit: "s", Bound: Samples}, {Key: "late"}},
		Rows: [][]any{{"bsp", 1, 1.0 / 3, 0.1, []any{0.25, 0.5, 0.25}, false}, {"bsp", 10, 2.5, nil, nil, true}, {"bsp", 40, 2.5, nil, nil, nil},
			{"asp", 1, nil, nil, nil, nil}, {"asp", 10, 1e-9, nil, nil, nil}}}
	return &Result{ID: "dasp/table5", Source: "DASP, Table 5", Profile: "quick", Kind: Trained, Status: Complete,
		Seeds: []uint64{0, 1, largest}, Engine: "asm fma32",
		Data:   []Data{{Name: "mnist", Origin: "embedded", Train: 10, Test: 5, SHA256: "00"}},
		Config: map[string]any{"workers": 6, "third": 1.0 / 3, "platform": "heterogeneous6, 100 Gb/s"},
		Facts: []Fact{{Key: "ratio", Value: 2.0 / 3, CI95: &one, N: 3, Samples: []float64{0.5, 1}, Digits: digitsOf(0)},
			{Key: "side", Value: "below", Enum: "side"}, {Key: "missed", Value: true, Enum: "bool"}, {Key: "none", Value: nil}},
		Frames: []Frame{frame, {ID: "empty", Columns: []Column{{Key: "a"}, {Key: "b"}}, Rows: [][]any{}}},
		Figures: []Figure{{ID: "f", Form: "line", Frame: "times", Where: map[string]any{"method": "bsp", "link": 1}, X: "link", Y: []string{"seconds"},
			By: []string{"method"}, Log: "xy", Colours: "method"}},
		Claims: []Claim{{ID: "D13", Measured: 100.0 / 3, CI95: []*[2]float64{&one}, Samples: [][]float64{{30, 40}},
			Seeds: 3, Verdict: "undecided", Remark: "derived",
			Reasons: []Reason{Because("ci-contains-null", "lo", -1.5, "hi", 2)},
			Differs: []Reason{Because("data", "was", "mnist", "list", []string{"a", "b"})}, Table: "5", Network: "lenet5"},
			{ID: "D42", Measured: []float64{1, 2}, CI95: []*[2]float64{&one, nil}, Verdict: "within"},
			{ID: "D40", Found: &Reason{Code: "D40"}, Verdict: "holds",
				Parts: []Part{{Of: map[string]string{"method": "bsp"}, Value: 1.5, CI95: &one, Holds: &yes},
					{Of: map[string]string{"method": "asp"}, Value: 0.5, CI95: &one, Undecided: true}}}}}
}

// What Write writes is read back as it was, numbers rounded, and written again to the
// same bytes: frames by column, a repeated cell once, samples as lists.
func TestWriteReadIsStable(t *testing.T) {
	dir := t.TempDir()
	path := oktest.Must(Write(dir, sample(), &Run{Command: "gradsync run dasp/table5"}))(t)
	if want := filepath.Join(dir, "dasp", "table5.json"); path != want {
		t.Errorf("Write went to %s, want %s", path, want)
	}
	first, _ := os.ReadFile(path)
	back := oktest.Must(Read(path))(t)
	if again, err := Encode(back); err != nil || !bytes.Equal(first, again) {
		t.Errorf("writing what was read changes the bytes: %v\n%s", err, cmp.Diff(string(first), string(again)))
	}
	for _, want := range []string{
		`"runs": ["bsp", 3, "asp", 2]`,                          // a word once
		`"cells": [1, 10, 40, 1, 10]`,                           // what does not repeat as it is
		`"cells": [0.333333333, 2.5, 2.5, null, 1e-09]`,         // rounded
		`[0, 1, 18446744073709551615]`,                          // a seed keeps all its digits
		`"platform": "heterogeneous6, 100 Gb/s"`, `"digits": 0`, // strings are left alone, no digits are digits
	} {
		if !strings.Contains(string(first), want) {
			t.Errorf("the file lacks %s:\n%s", want, first)
		}
	}
	f := back.Frame("times")
	want := [][]any{{"bsp", 1.0, 0.333333333, 0.1, []any{0.25, 0.5, 0.25}, false}, {"bsp", 10.0, 2.5, nil, nil, true}, {"bsp", 40.0, 2.5, nil, nil, nil},
		{"asp", 1.0, nil, nil, nil, nil}, {"asp", 10.0, 1e-9, nil, nil, nil}}
	if diff := cmp.Diff(want, f.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if f.At("late") != 5 || f.At("nothing") != -1 || back.Frame("nothing") != nil || len(back.Frame("empty").Rows) != 0 {
		t.Error("columns and frames are not found by their names")
	}
	if back.Fact("side").Value != "below" || back.Fact("x") != nil || back.Claim("D42").Verdict != "within" || back.Claim("x") != nil {
		t.Error("facts and claims are not found by their names")
	}
	if run, err := ReadRun(path); err != nil || run.ResultSHA256 != Sum(first) {
		t.Errorf("the sidecar names result %v (%v), want %s", run, err, Sum(first))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "dasp", ".writing-*")); len(left) != 0 {
		t.Errorf("temporary files stay behind: %v", left)
	}
	if got, want := Path("r", "dasp/table5", "ci"), filepath.Join("r", "dasp", "ci", "table5.json"); got != want {
		t.Errorf("Path(ci) = %s, want %s", got, want)
	}
}

// Cells that are alike in the file are written once, though their numbers differ behind
// the digits of a file or in kind: else what was read would be written otherwise.
func TestCellsRepeatAsTheyAreWritten(t *testing.T) {
	r := sample()
	r.Frames = append(r.Frames, Frame{ID: "near", Columns: []Column{{Key: "x"}, {Key: "keys"}},
		Rows: [][]any{{1.0, []any{"a", "b"}}, {1.00000000001, []any{"a", "b"}}, {1, []any{"a"}}, {1.0, []any{"a"}}, {1.0, nil}}})
	first := oktest.Must(Encode(r))(t)
	if !strings.Contains(string(first), `"runs": [1, 5]`) {
		t.Errorf("the file has no five cells of 1:\n%s", first)
	}
	back := oktest.Must(Decode("near", first))(t)
	if again, err := Encode(back); err != nil || !bytes.Equal(first, again) {
		t.Errorf("writing what was read changes the bytes: %v\n%s", err, cmp.Diff(string(first), string(again)))
	}
	oktest.Nil(t, valid(compile(t, SchemaJSON), first))
}

// A file of another version is told from a broken one, and fields that nobody knows,
// frames whose columns have other lengths and runs of odd lengths are refused.
func TestReadRefuses(t *testing.T) {
	raw := oktest.Must(Encode(sample()))(t)
	for name, c := range map[string]struct {
		from, to string
		schema   bool
	}{
		"version 1":        {`"gradsync.result/v2"`, `"gradsync.result/v1"`, true},
		"version 3":        {`"gradsync.result/v2"`, `"gradsync.result/v3"`, true},
		"no version":       {`"schema": "gradsync.result/v2",`, ``, true},
		"no JSON":          {`{`, ``, false},
		"another field":    {`"source":`, `"title": "T", "source":`, false},
		"a frame's field":  {`"kind": "timing-only"`, `"caption": "c"`, false},
		"a column's field": {`"enum": "method"`, `"title": "method"`, false},
		"a claim's field":  {`"remark":`, `"why":`, false},
		"a shorter column": {`[1, 10, 40, 1, 10]`, `[1, 10, 40, 1]`, false},
		"a longer run":     {`["bsp", 3, "asp", 2]`, `["bsp", 3, "asp", 3]`, false},
		"a half run":       {`["bsp", 3, "asp", 2]`, `["bsp", 3, "asp"]`, false},
		"a run of words":   {`["bsp", 3, "asp", 2]`, `["bsp", "bsp", "asp", 2]`, false},
		"a negative run":   {`["bsp", 3, "asp", 2]`, `["bsp", 6, "asp", -1]`, false},
		"half a cell":      {`["bsp", 3, "asp", 2]`, `["bsp", 3.5, "asp", 1.5]`, false},
		"a sentence":       {`"below"`, `"it is below"`, false},
		"something behind": {"\n}\n", "\n}\n{}", false},
	} {
		spoiled := strings.Replace(string(raw), c.from, c.to, 1)
		if spoiled == string(raw) {
			t.Fatalf("%s: the file lacks %s:\n%s", name, c.from, raw)
		}
		if _, err := Decode("f", []byte(spoiled)); err == nil || errors.Is(err, errSchema) != c.schema {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
}

// spoilt are results that no file may hold.
var spoilt = map[string]func(*Result){
	"NaN in a frame":             func(r *Result) { r.Frames[0].Rows[0][2] = math.NaN() },
	"infinite samples":           func(r *Result) { r.Frames[0].Rows[0][4] = []float64{math.Inf(1)} },
	"NaN in a fact":              func(r *Result) { r.Facts[0].Value = math.NaN() },
	"NaN in a configuration":     func(r *Result) { r.Config = map[string]any{"a": math.NaN()} },
	"NaN in a claim":             func(r *Result) { r.Claims[0].Measured = math.NaN() },
	"a sentence in a frame":      func(r *Result) { r.Frames[0].Rows[0][0] = "bulk synchronous" },
	"a sentence in a fact":       func(r *Result) { r.Facts[1].Value = "it is below" },
	"a long key":                 func(r *Result) { r.Facts[1].Value = strings.Repeat("x", 61) },
	"a sentence in a reason":     func(r *Result) { r.Claims[0].Reasons[0].Args["lo"] = "the lower end" },
	"a sentence as a code":       func(r *Result) { r.Claims[0].Reasons[0].Code = "an interval" },
	"a sentence in what differs": func(r *Result) { r.Claims[0].Differs[0].Args["list"] = []string{"a b"} },
	"a sentence in what is said": func(r *Result) { r.Claims[2].Found.Args = map[string]any{"a": "it holds"} },
	"a sentence in a part":       func(r *Result) { r.Claims[2].Parts[0].Of["method"] = "bulk synchronous" },
	"a sentence in a setting":    func(r *Result) { r.Config = map[string]any{"note": "each of the six workers has a link of its own"} },
	"a fact twice":               func(r *Result) { r.Facts[1].Key = "ratio" },
	"a frame twice":              func(r *Result) { r.Frames[1].ID = "times" },
	"a column twice":             func(r *Result) { r.Frames[0].Columns[1].Key = "method" },
	"a figure twice":             func(r *Result) { r.Figures = append(r.Figures, r.Figures[0]) },
	"a claim twice":              func(r *Result) { r.Claims[1].ID = "D13" },
	"a fact without a key":       func(r *Result) { r.Facts[0].Key = "" },
	"a bound of nothing":         func(r *Result) { r.Frames[0].Columns[0].Bound = Half },
	"a short row":                func(r *Result) { r.Frames[0].Rows[1] = r.Frames[0].Rows[1][:3] },
	"a figure of no frame":       func(r *Result) { r.Figures[0].Frame = "none" },
	"a figure without its x":     func(r *Result) { r.Figures[0].X = "none" },
	"a figure of another column": func(r *Result) { r.Figures[0].Y = []string{"seconds", "none"} },
	"a figure by no column":      func(r *Result) { r.Figures[0].By = []string{"none"} },
	"a figure where nothing is":  func(r *Result) { r.Figures[0].Where["none"] = 1 },
	"a figure that draws none":   func(r *Result) { r.Figures[0].Y = nil },
}

func TestEncodeRefuses(t *testing.T) {
	for name, spoil := range spoilt {
		r := sample()
		spoil(r)
		if raw, err := Encode(r); err == nil {
			t.Errorf("%s was written:\n%s", name, raw)
		}
	}
}

func compile(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc := oktest.Must(jsonschema.UnmarshalJSON(bytes.NewReader(text)))(t)
	c := jsonschema.NewCompiler()
	oktest.Nil(t, c.AddResource("schema.json", doc))
	return oktest.Must(c.Compile("schema.json"))(t)
}

func valid(s *jsonschema.Schema, raw []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

// The schema takes what Write writes, and refuses what no reader knows.
func TestSchema(t *testing.T) {
	s := compile(t, SchemaJSON)
	raw := oktest.Must(Encode(sample()))(t)
	if err := valid(s, raw); err != nil {
		t.Errorf("the sample disobeys the schema: %v", err)
	}
	for name, spoil := range map[string]func(*Result){
		"an unknown verdict":     func(r *Result) { r.Claims[0].Verdict = "fine" },
		"an unknown remark":      func(r *Result) { r.Claims[0].Remark = "fine" },
		"an unknown kind":        func(r *Result) { r.Kind = "measured" },
		"an unknown status":      func(r *Result) { r.Status = "done" },
		"another id":             func(r *Result) { r.ID = "Table 5" },
		"an unknown form":        func(r *Result) { r.Figures[0].Form = "pie" },
		"an unknown origin":      func(r *Result) { r.Data[0].Origin = "web" },
		"an unknown bound":       func(r *Result) { r.Frames[0].Columns[3].Bound = "width" },
		"a measured text":        func(r *Result) { r.Claims[0].Measured = "33" },
		"a cell with fields":     func(r *Result) { r.Frames[0].Rows[0][0] = map[string]any{"a": 1} },
		"samples that are words": func(r *Result) { r.Frames[0].Rows[0][4] = []any{"a"} },
		"a list as a fact":       func(r *Result) { r.Facts[0].Value = []float64{1} },
	} {
		r := sample()
		spoil(r)
		if raw, err := Encode(r); err != nil || valid(s, raw) == nil {
			t.Errorf("the schema lets pass: %s (%v)", name, err)
		}
	}
	for from, to := range map[string]string{`"source": `: `"title": "T", "source": `, `"frames": [`: `"tables": [`, `/v2`: `/v1`} {
		if valid(s, []byte(strings.Replace(string(raw), from, to, 1))) == nil {
			t.Errorf("the schema lets pass: %s in place of %s", to, from)
		}
	}
}

// The schema names the fields that the types have, no other ones.
func TestSchemaNamesTheFields(t *testing.T) {
	doc := oktest.Must(jsonschema.UnmarshalJSON(bytes.NewReader(SchemaJSON)))(t)
	at := func(v any, path ...string) map[string]any {
		for _, p := range path {
			v = v.(map[string]any)[p]
		}
		return v.(map[string]any)
	}
	defs := func(path ...string) map[string]any { return at(doc, append([]string{"$defs"}, path...)...) }
	for _, c := range []struct {
		of   any
		have map[string]any
		more []string // fields of the file alone
	}{
		{Result{}, at(doc, "properties"), nil}, {Data{}, defs("data", "properties"), nil},
		{Fact{}, defs("fact", "properties"), nil}, {columns{}, defs("frame", "properties"), nil},
		{Column{}, defs("frame", "properties", "columns", "items", "properties"), []string{"cells", "runs"}},
		{Figure{}, defs("figure", "properties"), nil}, {Claim{}, defs("claim", "properties"), nil},
		{Part{}, defs("claim", "properties", "parts", "items", "properties"), nil},
		{Reason{}, defs("reason", "properties"), nil},
	} {
		want := slices.Clone(c.more)
		for i := range reflect.TypeOf(c.of).NumField() {
			name, _, _ := strings.Cut(reflect.TypeOf(c.of).Field(i).Tag.Get("json"), ",")
			want = append(want, name)
		}
		var got []string
		for name := range c.have {
			got = append(got, name)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Errorf("%T has the fields %v, the schema %v", c.of, want, got)
		}
	}
}

// Diff names every place that differs, in the order of paths, and a seed by all its digits.
func TestDiff(t *testing.T) {
	a, r := oktest.Must(Encode(sample()))(t), sample()
	r.Seeds[2]--
	r.Claims[0].Verdict = "equal"
	r.Frames[0].Rows[1][2] = 2.6
	r.Facts = r.Facts[:3]
	b := oktest.Must(Encode(r))(t)
	list, err := Diff(a, b)
	var got []string
	for _, d := range list {
		got = append(got, fmt.Sprintf("%s %v %v", d.Path, d.A, d.B))
	}
	want := []string{"claims[0].verdict undecided equal", "facts[3] map[key:none value:<nil>] <nil>", "frames[0].columns[2].cells[1] 2.5 2.6",
		"seeds[2] 18446744073709551615 18446744073709551614"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("differences %q (%v), want %q", got, err, want)
	}
	if same, err := Diff(a, a); err != nil || len(same) != 0 {
		t.Errorf("a file differs from itself: %v %v", same, err)
	}
	if _, err := Diff(a, []byte("{")); err == nil {
		t.Error("half a file was compared")
	}
}

// The hash of a configuration is that of the file it is read back from, whatever the order of its keys.
func TestConfigHash(t *testing.T) {
	type ordered struct{ B, A float64 }
	x, errX := ConfigHash(ordered{1, 1.0 / 3})
	y, errY := ConfigHash(map[string]any{"A": 0.333333333, "B": 1})
	z, errZ := ConfigHash(map[string]any{"A": 0.333333334, "B": 1})
	if x != y || x == z || errors.Join(errX, errY, errZ) != nil {
		t.Errorf("hashes %s, %s and %s", x, y, z)
	}
}

// Every committed result obeys the schema and is written as Encode writes
// it, and has a record of its run that obeys its own schema and names these bytes.
func TestCommittedResults(t *testing.T) {
	oktest.Slow(t)
	s, side := compile(t, SchemaJSON), compile(t, runSchemaJSON)
	var files []string
	for _, pattern := range []string{"../results/*/*.json", "../results/*/*/*.json"} {
		some := oktest.Must(filepath.Glob(pattern))(t)
		files = append(files, some...)
	}
	if len(files) == 0 {
		t.Fatal("there are no committed results")
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
		disk, err := os.ReadFile(f)
		if err == nil {
			err = valid(s, disk)
		}
		if err != nil {
			t.Errorf("%s: %v", f, err)
		}
		if raw, err := Encode(r); err != nil || !bytes.Equal(raw, disk) {
			t.Errorf("%s was not written by this Encode (%v)", f, err)
		}
		if want := Path(filepath.FromSlash("../results"), r.ID, r.Profile); f != want {
			t.Errorf("%s holds the result of %s", f, want)
		}
		run, err := os.ReadFile(strings.TrimSuffix(f, ".json") + ".run.json")
		if err == nil {
			err = valid(side, run)
		}
		if of, errRun := ReadRun(f); err != nil || errRun != nil || of.ResultSHA256 != Sum(disk) {
			t.Errorf("%s: its record: %v, %v, or it names another result", f, err, errRun)
		}
	}
}
