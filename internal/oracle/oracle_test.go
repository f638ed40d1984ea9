package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	judge "gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/internal/oracle/before"
)

// Every committed result of version 2 whose seeds are those of version 1 has its numbers.
func TestOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	old, err := frozen()
	if err != nil {
		t.Fatal(err)
	}
	list, err := parseAllowed(allowedCSV)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := ported("../../experiments/results", "", "")
	if err != nil {
		t.Fatal(err)
	}
	books := open("../..")
	for _, r := range fresh {
		v1 := old[r.ID+" "+r.Profile]
		if v1 == nil || !slices.Equal(v1.Seeds, r.Seeds) {
			continue
		}
		rep := compare(v1, r, books.page(r))
		rep.allow(list, r.ID, r.Profile)
		if len(rep.differences) > 0 {
			t.Error(rep.String())
		}
	}
	for _, a := range list {
		if !a.used {
			t.Errorf("allowed.csv: %s matches nothing any more", a)
		}
	}
}

// converted makes a result of version 2 that holds the numbers of old: frames by table
// and series, sentences as codes.
func converted(old *before.Result) *result.Result {
	r := &result.Result{ID: old.ID, Profile: old.Profile, Seeds: old.Seeds, Engine: old.Engine, Kind: old.Kind, Status: old.Status, Data: old.Sets()}
	for _, t := range old.Tables {
		r.Frames = append(r.Frames, tableFrame(t))
	}
	for _, g := range old.Figures {
		f := figureFrame(g)
		r.Frames = append(r.Frames, f)
		r.Figures = append(r.Figures, result.Figure{ID: g.ID, Frame: f.ID, X: "x", Y: []string{"y"}, By: []string{"series"}})
	}
	for _, c := range old.Claims {
		r.Claims = append(r.Claims, coded(c))
	}
	for i, s := range old.Notes {
		r.Facts = append(r.Facts, result.Fact{Key: fmt.Sprint("note", i), Value: values(s)})
	}
	return r
}

// values are the numbers of a text.
func values(s string) []any {
	out := []any{}
	for _, n := range numbersIn(s) {
		out = append(out, n.value)
	}
	return out
}

func tableFrame(t before.Table) result.Frame {
	f := result.Frame{ID: t.ID}
	for _, c := range t.Columns {
		f.Columns = append(f.Columns, result.Column{Key: c.Key})
	}
	f.Columns = append(f.Columns, result.Column{Key: "words"})
	for _, row := range t.Rows {
		now, words := slices.Clone(row), []any{}
		for i, x := range row {
			if s, ok := x.(string); ok {
				now[i], words = "key", append(words, values(s)...)
			}
		}
		f.Rows = append(f.Rows, append(now, words))
	}
	return f
}

func figureFrame(g before.Figure) result.Frame {
	f := result.Frame{ID: "drawn-" + g.ID, Columns: []result.Column{{Key: "series"}, {Key: "x"}, {Key: "y"},
		{Key: "y_lo", Bound: result.Low}, {Key: "y_hi", Bound: result.High}}}
	for i, s := range g.Series {
		for j := range s.Y {
			row := []any{fmt.Sprint(i), s.X[j], s.Y[j], nil, nil}
			if s.Lo != nil {
				row[3], row[4] = s.Lo[j], s.Hi[j]
			}
			f.Rows = append(f.Rows, row)
		}
	}
	for _, b := range g.Bands {
		f.Rows = append(f.Rows, []any{"band", b.From, b.To, nil, nil})
	}
	return f
}

