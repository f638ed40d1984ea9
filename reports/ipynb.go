package reports

import (
	"bytes"
	_ "embed" // jupyter.md
	"errors"
	"fmt"
	"html/template"
	"image/png"
	"path/filepath"
	"slices"
	"strings"
	text "text/template"

	"gradsync/experiments/result"
	"gradsync/internal/shell"
	"gradsync/reports/chart"
	"gradsync/reports/cited"
	"gradsync/reports/draw"
	"gradsync/reports/jupyter"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/ran"
	"gradsync/reports/typeset"
)

// jupyterFile holds the words between the parts of a notebook for Jupyter.
//
//go:embed templates/jupyter.md
var jupyterFile string

// Jupyter writes the notebook of o.Experiment for Jupyter, in o.Lang, below o.Out and returns its path.
// It shows the profile that the page of the experiment shows first.
// The same results give the same bytes.
func Jupyter(o Options) (path string, err error) {
	all, err := loadSome(o.Results)
	if err != nil {
		return "", err
	}
	e, err := sidesOfExperiment(all, o)
	if err != nil {
		return "", err
	}
	s, err := page.NewScripts()
	if err != nil {
		return "", err
	}
	raw, err := jupyterOf(o, e, s)
	if err != nil {
		return "", fmt.Errorf("reports: %s: %w", o.Experiment, err)
	}
	name := o.Experiment + map[int]string{1: ".zh"}[o.Lang] + ".ipynb"
	out := page.Outputs{}
	out.Add(name, raw)
	return filepath.Join(o.Out, filepath.FromSlash(name)), out.Write(o.Out)
}

// jupyterOf makes the notebook of one experiment, whose results are e.
func jupyterOf(o Options, e []loaded, s *page.Scripts) ([]byte, error) {
	w, err := newJupyterWriter(o, e, s)
	if err != nil {
		return nil, err
	}
	if err := w.write(e); err != nil {
		return nil, err
	}
	return w.book.Bytes()
}

// sidesOfExperiment returns the results of o.Experiment, the one that a page shows first before the others.
func sidesOfExperiment(all map[string][]loaded, o Options) ([]loaded, error) {
	for _, e := range byExperiment(all[paperOf(o.Experiment)]) {
		if e[0].ID == o.Experiment {
			return firstShownFirst(e), nil
		}
	}
	verb := "run " + o.Experiment
	if paperOf(o.Experiment) == notebook.Own {
		verb = "compare"
	}
	return nil, fmt.Errorf("reports: no result of %s in %s: make it with `%s %s`, or name the folder that has it with --results",
		o.Experiment, o.Results, onPath, verb)
}

// jupyterWriter makes one notebook from one result in one language.
type jupyterWriter struct {
	Options
	loaded
	of    *cited.Document
	l     int
	s     *page.Scripts
	words *text.Template
	book  *jupyter.Notebook
	cells int // of text
}

func newJupyterWriter(o Options, e []loaded, s *page.Scripts) (w *jupyterWriter, err error) {
	l := o.Lang
	w = &jupyterWriter{Options: o, loaded: e[0], of: cited.Find(paperOf(e[0].ID)), l: l, s: s}
	w.words, err = text.New("jupyter").Funcs(text.FuncMap{"say": func(en, zh string) string { return said{en, zh}[l] }}).Parse(jupyterFile)
	w.book = &jupyter.Notebook{Title: w.Page.Title[l], About: map[string]string{"experiment": w.ID, "profile": w.Profile, "lang": notebook.Languages[l],
		"result_sha256": w.SHA256, "version": result.Schema}}
	return w, err
}

// say executes one of the templates.
func (w *jupyterWriter) say(name string, data any) (string, error) {
	var b strings.Builder
	err := w.words.ExecuteTemplate(&b, name, data)
	return b.String(), err
}

// tell adds a cell of one of the templates.
func (w *jupyterWriter) tell(name string, data any) error {
	s, err := w.say(name, data)
	w.book.Text(name, s)
	return err
}

// write adds all cells.
func (w *jupyterWriter) write(e []loaded) error {
	parts, answer := w.answered()
	var counts []string
	for _, c := range page.Count(countedClaims(w.ClaimRows)) {
		counts = append(counts, fmt.Sprint(c.Sign, " ", c.Word[w.l], " ", c.N))
	}
	head := struct {
		Title, Document, Number, Counts, Answer string
		Own, Ours                               bool
	}{w.Page.Title[w.l], w.of.Short()[w.l], "", strings.Join(counts, " · "), answer, w.of.Key == notebook.Own, w.of.Ours}
	if n := paperNumber(w.Source); n != "" {
		head.Number = page.SourceOf(n)[w.l]
	}
	if err := w.tell("head", head); err != nil {
		return err
	}
	if err := w.commands(); err != nil {
		return err
	}
	if err := w.claims(); err != nil {
		return err
	}
	for _, part := range parts {
		if err := w.part(part); err != nil {
			return err
		}
	}
	if err := w.why(); err != nil {
		return err
	}
	if err := w.formulas(); err != nil {
		return err
	}
	return w.ends(e)
}

