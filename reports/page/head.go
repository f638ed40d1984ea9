package page

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gradsync/reports/assets"
	"gradsync/reports/notebook"
)

// styles are the style sheets of every page, in order.
var styles = []string{"report.css", "story.css", "compare.css", "result.css", "code.css", "widgets.css"}

// WidgetScripts make widgets work; pages that have none do without.
var WidgetScripts = []string{"widgets.js", "widgets-stepper.js", "widgets-loads.js", "widgets-exchange.js", "widgets-ring.js", "widgets-dasp.js",
	"widgets-sparse.js"}

// beside are the further files that pages of one folder share: what the style sheets
// load, and licences.
var beside = []string{
	mathFont, "stix-two-math-OFL.txt",
}

const (
	mathFont   = "stix-two-math-5.3.0-subset.woff2"
	pageScript = "report.js"
)

// playgroundFiles are the page's own among the assets that pages share; the licence is
// of what the module holds of Go.
var playgroundFiles = append([]string{PlaygroundStyle, "go-LICENSE.txt"}, PlaygroundScripts...)

const PlaygroundStyle = "playground.css"

var PlaygroundScripts = []string{"playground-model.js", "playground-words.js", "playground-curves.js", "playground.js"}

// sharedFiles returns the files that pages of one folder share.
func sharedFiles() []string {
	return slices.Concat(styles, []string{pageScript}, WidgetScripts, playgroundFiles, beside)
}

// Asset is a file that a page loads or, in a single file, holds.
type Asset struct {
	Name  string
	Style template.CSS
	Code  template.JS
}

// Head holds the data of the template around every page: its title and the files that it loads.
type Head struct {
	Title, Page string
	Root        string // from the page to the folder of all pages: "" or "../"
	Single      bool
	Only        bool // no other page is made with it
	Apart       bool // its document has no page of its own
	Styles      []Asset
	Scripts     []Asset         // before the page is read
	Wasm        bool            // the page runs WebAssembly
	Crumb       notebook.Both   // the page's name in the header; zero: its title
	Sites       map[string]Site // by document
	Moved       template.JS     // where anchors of this page have gone, as JSON; report.js follows them
}

// Site holds what the header of all pages of one document links.
type Site struct {
	Name  notebook.Both
	Pages []Link
}

// Link is a page of a site by its stem, "dasp/claims".
type Link struct {
	Page  string
	Title notebook.Both
}

// Key returns the document that the page is of, "" of a page that is of none.
func (h Head) Key() string {
	key, _, _ := strings.Cut(h.Page, "/")
	if _, ok := h.Sites[key]; !ok {
		return ""
	}
	return key
}

// Site returns what the header links on this page: the pages of its document, else all documents.
func (h Head) Site() Site { return h.Sites[h.Key()] }

// Under reports whether the page lies below its document's own.
func (h Head) Under() bool { return strings.Contains(h.Page, "/") }

// Name returns the name of the page in the header.
func (h Head) Name() notebook.Both {
	if h.Crumb.En() == "" {
		return notebook.Alike(h.Title)
	}
	return h.Crumb
}

// NewFrame returns the Head that all pages share; single puts scripts and styles into the page.
func NewFrame(single bool) (Head, error) {
	h := Head{Single: single}
	for _, name := range styles {
		h.Styles = append(h.Styles, Asset{Name: name})
	}
	h.Scripts = []Asset{{Name: pageScript}}
	if !single {
		return h, nil
	}
	font, err := assets.ReadFile(mathFont)
	if err != nil {
		return Head{}, fmt.Errorf("page: %w", err)
	}
	inline := "data:font/woff2;base64," + base64.StdEncoding.EncodeToString(font)
	for i := range h.Styles {
		css, err := assets.ReadFile(h.Styles[i].Name)
		if err != nil {
			return Head{}, fmt.Errorf("page: %w", err)
		}
		h.Styles[i].Style = template.CSS(strings.ReplaceAll(string(css), mathFont, inline))
	}
	return h, h.Scripts[0].inline()
}

// inline reads a script into the page.
func (a *Asset) inline() error {
	js, err := assets.ReadFile(a.Name)
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	a.Code = template.JS(js)
	return nil
}

// Alone reports whether the page stands without the pages it could link to, as a single file does.
func (h Head) Alone() bool { return h.Only || h.Single && h.Page != "index" }

// Linked reports whether the pages of its document are there to be linked.
func (h Head) Linked() bool { return !h.Only && !h.Apart }

// Named returns h with a page's own title, file stem and further scripts.
func (h Head) Named(title, page string, scripts ...string) (Head, error) {
	h.Title, h.Page = title, page
	h.Scripts = slices.Clone(h.Scripts)
	for _, name := range scripts {
		a := Asset{Name: name}
		if h.Single {
			if err := a.inline(); err != nil {
				return Head{}, err
			}
		}
		h.Scripts = append(h.Scripts, a)
	}
	return h, nil
}

// CSP says that nothing but the page's own files may load, and that no address may be
// reached. Browsers differ in whether 'self' covers a page opened from a folder.
func (h Head) CSP() string {
	wasm := ""
	if h.Wasm {
		wasm = " 'wasm-unsafe-eval'"
	}
	if !h.Single {
		return "default-src 'none'; script-src 'self' file:" + wasm +
			"; style-src 'self' file: 'unsafe-inline'; font-src 'self' file:; img-src data:; base-uri 'none'; form-action 'none'"
	}
	var hashes []string
	for _, a := range h.Scripts {
		hashes = append(hashes, hash(string(a.Code)))
	}
	return "default-src 'none'; script-src " + strings.Join(hashes, " ") + wasm +
		"; style-src 'unsafe-inline'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'"
}

// hash returns the source expression that permits a script to run.
func hash(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
