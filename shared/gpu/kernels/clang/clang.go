// Package clang compiles the kernels' CUDA C to PTX. It needs clang-19 and no part of
// CUDA. The same sources and the same clang give the same bytes.
package clang

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// version is the clang whose text is committed.
//
// Source: ours: other versions write other text for the same kernels
const version = "19.1.7"

// flags compile for compute capability 7.5 in PTX 7.0, which CUDA 11.0 reads and every
// newer driver compiles on; no product is fused with a sum unless a kernel says so.
var flags = []string{
	"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_75", "-nocudainc", "-nocudalib", "-Xclang", "-target-feature", "-Xclang", "+ptx70",
	"-std=c++17", "-S", "-O3", "-fno-unroll-loops", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-fno-verbose-asm", "kernels.cu", "-o", "-",
}

// ErrMissing says that the compiler is not on this machine.
var ErrMissing = errors.New("there is no clang-" + version + " on PATH: kernels cannot be compiled here")

// Ready returns ErrMissing if Compile would.
//
// Source: ours: see ErrMissing
func Ready() error {
	out, err := exec.Command("clang-19", "--version").Output()
	if err != nil || !strings.Contains(string(out), "version "+version) {
		return ErrMissing
	}
	return nil
}

// Compile returns the PTX of kernels.cu in dir. The error is ErrMissing, or holds what
// clang said.
//
// Source: ours: one PTX text for all cards
func Compile(dir string) ([]byte, error) {
	if err := Ready(); err != nil {
		return nil, err
	}
	cmd := exec.Command("clang-19", flags...)
	cmd.Dir = dir
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("clang-19: %w\n%s", err, said.String())
	}
	return out.Bytes(), nil
}