// answered takes the first paragraph of the text out of the parts.
func (w *jupyterWriter) answered() (parts []notebook.Part, answer string) {
	parts = slices.Clone(w.Page.Parts)
	if len(parts) > 0 && parts[0].Prose != nil {
		source := parts[0].Source[w.l]
		if !strings.HasPrefix(source, "#") {
			answer, source, _ = strings.Cut(source, "\n\n")
		}
		parts[0].Source[w.l] = source
	}
	return parts, jupyter.Markdown(answer)
}

// countedClaims returns the claims that are judged here.
func countedClaims(rows []notebook.ClaimRow) (out []result.Claim) {
	for _, c := range rows {
		if !isAside(c) {
			out = append(out, c.Claim)
		}
	}
	return out
}

// onPath is the program as a student calls it.
const onPath = "gradsync"

// The folders of the commands, below the one in which the notebook is open.
const (
	csvFolder    = "out/csv"
	figureFolder = "out/figures"
)

// commands adds the cells that run everything anew.
func (w *jupyterWriter) commands() error {
	from, command := "out/results", ownCommand(w.loaded)
	if command != "" {
		from = shell.Quoted(filepath.ToSlash(w.Results))
		command = outFolder.ReplaceAllLiteralString(command, "--out "+from) // where the cells below read
	} else {
		command = fmt.Sprintf("%s run %s --profile %s", onPath, w.ID, w.Profile)
		if len(w.Seeds) > 0 && !ran.Seedless(w.Result) {
			command += " --seeds " + strings.ReplaceAll(strings.Trim(fmt.Sprint(w.Seeds), "[]"), " ", ",")
		}
	}
	if err := w.tell("run", map[string]any{"Who": who(w.Result)[w.l]}); err != nil {
		return err
	}
	w.book.Code("run", "!"+command)
	write := fmt.Sprintf("!%s export %s --results %s --out %s --quiet", onPath, w.ID, from, csvFolder)
	if len(exportedOf(w.loaded)) > 0 {
		write += fmt.Sprintf("\n!%s report --experiment %s --results %s --figures %s --quiet", onPath, w.ID, from, figureFolder)
		if w.l == 1 {
			write += " --lang zh"
		}
	}
	w.book.Code("numbers", write)
	w.book.Code("show", jupyter.Show(csvFolder+"/"+strings.TrimSuffix(sheetOf(w.loaded, ""), "/.csv"), figureFolder))
	return nil
}

// claims adds the claims that are judged here as a table.
func (w *jupyterWriter) claims() error {
	head, err := w.say("claims-head", nil)
	if err != nil || len(w.ClaimRows) == 0 {
		return err
	}
	g := jupyter.Grid{Head: strings.Split(head, "|"), Words: slices.Repeat([]bool{true}, 5)}
	for _, c := range w.ClaimRows {
		v, _ := page.FindVerdict(c.Verdict) // check has seen it
		pretty := func(b notebook.Both) string { return typeset.Pretty(b[w.l]) }
		g.Rows = append(g.Rows, []string{c.ID + " " + pretty(c.Statement), pretty(c.Stated), pretty(c.Found), pretty(c.Interval), v.Sign + " " + v.Word[w.l]})
	}
	if err := w.tell("claims", nil); err != nil {
		return err
	}
	w.book.Code("table-claims", jupyter.Table("claims", []string{"id", "number", "measured", "ci95_lo", "ci95_hi", "verdict"}, nil), g.Output())
	return nil
}

// part adds the cell of a part of the text.
func (w *jupyterWriter) part(p notebook.Part) error {
	switch {
	case p.Prose != nil:
		w.cells++
		w.book.Text(fmt.Sprint("text-", w.cells), jupyter.Markdown(p.Source[w.l]))
	case p.Fold != nil:
		w.book.Text("part", "### "+jupyter.Markdown(p.Fold[w.l]))
	case p.Table != nil:
		return w.table(p.Table)
	case p.Figure != nil:
		return w.figure(p.Figure)
	case p.Placed != nil:
		w.cells++
		w.book.Text(fmt.Sprint("text-", w.cells), said{"(A figure of the page.)", "（页面上的一幅图。）"}[w.l])
	}
	return nil
}

