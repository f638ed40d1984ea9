// Package notebook makes a page's text and blocks from a result and its two notebooks. A
// result holds data alone. A notebook is Markdown, one per language, that places tables
// and figures by id and binds numbers by name. The package knows results and claims, and
// no experiment. CONTRIBUTING.md lists what a notebook may say.
package notebook

import (
	"bytes"
	"errors"
	"fmt"
	plain "html"
	"html/template"
	"io/fs"
	"maps"
	"regexp"
	"strings"
	text "text/template"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"gradsync/experiments/result"
)

// Book holds the words of all pages: labels, the templates of shared reasons, and a
// notebook <paper>/<stem>.<lang>.md per experiment and language.
type Book struct {
	text    fs.FS
	words   [2]words
	reasons [2]*text.Template
}

// Open reads labels and reasons from a folder.
func Open(folder fs.FS) (*Book, error) {
	b := &Book{text: folder}
	for l, lang := range Languages {
		var err error
		if b.words[l], err = readWords(folder, lang); err != nil {
			return nil, fmt.Errorf("notebook: %w", err)
		}
		t := text.New("reasons").Funcs(new(page).funcs()).Option("missingkey=error")
		if b.reasons[l], err = t.ParseFS(folder, "reasons."+lang+".tmpl"); err != nil {
			return nil, fmt.Errorf("notebook: %w", err)
		}
	}
	return b, nil
}

// Results returns the result of an experiment and a profile, for texts that speak of several. Its
// error wraps fs.ErrNotExist if there is none.
type Results func(id, profile string) (*result.Result, error)

// Page is one result in both languages.
type Page struct {
	Result *result.Result
	Title  Both
	Parts  []Part
	book   *Book
	// Used are the facts, frames, columns, figures and claims that the notebook bound.
	Used map[string]bool
}

// Part is one piece of a page, in the order of the notebook; one field is set.
type Part struct {
	Prose  *[2]template.HTML
	Source [2]string // of prose: the Markdown it was made of
	Table  *Table
	Figure *Figure
	Claims *Claims
	Placed []string // a component's name and its words, for the page to draw
	Fold   *Both    // title of a fold, which reaches to EndFold
	End    bool

	Nothing bool // a table of no rows, which takes its caption with it; on no page
}

// Page renders r with its notebooks. A binding of something that r lacks, a key without a label, and
// blocks that the languages place differently are errors.
func (b *Book) Page(r *result.Result, others Results) (*Page, error) {
	var parts [2][]Part
	out := &Page{Result: r, book: b, Used: map[string]bool{}}
	var used [2]map[string]bool
	for l := range Languages {
		p := b.page(l, r, others)
		var err error
		if out.Title[l], parts[l], err = p.render(); err != nil {
			return nil, fmt.Errorf("notebook %s.%s.md: profile %s: %w", r.ID, Languages[l], r.Profile, err)
		}
		used[l] = p.used
		maps.Copy(out.Used, p.used)
	}
	if !maps.Equal(used[0], used[1]) {
		return nil, fmt.Errorf("notebooks of %s: only in one language: %s", r.ID, strings.Join(apart(used[0], used[1]), ", "))
	}
	var err error
	if out.Parts, err = zip(parts[0], parts[1]); err != nil {
		return nil, fmt.Errorf("notebooks of %s: %w", r.ID, err)
	}
	return out, nil
}

// Own is the document whose results somebody names as he likes: one notebook tells of all.
const Own = "own"

// textOf returns the place of an experiment's notebook, without language and ending.
func textOf(id string) string {
	if strings.HasPrefix(id, Own+"/") {
		return Own + "/compare"
	}
	return id
}

// Has reports whether the experiment id has a notebook.
func (b *Book) Has(id string) bool {
	_, err := fs.Stat(b.text, textOf(id)+".en.md")
	return err == nil
}

// Titles returns the title of an experiment's notebook, the first line of each language.
func (b *Book) Titles(id string) (out Both, err error) {
	for l, lang := range Languages {
		if strings.HasPrefix(id, Own+"/") { // its notebook makes a title of what it finds
			out[l] = id
			continue
		}
		raw, err := fs.ReadFile(b.text, id+"."+lang+".md")
		if err != nil {
			return out, fmt.Errorf("notebook: %w", err)
		}
		line, _, _ := strings.Cut(string(raw), "\n")
		out[l] = strings.TrimPrefix(line, "# ")
	}
	return out, nil
}

