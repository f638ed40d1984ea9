// Package inner breaks the rule of the experiments, one folder down.
package inner

import _ "gradsync/experiments/ring" // want experiments
