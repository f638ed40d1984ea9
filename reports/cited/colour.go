package cited

import (
	"html/template"
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// goLexer cuts Go into tokens. It has the rules of chroma's own Go lexer but for
// templates in strings; taken from there, the lexers of all other languages would
// come along, five megabytes of them.
var goLexer = chroma.Coalesce(chroma.MustNewLexer(&chroma.Config{Name: "Go"}, goRules))

func goRules() chroma.Rules {
	return chroma.Rules{
		"root": {
			{Pattern: `\s+`, Type: chroma.TextWhitespace},
			{Pattern: `//[^\n]*`, Type: chroma.CommentSingle},
			{Pattern: `/[*](.|\n)*?[*]/`, Type: chroma.CommentMultiline},
			{Pattern: chroma.Words(``, `\b`, `import`, `package`, `var`, `func`, `struct`, `map`, `chan`, `type`, `interface`, `const`,
				`break`, `default`, `select`, `case`, `defer`, `go`, `else`, `goto`, `switch`, `fallthrough`, `if`, `range`, `continue`, `for`, `return`),
				Type: chroma.Keyword},
			{Pattern: `(true|false|iota|nil)\b`, Type: chroma.KeywordConstant},
			{Pattern: chroma.Words(``, `\b(\()`, `print`, `println`, `panic`, `recover`, `close`, `complex`, `real`, `imag`, `len`, `cap`, `append`, `copy`,
				`delete`, `new`, `make`, `clear`, `min`, `max`),
				Type: chroma.ByGroups(chroma.NameBuiltin, chroma.Punctuation)},
			{Pattern: chroma.Words(``, `\b`, `uint`, `uint8`, `uint16`, `uint32`, `uint64`, `int`, `int8`, `int16`, `int32`, `int64`, `float32`, `float64`,
				`complex64`, `complex128`,
				`byte`, `rune`, `string`, `bool`, `error`, `uintptr`, `any`), Type: chroma.KeywordType},
			{Pattern: `0[xX][0-9a-fA-F_]+|0b[01_]+|(\d[\d_]*)?\.?\d[\d_]*\.?([eE][+\-]?\d+)?i?`, Type: chroma.LiteralNumber},
			{Pattern: `'(\\.[^']*|[^\\'])'`, Type: chroma.LiteralStringChar},
			{Pattern: "`[^`]*`", Type: chroma.LiteralString},
			{Pattern: `"(\\.|[^"\\\n])*"`, Type: chroma.LiteralString},
			{Pattern: `([\p{L}_][\p{L}\p{N}_]*)(\()`, Type: chroma.ByGroups(chroma.NameFunction, chroma.Punctuation)},
			{Pattern: `[\p{L}_][\p{L}\p{N}_]*`, Type: chroma.NameOther},
			{Pattern: `[-+*/%&|^<>=!()\[\]{}.,;:~]`, Type: chroma.Punctuation},
		},
	}
}

// shade returns the class that assets/code.css colours, by kind of token; all else
// has the colour of text and no element of its own.
func shade(t chroma.TokenType) string {
	switch {
	case t == chroma.KeywordConstant, t == chroma.KeywordType:
		return chroma.StandardTypes[t]
	case t.InCategory(chroma.Keyword), t.InCategory(chroma.Comment), t.InSubCategory(chroma.LiteralString), t.InSubCategory(chroma.LiteralNumber):
		switch {
		case t.InCategory(chroma.Keyword):
			t = chroma.Keyword
		case t.InCategory(chroma.Comment):
			t = chroma.Comment
		case t.InSubCategory(chroma.LiteralString):
			t = chroma.LiteralString
		default:
			t = chroma.LiteralNumber
		}
		return chroma.StandardTypes[t]
	case t == chroma.NameFunction, t == chroma.NameBuiltin:
		return chroma.StandardTypes[t]
	}
	return ""
}

// coloured returns the lines of Go text as HTML.
func coloured(text string) ([]template.HTML, error) {
	tokens, err := goLexer.Tokenise(nil, text)
	if err != nil {
		return nil, err
	}
	var lines []template.HTML
	var b strings.Builder
	open := ""
	turn := func(class string) {
		if open == class {
			return
		}
		if open != "" {
			b.WriteString("</span>")
		}
		if open = class; class != "" {
			b.WriteString(`<span class="` + class + `">`)
		}
	}
	for _, t := range tokens.Tokens() {
		for i, part := range strings.Split(t.Value, "\n") {
			if i > 0 {
				turn("")
				lines = append(lines, template.HTML(b.String()))
				b.Reset()
			}
			if part != "" {
				turn(shade(t.Type))
				b.WriteString(template.HTMLEscapeString(part))
			}
		}
	}
	turn("")
	return append(lines, template.HTML(b.String())), nil
}
