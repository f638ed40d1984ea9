// Package model breaks the rules of everything shared.
package model

import (
	_ "gradsync/datasets"        // want shared
	_ "gradsync/experiments/exp" // want shared
	_ "gradsync/papers/dasp"     // want shared
	_ "gradsync/reports"         // want shared
	_ "gradsync/shared/tensor/codec"
	_ "gradsync/shared/tensor/codec/entropy"   // want entropy-only-from-cli
	_ "gradsync/shared/tensor/engine/portable" // want engines-only-from-cli
	_ "gradsync/shared/tensor/layer"
)
