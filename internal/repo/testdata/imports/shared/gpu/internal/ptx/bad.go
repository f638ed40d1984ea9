// Package ptx breaks the rule of the interpreter.
package ptx

import (
	_ "golang.org/x/sys/cpu" // want gpu-ptx
	_ "math/big"
)
