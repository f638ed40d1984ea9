package reports

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path/filepath"

	"gradsync/reports/cited"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// Options says what to render and where.
type Options struct {
	// Results is the root folder: <root>/<paper>/<id>.json holds profile quick,
	// <root>/<paper>/<profile>/<id>.json every other.
	Results string
	Out     string // folder of the pages; made if it is not there
	// Experiment is the one whose results are shown, "dasp/table7"; "": all are.
	Experiment string
	Lang       int // of what has one: figures and notebooks for Jupyter (0 English, 1 Chinese)
	// SingleFile puts scripts, styles and font into each page, to hand in one file; else
	// the pages share Out/assets.
	SingleFile bool
	Command    string // that renders, for the foot of the page; may be empty
	Address    string // at which the pages will lie, for citations; may be empty
	// Sources is the program's source, from the module's root: algorithms and formulas
	// stand beside their Go. nil leaves the Go out.
	Sources fs.FS
}

//go:embed templates/*.html
var templates embed.FS

// Render reads the results and writes index.html, one page per paper found and
// what they share. It returns the pages' paths, the index first. Each file
// appears whole or not at all, and the same results give the same bytes. No result is
// an error.
func Render(o Options) (pages []string, err error) {
	all, err := loadSome(o.Results)
	if err != nil {
		return nil, err
	}
	render := renderAll
	if o.Experiment != "" {
		render = renderOne
	}
	out, names, err := render(o, all)
	if err != nil {
		return nil, err
	}
	if err := out.Write(o.Out); err != nil {
		return nil, err
	}
	for _, name := range names {
		pages = append(pages, filepath.Join(o.Out, name))
	}
	return pages, nil
}

// renderer holds what the pages of one render share.
type renderer struct {
	Options
	frame  page.Head
	pages  *template.Template
	s      *page.Scripts
	at     experimentPages
	find   notebook.Results
	source *cited.Source
	out    page.Outputs
	all    map[string][]loaded
	names  []string // of the pages, the index first
}

// Files makes what Render writes and writes nothing; of no result it makes an index that
// says so.
func Files(o Options) (page.Outputs, error) {
	all, err := load(o.Results)
	if err != nil {
		return nil, err
	}
	out, _, err := renderAll(o, all)
	return out, err
}

// renderAll makes all files of results that are loaded; names are the pages among them,
// the index first.
func renderAll(o Options, all map[string][]loaded) (out page.Outputs, names []string, err error) {
	r, err := newRenderer(o)
	if err != nil {
		return nil, nil, err
	}
	r.all, r.at, r.find = all, placesOf(all), among(all)
	r.frame.Sites = map[string]page.Site{"": {}}
	var top []page.Link
	for i := range cited.Documents {
		if p := &cited.Documents[i]; len(all[p.Key]) > 0 {
			r.frame.Sites[p.Key] = r.siteOf(p, all[p.Key])
			top = append(top, page.Link{Page: p.Key, Title: p.Short()})
		}
	}
	r.frame.Sites[""] = page.Site{Pages: append(top, page.Link{Page: "playground", Title: said{"Playground", "试算页"}})}
	for i := range cited.Documents {
		if rs := all[cited.Documents[i].Key]; len(rs) > 0 {
			if err := r.document(&cited.Documents[i], rs); err != nil {
				return nil, nil, err
			}
		}
	}
	if rs := all[notebook.Own]; len(rs) > 0 {
		r.frame.Sites[notebook.Own] = page.Site{Name: cited.Find(notebook.Own).Short()}
		if err := r.resultPages(cited.Find(notebook.Own), rs); err != nil {
			return nil, nil, err
		}
	}
	if err := addPlayground(r.out, r.pages, r.frame, r.names, o.Command); err != nil {
		return nil, nil, err
	}
	r.names = append(r.names, "playground.html")
	if err := r.addCoursework(); err != nil {
		return nil, nil, err
	}
	if err := r.addCards(received); err != nil {
		return nil, nil, err
	}
	if err := r.index(all); err != nil {
		return nil, nil, err
	}
	if o.SingleFile {
		return r.out, r.names, nil
	}
	if err := r.searchIndex(all); err != nil {
		return nil, nil, err
	}
	return r.out, r.names, r.out.Shared()
}

// renderOne makes the page of o.Experiment alone, which links no other.
func renderOne(o Options, all map[string][]loaded) (out page.Outputs, names []string, err error) {
	e, err := sidesOfExperiment(all, o)
	if err != nil {
		return nil, nil, err
	}
	r, err := newRenderer(o)
	if err != nil {
		return nil, nil, err
	}
	p := cited.Find(paperOf(o.Experiment))
	r.names = nil
	r.all, r.at, r.find = all, experimentPages{}, among(all)
	r.frame.Only = true
	r.frame.Sites = map[string]page.Site{p.Key: {Name: p.Short()}}
	doc, err := r.resultPage(p, e, all[p.Key])
	if err != nil {
		return nil, nil, fmt.Errorf("reports: %s: %w", o.Experiment, err)
	}
	if err := r.addResult(p, doc); err != nil || o.SingleFile {
		return r.out, r.names, err
	}
	return r.out, r.names, r.out.Shared()
}

func newRenderer(o Options) (*renderer, error) {
	r := &renderer{Options: o, source: cited.NewSource(o.Sources), out: page.Outputs{}, names: []string{"index.html"}}
	var err error
	if r.s, err = page.NewScripts(); err != nil {
		return nil, err
	}
	if r.frame, err = page.NewFrame(o.SingleFile); err != nil {
		return nil, err
	}
	if r.pages, err = template.New("").Funcs(page.Funcs()).ParseFS(templates, "templates/*.html"); err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	return r, nil
}
