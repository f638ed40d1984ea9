package asm

import (
	"slices"
	"testing"

	"gradsync/shared/internal/enginetest"
	"gradsync/shared/tensor"
)

func TestConformance(t *testing.T) {
	all := engines(t)
	if testing.Short() {
		all = all[len(all)-1:]
	}
	for _, e := range all {
		t.Run(e.isa.String(), func(t *testing.T) { enginetest.Run(t, e) })
	}
}

func TestRegistered(t *testing.T) {
	_, ok := best()
	e, err := tensor.Lookup(Name)
	if ok != (err == nil) {
		t.Fatalf("the CPU runs a kernel set: %v; Lookup(%q): %v", ok, Name, err)
	}
	if ok && (e.Name() != Name || e.Class() != bitClass) {
		t.Errorf("engine %s of class %s", e.Name(), e.Class())
	}
}

func TestTheVariableLimitsTheEngine(t *testing.T) {
	engines(t)
	want := "asm (avx2)"
	if wide {
		want = "asm (avx2 by GRADSYNC_CPU)"
	}
	t.Setenv("GRADSYNC_CPU", "avx2")
	if e, err := tensor.Lookup(Name); err != nil || e != (engine{avx2}) || e.(engine).String() != want {
		t.Errorf("avx2: %v, %v, want %s", e, err, want)
	}
	t.Setenv("GRADSYNC_CPU", "portable")
	if e, err := tensor.Lookup(Name); err == nil || slices.Contains(tensor.Engines(), Name) {
		t.Errorf("portable: %v of %v, want no engine asm", e, tensor.Engines())
	}
}
