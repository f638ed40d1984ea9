// Package driver breaks the rule of the seam to a device.
package driver

import (
	_ "gonum.org/v1/gonum/stat" // want gpu
	_ "gradsync/shared/gpu/internal/ptx"
	_ "gradsync/shared/tensor"
	_ "gradsync/shared/tensor/vec" // want gpu
)
