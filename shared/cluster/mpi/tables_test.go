package mpi

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A library is known by its own text; another version is refused with it.
func TestIdentify(t *testing.T) {
	for _, x := range []struct {
		text string
		abi  int
		name string
		want table
	}{
		{"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4\x00", 0, "Open MPI 4.1.4", openMPI},
		{"Open MPI v5.0.11, package: x", 0, "Open MPI 5.0.11", openMPI},
		{"MPICH Version:      4.0.2\nMPICH Release date: x", 0, "MPICH 4.0.2", mpich},
		{"MPICH Version:      5.0.2\n", 0, "MPICH 5.0.2", mpich},
		{"MPICH Version:      5.0.2\n", 1, "MPICH 5.0.2 (MPI-5 ABI)", standardABI},
		{"Open MPI v6.0.0, package: x", 1, "Open MPI 6.0.0 (MPI-5 ABI)", standardABI},
		{"Some MPI 9\n", 1, "Some MPI 9 (MPI-5 ABI)", standardABI},
	} {
		if name, got, err := identify(x.text, x.abi); err != nil || name != x.name || got != x.want {
			t.Errorf("%q: %q, %+v, %v", x.text, name, got, err)
		}
	}
	for text, abi := range map[string]int{"Open MPI v3.1.6, package: old": 0, "Open MPI v6.0.0, package: new": 0, "MPICH Version: 3.4": 0,
		"Intel(R) MPI Library 2021.9 for Linux* OS": 0, "MPICH Version: 6.0": 2, "": 1} {
		if name, _, err := identify(text, abi); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q is %q: %v", text, name, err)
		}
	}
}

// The launcher is known by what it leaves in the environment, and its library is tried first.
func TestLauncher(t *testing.T) {
	for _, x := range []struct{ variables, want, first string }{
		{"", "", fileABI},
		{"OMPI_COMM_WORLD_RANK=1 PMIX_RANK=1", "Open MPI's mpirun", fileOpenMPI},
		{"PMI_RANK=0", "MPICH's mpiexec", fileABI},
		{"PMI_FD=5", "a PMI launcher", fileABI},
		{"PMIX_RANK=2 SLURM_PROCID=2", "a PMIx launcher", fileOpenMPI},
		{"SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4", "srun", fileABI},
		{"SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1", "", fileABI},
		{"SLURM_PROCID=0 SLURM_NTASKS=4", "", fileABI}, // the batch script itself
	} {
		lookup := func(name string) (string, bool) {
			for _, v := range strings.Fields(x.variables) {
				if key, value, _ := strings.Cut(v, "="); key == name {
					return value, true
				}
			}
			return "", false
		}
		if got, files := Launcher(lookup), candidates(lookup); got != x.want || files[0] != x.first {
			t.Errorf("%q: %q, %v", x.variables, got, files)
		}
	}
}

// Without a launcher MPI does not begin.
func TestWithoutLauncher(t *testing.T) {
	if Launcher(os.LookupEnv) != "" {
		t.Skip("a launcher started this test")
	}
	if _, err := Open(""); err == nil || !strings.Contains(err.Error(), "no launcher started this process: mpirun -n 4") {
		t.Errorf("%v", err)
	}
}

// A line says what there is, and warns of one core with the flag that helps.
func TestString(t *testing.T) {
	w := World{Size: 4, Library: "Open MPI 4.1.4", File: fileOpenMPI, procs: 2}
	if got, want := w.String(), "Open MPI 4.1.4 (libmpi.so.40), 4 ranks, GOMAXPROCS 2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	w.procs = 1
	if got := w.String(); !strings.Contains(got, "GOMAXPROCS 1; warning:") || !strings.Contains(got, "mpirun --bind-to none") {
		t.Errorf("%q", got)
	}
}

// What MPI needs of our own stays small: the rest is tcp's.
func TestSmall(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	lines := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	if lines > 900 {
		t.Errorf("%d lines without tests, want at most 900", lines)
	}
}
