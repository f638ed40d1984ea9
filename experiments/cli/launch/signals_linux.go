package launch

import "syscall"

// endWithParent kills a child whose parent was killed.
func endWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
