package reports

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path/filepath"
)

// Options says what to render and where.
type Options struct {
	// Results is the root folder: <root>/<paper>/<id>.json holds profile quick,
	// <root>/<paper>/<profile>/<id>.json every other.
	Results string
	Out     string // folder of the pages; made if it is not there
	// SingleFile puts scripts, styles, font and data into each page, to hand in
	// one file; else the pages share Out/assets and Out/data.
	SingleFile bool
	Command    string // that renders, for the foot of the page; may be empty
	// English is told, page by page, each text that has no Chinese, with "#" for
	// numbers; nil asks for nothing.
	English func(page, text string)
	// Sources is the program's source, from the module's root: algorithms and formulas
	// stand beside their Go. nil leaves the Go out.
	Sources fs.FS
}

//go:embed templates/*.html
var templates embed.FS

//go:embed assets
var assets embed.FS

// Render reads the results and writes index.html, one page per paper found and
// what they share. It returns the pages' paths, the index first. Each file
// appears whole or not at all, and the same results give the same bytes. No result is
// an error.
func Render(o Options) (pages []string, err error) {
	all, err := loadSome(o.Results)
	if err != nil {
		return nil, err
	}
	out, names, err := renderAll(o, all)
	if err != nil {
		return nil, err
	}
	if err := out.write(o.Out); err != nil {
		return nil, err
	}
	for _, name := range names {
		pages = append(pages, filepath.Join(o.Out, name))
	}
	return pages, nil
}

// renderer is what the pages of one render share.
type renderer struct {
	Options
	frame  head
	pages  *template.Template
	tr     *translator
	s      *scripts
	at     places
	source *goSource
	out    outputs
	names  []string // of the pages, the index first
}

// render makes all files, of no result an index that says so; names are the pages among them, the index first.
func render(o Options) (out outputs, names []string, err error) {
	all, err := load(o.Results)
	if err != nil {
		return nil, nil, err
	}
	return renderAll(o, all)
}

// renderAll is render of results that are loaded.
func renderAll(o Options, all map[string][]loaded) (out outputs, names []string, err error) {
	r, err := newRenderer(o)
	if err != nil {
		return nil, nil, err
	}
	r.at = placesOf(all, r.tr)
	index := &indexPage{Verdicts: verdicts, Command: o.Command}
	var every []loaded
	for i := range papers {
		p := &papers[i]
		r.frame.Compared = r.frame.Compared || p.Ours && len(all[p.Key]) > 0
		every = append(every, all[p.Key]...)
		index.add(p, all[p.Key])
	}
	index.Software, index.Remarks = software(every, "index.html"), made(every)
	for i := range papers {
		if rs := all[papers[i].Key]; len(rs) > 0 {
			if err := r.document(&papers[i], rs); err != nil {
				return nil, nil, err
			}
		}
	}
	r.tr.page = "common"
	if err := r.out.playground(r.pages, r.frame, r.names, o.Command); err != nil {
		return nil, nil, err
	}
	r.names = append(r.names, "playground.html")
	if index.head, err = r.frame.named("gradsync", "index"); err != nil {
		return nil, nil, err
	}
	if err := r.out.page(r.pages, "index.html", "index.html", index); err != nil {
		return nil, nil, err
	}
	if !o.SingleFile {
		err = r.out.assets()
	}
	r.tr.tell(o.English)
	return r.out, r.names, err
}

func newRenderer(o Options) (*renderer, error) {
	r := &renderer{Options: o, source: newSource(o.Sources), out: outputs{}, names: []string{"index.html"}}
	var err error
	if r.s, err = newScripts(); err != nil {
		return nil, err
	}
	if r.frame, err = newFrame(o.SingleFile); err != nil {
		return nil, err
	}
	r.frame.Playground = true
	if r.tr, err = newTranslator(); err != nil {
		return nil, err
	}
	if r.pages, err = template.New("").Funcs(r.tr.funcs()).ParseFS(templates, "templates/*.html"); err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	return r, nil
}

// document makes the page of one paper and the data files beside it.
func (r *renderer) document(p *paper, rs []loaded) error {
	r.tr.page = p.Key
	page, err := build(r, p, rs)
	if err != nil {
		return err
	}
	if err := page.beside(r.source); err != nil {
		return err
	}
	var scripts []string
	if page.Widgets {
		scripts = widgetScripts
	}
	if page.head, err = r.frame.named(page.Title, page.Page, scripts...); err != nil {
		return err
	}
	page.Charted = true
	r.names = append(r.names, p.Key+".html")
	for _, f := range page.Files {
		if !r.SingleFile {
			r.out.add(f.Name, []byte(f.Text))
		}
	}
	if err := r.out.page(r.pages, "paper.html", p.Key+".html", page); err != nil {
		return err
	}
	return r.resultPages(p, rs)
}

// page adds the output of a template.
func (out outputs) page(t *template.Template, name, file string, data any) error {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("reports: %s: %w", file, err)
	}
	out.add(file, b.Bytes())
	return nil
}
