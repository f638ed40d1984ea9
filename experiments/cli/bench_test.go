package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/bench"
)

// A step through the command line, with a real worker: positive numbers, two
// rounds, no allocation in any step.
func TestBenchStep(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	rc, out, msg := gradsync(fields("bench step --model mlp --batch 4 --rounds 2 --seconds 0.02 --concurrent 2 --engine portable --profile 0.5 --json")...)
	var got struct {
		Model, Peer string
		Engines     []struct {
			Engine, Class string
			Rounds        int
			Images        float64                            `json:"images_per_second"`
			GFLOPS        float64                            `json:"gflop_per_second"`
			Allocs        float64                            `json:"allocs_per_step"`
			Peak          int64                              `json:"peak_bytes"`
			Time          struct{ Min, Median, Max float64 } `json:"step_seconds"`
			Functions     []struct{ Name string }
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitOK || len(got.Engines) != 1 {
		t.Fatalf("exit code %d, %v, %s\n%s", rc, err, msg, out)
	}
	e := got.Engines[0]
	if got.Model != "mlp" || e.Engine != "portable" || e.Class != "portable" || e.Rounds != 2 || e.Images <= 0 || e.GFLOPS <= 0 || len(e.Functions) == 0 {
		t.Errorf("%+v", got)
	}
	if e.Time.Min <= 0 || e.Time.Min > e.Time.Median || e.Time.Median > e.Time.Max {
		t.Errorf("times %+v", e.Time)
	}
	if e.Allocs >= 1 { // the runtime's own count towards the rounds, a step's would be 1 at least
		t.Errorf("%v allocations a step", e.Allocs)
	}
	// Two sets of weights and gradients of 669,706 parameters are 10.7 MB.
	if runtime.GOOS == "linux" && (e.Peak < 10<<20 || e.Peak > 1<<30) {
		t.Errorf("a peak of %d bytes", e.Peak)
	}
}

func TestBenchGemm(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	rc, out, msg := gradsync(fields("bench gemm --m 16 --n 48 --k 32 --rounds 1 --seconds 0.01 --engine portable,gonum")...)
	if lines := strings.Split(strings.TrimSpace(out), "\n"); rc != exitOK || len(lines) != 2 || !strings.HasPrefix(lines[0], "portable ") ||
		!strings.HasPrefix(lines[1], "gonum ") || strings.Count(out, "GFLOP/s") != 2 {
		t.Errorf("exit code %d, %s\n%s", rc, msg, out)
	}
}

// Without PyTorch one line says so and the table goes on.
func TestBenchWithoutPyTorch(t *testing.T) {
	rc, out, msg := gradsync(fields("bench step --batch 2 --rounds 1 --seconds 0.01 --engine portable,pytorch --python no-such-python --quiet")...)
	if rc != exitOK || strings.Count(out, "\n") != 2 || !strings.Contains(out, "\npytorch: no PyTorch: --python no-such-python: it does not exist\n") ||
		!strings.HasPrefix(out, "portable ") {
		t.Errorf("exit code %d, %s\n%s", rc, msg, out)
	}
}

func TestBenchUsage(t *testing.T) {
	for command, want := range map[string]string{
		"bench step --model alexnet":                         "lenet5",
		"bench step --engine abacus":                         "portable",
		"bench step --batch 0":                               "--batch 0: at least 1\n",
		"bench step --threads 0":                             "--threads 0: at least 1\n",
		"bench step --concurrent 0":                          "--concurrent 0: at least 1\n",
		"bench step --width -1":                              "--width -1: at least 0",
		"bench step --width NaN":                             "--width NaN: at least 0",
		"bench step --image -16":                             "--image -16: at least 0",
		"bench step --rounds 0":                              "--rounds 0: at least 1\n",
		"bench step --seconds NaN":                           "--seconds NaN: more than 0\n",
		"bench step --seconds Inf":                           "--seconds +Inf: more than 0\n",
		"bench step --budget NaN":                            "--budget NaN: at least 0",
		"bench step --budget -1":                             "--budget -1: at least 0",
		"bench gemm --profile NaN":                           "--profile NaN: at least 0",
		"bench vec --profile -1":                             "--profile -1: at least 0",
		"bench vec --mib 0":                                  "--mib 0: at least 1,",
		"bench vec --mib 9223372036854775807":                "--mib 9223372036854775807: at least 1, at most",
		"bench cluster --ranks 1":                            "--ranks 1: at least 2\n",
		"bench cluster --messages 3":                         "--messages 3: at least as many as --ranks, 64\n",
		"bench cluster --rounds 0":                           "--rounds 0: at least 1\n",
		"bench step --model vgg19_bn --batch 1 --image 16":   "--batch 1: vgg19_bn, layer features.41: one image",
		"bench step --python none --engine portable,pytorch": "--engine pytorch: --python none switches it off\n",
		"bench gemm --m 3 --n -2":                            "--n -2: at least 1\n",
		"bench step --model lenet5 --width 0.125":            "lenet5",
		"bench gemm --engine pytorch":                        "openblas",
		"bench gemm --size 0":                                "--size 0: at least 1\n",
		"bench worker more":                                  "want flags only",
	} {
		if rc, _, msg := gradsync(fields(command)...); rc != exitUsage || !strings.HasPrefix(msg, "gradsync: ") || !strings.Contains(msg, want) ||
			strings.Count(msg, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q; want %d and %q", command, rc, msg, exitUsage, want)
		}
	}
}

// A line says what runs, where something reads it.
func TestBenchEngines(t *testing.T) {
	if testing.Short() {
		t.Skip("takes most of a second: make test has it")
	}
	const gemm = "bench gemm --size 16 --rounds 1 --seconds 0.01 --engine portable"
	all := engineStates()
	first := all[slices.IndexFunc(all, func(s engineState) bool { return s.why == "" })]
	if rc, _, msg := gradsync(fields(gemm + " --json")...); rc != exitOK || !strings.HasPrefix(msg, "engines here: "+first.label) ||
		strings.Count(msg, "\n") != 1 {
		t.Errorf("exit code %d, %q", rc, msg)
	}
	for _, silent := range []string{gemm + " --quiet", "bench vec --mib 1 --rounds 1 --seconds 0.01 --engine copy"} {
		if rc, _, msg := gradsync(fields(silent)...); rc != exitOK || msg != "" {
			t.Errorf("%s: exit code %d, %q", silent, rc, msg)
		}
	}
}

// More threads than cores: one line of warning, and the same in the object.
func TestBenchCrowded(t *testing.T) {
	command := fmt.Sprintf("bench gemm --size 16 --rounds 1 --seconds 0.01 --engine portable --quiet --json --threads %d", runtime.NumCPU()+1)
	rc, out, msg := gradsync(fields(command)...)
	var got struct{ Warning string }
	if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitOK || got.Warning == "" || msg != "warning: "+got.Warning+"\n" {
		t.Errorf("exit code %d, %v, %q beside %q", rc, err, msg, got.Warning)
	}
}

// What no machine holds is refused before anything is started, where the system
// says how much memory it has.
func TestBenchTooLarge(t *testing.T) {
	if bench.MachineMemory() == 0 {
		t.Skip("how much memory this machine has is not known")
	}
	for _, command := range []string{"gemm --size 100000000", "vec --mib 1000000000", "step --model resnet18 --image 16777216",
		"step --model resnet18 --width 16 --batch 100000000"} {
		rc, _, msg := gradsync(fields("bench " + command)...)
		if rc != exitUsage || !strings.Contains(msg, "this machine has ") || strings.Count(msg, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q", command, rc, msg)
		}
	}
}

// Beside PyTorch, where there is one: both have all numbers, two processes of it
// count as one contender, and it says what it computes with.
func TestBenchBesidePyTorch(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("starts PyTorch: set GRADSYNC_LONG=1")
	}
	rc, out, msg := gradsync(fields("bench step --model vgg19_bn --width 0.125 --image 16 --batch 4 --concurrent 2 " +
		"--rounds 2 --seconds 0.01 --engine portable,pytorch --json")...)
	var got struct {
		Engines []struct {
			Engine string
			Ratio  *struct{ Min, Median, Max float64 }
			Images float64                  `json:"images_per_second"`
			GFLOPS float64                  `json:"gflop_per_second"`
			CPU    struct{ Median float64 } `json:"cpu_seconds_per_step"`
			Peak   int64                    `json:"peak_bytes"`
			Facts  []string
		}
		Notes []struct{ Engine, Why string }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitOK {
		t.Fatalf("exit code %d, %v, %s\n%s", rc, err, msg, out)
	}
	for _, n := range got.Notes {
		if strings.HasPrefix(n.Why, "no PyTorch: ") {
			t.Skip(n.Why)
		}
	}
	if len(got.Engines) != 2 || got.Engines[1].Engine != "pytorch" {
		t.Fatalf("%+v", got)
	}
	ours, theirs := got.Engines[0], got.Engines[1]
	if ours.Ratio == nil || theirs.Ratio != nil || ours.Ratio.Min <= 0 || ours.Ratio.Min > ours.Ratio.Median || ours.Ratio.Median > ours.Ratio.Max {
		t.Errorf("ratios %+v, %+v", ours.Ratio, theirs.Ratio)
	}
	if theirs.Images <= 0 || theirs.GFLOPS <= 0 || theirs.CPU.Median <= 0 || runtime.GOOS == "linux" && theirs.Peak < 100<<20 { // two interpreters
		t.Errorf("%+v", theirs)
	}
	if facts := strings.Join(theirs.Facts, "\n"); !strings.Contains(facts, "PyTorch ") || !strings.Contains(facts, "BLAS") ||
		!strings.Contains(facts, "threads: 1 ") {
		t.Errorf("facts %q", facts)
	}
}

// TestBenchGPU: without a GPU nothing is measured, and that is what the section says; a file is
// read again, and another one is refused.
func TestBenchGPU(t *testing.T) {
	dir := t.TempDir()
	book, report, kept := dir+"/B.json", dir+"/B.md", dir+"/gpu.json"
	if err := os.WriteFile(book, []byte(`{"command": "c"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, from := range [][]string{{"--out", kept}, {"--from", kept}} {
		rc, out, msg := gradsync(append([]string{"bench", "gpu", "--into", book}, from...)...)
		text, err := os.ReadFile(report)
		if rc != exitOK || err != nil || !strings.Contains(out, "nothing was measured: there was no GPU at hand") || strings.Count(string(text),
			"| not measured | – |") != 10 {
			t.Errorf("%v: exit %d, %v: %s%s\n%s", from, rc, err, out, msg, text)
		}
	}
	for args, says := range map[string]string{"--from " + report: "it is no report", "--into " + dir + "/none": "no such file", "--device cuda": noGPU} {
		if rc, _, msg := gradsync(append([]string{"bench", "gpu"}, fields(args)...)...); rc != exitFailed || !strings.Contains(msg, says) {
			t.Errorf("%s: exit %d: %s", args, rc, msg)
		}
	}
	if rc, _, msg := gradsync("bench", "gpu", "--device", "cpu"); rc != exitUsage || !strings.Contains(msg, "is no GPU") {
		t.Errorf("--device cpu: exit %d: %s", rc, msg)
	}
}
