package bench

import (
	"context"
	_ "embed" // for the C source
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed mpi/ring.c
var mpiSource []byte

// MPI is where Open MPI's contenders come from: a C program that Build compiles.
type MPI struct {
	Compiler, Launcher string // "": mpicc and mpirun, Debian's names of Open MPI's first
	dir                string
}

// Build compiles the program; Close removes it. Without Open MPI it is Unable.
func (m *MPI) Build(ctx context.Context) error {
	var err error
	if m.Compiler, err = found(m.Compiler, "mpicc.openmpi", "mpicc"); err != nil {
		return err
	}
	if m.Launcher, err = found(m.Launcher, "mpirun.openmpi", "mpirun"); err != nil {
		return err
	}
	if version, err := exec.CommandContext(ctx, m.Launcher, "--version").Output(); err != nil || !strings.Contains(string(version), "Open MPI") && !strings.Contains(string(version), "OpenRTE") {
		return &Unable{fmt.Sprintf("no Open MPI: %s is another MPI's or does not run", m.Launcher)}
	}
	if m.dir, err = os.MkdirTemp("", "gradsync-mpi"); err != nil {
		return err
	}
	source := filepath.Join(m.dir, "ring.c")
	if err := os.WriteFile(source, mpiSource, 0o600); err != nil {
		return err
	}
	if said, err := exec.CommandContext(ctx, m.Compiler, "-O3", "-march=native", "-o", m.binary(), source).CombinedOutput(); err != nil {
		return &Unable{fmt.Sprintf("no Open MPI: %s: %v: %s", m.Compiler, err, strings.TrimSpace(string(said)))}
	}
	return nil
}

// found is the program that was named, or the first of the usual ones on PATH.
func found(named string, usual ...string) (string, error) {
	if named != "" {
		usual = []string{named}
	}
	for _, name := range usual {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", &Unable{fmt.Sprintf("no Open MPI: no %s here (Debian: openmpi-bin libopenmpi-dev)", usual[len(usual)-1])}
}

func (m *MPI) binary() string { return filepath.Join(m.dir, "ring") }

// Contender is MPIRing or MPIReduce for a job, over TCP alone.
func (m *MPI) Contender(j Job) Contender {
	return &Process{Job: j, Command: func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, m.Launcher, "--mca", "btl", "tcp,self", "--oversubscribe", "--bind-to", "none",
			"--allow-run-as-root", "-n", strconv.Itoa(j.Ranks), m.binary())
		return WithEnvironment(cmd)
	}}
}

// Close removes the program.
func (m *MPI) Close() error {
	if m.dir == "" {
		return nil
	}
	return os.RemoveAll(m.dir)
}
