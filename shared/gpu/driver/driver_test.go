package driver_test

import (
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/gpu/internal/emulated"
)

func TestEmulated(t *testing.T) {
	contract(t, graph, func(*testing.T) driver.Driver { return emulated.New(emulated.Options{Memory: 256 << 20}) })
}

// TestPurego runs on NVIDIA's driver where there is one.
func TestPurego(t *testing.T) {
	d := faketest.Card(t)
	t.Logf("%+v", d.Info())
	must(t, d.Close())
	contract(t, graph, func(t *testing.T) driver.Driver { return faketest.Card(t) })
}
