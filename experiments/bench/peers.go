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
	"slices"
	"strconv"
	"strings"
)

// NoPython as Torch.Python leaves PyTorch out.
const NoPython = "none"

// pythonEnv names an interpreter that is looked at first.
const pythonEnv = "GRADSYNC_PYTHON"

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
	if named := os.Getenv(pythonEnv); named != "" {
		tried = append([]string{named}, tried...)
	}
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
		return &Unable{fmt.Sprintf("no PyTorch: neither %s can import torch (--python or %s names another)", strings.Join(tried, " nor "), pythonEnv)}
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

// MPI is where contenders over an MPI library come from: a C program that Build compiles. The zero
// value is Open MPI over TCP.
type MPI struct {
	Compiler, Launcher string // "": Debian's names of the library's first
	MPICH              bool   // else Open MPI
	Any                bool   // over what the library chooses; else over TCP alone
	dir                string
}

// library returns the library's name, how Debian calls its programs and packages, and the words by which
// its launcher is known.
func (m *MPI) library() (name, suffix, packages string, known []string) {
	if m.MPICH {
		return "MPICH", ".mpich", "mpich libmpich-dev", []string{"HYDRA"}
	}
	return "Open MPI", ".openmpi", "openmpi-bin libopenmpi-dev", []string{"Open MPI", "OpenRTE"}
}

// Build compiles the program; Close removes it. Without the library it is Unable.
func (m *MPI) Build(ctx context.Context) error {
	name, suffix, _, known := m.library()
	var err error
	if m.Compiler, err = m.found(m.Compiler, "mpicc"+suffix, "mpicc"); err != nil {
		return err
	}
	if m.Launcher, err = m.found(m.Launcher, "mpirun"+suffix, "mpirun"); err != nil {
		return err
	}
	version, err := exec.CommandContext(ctx, m.Launcher, "--version").Output()
	if err != nil || !slices.ContainsFunc(known, func(word string) bool { return strings.Contains(string(version), word) }) {
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
	name, _, packages, _ := m.library()
	return "", &Unable{fmt.Sprintf("no %s: no %s here (Debian: %s)", name, usual[len(usual)-1], packages)}
}

func (m *MPI) binary() string { return filepath.Join(m.dir, "ring") }

// Contender returns MPIRing, MPIReduce or MPICHReduce for a job.
func (m *MPI) Contender(j Job) Contender {
	over := "btl tcp,self"
	switch {
	case m.Any:
		over = "transport of its choice"
	case m.MPICH:
		over = "no shared memory, TCP"
	}
	return &Process{Job: j, Command: func(ctx context.Context) *exec.Cmd {
		return WithEnvironment(m.Start(ctx, j.Ranks, m.binary(), over), m.environment()...)
	}}
}

// environment leaves MPICH nothing but TCP, even between processes of one machine: of the devices that it may
// be built with: UCX, libfabric and nemesis.
func (m *MPI) environment() []string {
	if !m.MPICH || m.Any {
		return nil
	}
	return []string{"MPIR_CVAR_NOLOCAL=1", "UCX_TLS=tcp,self", "FI_PROVIDER=tcp", "MPIR_CVAR_NEMESIS_NETMOD=tcp"}
}

// Start makes a command that starts a program as a number of ranks.
func (m *MPI) Start(ctx context.Context, ranks int, words ...string) *exec.Cmd {
	if m.MPICH {
		return exec.CommandContext(ctx, m.Launcher, append([]string{"-bind-to", "none", "-n", strconv.Itoa(ranks)}, words...)...)
	}
	all := []string{"--oversubscribe", "--bind-to", "none", "--allow-run-as-root", "-n", strconv.Itoa(ranks)}
	if !m.Any {
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
