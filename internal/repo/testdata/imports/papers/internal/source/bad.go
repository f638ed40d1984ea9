// Package source breaks the same rule, one folder down.
package source

import _ "gonum.org/v1/gonum/stat" // want paper-internal
