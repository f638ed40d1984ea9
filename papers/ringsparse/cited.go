package ringsparse

import "embed"

// Cited holds the Go of which the paper's page quotes symbols beside its algorithms and formulas: the very lines that
// the program was compiled from.
//
// Source: ours: the page needs no source tree, and no other paper
//
//go:embed *.go formula/*.go
var Cited embed.FS
