//go:build linux && (amd64 || arm64) && !nodl

package mpi

import (
	"strings"
	"testing"
)

// A library that is not there, or is none, is named with what to do.
func TestLoad(t *testing.T) {
	_, err := load("libnone.so")
	for _, want := range []string{"tried libnone.so", "openmpi-bin or mpich", "--mpi-lib PATH"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := load("libm.so.6"); err == nil || !strings.Contains(err.Error(), "libm.so.6 is no MPI library") {
		t.Errorf("%v", err)
	}
}
