package codedsgd

import "embed"

// Cited holds the files that the paper's page shows beside its algorithms and
// formulas: the very lines that the program was compiled from.
//
// Source: ours: the page needs no source tree, and no other paper
//
//go:embed assign.go coded.go decode.go encode.go exchange.go job.go load.go load-accounting.go overlap.go
//go:embed proof.go quantise.go segment.go split.go formula/formula.go
var Cited embed.FS
