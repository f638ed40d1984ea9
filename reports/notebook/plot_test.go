package notebook

import (
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// A text draws any frame: of its own result by plot, and in a story by Plot, in the words of both languages, with
// every bar said in the alt text.
func TestTextsDrawFrames(t *testing.T) {
	b := opened(t)
	r := oktest.Must(find("dasp/table7", "standard"))(t)
	page := &Page{Result: r, book: b}
	words := []string{"x=model", "y=over_bsp", "by=method", "platform=heterogeneous6"}
	f := oktest.Must(page.Plot("bars", "bar", "convergence", words...))(t)
	en, zh := f.Drawn[0], f.Drawn[1]
	if len(en.Series) != 5 || len(en.X.Categories) != 3 || en.Series[0].Group != "bsp" || en.Series[0].Y[0] != 1 || len(zh.Series) != 5 {
		t.Errorf("%+v", en)
	}
	row, err := b.page(0, r, nil).rows("convergence", "platform", "heterogeneous6", "model", "lenet5", "method", "asp")
	if err != nil || len(row) != 1 {
		t.Fatal(err)
	}
	asp, _ := row[0].Get("over_bsp")
	x, _ := float(asp)
	if got := en.Series[1].Y[0]; got != x || en.Series[1].Lo[0] != asp.CI[0] {
		t.Errorf("ASP %v from %v, its row has %v", got, en.Series[1].Lo[0], asp)
	}
	if said := "LeNet-5 ASP " + Number(x, nil); !strings.Contains(f.Alt[0], said) || !strings.Contains(f.Alt[1], said) || strings.Count(f.Alt[0], ";") != 14 {
		t.Errorf("alt: %q and %q, want %q", f.Alt[0], f.Alt[1], said)
	}
	story, err := b.Narrative(0, "dasp.story",
		`{{with result "dasp/table7" "standard"}}{{.Plot "bars" "bar" "convergence" "x=model" "y=over_bsp"}}{{end}}`, find, nil)
	if want := "\x02place plot dasp/table7 standard bars bar convergence x=model y=over_bsp\x03"; err != nil || strings.TrimSpace(story) != want {
		t.Errorf("%q, %v", story, err)
	}
	for name, c := range map[string]struct {
		form, frame string
		words       []string
		says        string
	}{
		"form":   {"map", "convergence", words, `no "map"`},
		"frame":  {"bar", "nothing", words, `no frame "nothing"`},
		"column": {"bar", "convergence", []string{"x=model", "y=nothing"}, `no column "nothing"`},
		"where":  {"bar", "convergence", []string{"x=model", "y=over_bsp", "nothing=1"}, "no column nothing"},
		"word":   {"bar", "convergence", []string{"model"}, `"model" is no word and its value`},
		"axes":   {"bar", "convergence", []string{"y=over_bsp"}, "along x"},
		"no row": {"bar", "convergence", []string{"x=model", "y=over_bsp", "platform=other"}, "no row"},
	} {
		if _, err := page.Plot("bars", c.form, c.frame, c.words...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// A line says the two ends that it has.
func TestLinesAreHeard(t *testing.T) {
	p := opened(t).page(0, sample(t, 3), nil)
	d := Drawing{Form: "line", X: Axis{Unit: "s"}, Y: Axis{Title: "accuracy", Unit: "%"},
		Series: []Series{{Name: "ASP", X: []float64{1, 2, 4}, Y: []float64{10, 20, 30}}, {Name: "one", X: []float64{3}, Y: []float64{5}}}}
	if got, want := strings.ReplaceAll(p.heard(d), nbsp, " "), "accuracy: 1 s ASP 10 %; 4 s ASP 30 %; 3 s one 5 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A notebook places what a page draws, of its own result or of another, the same in both languages; marks what
// readers choose by; and says what an empty cell means.
func TestNotebooksPlaceComponents(t *testing.T) {
	text := "# T\n\n{{place \"strip\" \"dasp/x\" \"times\" \"name=method\"}}\n\n{{with result \"dasp/y\" \"quick\"}}{{.Plot \"p\" \"line\" \"times\" " +
		"\"x=link\" \"y=seconds\"}}{{end}}\n\n" +
		"{{table \"?link seconds\" (rows \"times\")}}\n\n{{claims}}{{define \"own\"}}{{end}}\n"
	files := folder(text, text)
	for _, lang := range Languages {
		name := "labels." + lang + ".csv"
		files[name].Data = append(files[name].Data, "empty.times.seconds,never in "+lang+"\n"...)
	}
	b := oktest.Must(Open(files))(t)
	other := sample(t, 3)
	other.ID = "dasp/y"
	p := oktest.Must(b.Page(sample(t, 3), func(id, profile string) (*result.Result, error) { return other, nil }))(t)
	var placed []string
	for _, part := range p.Parts {
		if part.Placed != nil {
			placed = append(placed, strings.Join(part.Placed, " "))
		}
		if part.Table == nil {
			continue
		}
		if h := part.Table.Head; !h[0].Asked || h[1].Asked {
			t.Errorf("asked: %+v", h)
		}
		if c := part.Table.Rows[3]; c[1].Text != (Both{"never in en", "never in zh"}) || c[1].Empty || len(c[0].Items) != 1 || c[0].Items[0] != Alike("10") {
			t.Errorf("row %+v", c)
		}
	}
	if got, want := strings.Join(placed, "; "), "strip dasp/x times name=method; plot dasp/y quick p line times x=link y=seconds"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !strings.Contains(p.Text(0), "strip dasp/x") {
		t.Error("the text leaves out what is placed")
	}
	if _, err := rendered(t, text, strings.Replace(text, "name=method", "name=link", 1), sample(t, 3)); err == nil || !strings.Contains(err.Error(),
		"other blocks") {
		t.Errorf("the languages place other components: %v", err)
	}
}