// table adds a table, and Python that shows its rows from the numbers of a run.
func (w *jupyterWriter) table(t *notebook.Table) error {
	f := w.Frame(t.Frame)
	if f == nil {
		return fmt.Errorf("the table %s is of no frame", t.Frame)
	}
	if t.From == nil {
		w.pivoted(t)
		return nil
	}
	g := jupyter.Grid{Caption: template.HTML(typeset.UnitsHTML(string(t.Caption[w.l])))}
	if kind := kindBeside(w.loaded, t.Kind); kind != "" {
		g.Caption = template.HTML(strings.TrimSpace(string(typeset.Escape(page.KindWords([]string{kind})[w.l]+". ") + g.Caption)))
	}
	var columns []string
	for _, h := range t.Head {
		g.Head, g.Words = append(g.Head, headOf(h)[w.l]), append(g.Words, !h.Number)
		columns = append(columns, h.Key)
		for i := f.At(h.Key) + 1; i < len(f.Columns) && f.Columns[i].Bound != "" && h.Bound != ""; i++ {
			if f.Columns[i].Bound != result.Samples {
				columns = append(columns, f.Columns[i].Key)
			}
		}
	}
	for _, row := range t.Rows {
		var line []string
		for _, c := range row {
			if c.Empty {
				c.Text[w.l] = "–"
			}
			line = append(line, c.Text[w.l])
		}
		g.Rows = append(g.Rows, line)
	}
	from := t.From
	if len(from) == len(f.Rows) && slices.IsSorted(from) {
		from = nil
	}
	w.book.Code("table-"+t.Frame, jupyter.Table(t.Frame, columns, from), g.Output())
	return nil
}

// pivoted adds a table whose rows are no rows of a frame, as text.
func (w *jupyterWriter) pivoted(t *notebook.Table) {
	var b strings.Builder
	for _, h := range t.Head {
		b.WriteString("| " + h.Title[w.l] + " ")
	}
	b.WriteString("|\n" + strings.Repeat("| --- ", len(t.Head)) + "|\n")
	for _, row := range t.Rows {
		for _, c := range row {
			b.WriteString("| " + c.Text[w.l] + " ")
		}
		b.WriteString("|\n")
	}
	w.cells++
	w.book.Text(fmt.Sprint("text-", w.cells), b.String()+"\n"+typeset.Plain(string(t.Caption[w.l])))
}

// figure adds a figure, and Python that shows it as a run's own drawing. It is an image where the images'
// fonts have all its letters, which a notebook shows before anybody trusts it; else a drawing.
func (w *jupyterWriter) figure(f *notebook.Figure) error {
	x := exportFigure{loaded: w.loaded, of: f, name: exportName(w.loaded, f)}
	drawing, err := x.drawing(w.l, w.s)
	if err != nil {
		return err
	}
	caption := typeset.Plain(string(f.Caption[w.l]))
	told := slices.DeleteFunc([]string{caption, chart.HowDrawn(f)[w.l], f.Alt[w.l]}, func(s string) bool { return s == "" })
	out := jupyter.Output{Alt: f.Alt[w.l], Plain: strings.Join(told, "\n")}
	img, err := drawing.Image(exportScale)
	var lacks *draw.LetterError
	switch {
	case errors.As(err, &lacks):
		out.SVG = drawing.SVG()
	case err != nil:
		return err
	default:
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			return err
		}
		out.PNG, out.Width, out.Height = b.Bytes(), img.Bounds().Dx()/exportScale, img.Bounds().Dy()/exportScale
	}
	w.book.Code("figure-"+f.ID, jupyter.Figure(x.name), out)
	if caption != "" {
		w.book.Text("caption-"+f.ID, "*"+strings.TrimSpace(caption)+"*")
	}
	return nil
}

// why adds the reasons of the verdicts.
func (w *jupyterWriter) why() error {
	type line struct{ Kind, Text, IDs string }
	var list []line
	for _, y := range whys(w.ClaimRows) {
		list = append(list, line{y.Kind[w.l], jupyter.Markdown(y.Said[w.l]), strings.Join(y.IDs, ", ")})
	}
	if len(list) == 0 {
		return nil
	}
	return w.tell("why", list)
}

// formulas adds the formulas of the document as LaTeX.
func (w *jupyterWriter) formulas() error {
	type formula struct{ Name, TeX, Note, Chance string }
	var list []formula
	for _, f := range w.of.Formulas {
		list = append(list, formula{jupyter.Markdown(f.Name[w.l]), f.TeX, jupyter.Markdown(f.Note[w.l]), f.Chance[w.l]})
	}
	if len(list) == 0 {
		return nil
	}
	return w.tell("formulas", map[string]any{"Note": jupyter.Markdown(w.of.FormulaNote[w.l]), "List": list})
}

// ends adds how the result was made, and whom to cite.
func (w *jupyterWriter) ends(e []loaded) error {
	type fact struct {
		Name, Value, SHA256 string
		Code, Warn          bool
	}
	var list []fact
	for _, f := range ran.Provenance(w.File) {
		list = append(list, fact{f.Name[w.l], f.Value[w.l], f.SHA256, f.Code, f.Warn})
	}
	if err := w.tell("provenance", list); err != nil {
		return err
	}
	cite := []string{citeResult(w.of, e, w.Address).BibTeX}
	if w.of.Key == notebook.Own {
		cite[0] = software(e).BibTeX
	}
	if w.of.BibTeX != "" {
		cite = append(cite, w.of.BibTeX)
	}
	return w.tell("cite", cite)
}
