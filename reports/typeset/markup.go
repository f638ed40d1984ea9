package typeset

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	xhtml "github.com/yuin/goldmark/renderer/html"

	"gradsync/reports/notebook"
)

// BothHTML pairs two languages that are HTML already, with their units set.
func BothHTML(b [2]template.HTML) template.HTML {
	return notebook.Pair(template.HTML(UnitsHTML(string(b[0]))), b[0] != b[1], template.HTML(UnitsHTML(string(b[1]))))
}

// Escape returns a text as HTML that shows it letter by letter.
func Escape(s string) template.HTML { return template.HTML(template.HTMLEscapeString(s)) }

// Coded applies how to a text but to what it has between backticks, which is code.
func Coded(how func(string) template.HTML) func(string) template.HTML {
	return func(s string) template.HTML {
		parts := strings.Split(s, "`")
		if len(parts)%2 == 0 {
			return how(s)
		}
		var b strings.Builder
		for i, part := range parts {
			if i%2 == 0 {
				b.WriteString(string(how(part)))
			} else {
				b.WriteString("<code>" + string(Escape(part)) + "</code>")
			}
		}
		return template.HTML(b.String())
	}
}

// Sentence is a text with its code, each number beside its unit.
var Sentence = Coded(func(s string) template.HTML {
	return template.HTML(notebook.Indexed(string(Escape(Units(s)))))
})

// Inline renders a sentence of Markdown.
func Inline(s string) template.HTML {
	out, err := markdown(s)
	if err != nil {
		return Escape(s) // never: a buffer takes everything
	}
	return template.HTML(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(out), "<p>"), "</p>"))
}

// Many counts things: "1 claim", "2 claims"; Chinese has one form.
func Many(n int, thing, zh string) notebook.Both {
	if n != 1 {
		thing += "s"
	}
	return notebook.Both{fmt.Sprint(n, " ", thing), fmt.Sprint(n, " ", zh)}
}

// InWords joins names: "a, b and c".
func InWords(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// CommaList joins texts by commas.
func CommaList(texts []notebook.Both) notebook.Both {
	var en, zh []string
	for _, t := range texts {
		en, zh = append(en, t.En()), append(zh, t.Zh())
	}
	return notebook.Both{strings.Join(en, ", "), strings.Join(zh, "，")}
}

// UnitsHTML keeps numbers and units on one line in the words of HTML: not in tags, and not in code, which is copied
// and breaks at blanks alone. It sets primes clear of slanted letters and the subscripts of single letters.
func UnitsHTML(s string) string {
	var b, run strings.Builder // run is words with the tags of letters, up to another tag
	flush := func() {
		b.WriteString(slanted.ReplaceAllString(notebook.Indexed(Units(run.String())), `</em><span class="prime">$1</span>`))
		run.Reset()
	}
	for _, piece := range pieces.FindAllString(s, -1) {
		switch {
		case !strings.HasPrefix(piece, "<") || letters.MatchString(piece):
			run.WriteString(piece)
		case strings.HasPrefix(piece, "<code>"):
			flush()
			b.WriteString(option.ReplaceAllString(piece, `$1<span class="nw">$2</span>`))
		default:
			flush()
			b.WriteString(piece)
		}
	}
	flush()
	return b.String()
}

// Command returns a command that is broken at blanks alone.
func Command(s string) template.HTML {
	return template.HTML(option.ReplaceAllString(template.HTMLEscapeString(s), `$1<span class="nw">$2</span>`))
}

var (
	// option is a word of a command that a browser would break at its hyphens.
	option      = regexp.MustCompile(`( |<code>)(-[^ <]*)`)
	letters     = regexp.MustCompile(`^` + letterTag + `$`)
	slanted     = regexp.MustCompile(`</em>([′″])`)
	subscript   = regexp.MustCompile(`_([A-Za-z0-9]+)`)
	superscript = regexp.MustCompile(`\^(?:([A-Za-z0-9]+)|\(([^()]+)\))`)
)

// Subs sets what follows an underscore as a subscript, a caret as a superscript.
func Subs(s string) template.HTML {
	s = Units(s)
	s = subscript.ReplaceAllString(template.HTMLEscapeString(s), "<sub>$1</sub>")
	return template.HTML(superscript.ReplaceAllString(s, "<sup>$1$2</sup>"))
}

var markup = regexp.MustCompile(`<[^>]*>`)

// Plain returns HTML without its tags.
func Plain(s string) string { return html.UnescapeString(markup.ReplaceAllString(s, "")) }

// markdown renders a text as HTML, each number beside its unit. Raw HTML passes
// through: the texts are part of this program.
func markdown(src string) (string, error) { return MarkdownIn(0, src) }

// MarkdownIn renders a text of one of notebook.Languages: a line that ends between Chinese characters
// leaves no space.
func MarkdownIn(l int, src string) (string, error) {
	var b bytes.Buffer
	if err := converters[l].Convert([]byte(src), &b); err != nil {
		return "", err
	}
	return UnitsHTML(b.String()), nil
}

var converters = [2]goldmark.Markdown{
	goldmark.New(goldmark.WithExtensions(extension.Table, extension.Typographer), goldmark.WithRendererOptions(xhtml.WithUnsafe(), xhtml.WithXHTML())),
	goldmark.New(goldmark.WithExtensions(extension.Table, extension.NewCJK(extension.WithEastAsianLineBreaks())),
		goldmark.WithRendererOptions(xhtml.WithUnsafe(), xhtml.WithXHTML())),
}
