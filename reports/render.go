package reports

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"path/filepath"
	"strings"
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
}

//go:embed templates/*.html
var templates embed.FS

//go:embed assets
var assets embed.FS

// shared are the files that pages of one folder share.
var shared = []string{
	"report.css", "report.js", "widgets.js", "echarts-6.1.0.min.js", "echarts-LICENSE.txt", "echarts-NOTICE.txt",
	"echarts-LICENSE-d3.txt", "stix-two-math-5.3.0.woff2", "stix-two-math-OFL.txt",
}

// head is what the frame of every page needs.
type head struct {
	Title, Page string
	CSP         string
	Single      bool
	Compared    bool // the page that compares all methods is there
	CSS         template.CSS
	ReportJS    template.JS
	EChartsJS   template.JS
	WidgetsJS   template.JS
	Widgets     bool // the page has one
}

// Render reads the results and writes index.html, one page per paper found and
// what they share. It returns the pages' paths, the index first. Each file
// appears whole or not at all, and the same results give the same bytes.
func Render(o Options) (pages []string, err error) {
	all, err := load(o.Results)
	if err != nil {
		return nil, err
	}
	s, err := newScripts()
	if err != nil {
		return nil, err
	}
	frame, err := newFrame(o.SingleFile)
	if err != nil {
		return nil, err
	}
	for _, p := range papers {
		frame.Compared = frame.Compared || p.Ours && len(all[p.Key]) > 0
	}
	t, err := template.New("").Funcs(funcs).ParseFS(templates, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	out, at := outputs{}, placesOf(all)
	index := &indexPage{head: frame.named("gradsync", "index"), Verdicts: verdicts, Command: o.Command}
	var every []loaded
	for i := range papers {
		p := &papers[i]
		rs := all[p.Key]
		every = append(every, rs...)
		index.add(p, rs)
		if len(rs) == 0 {
			continue
		}
		page, err := build(p, rs, at, s, o)
		if err != nil {
			return nil, err
		}
		widgets := page.Widgets
		page.head = frame.named(page.Title, page.Page)
		page.Widgets = widgets
		if err := out.page(t, "paper.html", p.Key+".html", page); err != nil {
			return nil, err
		}
		for _, f := range page.Files {
			if !o.SingleFile {
				out.add(f.Name, []byte(f.Text))
			}
		}
	}
	index.Software = software(every)
	if err := out.page(t, "index.html", "index.html", index); err != nil {
		return nil, err
	}
	if !o.SingleFile {
		if err := out.assets(); err != nil {
			return nil, err
		}
	}
	if err := out.write(o.Out); err != nil {
		return nil, err
	}
	pages = append(pages, filepath.Join(o.Out, "index.html"))
	for _, p := range papers {
		if len(all[p.Key]) > 0 {
			pages = append(pages, filepath.Join(o.Out, p.Key+".html"))
		}
	}
	return pages, nil
}

// funcs are the few functions of the templates.
var funcs = template.FuncMap{
	"total": total, "pretty": pretty, "tie": tie, "subs": subs, "prose": prose,
	"join":  join,
	"share": func(n, of int) string { return fmt.Sprintf("%.4g%%", 100*float64(n)/float64(of)) },
}

// newFrame prepares what every page's head holds. Nothing but the page's own
// files may load, and no address may be reached.
func newFrame(single bool) (head, error) {
	h := head{Single: single}
	if !single {
		// Browsers differ in whether 'self' covers a page opened from a folder.
		h.CSP = "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; font-src 'self' file:; img-src data:; base-uri 'none'; form-action 'none'"
		return h, nil
	}
	css, err := assets.ReadFile("assets/report.css")
	if err != nil {
		return head{}, fmt.Errorf("reports: %w", err)
	}
	font, err := assets.ReadFile("assets/stix-two-math-5.3.0.woff2")
	if err != nil {
		return head{}, fmt.Errorf("reports: %w", err)
	}
	inline := "data:font/woff2;base64," + base64.StdEncoding.EncodeToString(font)
	h.CSS = template.CSS(strings.ReplaceAll(string(css), "stix-two-math-5.3.0.woff2", inline))
	h.ReportJS, h.EChartsJS, h.WidgetsJS = template.JS(reportJS), template.JS(echartsJS), template.JS(widgetsJS)
	h.CSP = "default-src 'none'; script-src " + hash(reportJS) + " " + hash(echartsJS) + " " + hash(widgetsJS) +
		"; style-src 'unsafe-inline'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'"
	return h, nil
}

// hash is a script's permission to run.
func hash(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// named is the frame with a page's own title and file stem.
func (h head) named(title, page string) head {
	h.Title, h.Page = title, page
	return h
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
