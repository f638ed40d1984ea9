package cluster

import "embed"

// Cited holds the files below this folder that pages show beside algorithms and
// formulas: the very lines that the program was compiled from.
//
//go:embed collective/line.go collective/ring.go collective/vector.go
//go:embed formula/collectives.go formula/formula.go
var Cited embed.FS
