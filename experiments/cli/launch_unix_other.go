//go:build unix && !linux

package cli

import "syscall"

// endWithParent is Linux's; elsewhere the ranks of a killed parent end when the
// job does.
func endWithParent(*syscall.SysProcAttr) {}
