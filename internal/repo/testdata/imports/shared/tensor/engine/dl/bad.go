// Package dl breaks the rule of the engines.
package dl

import (
	_ "gonum.org/v1/gonum/stat" // want engines
	_ "gradsync/shared/cluster" // want engines
	_ "gradsync/shared/tensor"
)
