package asm

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerated: the generators write the committed assembly.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	for _, name := range []string{"products", "winograd", "elements"} {
		dir := t.TempDir()
		files := []string{name + "_amd64.s", name + "-stubs_amd64.go"}
		cmd := exec.Command("go", "run", "./gen/"+name, "-out", filepath.Join(dir, files[0]), "-stubs", filepath.Join(dir, files[1]), "-pkg", "asm")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go run ./gen/%s: %v\n%s", name, err, out)
		}
		for _, file := range files {
			got, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(body(got), body(want)) {
				t.Errorf("%s is not what gen/%s writes: run go generate ./shared/tensor/engine/asm", file, name)
			}
		}
	}
}

// body returns a generated file without its first line, which names the command.
func body(file []byte) []byte {
	_, rest, _ := bytes.Cut(file, []byte("\n"))
	return rest
}
