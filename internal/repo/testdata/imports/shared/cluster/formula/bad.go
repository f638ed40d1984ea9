// Package formula breaks the rule of the formulas outside a paper.
package formula

import _ "strings" // want formula
