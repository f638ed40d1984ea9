package cluster

import "embed"

// Cited holds the Go below this folder of which pages quote symbols beside algorithms and formulas: the very lines that
// the program was compiled from.
//
//go:embed collective/*.go formula/*.go
var Cited embed.FS
