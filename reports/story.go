package reports

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

//go:embed text/*.md
var texts embed.FS

// places maps the id of an experiment, "dasp/table5", to the anchor of its section,
// where it has one.
type places map[string]string

// placesOf are the sections of all pages.
func placesOf(all map[string][]loaded) places {
	at := places{}
	for _, rs := range all {
		for _, e := range byExperiment(rs) {
			at[e[0].ID] = e[0].Anchor()
		}
	}
	return at
}

// An experiment in a narrative, and in a note.
var (
	named  = regexp.MustCompile(`<code>([a-z]+)/([a-z0-9-]+)</code>`)
	spoken = regexp.MustCompile(`\b([a-z]+)/([a-z0-9]+(?:-[a-z0-9]+)*)`)
)

// link makes links of the experiments that html names by one of the two and that have
// a section, on the page of paper or on another.
func (at places) link(paper, html string, by *regexp.Regexp) string {
	return by.ReplaceAllStringFunc(html, func(name string) string {
		m := by.FindStringSubmatch(name)
		anchor, ok := at[m[1]+"/"+m[2]]
		switch {
		case !ok:
			return name
		case m[1] == paper:
			return `<a href="#` + anchor + `">` + name + `</a>`
		}
		return `<a href="` + m[1] + ".html#" + anchor + `">` + name + `</a>`
	})
}

// notes are the sentences of a result, with links.
func (at places) notes(paper string, sentences []string) []template.HTML {
	out := make([]template.HTML, len(sentences))
	for i, s := range sentences {
		out[i] = template.HTML(at.link(paper, string(prose(s)), spoken))
	}
	return out
}

// story renders the narrative of a paper, text/<key>.en.md, and lists its
// chapters. A paper whose text is not written yet has none. Raw HTML passes
// through: the texts are part of this program.
func story(key string, at places) (template.HTML, []heading, error) {
	src, err := texts.ReadFile("text/" + key + ".en.md")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("reports: %w", err)
	}
	md := goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Typographer),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithHeadingAttribute()),
		goldmark.WithRendererOptions(html.WithUnsafe(), html.WithXHTML()),
	)
	doc := md.Parser().Parse(text.NewReader(src))
	var toc []heading
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Level != 2 {
			continue
		}
		id, _ := h.AttributeString("id")
		name, _ := id.([]byte)
		toc = append(toc, heading{ID: string(name), Text: plainText(h, src)})
	}
	var b bytes.Buffer
	if err := md.Renderer().Render(&b, src, doc); err != nil {
		return "", nil, fmt.Errorf("reports: text of %s: %w", key, err)
	}
	paper, _, _ := strings.Cut(key, ".")
	return template.HTML(at.link(paper, b.String(), named)), toc, nil
}

// plainText is the words of a heading.
func plainText(n ast.Node, src []byte) string {
	var b bytes.Buffer
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(src))
		}
	}
	return b.String()
}