func coded(c before.Claim) result.Claim {
	d := result.Claim{ID: c.ID, Verdict: c.Verdict, Remark: remark(c)}
	switch m := c.Measured.(type) {
	case float64:
		d.Measured = m
	case string:
		switch {
		case isList(m):
			list := []any{}
			for _, s := range strings.Split(m, "; ") {
				x, _ := strconv.ParseFloat(s, 64)
				list = append(list, x)
			}
			d.Measured = list
		case fmt.Sprint(c.Paper) == m:
			d.Found = &result.Reason{Code: judge.AsStated}
		default:
			d.Found = &result.Reason{Code: c.ID, Args: map[string]any{"list": values(m)}}
		}
	}
	if c.CI95 != nil {
		d.CI95 = []*[2]float64{c.CI95}
	}
	for _, s := range strings.Split(c.Why, "; ") {
		d.Reasons = append(d.Reasons, result.Because("r", "list", values(s)))
	}
	for _, s := range c.Differs {
		d.Differs = append(d.Differs, result.Because("d", "list", values(s)))
	}
	return d
}

// A result with all numbers of its predecessor differs in nothing, whichever it is.
func TestFindsEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	old, err := frozen()
	if err != nil {
		t.Fatal(err)
	}
	if len(old) != 183 {
		t.Errorf("%d frozen results, want 183", len(old))
	}
	var all report
	for _, v1 := range old {
		rep := compare(v1, converted(v1), pageText{})
		if len(rep.differences) > 0 {
			t.Error(rep.String())
		}
		all.add(rep)
	}
	t.Log(all.sum())
}

// Every change of a result is reported where it was made.
func TestFindsChanges(t *testing.T) {
	old, err := frozen()
	if err != nil {
		t.Fatal(err)
	}
	v1 := old["dasp/table7 quick"]
	ratios := old["dasp/table6 quick"]
	curve := old["dasp/fig3 quick"]
	gantt := old["dasp/fig2 quick"]
	cell := func(r *result.Result, k int) *any { return &r.Frames[0].Rows[2][k] }
	for _, c := range []struct {
		name, what string
		of         *before.Result
		spoil      func(r *result.Result)
	}{
		{"a cell by 1e-5", "table convergence", v1, func(r *result.Result) { *cell(r, 1) = (*cell(r, 1)).(float64) * (1 + 1e-5) }},
		{"a cell in its ninth digit", "table convergence", v1, func(r *result.Result) { *cell(r, 1) = 1.44516986 }},
		{"an empty cell", "table convergence", v1, func(r *result.Result) { *cell(r, 1) = nil }},
		{"a row", "table convergence", v1, func(r *result.Result) { r.Frames[0].Rows = r.Frames[0].Rows[1:] }},
		{"a frame", "table convergence", v1, func(r *result.Result) { r.Frames = r.Frames[1:] }},
		{"a row that equals another", "table convergence-vgg19_bn", v1, func(r *result.Result) {
			r.Frames[2].Rows = slices.Delete(r.Frames[2].Rows, 1, 2)
		}},
		{"a verdict", "claim D27", v1, func(r *result.Result) { r.Claims[0].Verdict = judge.SameSign }},
		{"a remark", "claim D49", ratios, func(r *result.Result) { r.Claim("D49").Remark = "" }},
		{"what was measured", "claim D27", v1, func(r *result.Result) { r.Claims[0].Measured = 39.3062086 }},
		{"an interval", "claim D27", v1, func(r *result.Result) { r.Claims[0].CI95 = nil }},
		{"a reason", "claim D27", v1, func(r *result.Result) { r.Claims[0].Reasons = r.Claims[0].Reasons[:2] }},
		{"what differs", "claim D27", v1, func(r *result.Result) { r.Claims[0].Differs = r.Claims[0].Differs[1:] }},
		{"a number of a reason", "claim D49", ratios, func(r *result.Result) {
			r.Claim("D49").Reasons = slices.Repeat([]result.Reason{{Code: "r"}}, 9)
		}},
		{"a claim", "claim D27", v1, func(r *result.Result) { r.Claims = r.Claims[1:] }},
		{"a claim of its own", "claim X1", v1, func(r *result.Result) { r.Claims = append(r.Claims, result.Claim{ID: "X1"}) }},
		{"a number of a note", "notes", v1, func(r *result.Result) { r.Facts = r.Facts[:3] }},
		{"a point", "figure " + curve.Figures[0].ID, curve, func(r *result.Result) { r.Frames[len(curve.Tables)].Rows[5][2] = 0.5 }},
		{"the x of a point", "figure " + curve.Figures[0].ID, curve, func(r *result.Result) { r.Frames[len(curve.Tables)].Rows[5][1] = 0.5 }},
		{"a figure", "figure " + curve.Figures[0].ID, curve, func(r *result.Result) { r.Figures = r.Figures[1:] }},
		{"a band", "figure " + gantt.Figures[0].ID, gantt, func(r *result.Result) { r.Frames[len(gantt.Tables)].Rows[5][2] = 0.123 }},
	} {
		r := converted(c.of)
		c.spoil(r)
		rep := compare(c.of, r, pageText{})
		if !slices.ContainsFunc(rep.differences, func(d difference) bool { return d.what == c.what }) {
			t.Errorf("%s: want a difference of %s, got\n%s", c.name, c.what, rep.String())
		}
	}
}

