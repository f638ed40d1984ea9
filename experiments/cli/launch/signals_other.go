//go:build unix && !linux

package launch

import "syscall"

// endWithParent does nothing: only Linux has it. Elsewhere the ranks of a killed parent
// end when the job does.
func endWithParent(*syscall.SysProcAttr) {}
