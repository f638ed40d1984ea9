// Package inner breaks the rule of the rooms.
package inner

import _ "gradsync/reports/text" // want rooms
