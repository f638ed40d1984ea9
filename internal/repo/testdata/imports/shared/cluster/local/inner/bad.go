// Package inner breaks the rule of the runtimes, one folder down.
package inner

import _ "gradsync/papers/dasp/formula" // want cluster-runtimes shared
