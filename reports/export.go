package reports

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"image/png"
	"path/filepath"
	"strings"

	"gradsync/reports/chart"
	"gradsync/reports/cited"
	"gradsync/reports/draw"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
)

// exportScale is how many pixels of a PNG are one of the drawing.
const exportScale = 2

// Export writes every figure under o.Results to dir as SVG, PNG and CSV, and
// README.txt, which says of each what it shows, how it was made and whom to cite.
// A file is called <paper>/<result>[-<profile>]-<figure>. A figure with a letter that the
// fonts of the images lack has no PNG, and both README.txt and Exported say so. The
// same results give the same bytes, and each file appears whole or not at all.
// progress, if any, hears of every figure.
func Export(o Options, dir string, progress func(done, total int, name string)) (*Exported, error) {
	all, err := loadSome(o.Results)
	if err != nil {
		return nil, err
	}
	s, err := page.NewScripts()
	if err != nil {
		return nil, err
	}
	if o.Experiment != "" {
		e, err := sidesOfExperiment(all, o)
		if err != nil {
			return nil, err
		}
		all = map[string][]loaded{paperOf(o.Experiment): e}
	}
	list := exported(all)
	if len(list) == 0 {
		return nil, fmt.Errorf("reports: no figure in the results under %s", o.Results)
	}
	out := page.Outputs{}
	for i := range list {
		if progress != nil {
			progress(i, len(list), list[i].name)
		}
		if err := list[i].draw(out, o.Lang, s); err != nil {
			return nil, err
		}
	}
	out.Add("README.txt", []byte(exportIndex(all, list)))
	if progress != nil {
		progress(len(list), len(list), "")
	}
	if err := out.Write(dir); err != nil {
		return nil, err
	}
	done := &Exported{Figures: len(list), Files: []string{filepath.Join(dir, "README.txt")}}
	for _, x := range list {
		for _, kind := range exportKinds {
			if _, ok := out[x.name+kind]; ok {
				done.Files = append(done.Files, filepath.Join(dir, filepath.FromSlash(x.name)+kind))
			}
		}
		if x.lacks != nil {
			done.NoImage = append(done.NoImage, NoImage{Figure: x.name, Letter: string(x.lacks.Letter), Text: x.lacks.Text})
		}
	}
	return done, nil
}

// Exported says what Export wrote.
type Exported struct {
	Figures int       `json:"figures"`
	Files   []string  `json:"files"` // paths in the order of the pages, README.txt first
	NoImage []NoImage `json:"no_image,omitempty"`
}

// NoImage is a figure without a PNG: the images' fonts lack Letter, which Text has.
type NoImage struct {
	Figure string `json:"figure"` // as its files are called, without their ending
	Letter string `json:"letter"`
	Text   string `json:"text"`
}

func (n NoImage) String() string {
	return fmt.Sprintf("%s: no PNG: the fonts of the images have no letter %q (%U) of %q; its SVG and CSV are written", n.Figure, n.Letter,
		[]rune(n.Letter)[0], n.Text)
}

// exportKinds are the files of a figure.
var exportKinds = []string{".svg", ".png", ".csv"}

// exportFigure is one figure to write.
type exportFigure struct {
	loaded
	of   *notebook.Figure
	name string // without its ending: "dasp/table5-standard-bars"

	lacks *draw.LetterError // why there is no image; nil: there is one
}

// exported lists the figures in the order of the pages.
func exported(all map[string][]loaded) []exportFigure {
	var out []exportFigure
	var keys []string
	for i := range cited.Documents {
		keys = append(keys, cited.Documents[i].Key)
	}
	for _, key := range append(keys, notebook.Own) {
		for _, l := range all[key] {
			out = append(out, exportedOf(l)...)
		}
	}
	return out
}

// exportedOf lists the figures of one result.
func exportedOf(l loaded) (out []exportFigure) {
	for _, part := range l.Page.Parts {
		if part.Figure != nil {
			out = append(out, exportFigure{loaded: l, of: part.Figure, name: exportName(l, part.Figure)})
		}
	}
	return out
}

