package engine_test

import (
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/enginetest"
)

// suite runs the contract of engines.
func suite(t *testing.T, e tensor.Device, run func(*testing.T, tensor.Engine)) {
	h := &host{Device: e}
	t.Cleanup(func() {
		if err := h.close(); err != nil {
			t.Error(err)
		}
	})
	run(t, h)
}

// TestConformance: the engine passes on the fake drivers and on a card, and on the emulator with fewer
// repeats.
func TestConformance(t *testing.T) {
	onDevices(t, func(t *testing.T, d driver.Driver) { suite(t, open(t, d), enginetest.Run) })
	t.Run("emulator", func(t *testing.T) {
		if testing.Short() {
			t.Skip("takes seconds: make test has it")
		}
		suite(t, open(t, driver.Emulated(driver.EmulatorOptions{})), enginetest.RunSlow)
	})
}
