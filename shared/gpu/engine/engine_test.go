package engine_test

import (
	"fmt"
	"os"
	"testing"

	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/internal/enginetest"
	"gradsync/shared/tensor"
)

// suite runs the contract of engines.
func suite(t *testing.T, e tensor.Device, run func(*testing.T, tensor.Engine)) {
	h := &host{Device: e}
	t.Cleanup(func() { must(t, h.close()) })
	run(t, h)
}

// TestConformance: the engine passes on the fake drivers, on a card and on the emulator; on the
// last with fewer repeats, and on the lazy driver too unless GRADSYNC_LONG is set.
func TestConformance(t *testing.T) {
	notInRace(t)
	for _, lazy := range []bool{false, true} {
		run := enginetest.Run
		if lazy && os.Getenv("GRADSYNC_LONG") == "" { // the kernels are the other's
			run = enginetest.RunSlow
		}
		t.Run(fmt.Sprintf("lazy=%t", lazy), func(t *testing.T) { suite(t, open(t, openFake(t, fake.Options{Lazy: lazy})), run) })
	}
	t.Run("card", func(t *testing.T) { suite(t, open(t, faketest.Card(t)), enginetest.Run) })
	t.Run("emulator", func(t *testing.T) {
		if testing.Short() {
			t.Skip("takes seconds: make test has it")
		}
		suite(t, open(t, emulated.New(emulated.Options{})), enginetest.RunSlow)
	})
}