// exportName returns what the files of a figure are called, without their ending.
func exportName(l loaded, f *notebook.Figure) string {
	return fmt.Sprintf("%s/%s-%s", paperOf(l.ID), l.Anchor(), figureID(l, f.ID))
}

// drawing draws the figure in a language so that it needs no page.
func (x *exportFigure) drawing(l int, s *page.Scripts) (*draw.Drawing, error) {
	svg, err := chart.SVG(x.of, l, x.Anchor()+"-"+figureID(x.loaded, x.of.ID), s)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, x.ID)
	}
	drawing, err := draw.StandAlone(svg, x.Page.Title[l], x.of.Alt[l])
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, x.name)
	}
	return drawing, nil
}

// draw adds the figure's files; it notes the letter for which there is no image.
func (x *exportFigure) draw(out page.Outputs, l int, s *page.Scripts) error {
	drawing, err := x.drawing(l, s)
	if err != nil {
		return err
	}
	out.Add(x.name+".svg", []byte(drawing.SVG()+"\n"))
	table, err := chart.CSV(x.of.Drawn[l])
	if err != nil {
		return fmt.Errorf("%w (%s)", err, x.name)
	}
	out.Add(x.name+".csv", table)
	img, err := drawing.Image(exportScale)
	if errors.As(err, &x.lacks) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w (%s)", err, x.name)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return fmt.Errorf("reports: %s: %w", x.name, err)
	}
	out.Add(x.name+".png", b.Bytes())
	return nil
}

// exportIndex writes README.txt.
func exportIndex(all map[string][]loaded, list []exportFigure) string {
	var b strings.Builder
	b.WriteString("Figures of gradsync\n\nEach figure is a drawing to scale (.svg), the same at twice its size (.png, 192 dots per inch) and its numbers " +
		"(.csv).\n" +
		"A band or whisker is a 95 % confidence interval over the seeds.\n")
	last := ""
	for _, x := range list {
		key, _, _ := strings.Cut(x.name, "/")
		if key != last {
			last = key
			p := cited.Find(key)
			fmt.Fprintf(&b, "\n%s\n%s\n\n", p.Short(), strings.Repeat("=", len([]rune(p.Short().En()))))
			if p.Plain != "" {
				fmt.Fprintf(&b, "Cite the %s: %s\n", p.Noun(), p.Plain)
			}
			fmt.Fprintf(&b, "Cite the drawings: %s\n", software(all[key]).Plain)
		}
		fmt.Fprintf(&b, "\n%s\n", x.name)
		for _, line := range x.facts() {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	return b.String()
}

// facts says what a reader of the figure must know.
func (x exportFigure) facts() []string {
	out := []string{"title: " + x.Page.Title[0]}
	if caption := typeset.Plain(string(x.of.Caption[0])); caption != "" {
		out = append(out, "caption: "+strings.Join(strings.Fields(caption), " "))
	}
	if how := chart.HowDrawn(x.of).En(); how != "" {
		out = append(out, "drawn: "+strings.ReplaceAll(how, typeset.NBSP, " "))
	}
	if x.lacks != nil {
		out = append(out, fmt.Sprintf("image: none: the fonts of the images have no letter %q (%U)", x.lacks.Letter, x.lacks.Letter))
	}
	source := x.ID
	if x.Source != "" {
		source = x.Source + " (" + x.ID + ")"
	}
	kind := page.KindOr(x.of.Drawn[0].Kind, x.Kind)
	out = append(out, "shows: "+source, "numbers: "+kind+": "+html.UnescapeString(page.Kinds[kind].En()), "profile: "+who(x.Result).En())
	command := ownCommand(x.loaded)
	if command == "" {
		command = fmt.Sprintf("%s run %s --profile %s", page.Program, x.ID, x.Profile)
	}
	out = append(out, "command: "+command)
	commit := "unknown: no record of the run lies beside the result"
	if x.Run != nil && x.Run.Commit != "" {
		commit = x.Run.Commit
		if x.Run.Dirty {
			commit += ", with changes that no commit holds"
		}
	}
	return append(out, "commit: "+commit, "result sha256: "+x.SHA256)
}
