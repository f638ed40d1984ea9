package rank

import "syscall"

// yieldProcessor lets another process run that wants this processor.
func yieldProcessor() { _, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
