// Package tensor breaks the rule of the tensor leaves, in the root.
package tensor

import _ "gonum.org/v1/gonum/stat" // want tensor-leaves
