// Package vec breaks the rule of the tensor leaves.
package vec

import _ "gonum.org/v1/gonum/stat" // want tensor-leaves
