// Package entropy breaks the rule of the entropy coders.
package entropy

import (
	_ "github.com/klauspost/compress/zstd"
	_ "gonum.org/v1/gonum/stat" // want codec-entropy
	_ "gradsync/shared/cluster" // want codec-entropy
	_ "gradsync/shared/tensor/codec"
)
