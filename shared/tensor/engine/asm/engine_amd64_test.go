package asm

import (
	"testing"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/enginetest"
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
	if ok && (e.Name() != Name || e.Class() != Class) {
		t.Errorf("engine %s of class %s", e.Name(), e.Class())
	}
}
