package kernels_test

import (
	"errors"
	"strings"
	"testing"

	"gradsync/shared/gpu/internal/ptx"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/gpu/kernels/clang"
)

// TestGenerated: clang makes the PTX that ships of the sources beside it.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	text, err := clang.Compile("cuda")
	if errors.Is(err, clang.ErrMissing) {
		t.Skip(err)
	}
	must(t, err)
	if string(text) != kernels.PTX() {
		t.Error("kernels.ptx is not what clang makes of cuda/kernels.cu: run go generate")
	}
}

// TestText: every kernel of the PTX has a method, none of its sums and products may be
// fused by a driver, and nothing spills into local memory.
func TestText(t *testing.T) {
	m, err := ptx.Parse(kernels.PTX())
	must(t, err)
	for _, name := range m.Names() {
		if !kernels.Known(name) {
			t.Errorf("kernel %s has no method", name)
		}
	}
	for _, bad := range []string{"\tadd.f32", "\tmul.f32", "\tsub.f32", ".approx", ".ftz", ".local", "atom."} {
		if strings.Contains(kernels.PTX(), bad) {
			t.Errorf("the PTX has %q", bad)
		}
	}
	if !strings.Contains(kernels.PTX(), ".version 7.0\n.target sm_75\n") {
		t.Error("the PTX is not of version 7.0 for sm_75, which CUDA 11.0 compiles")
	}
}
