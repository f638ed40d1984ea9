package train

import "embed"

// Cited holds the Go of which a page quotes symbols beside an algorithm: the very lines that the program was compiled
// from.
//
//go:embed *.go
var Cited embed.FS
