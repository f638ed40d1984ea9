// Package playground breaks its rule.
package playground

import (
	_ "gradsync/experiments/exp" // want playground
	_ "gradsync/papers/dasp/formula"
)
