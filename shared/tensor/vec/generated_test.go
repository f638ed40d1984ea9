package vec

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGeneratedFilesAreCommitted: the generator writes the files that are here.
func TestGeneratedFilesAreCommitted(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command on this machine's PATH")
	}
	dir := t.TempDir()
	names := []string{"kernels_amd64.s", "kernels-stubs_amd64.go"}
	out, err := exec.Command(goTool, "run", "./gen/kernels",
		"-out", filepath.Join(dir, names[0]), "-stubs", filepath.Join(dir, names[1]), "-pkg", "vec").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range names {
		want, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		got, err := os.ReadFile(name)
		must(t, err)
		if !bytes.Equal(stripCommand(got), stripCommand(want)) {
			t.Errorf("%s is not what gen/kernels writes: run go generate", name)
		}
	}
}

// stripCommand drops the first line, which holds the command's arguments.
func stripCommand(text []byte) []byte {
	_, rest, _ := bytes.Cut(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"))
	return rest
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
