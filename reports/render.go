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
// appears whole or not at all, and the same results give the same bytes.
func Render(o Options) (pages []string, err error) {
	out, names, _, err := render(o)
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

// render makes all files; names are the pages among them, the index first.
func render(o Options) (out outputs, names []string, tr *translator, err error) {
	all, err := load(o.Results)
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := newScripts()
	if err != nil {
		return nil, nil, nil, err
	}
	frame, err := newFrame(o.SingleFile)
	if err != nil {
		return nil, nil, nil, err
	}
	frame.Playground = true
	for _, p := range papers {
		frame.Compared = frame.Compared || p.Ours && len(all[p.Key]) > 0
	}
	if tr, err = newTranslator(); err != nil {
		return nil, nil, nil, err
	}
	t, err := template.New("").Funcs(tr.funcs()).ParseFS(templates, "templates/*.html")
	if err != nil {
		return nil, nil, nil, fmt.Errorf("reports: %w", err)
	}
	out, at := outputs{}, placesOf(all, tr)
	names = []string{"index.html"}
	index := &indexPage{Verdicts: verdicts, Command: o.Command}
	if index.head, err = frame.named("gradsync", "index"); err != nil {
		return nil, nil, nil, err
	}
	var every []loaded
	source := newSource(o.Sources)
	for i := range papers {
		p := &papers[i]
		rs := all[p.Key]
		every = append(every, rs...)
		index.add(p, rs)
		if len(rs) == 0 {
			continue
		}
		tr.page = p.Key
		page, err := build(p, rs, at, s, o)
		if err != nil {
			return nil, nil, nil, err
		}
		if err := page.beside(source); err != nil {
			return nil, nil, nil, err
		}
		var scripts []string
		if page.Widgets {
			scripts = widgetScripts
		}
		if page.head, err = frame.named(page.Title, page.Page, scripts...); err != nil {
			return nil, nil, nil, err
		}
		if err := out.page(t, "paper.html", p.Key+".html", page); err != nil {
			return nil, nil, nil, err
		}
		names = append(names, p.Key+".html")
		for _, f := range page.Files {
			if !o.SingleFile {
				out.add(f.Name, []byte(f.Text))
			}
		}
	}
	tr.page = "common"
	if err := out.playground(t, frame, names, o.Command); err != nil {
		return nil, nil, nil, err
	}
	names = append(names, "playground.html")
	index.Software = software(every)
	if err := out.page(t, "index.html", "index.html", index); err != nil {
		return nil, nil, nil, err
	}
	if !o.SingleFile {
		if err := out.assets(); err != nil {
			return nil, nil, nil, err
		}
	}
	return out, names, tr, nil
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
