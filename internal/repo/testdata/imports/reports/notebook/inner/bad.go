// Package inner breaks the rule of the notebook.
package inner

import (
	_ "gradsync/experiments/claims"
	_ "gradsync/experiments/exp" // want notebook
)
