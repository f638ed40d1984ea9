package reports

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

//go:embed text/*.md
var texts embed.FS

// story renders the narrative of a paper, text/<key>.en.md, and lists its
// chapters. A paper whose text is not written yet has none. Raw HTML passes
// through: the texts are part of this program.
func story(key string) (template.HTML, []heading, error) {
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
	return template.HTML(b.String()), toc, nil
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