// A committed result that is changed differs, with its page rendered from the changed one.
func TestFindsChangesOfACommittedResult(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	old, err := frozen()
	if err != nil {
		t.Fatal(err)
	}
	const id = "dasp/table7"
	books := open("../..")
	for name, spoil := range map[string]func(r *result.Result) int{
		"nothing": func(*result.Result) int { return 0 },
		"a cell by 1e-5": func(r *result.Result) int {
			f := r.Frame("convergence")
			row := f.Rows[2]
			row[f.At("seconds")] = row[f.At("seconds")].(float64) * (1 + 1e-5)
			return 1
		},
		"a row": func(r *result.Result) int {
			f := r.Frame("convergence")
			f.Rows = f.Rows[1:]
			return 1
		},
		"a verdict":      func(r *result.Result) int { r.Claim("D27").Verdict = judge.NotRun; return 1 },
		"a reason":       func(r *result.Result) int { c := r.Claim("D27"); c.Reasons = c.Reasons[:len(c.Reasons)-1]; return 1 },
		"what differs":   func(r *result.Result) int { c := r.Claim("D27"); c.Differs = c.Differs[1:]; return 1 },
		"what was found": func(r *result.Result) int { r.Claim("D27").Measured = 39.3062088; return 1 },
	} {
		r, err := result.Read(result.Path("../../experiments/results", id, "quick"))
		if err != nil {
			t.Fatal(err)
		}
		want := spoil(r)
		rep := compare(old[id+" quick"], r, books.page(r))
		rep.info = nil
		if got := len(rep.differences); want == 0 && got != 0 || want > 0 && got == 0 {
			t.Errorf("%s changed: %s", name, rep.String())
		}
	}
}

// A number of a note must stand on the page where there is one: what the data has is not
// enough.
func TestReadsThePage(t *testing.T) {
	old := &before.Result{ID: "x/y", Notes: []string{"12 of 340 were late, by 5.25 ms."}}
	r := &result.Result{ID: "x/y", Facts: []result.Fact{{Key: "late", Value: 12.0}, {Key: "by", Value: 5.25}, {Key: "of", Value: 340.0}}}
	for words, want := range map[string]int{"": 0, "12 of 340, 5.2513 ms": 0, "12 of 340, 5.3 ms": 0, "12 of 341, 5.4 ms": 2} {
		if rep := compare(old, r, pageText{words: words}); len(rep.differences) != want {
			t.Errorf("page %q: want %d differences, got\n%s", words, want, rep.String())
		}
	}
	if rep := compare(old, r, pageText{err: errors.New("no label")}); len(rep.differences) != 1 || rep.differences[0].what != "page" {
		t.Error(rep.String())
	}
}

