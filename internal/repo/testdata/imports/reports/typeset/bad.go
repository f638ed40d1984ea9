// Package typeset breaks the rule of the rooms.
package typeset

import (
	_ "gradsync/experiments/claims" // want rooms
	_ "gradsync/reports/text"       // want rooms
)
