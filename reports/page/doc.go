// Package page holds the building blocks of html pages: the frame that every page has
// and the files that pages share (Head), the files of a render (Outputs), the words and
// signs of verdicts, remarks and kinds of numbers, the functions of the templates
// (Funcs), and a JavaScript machine that also sets formulas (Scripts).
package page

// Program is the command line as it is typed in the root of the repository, where
// `make build` puts it: what a page offers to copy must run.
const Program = "bin/gradsync"
