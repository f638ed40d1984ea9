// Package reports breaks its rule.
package reports

import (
	_ "gonum.org/v1/gonum/stat"
	_ "gradsync/experiments/exp" // want reports
	_ "gradsync/reports/serve"   // want reports
	_ "gradsync/reports/text"
)
