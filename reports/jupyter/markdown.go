package jupyter

import (
	"regexp"
	"strings"
)

// Markdown returns the Markdown of a page's text as Jupyter reads it: letters with an index
// are LaTeX between dollars, a dollar of the text is none of LaTeX's, and a line that ends between
// Chinese letters goes on without a blank. What is code stays.
func Markdown(src string) string {
	src = joined.ReplaceAllString(joined.ReplaceAllString(src, "$1$2"), "$1$2") // twice: letters of two matches
	var b strings.Builder
	for _, piece := range pieces.FindAllString(src, -1) {
		if !strings.HasPrefix(piece, "`") {
			piece = indexed.ReplaceAllStringFunc(strings.ReplaceAll(piece, "$", `\$`), tex)
		}
		b.WriteString(piece)
	}
	return b.String()
}

var (
	pieces = regexp.MustCompile("(?s)```.*?```|`[^`]*`|[^`]+|`")
	// indexed finds letters with an index, the letter slanted or not, as notebook.Indexed does.
	indexed = regexp.MustCompile(`\b(?:(S)(min|max)|([A-Za-z])_(wait|new|[a-zLU0-9]))\b|\*([A-Za-z])\*`)
	joined  = regexp.MustCompile(`([\p{Han}。，、；：！？（）“”])\n([\p{Han}。，、；：！？（）“”])`)
)

// tex writes a letter with its index as LaTeX.
func tex(s string) string {
	m := indexed.FindStringSubmatch(s)
	switch {
	case m[5] != "":
		return "$" + m[5] + "$"
	case m[1] != "":
		return `$S_{\` + m[2] + "}$"
	case len(m[4]) > 1:
		return "$" + m[3] + `_{\mathrm{` + m[4] + "}}$"
	}
	return "$" + m[3] + "_" + m[4] + "$"
}
