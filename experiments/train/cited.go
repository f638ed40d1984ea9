package train

import "embed"

// Cited holds the file that a page shows beside an algorithm: the very lines that
// the program was compiled from.
//
//go:embed replica.go
var Cited embed.FS
