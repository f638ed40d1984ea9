package dev

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// TestGpuCu: the script fetches the headers once, whole or not at all, says in its exit code whether the network or the
// file is wrong, and hands them and the fake driver to go test and nothing else.
func TestGpuCu(t *testing.T) {
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("the fake driver runs on linux/amd64 alone")
	}
	programs := t.TempDir()
	for _, name := range []string{"bash", "dirname", "env", "grep", "mkdir", "mktemp", "mv", "realpath", "rm", "uname"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		oktest.Nil(t, os.Symlink(path, filepath.Join(programs, name)))
	}
	write := func(name, text string) {
		t.Helper()
		oktest.Nil(t, os.WriteFile(filepath.Join(programs, name), []byte("#!/usr/bin/env bash\n"+text), 0o755))
	}
	script := oktest.Must(filepath.Abs(filepath.Join("..", "..", "..", ".ci", "gpu-cu")))(t)
	cache := t.TempDir()
	call := func(want int, says string, args ...string) string {
		t.Helper()
		c := exec.Command(script, args...)
		c.Env = []string{"PATH=" + programs, "XDG_CACHE_HOME=" + cache}
		out, err := c.CombinedOutput()
		var exit *exec.ExitError
		if code := c.ProcessState.ExitCode(); err != nil && !errors.As(err, &exit) || code != want || !strings.Contains(string(out), says) {
			t.Errorf("%v: exit code %d (%v), want %d and %q of\n%s", args, code, err, want, says, out)
		}
		return string(out)
	}
	write("gcc", "")
	call(1, "no g++ on PATH (Debian: apt-get install g++)")
	write("g++", "")
	write("python3", `echo no route to host; exit 1`)
	call(75, "no route to host\ngpu-cu: the headers cannot be fetched; .ci/gpu-cu DIR ")
	write("python3", `echo ERROR: THESE PACKAGES DO NOT MATCH THE HASHES; exit 1`)
	call(1, "DO NOT MATCH")
	write("python3", `while [ "$1" != --target ]; do shift; done; mkdir -p "$2/nvidia/cuda_runtime/include"; >"$2/nvidia/cuda_runtime/include/cuda.h"`)
	write("go", `echo "go $1 $CGO_ENABLED $CGO_CFLAGS $CGO_LDFLAGS $LD_LIBRARY_PATH $GRADSYNC_CU"`)
	fake := filepath.Join(cache, "gradsync", "cuda", "fake")
	line := func(headers string) string {
		return `go test 1 "-I` + headers + `" "-L` + fake + `" ` + fake + " fake\n"
	}
	call(0, line(filepath.Join(cache, "gradsync", "cuda", "nvidia-cuda-runtime-cu12==12.9.79", "nvidia", "cuda_runtime", "include")))
	write("python3", "exit 1")
	call(0, "go test") // they are there
	own := t.TempDir()
	call(0, line(own), own)
	if left, err := filepath.Glob(filepath.Join(cache, "gradsync", "cuda", "*")); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}
