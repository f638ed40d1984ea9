// Package notebook breaks the rule of the notebook.
package notebook

import (
	_ "gradsync/experiments/claims"
	_ "gradsync/experiments/exp" // want notebook
)
