// Package explain breaks the rules of the experiments.
package explain

import (
	_ "gonum.org/v1/gonum/stat"
	_ "gradsync/datasets/synthetic"
	_ "gradsync/experiments/claims"
	_ "gradsync/experiments/cli"            // want experiments
	_ "gradsync/experiments/codedsgd/setup" // want rooms-codedsgd
	_ "gradsync/experiments/exp"
	_ "gradsync/experiments/platforms"
	_ "gradsync/experiments/result/leaf"      // want experiments
	_ "gradsync/experiments/ring"             // want experiments
	_ "gradsync/experiments/ringsparse/setup" // want rooms-ringsparse
	_ "gradsync/experiments/train"
	_ "gradsync/papers/dasp/formula"
	_ "gradsync/reports/text" // want experiments
	_ "gradsync/shared/tensor/codec"
	_ "gradsync/shared/tensor/codec/entropy"   // want entropy-only-from-cli
	_ "gradsync/shared/tensor/engine/portable" // want engines-only-from-cli
)
