// Package inner breaks the rule of the kit.
package inner

import (
	_ "gradsync/experiments/claims"
	_ "gradsync/papers/dasp/formula" // want kit
)
