package kernels_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/shared/gpu/kernels"
)

var writeRegisters = flag.Bool("write-registers", false, "write testdata/registers.csv, by ptxas "+assembler)

// assembler is the version of ptxas, of CUDA 12.9, that made testdata/registers.csv.
const assembler = "V12.9.86"

// assembled matches what ptxas -v says of a kernel that it keeps in registers.
var assembled = regexp.MustCompile(`Compiling entry function '(\w+)' for '\w+'
ptxas info +: Function properties for \w+
 *0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info +: Used (\d+) registers`)

// TestNVIDIAsAssemblerTakesTheKernels: ptxas, which needs no GPU, assembles every kernel for each kind of card, spills
// none of its registers, and uses as many as testdata/registers.csv says.
func TestNVIDIAsAssemblerTakesTheKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	ptxas := os.Getenv("GRADSYNC_PTXAS")
	if path, err := exec.LookPath("ptxas"); ptxas == "" && err != nil {
		t.Skipf("%v: pip install --target DIR nvidia-cuda-nvcc-cu12==12.9.86, and GRADSYNC_PTXAS=DIR/nvidia/cuda_nvcc/bin/ptxas", err)
	} else if ptxas == "" {
		ptxas = path
	}
	version, err := exec.Command(ptxas, "--version").CombinedOutput()
	if err != nil {
		t.Fatalf("%s --version: %v\n%s", ptxas, err, version)
	}
	names, cards := kernels.Names(), []string{"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}
	table := make([]string, 1+len(names))
	table[0] = "kernel," + strings.Join(cards, ",")
	copy(table[1:], names)
	for _, card := range cards {
		out, err := exec.Command(ptxas, "-v", "-arch="+card, "kernels.ptx", "-o", filepath.Join(t.TempDir(), card)).CombinedOutput()
		if strings.Contains(string(out), "is not defined for option 'gpu-name'") {
			t.Logf("this ptxas is too old for %s:\n%s", card, version)
			continue
		}
		used := map[string]string{}
		for _, kernel := range assembled.FindAllSubmatch(out, -1) {
			used[string(kernel[1])] = string(kernel[2])
		}
		for i, name := range names {
			if err != nil || used[name] == "" {
				t.Fatalf("%s: %v; kernel %s is not there, or spills registers:\n%s", card, err, name, out)
			}
			table[i+1] += "," + used[name]
		}
	}
	t.Run("Registers", func(t *testing.T) {
		if !strings.Contains(string(version), assembler) {
			t.Skipf("testdata/registers.csv is of ptxas %s; this is\n%s", assembler, version)
		}
		path, got := filepath.Join("testdata", "registers.csv"), strings.Join(table, "\n")+"\n"
		if *writeRegisters {
			must(t, os.WriteFile(path, []byte(got), 0o600))
		}
		want, err := os.ReadFile(path)
		must(t, err)
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s is not so (-want +got); if it should be, add -write-registers:\n%s", path, diff)
		}
	})
}
