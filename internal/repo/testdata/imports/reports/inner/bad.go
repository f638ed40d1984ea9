// Package inner breaks the rule of the reports, one folder down.
package inner

import _ "gradsync/papers/dasp/formula" // want reports
