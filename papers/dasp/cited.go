package dasp

import "embed"

// Cited holds the files that the paper's page shows beside its algorithms and
// formulas: the very lines that the program was compiled from.
//
// Source: ours: the page needs no source tree, and no other paper
//
//go:embed dasp.go server.go update.go formula/formula.go
var Cited embed.FS
