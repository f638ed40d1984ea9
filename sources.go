// Package gradsync is the module's root. It holds the source that the pages show
// beside algorithms and formulas: embedded, so that a program shows the very lines
// that it was compiled from, whatever its working tree says by then, and needs no
// tree at all. Only files that a page cites are here; a test compares the two.
package gradsync

import "embed"

// Source is the cited part of the tree, by path from the module's root.
//
//go:embed experiments/train/replica.go
//go:embed papers/codedsgd/assign.go papers/codedsgd/coded.go papers/codedsgd/decode.go
//go:embed papers/codedsgd/encode.go papers/codedsgd/exchange.go papers/codedsgd/job.go papers/codedsgd/load.go
//go:embed papers/codedsgd/load_accounting.go papers/codedsgd/overlap.go papers/codedsgd/proof.go
//go:embed papers/codedsgd/quantise.go papers/codedsgd/segment.go papers/codedsgd/split.go
//go:embed papers/codedsgd/formula/formula.go
//go:embed papers/dasp/carry.go papers/dasp/dasp.go papers/dasp/decide.go papers/dasp/group.go
//go:embed papers/dasp/node.go papers/dasp/server.go papers/dasp/update.go papers/dasp/wait.go
//go:embed papers/dasp/formula/formula.go
//go:embed papers/ringsparse/choose.go papers/ringsparse/compress.go papers/ringsparse/convert.go
//go:embed papers/ringsparse/overlap.go papers/ringsparse/pack.go papers/ringsparse/ring.go
//go:embed papers/ringsparse/sparsity.go papers/ringsparse/store.go
//go:embed papers/ringsparse/formula/formula.go
//go:embed shared/cluster/collective/line.go shared/cluster/collective/ring.go
//go:embed shared/cluster/collective/vector.go
//go:embed shared/cluster/formula/collectives.go shared/cluster/formula/formula.go
var Source embed.FS
