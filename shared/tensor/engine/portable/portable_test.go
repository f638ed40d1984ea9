package portable

import (
	"testing"

	"gradsync/shared/internal/enginetest"
	"gradsync/shared/tensor"
)

func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	enginetest.Run(t, New())
}

func TestRegistered(t *testing.T) {
	if e, err := tensor.Lookup(Name); err != nil || e.Name() != Name || e.Class() != Name {
		t.Errorf("Lookup(%q) = %v, %v", Name, e, err)
	}
	if _, err := tensor.Lookup("abacus"); err == nil {
		t.Error("an unknown engine was found")
	}
}
