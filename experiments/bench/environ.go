package bench

import (
	"os"
	"os/exec"

	"golang.org/x/sys/cpu"
)

// coreType is the variable that tells OpenBLAS which kernels to use.
const coreType = "OPENBLAS_CORETYPE"

// environ is a worker's environment. An OpenBLAS older than its processor falls
// back to kernels of 2004, which would flatter whoever is compared with it (and
// with PyTorch's linear layers), so it is told what the processor can do, unless
// the user has told it.
func environ(more ...string) []string {
	env := append(os.Environ(), more...)
	if _, told := os.LookupEnv(coreType); told {
		return env
	}
	switch x := cpu.X86; {
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL:
		env = append(env, coreType+"=SkylakeX")
	case x.HasAVX2 && x.HasFMA:
		env = append(env, coreType+"=Haswell")
	}
	return env
}

// WithEnvironment gives a worker's command its environment and so many further
// variables, "KEY=value".
func WithEnvironment(cmd *exec.Cmd, more ...string) *exec.Cmd {
	cmd.Env = environ(more...)
	return cmd
}
