// Package gpu_test runs run.sh as one does on a machine with a GPU.
package gpu_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
)

// bundle returns a folder with the script, which keeps data in a store of its own.
func bundle(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("run.sh needs sh: ", err)
	}
	text, dir := oktest.Must(os.ReadFile("run.sh"))(t), t.TempDir()
	write(t, filepath.Join(dir, "run.sh"), text)
	t.Setenv("GRADSYNC_GPU_STORE", filepath.Join(dir, "store"))
	return dir
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	oktest.Nil(t, os.MkdirAll(filepath.Dir(path), 0o755))
	oktest.Nil(t, os.WriteFile(path, text, 0o755))
}

// script runs the script and returns its exit code and what it said.
func script(t *testing.T, dir string, args ...string) (int, string) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{filepath.Join(dir, "run.sh")}, args...)...)
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(said)
}

// TestData: data sets that were cut into pieces are whole again when the last piece came, in
// whatever order; a broken piece and wrong arguments are refused in one line.
func TestData(t *testing.T) {
	dir, from, text := bundle(t), t.TempDir(), bytes.Repeat([]byte("images\x00\xff"), 40_000)
	write(t, filepath.Join(from, "mnist", "train"), text)
	if rc, said := script(t, dir, "split", "3", from); rc != 0 {
		t.Fatalf("split: exit %d: %s", rc, said)
	}
	for _, piece := range []string{"3/3", "1/3", "2/3"} {
		if rc, said := script(t, dir, "data", piece); rc != 0 || strings.Contains(said, "all 3 pieces") != (piece == "2/3") {
			t.Errorf("piece %s: exit %d: %s", piece, rc, said)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "store", "data", "mnist", "train"))
	if err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d bytes came, want %d: %v", len(got), len(text), err)
	}
	write(t, filepath.Join(dir, "data.2"), []byte("another"))
	for _, c := range []struct{ args, says string }{
		{"data 2/3", "the pieces do not make up what was cut"},
		{"data 4/3", "I from 1 to N"}, {"data 0/3", "I from 1 to N"}, {"data two", "want I/N"}, {"data", "want I/N"}, {"data 7/9", "no file data.7"},
		{"split x " + from, "want a number of pieces"}, {"split 2 /nowhere", "no folder /nowhere"}, {"check now", "takes no argument"},
	} {
		if rc, said := script(t, dir, strings.SplitN(c.args, " ", 3)...); rc != 2 || !strings.Contains(said, c.says) || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: exit %d: %s", c.args, rc, said)
		}
	}
	oktest.Nil(t, os.RemoveAll(filepath.Join(dir, "store")))
	t.Setenv("GRADSYNC_DATA", "")
	if rc, said := script(t, dir, "paper"); rc != 2 || !strings.Contains(said, "no data: ./run.sh data I/N first") {
		t.Errorf("paper without data: exit %d: %s", rc, said)
	}
	if rc, said := script(t, dir); rc != 2 || !strings.Contains(said, "./run.sh paper [9m]") {
		t.Errorf("no argument: exit %d: %s", rc, said)
	}
}

// TestCheck builds the bundle and runs its check on the fake driver in place of a card, and
// without one: there it fails.
func TestCheck(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("takes a minute: make test-long has it")
	}
	l := faketest.Library(t, fake.Options{})
	dir := bundle(t)
	if said, err := exec.Command("go", "run", "../gradsync", "dev", "gpu-bundle", "--out", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	t.Setenv("LD_LIBRARY_PATH", t.TempDir())
	if rc, said := script(t, dir, "check"); rc != 1 || !strings.Contains(said, "gpu: none (libcuda.so.1 not found") {
		t.Errorf("without a card: exit %d: %s", rc, said)
	}
	t.Setenv("LD_LIBRARY_PATH", filepath.Dir(l.Path))
	if rc, said := script(t, dir, "check"); rc != 0 || !strings.Contains(said, "LeNet-5, parameters after three steps") {
		t.Errorf("exit %d: %s", rc, said)
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "gpu.json")); err != nil {
		t.Error(err)
	}
}
