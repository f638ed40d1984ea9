// Package kit breaks the rule of the kit.
package kit

import (
	_ "gradsync/experiments/claims"
	_ "gradsync/papers/dasp/formula" // want kit
)