// Column returns the title of a frame's column.
func (p *Page) Column(frame, key string) (out Both, err error) {
	for l := range Languages {
		w := p.book.words[l]
		if w.id = p.Result.ID; err == nil {
			out[l], err = w.column(frame, key)
		}
	}
	return out, err
}

// Label returns the words of an enumeration's key.
func (p *Page) Label(enum, key string) (out Both, err error) {
	for l := range Languages {
		w := p.book.words[l]
		if w.id = p.Result.ID; err == nil {
			out[l], err = w.label(enum, key)
		}
	}
	return out, err
}

// Unit returns the name of a unit.
func (p *Page) Unit(unit string) (out Both) {
	for l := range Languages {
		w := p.book.words[l]
		w.id = p.Result.ID
		out[l] = w.unit(unit)
	}
	return out
}

// Begun returns the page of a result whose run was interrupted too early for its notebook: its title
// and a sentence.
func (b *Book) Begun(r *result.Result) (*Page, error) {
	title, err := b.Titles(r.ID)
	if err != nil {
		return nil, err
	}
	prose := [2]template.HTML{"<p>The run was interrupted before there was anything to tell. The same command goes on from the finished parts.</p>",
		"<p>运行在得到可叙述的内容之前被中断。重复同一命令，会从已完成的部分继续。</p>"}
	return &Page{Result: r, book: b, Title: title, Parts: []Part{{Prose: &prose}}, Used: map[string]bool{}}, nil
}

// page is one result in one language while it is rendered.
type page struct {
	words
	Result *result.Result
	at     int // of Languages
	book   *Book
	t      *text.Template
	find   Results
	blocks []Part
	used   map[string]bool
	told   Told
	host   *page // of another result: the text that speaks of it
	story  bool  // the text is no notebook
}

func (b *Book) page(l int, r *result.Result, others Results) *page {
	p := &page{words: b.words[l], Result: r, at: l, book: b, find: others, used: map[string]bool{}}
	p.id = r.ID
	return p
}

// parse reads the notebook of the page in its language, and the reasons that it defines.
func (p *page) parse() (notebook *text.Template, err error) {
	if p.t, err = p.book.reasons[p.at].Clone(); err != nil {
		return nil, err
	}
	p.t.Funcs(p.funcs())
	src, err := fs.ReadFile(p.book.text, textOf(p.Result.ID)+"."+p.lang+".md")
	if err != nil {
		return nil, err
	}
	return p.t.New(p.Result.ID).Parse(string(src))
}

// render returns title and parts of the page in its language; zip joins the languages.
func (p *page) render() (title string, parts []Part, err error) {
	notebook, err := p.parse()
	if err != nil {
		return "", nil, err
	}
	var md bytes.Buffer
	if err = notebook.Execute(&md, p.Result); err != nil {
		return "", nil, err
	}
	heading, body, _ := strings.Cut(strings.TrimLeft(md.String(), "\n"), "\n")
	title, ok := strings.CutPrefix(heading, "# ")
	if !ok {
		return "", nil, fmt.Errorf("the first line is %q, want # and a title", heading)
	}
	parts, err = p.cut(body)
	return title, parts, err
}

var markdowns = [2]goldmark.Markdown{
	goldmark.New(goldmark.WithExtensions(extension.Table, extension.Typographer), goldmark.WithRendererOptions(html.WithXHTML())),
	goldmark.New(goldmark.WithExtensions(extension.Table, extension.NewCJK(extension.WithEastAsianLineBreaks())), goldmark.WithRendererOptions(html.WithXHTML())),
}

// mark stands in the Markdown for a block, before its caption.
const mark = "\x02%d\x03"

var (
	marked  = regexp.MustCompile("(?s)<p>\x02(\\d+)\x03(.*?)</p>\n?")
	tags    = regexp.MustCompile(`<[^>]*>`)
	spaces  = regexp.MustCompile(`[ \t]*\n[ \t]*`)
	comment = regexp.MustCompile(`\n{3,}`)
	// placed is a block in the Markdown with its caption.
	placed = regexp.MustCompile("(?s)\x02\\d+\x03.*?(?:\n[ \t]*\n|\\z)")
)

