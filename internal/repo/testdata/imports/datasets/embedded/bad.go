// Package embedded breaks the rule of the data sets, one folder down.
package embedded

import _ "gradsync/experiments/exp" // want datasets
