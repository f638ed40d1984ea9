package cli

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// What --engine resolves to and what is said of it, on machines that differ in what they can run.
func TestChooseEngine(t *testing.T) {
	asm := engineState{name: "asm", label: "asm (avx512)"}
	noASM := engineState{name: "asm", label: "asm", why: "this CPU has no AVX2 and FMA"}
	portable := engineState{name: "portable", label: "portable"}
	for _, test := range []struct {
		asked      string
		here       []engineState
		name, line string // the line of the error if name is ""
	}{
		{"auto", []engineState{asm, portable}, "asm", "engine asm (avx512): fastest of our own here"},
		{"auto", []engineState{noASM, portable}, "portable", "engine portable: fastest of our own here; asm: this CPU has no AVX2 and FMA"},
		{"portable", []engineState{asm, portable}, "portable", "engine portable: by --engine; asm (avx512): available"},
		{"asm", []engineState{asm, portable}, "asm", "engine asm (avx512): by --engine"},
		{"asm", []engineState{noASM, portable}, "", "engine asm cannot run here: this CPU has no AVX2 and FMA"},
		{"abacus", []engineState{asm, portable}, "", `no engine "abacus": known are auto, asm, portable`},
		{"", []engineState{asm, portable}, "", `no engine "": known are auto, asm, portable`},
	} {
		name, line, err := chooseEngine(test.asked, test.here)
		if err != nil {
			if _, usage := err.(usageError); !usage {
				t.Errorf("--engine %s: %v is no usage error", test.asked, err)
			}
			line = err.Error()
		}
		if name != test.name || line != test.line {
			t.Errorf("--engine %s on %+v:\n got %q, %q\nwant %q, %q", test.asked, test.here, name, line, test.name, test.line)
		}
	}
}

// The line goes to standard error, once, when something is trained, and the
// outcome names the engine that ran, never auto.
func TestEngineLine(t *testing.T) {
	oktest.Slow(t)
	name, line, err := chooseEngine(autoEngine, engineStates())
	oktest.Nil(t, err)
	train := fields("train --sync bsp --data synthetic --batch 2 --workers 2 --updates 1 --eval-every -1 --json")
	rc, out, msg := gradsync(train...)
	line = noGPU + "; " + line
	if rc != exitOK || msg != line+"\n" || !strings.Contains(out, `"engine": "`+name+" (bit class") {
		t.Errorf("train: exit code %d, %q, want the line %q and engine %s in\n%s", rc, msg, line, name, out)
	}
	for _, more := range []string{"--quiet", "--backend gorgonia"} {
		if rc, _, msg := gradsync(append(train, fields(more)...)...); rc != exitOK || strings.Contains(msg, "engine") {
			t.Errorf("train %s: exit code %d, %q, want no line on the engine", more, rc, msg)
		}
	}
	if rc, _, msg := gradsync("train", "--timing-only", "--pushes", "6"); rc != exitOK || msg != "" {
		t.Errorf("train --timing-only: exit code %d, %q, want no line", rc, msg)
	}
	g := t.TempDir() + "/g.safetensors"
	if rc, out, msg := gradsync("grad", "--data", "synthetic", "--samples", "0:4", "--out", g, "--engine", "portable", "--json"); rc != exitOK ||
		!strings.HasPrefix(msg, "engine portable: by --engine") || strings.Count(msg, "\n") != 1 ||
		!strings.Contains(out, `"engine": "portable (bit class portable)"`) {
		t.Errorf("grad: exit code %d, %q\n%s", rc, msg, out)
	}
}

// What GRADSYNC_CPU takes away is said where engines are, and a value that is none ends every command.
func TestTheLimitOfInstructionsIsSaid(t *testing.T) {
	t.Setenv("GRADSYNC_CPU", "portable")
	if runtime.GOARCH == "amd64" {
		const want = "cpu        engine asm: GRADSYNC_CPU=portable\ncpu        engine portable\n"
		if rc, out, msg := gradsync("devices"); rc != exitOK || !strings.Contains(out, want) {
			t.Errorf("devices: exit code %d, %q, %q; want in it %q", rc, out, msg, want)
		}
	}
	for _, command := range []string{"version", "--help", "list"} {
		cmd := exec.Command(os.Args[0], command)
		cmd.Env = append(os.Environ(), workerEnv+"=1", "GRADSYNC_CPU=sse")
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != exitUsage || len(out) > 0 ||
			string(exit.Stderr) != "gradsync: GRADSYNC_CPU=\"sse\": want avx2 or portable\n" {
			t.Errorf("%s: %v, %q, %+v", command, err, out, exit)
		}
	}
}
