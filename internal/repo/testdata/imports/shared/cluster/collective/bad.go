// Package collective breaks the rule of the collectives.
package collective

import (
	_ "gradsync/shared/cluster"
	_ "gradsync/shared/cluster/virtual" // want collective
	_ "gradsync/shared/tensor/vec"
)
