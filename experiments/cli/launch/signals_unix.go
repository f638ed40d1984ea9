//go:build unix

package launch

import (
	"os/exec"
	"syscall"
)

// apart gives a child its own process group, so that Ctrl-C reaches it by way of
// its parent alone and what it starts ends with it.
func apart(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	endWithParent(cmd.SysProcAttr)
}

// interrupt tells a child and what it started to end.
func interrupt(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGTERM) }

// kill ends a child and what it started.
func kill(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGKILL) }

// signalGroup reaches a group that is gone without harm.
func signalGroup(cmd *exec.Cmd, s syscall.Signal) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, s)
	}
}
