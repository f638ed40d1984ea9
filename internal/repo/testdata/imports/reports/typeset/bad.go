// Package typeset breaks the rule of the rooms.
package typeset

import (
	_ "gradsync/experiments/kit" // want rooms
	_ "gradsync/reports/text"    // want rooms
)
