// Package fake builds a libcuda.so.1 for tests: the driver's calls with the kernels
// compiled for the CPU, by g++ and from the same CUDA C that the PTX is made of. Beside it
// a libcublas and a libcudnn do their work by plain loops over its memory, and a libnccl sums
// over several devices, of one process or of several.
//
// The host can neither read nor write its device memory, an address is never given
// twice, and a write behind an allocation is found out. A lazy device does
// work only when somebody waits for it, so that a forgotten dependency fails each time.
package fake

import (
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/cpu"
)

//go:embed cpp
var cpp embed.FS

// called lists the functions that gorgonia.org/cu v0.9.6 calls with CUDA 12's headers: a
// program that is linked to cu needs them all.
//
//go:embed called.txt
var called string

// ErrMissing says that this machine cannot have a fake driver.
var ErrMissing = errors.New("the fake GPU driver needs g++, Linux and amd64")

// Build compiles the library with kernels' CUDA C and returns its path; it is kept in the
// user's cache under a name that holds the sources' hash, with the few newest others. The
// error is ErrMissing, or holds what g++ said.
//
// Source: ours: kernels that a debugger and a sanitiser understand
func Build(kernels fs.FS) (string, error) { return buildDriver(kernels, "") }

// BuildLibraries is Build for cuBLAS and cuDNN, in one file, which need no kernels.
//
// Source: ours: call order, arguments and results without a card
func BuildLibraries() (string, error) {
	return buildAlone("gradsync-fake-libraries", libraries)
}

// BuildNCCL is Build for NCCL, which needs no kernels.
//
// Source: ours: sums over devices that no machine has
func BuildNCCL() (string, error) { return buildAlone("gradsync-fake-nccl", nccl) }

// Sources that are libraries of their own.
const (
	libraries = "libraries.cpp"
	nccl      = "nccl.cpp"
)

func buildAlone(name, source string) (string, error) {
	text, err := cpp.ReadFile("cpp/" + source)
	if err != nil {
		return "", err
	}
	return build(name, source, []file{{source, text}})
}

// Install puts a library into dir, and what a linker looks for, that a program can be
// linked to: calls that no test needs are there and return CUDA_ERROR_NOT_SUPPORTED. The
// error is Build's.
//
// Source: ours: for programs with gorgonia.org/cu
func Install(kernels fs.FS, dir string) error {
	built, err := buildDriver(kernels, called, "-Wl,-soname,libcuda.so.1")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(built)
	if err != nil {
		return err
	}
	for _, name := range []string{"libcuda.so.1", "libcuda.so"} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// buildDriver compiles the driver; it has stubs for all of called that it lacks.
func buildDriver(kernels fs.FS, called string, more ...string) (string, error) {
	files, err := collect(kernels, called)
	if err != nil {
		return "", err
	}
	return build("gradsync-fake-cuda", "fake.cpp", files, more...)
}

// build compiles one of the files to a library of that name.
func build(name, main string, files []file, more ...string) (string, error) {
	if !supported {
		return "", ErrMissing
	}
	compiler, err := exec.LookPath("g++")
	if err != nil {
		return "", ErrMissing
	}
	flags := []string{"-std=c++17", "-O3", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-unused-function"}
	flags = append(flags, more...)
	if cpu.X86.HasFMA {
		flags = append(flags, "-mfma") // otherwise the C library's fma, slower and the same bits
	}
	version, err := exec.Command(compiler, "--version").Output()
	if err != nil {
		return "", ErrMissing
	}
	sum := sha256.New()
	fmt.Fprintln(sum, string(version), flags)
	for _, f := range files {
		fmt.Fprintln(sum, f.name, len(f.text))
		sum.Write(f.text)
	}
	dir, err := folder()
	if err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(dir, "lock")) // tests of several packages want it at once
	if err != nil {
		return "", err
	}
	defer unlock()
	path := filepath.Join(dir, fmt.Sprintf("%s-%x.so", name, sum.Sum(nil)[:12]))
	if _, err := os.Stat(path); err == nil {
		now := time.Now()
		return path, os.Chtimes(path, now, now)
	}
	if err := compile(compiler, flags, main, files, path); err != nil {
		return "", err
	}
	return path, prune(dir, path)
}

type file struct {
	name string
	text []byte
}

// kernelName finds the kernels of a source.
var kernelName = regexp.MustCompile(`(?m)^KERNEL\((\w+)\)`)

// callName finds the driver's calls that the fake has.
var callName = regexp.MustCompile(`(?m)^API (\w+)\(`)

// stubs defines those of the called functions that no source has.
func stubs(called string, files []file) string {
	has := map[string]bool{}
	for _, f := range files {
		for _, m := range callName.FindAllSubmatch(f.text, -1) {
			has[string(m[1])] = true
		}
	}
	text := "// What a program may be linked to and no test calls.\n"
	for _, name := range strings.Fields(called) {
		if !has[name] {
			text += fmt.Sprintf("API %s() { return 801; }\n", name)
		}
	}
	return text
}

// collect returns all sources; register.h, which names every kernel; stubs.h.
func collect(kernels fs.FS, called string) ([]file, error) {
	own, err := fs.Sub(cpp, "cpp")
	if err != nil {
		return nil, err
	}
	var files []file
	register := "// Every kernel, under its name in the PTX.\n"
	for _, from := range []fs.FS{own, kernels} {
		err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || name == libraries || name == nccl {
				return err
			}
			text, err := fs.ReadFile(from, name)
			files = append(files, file{name, text})
			for _, m := range kernelName.FindAllSubmatch(text, -1) {
				register += fmt.Sprintf("REGISTER(%s)\n", m[1])
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return append(files, file{"register.h", []byte(register)}, file{"stubs.h", []byte(stubs(called, files))}), nil
}

// compile writes the library under its name when it is whole.
func compile(compiler string, flags []string, main string, files []file, path string) error {
	dir, err := os.MkdirTemp("", "gradsync-fake-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.text, 0o644); err != nil {
			return err
		}
	}
	built := path + ".new"
	cmd := exec.Command(compiler, append(flags, main, "-o", built)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "warning:") {
		os.Remove(built)
		return fmt.Errorf("g++: %v\n%s", err, out)
	}
	return os.Rename(built, path)
}
