// Package formula breaks the rule of the formulas.
package formula

import (
	_ "errors" // want formula
	_ "fmt"    // want formula
	_ "math"
	_ "math/big" // want formula
	_ "math/bits"
)
