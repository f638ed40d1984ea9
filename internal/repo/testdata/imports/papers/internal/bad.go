// Package internal breaks the rule of what reads the papers' sources.
package internal

import (
	_ "gradsync/papers/dasp/formula" // want paper-internal
	_ "gradsync/papers/internal/source"
)