// The ends of a figure's interval are found as such and as halves, and not where others are.
func TestFindsBounds(t *testing.T) {
	old := &before.Result{ID: "x/y", Figures: []before.Figure{{ID: "f", Form: "bar", Series: []before.Series{
		{Name: "s", X: []float64{0, 1}, Y: []float64{1.5, 2}, Lo: []float64{1.25, 1.75}, Hi: []float64{1.75, 2.25}}}}}}
	r := &result.Result{ID: "x/y", Frames: []result.Frame{{ID: "f", Columns: []result.Column{{Key: "k"}, {Key: "y"}, {Key: "h", Bound: result.Half}},
		Rows: [][]any{{"b", 2.0, 0.25}, {"a", 1.5, 0.25}}}}, Figures: []result.Figure{{ID: "f", Frame: "f", X: "k", Y: []string{"y"}}}}
	if rep := compare(old, r, pageText{}); len(rep.differences) > 0 || rep.points != 2 {
		t.Error(rep.String())
	}
	r.Frames[0].Rows[0][2] = 0.251
	if rep := compare(old, r, pageText{}); len(rep.differences) != 1 {
		t.Errorf("another half: %s", rep.String())
	}
}

func TestNumbersIn(t *testing.T) {
	for text, want := range map[string]string{
		"ResNet-18 and VGG-19-BN, S51, N−1, W0, Table 6, Tables 1–2, § 3.2, 95 % interval": "",
		"the 95 % interval [-12.73, 67.32] contains the null 0":                            "12.73 67.32 0",
		"direct 46 %, bitmap 54 %":         "46% 54%",
		"1,234.5 of 268800 at 1e-05":       "1,234.5 268800 1e-05",
		"1/8 of 16×16 images, 10⁻⁵":        "1 8 16 16",
		"like Deep Speech 2, as in (19)":   "",
		"7e54ca409455, loss +1.4e−09, 5 a": "1.4e−09 5",
		"8.3·10⁻³ of 1.2 × 10⁻¹²":          "8.3·10⁻³ 1.2 × 10⁻¹²",
		"from 0.13 to 0.26 ms (N = 8)":     "0.13 0.26 8",
	} {
		var got []string
		for _, n := range numbersIn(text) {
			if n.percent {
				n.text += "%"
			}
			got = append(got, n.text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("numbersIn(%q) = %v, want %s", text, got, want)
		}
	}
	p := newPool([]float64{-45.71, 0.123456, 1200, 0.00834}, "about 3.14 and 7")
	for text, want := range map[string]bool{"46 %": true, "45 %": false, "12 %": true, "0.1235": true, "0.1236": false,
		"3.1416": true, "3.2": false, "7.4": false, "7": true, "1,200": true, "8.3·10⁻³": true, "8.4·10⁻³": false} {
		if got := p.has(numbersIn(text)[0]); got != want {
			t.Errorf("pool has %s: %t, want %t", text, got, want)
		}
	}
}

// Exceptions take differences out, count them, and are reported once nothing needs them.
func TestAllowed(t *testing.T) {
	list, err := parseAllowed([]byte("id,profile,what,number,reason\na/b,*,table t,1.5,gone\na/b,ci,claim*,*,gone\na/c,*,notes,*,gone\n"))
	if err != nil {
		t.Fatal(err)
	}
	rep := report{differences: []difference{{"table t", "1.5", ""}, {"table t", "1.6", ""}, {"claim D1", "verdict", ""}}}
	rep.allow(list, "a/b", "quick")
	if rep.allowed != 1 || len(rep.differences) != 2 {
		t.Errorf("allowed %d, left %v", rep.allowed, rep.differences)
	}
	rep.allow(list, "a/b", "ci")
	if rep.allowed != 2 || len(rep.differences) != 1 || !list[0].used || !list[1].used || list[2].used {
		t.Errorf("allowed %d, left %v", rep.allowed, rep.differences)
	}
	for _, bad := range []string{"id,profile\n", "id,profile,what,number,reason\na/b,*,*,*,\n"} {
		if _, err := parseAllowed([]byte(bad)); err == nil {
			t.Errorf("taken: %q", bad)
		}
	}
	var out bytes.Buffer
	if code := run(&out, t.TempDir(), "", "", allowedCSV); code != 2 {
		t.Errorf("no results at all give %d:\n%s", code, out.String())
	}
}