// cut turns Markdown with marks into parts.
func (p *page) cut(md string) (out []Part, err error) {
	var b bytes.Buffer
	md = comment.ReplaceAllString(md, "\n\n")
	if err := markdowns[p.at].Convert([]byte(md), &b); err != nil {
		return nil, err
	}
	body, from := b.String(), 0
	sources := placed.Split(md, -1)
	prose := func(s string) {
		source := ""
		if len(sources) > 0 {
			source, sources = strings.TrimSpace(sources[0]), sources[1:]
		}
		if s = strings.TrimSpace(s); s != "" {
			part := Part{Prose: new([2]template.HTML)}
			part.Prose[p.at], part.Source[p.at] = template.HTML(s), source
			out = append(out, part)
		}
	}
	for _, m := range marked.FindAllStringSubmatchIndex(body, -1) {
		prose(body[from:m[0]])
		from = m[1]
		var i int
		if _, err := fmt.Sscan(body[m[2]:m[3]], &i); err != nil || i >= len(p.blocks) {
			return nil, errors.New("a block without a mark")
		}
		caption, alt, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(body[m[4]:m[5]]), ": "), "alt: ")
		part := p.blocks[i]
		if part.Nothing {
			continue
		}
		part.describe(p.at, strings.TrimSpace(caption), strings.TrimSpace(spaces.ReplaceAllString(plain.UnescapeString(tags.ReplaceAllString(alt, "")), " ")))
		out = append(out, part)
	}
	prose(body[from:])
	for _, part := range out {
		if part.Prose != nil && strings.Contains(string(part.Prose[p.at]), "\x02") {
			return nil, errors.New("a table, figure or fold stands inside a paragraph, a list or a table: it wants a line of its own between empty ones")
		}
	}
	return out, nil
}

// block puts a part where the notebook is; the lines under it that begin with ": " and
// "alt: " are its caption and what a reader who cannot see it must know.
func (p *page) block(part Part) string {
	if p.host != nil {
		return p.host.block(part)
	}
	p.blocks = append(p.blocks, part)
	return fmt.Sprintf(mark, len(p.blocks)-1)
}

// wordsOf returns the words of a reason.
func (p *page) wordsOf(r result.Reason) (string, error) {
	t := p.t.Lookup(r.Code)
	if t == nil {
		return "", fmt.Errorf("no words for the reason %q: define it in reasons.%s.tmpl, or in the notebook if only one claim has it", r.Code, p.lang)
	}
	var b strings.Builder
	args := r.Args
	if args == nil {
		args = map[string]any{}
	}
	err := t.Execute(&b, args)
	return strings.TrimSpace(b.String()), err
}

// funcs returns the functions of notebooks and reasons.
func (p *page) funcs() text.FuncMap {
	return text.FuncMap{
		"fact": p.fact, "cell": p.cell, "rows": p.rows, "has": p.has, "where": where, "first": first, "last": last, "sorted": sorted,
		"num": p.num, "span": p.span, "bare": p.bare, "ci": ci, "list": p.list, "join": p.joined, "n": p.plural, "label": p.label, "words": p.wordsOf,
		"is": is, "yes": yes, "known": known, "sum": sum, "fixed": fixed, "unit": p.unit, "apart": p.apart,
		"past": func(s string) string { return s }, "stated": p.stated,
		"count": func(rs []row) Value { return Value{V: float64(len(rs))} },
		"table": p.table, "pivot": p.pivot, "figure": p.figure, "plot": p.plot, "claims": p.claims, "result": p.other,
		"seeds": p.Seeds, "profile": p.Profile,
		"extent": p.extent, "change": p.change, "verdict": verdict, "chip": chip, "mostly": mostly, "place": p.placed,
		"counted": p.counted, "judged": p.Judged, "standing": p.standing,
		"fold": func(title string) string {
			var both Both
			both[p.at] = title
			return p.block(Part{Fold: &both})
		},
		"endfold": func() string { return p.block(Part{End: true}) },
	}
}

// joined joins what a template gathered: strings or values.
func (p *page) joined(items ...any) (string, error) {
	var out []string
	for _, x := range items {
		if list, ok := x.([]string); ok {
			out = append(out, list...)
			continue
		}
		s, err := p.bare(x)
		if err != nil {
			return "", err
		}
		out = append(out, s)
	}
	return p.join(out), nil
}
