package launch

import "os/exec"

// apart leaves a child in its parent's console group.
func apart(*exec.Cmd) {}

// interrupt ends a child: Windows has no signal that asks.
func interrupt(cmd *exec.Cmd) { kill(cmd) }

// kill ends a child. One that has ended is no error.
func kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill()
	}
}
