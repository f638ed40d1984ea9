// Package codec breaks the rule of the tensor leaves; vec it may use.
package codec

import (
	_ "github.com/klauspost/compress/zstd" // want tensor-leaves
	_ "gradsync/shared/tensor"             // want tensor-leaves
	_ "gradsync/shared/tensor/vec"
)
