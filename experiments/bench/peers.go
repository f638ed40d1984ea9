package bench

import (
	"context"
	_ "embed" // for the C source
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// NoPython as Torch.Python leaves PyTorch out.
const NoPython = "none"

// Torch is where PyTorch's worker comes from.
type Torch struct {
	Scripts fs.FS  // torch_step.py and what it imports
	Python  string // an interpreter; "": the first one with PyTorch
	dir     string
	python  string
}

// Find looks for an interpreter that has PyTorch and unpacks the scripts for
// it; Close removes them. The error says what was tried.
func (t *Torch) Find(ctx context.Context) error {
	if t.Python == NoPython {
		return &Unable{"no PyTorch: switched off by --python " + NoPython}
	}
	tried := []string{"python3", "/usr/bin/python3"}
	if t.Python != "" {
		tried = []string{t.Python}
		if _, err := exec.LookPath(t.Python); errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			return &Unable{fmt.Sprintf("no PyTorch: --python %s: it does not exist", t.Python)}
		}
	}
	for _, python := range tried {
		probe := exec.CommandContext(ctx, python, "-c", "import importlib.util as u, sys; sys.exit(not u.find_spec('torch'))")
		if probe.Run() == nil {
			t.python = python
			return t.unpack()
		}
	}
	if len(tried) > 1 {
		return &Unable{fmt.Sprintf("no PyTorch: neither %s can import torch (--python names another)", strings.Join(tried, " nor "))}
	}
	return &Unable{fmt.Sprintf("no PyTorch: %s cannot import torch", t.Python)}
}

func (t *Torch) unpack() (err error) {
	if t.dir, err = os.MkdirTemp("", "gradsync-bench"); err != nil {
		return err
	}
	names, err := fs.Glob(t.Scripts, "*.py")
	for _, name := range names {
		var text []byte
		if text, err = fs.ReadFile(t.Scripts, name); err == nil {
			err = os.WriteFile(filepath.Join(t.dir, name), text, 0o600)
		}
		if err != nil {
			break
		}
	}
	return err
}

// Command starts a worker.
func (t *Torch) Command(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.python, filepath.Join(t.dir, "torch_step.py"))
	// Without the first two, Debian's PyTorch spins on threads of two pools.
	return WithEnvironment(cmd, "OPENBLAS_NUM_THREADS=1", "OMP_WAIT_POLICY=passive", "PYTHONDONTWRITEBYTECODE=1")
}

// Close removes the scripts.
func (t *Torch) Close() error {
	if t.dir == "" {
		return nil
	}
	return os.RemoveAll(t.dir)
}

// Contender returns PyTorch for a job, which names it: a process, or one for each concurrent step.
func (t *Torch) Contender(j Job) Contender {
	n := max(j.Concurrent, 1)
	j.Concurrent = 1
	if n == 1 {
		return &Process{Job: j, Command: t.Command}
	}
	var g group
	for range n {
		g = append(g, &Process{Job: j, Command: t.Command})
	}
	return g
}

//go:embed mpi/ring.c
var mpiSource []byte

// MPI is where Open MPI's contenders come from, or MPICH's: a C program that Build compiles.
type MPI struct {
	MPICH              bool   // else Open MPI
	Compiler, Launcher string // "": mpicc and mpirun, Debian's names of the family's first
	Any                bool   // over what Open MPI chooses; else over TCP alone
	dir                string
}

// family returns the name, the package of Debian, and what follows the names of its programs there.
func (m *MPI) family() (name, debian, suffix string) {
	if m.MPICH {
		return "MPICH", "mpich libmpich-dev", ".mpich"
	}
	return "Open MPI", "openmpi-bin libopenmpi-dev", ".openmpi"
}

// Build compiles the program; Close removes it. Without that MPI it is Unable.
func (m *MPI) Build(ctx context.Context) error {
	var err error
	name, _, suffix := m.family()
	if m.Compiler, err = m.found(m.Compiler, "mpicc"+suffix, "mpicc"); err != nil {
		return err
	}
	if m.Launcher, err = m.found(m.Launcher, "mpirun"+suffix, "mpirun"); err != nil {
		return err
	}
	version, err := exec.CommandContext(ctx, m.Launcher, "--version").Output()
	said := string(version)
	if known := strings.Contains(said, "Open MPI") || strings.Contains(said, "OpenRTE"); err != nil || m.MPICH && !strings.Contains(said, "HYDRA") || !m.MPICH && !known {
		return &Unable{fmt.Sprintf("no %s: %s is another MPI's or does not run", name, m.Launcher)}
	}
	if m.dir, err = os.MkdirTemp("", "gradsync-mpi"); err != nil {
		return err
	}
	source := filepath.Join(m.dir, "ring.c")
	if err := os.WriteFile(source, mpiSource, 0o600); err != nil {
		return err
	}
	if said, err := exec.CommandContext(ctx, m.Compiler, "-O3", "-march=native", "-o", m.binary(), source).CombinedOutput(); err != nil {
		return &Unable{fmt.Sprintf("no %s: %s: %v: %s", name, m.Compiler, err, strings.TrimSpace(string(said)))}
	}
	return nil
}

// found returns the program that was named, or the first of the usual ones on PATH.
func (m *MPI) found(named string, usual ...string) (string, error) {
	if named != "" {
		usual = []string{named}
	}
	for _, name := range usual {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	name, debian, _ := m.family()
	return "", &Unable{fmt.Sprintf("no %s: no %s here (Debian: %s)", name, usual[len(usual)-1], debian)}
}

func (m *MPI) binary() string { return filepath.Join(m.dir, "ring") }

// Contender returns a ring or an all-reduce of that MPI for a job.
func (m *MPI) Contender(j Job) Contender {
	return &Process{Job: j, Command: func(ctx context.Context) *exec.Cmd {
		switch {
		case m.MPICH: // with UCX below, or with libfabric, and no memory that ranks share
			return WithEnvironment(m.Start(ctx, j.Ranks, m.binary(), mpichOnTCP), strings.Fields(mpichOnTCP)...)
		case m.Any:
			return WithEnvironment(m.Start(ctx, j.Ranks, m.binary(), "transport of its choice"))
		}
		return WithEnvironment(m.Start(ctx, j.Ranks, m.binary()))
	}}
}

// mpichOnTCP is the environment in which MPICH uses TCP alone.
const mpichOnTCP = "UCX_TLS=tcp,self UCX_NET_DEVICES=lo FI_PROVIDER=tcp MPIR_CVAR_NOLOCAL=1"

// Start makes a command that starts a program as a number of ranks.
func (m *MPI) Start(ctx context.Context, ranks int, words ...string) *exec.Cmd {
	all := []string{"--oversubscribe", "--bind-to", "none", "--allow-run-as-root", "-n", strconv.Itoa(ranks)}
	if m.MPICH {
		all = all[4:]
	} else if !m.Any {
		all = append([]string{"--mca", "btl", "tcp,self"}, all...)
	}
	return exec.CommandContext(ctx, m.Launcher, append(all, words...)...)
}

// Close removes the program.
func (m *MPI) Close() error {
	if m.dir == "" {
		return nil
	}
	return os.RemoveAll(m.dir)
}
