// Package gpu stands here so that others can import it, and breaks the rule of its folder.
package gpu

import (
	_ "golang.org/x/sys/cpu"
	_ "golang.org/x/sys/unix" // want gpu
)
