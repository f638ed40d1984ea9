package driver_test

import (
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/internal/drivertest"
	"gradsync/shared/gpu/internal/emulated"
)

func TestEmulated(t *testing.T) {
	drivertest.Run(t, func(*testing.T) driver.Driver { return emulated.New(emulated.Options{Memory: 256 << 20}) })
}

// TestPurego runs on NVIDIA's driver where there is one.
func TestPurego(t *testing.T) {
	d := drivertest.Card(t)
	t.Logf("%+v", d.Info())
	must(t, d.Close())
	drivertest.Run(t, func(t *testing.T) driver.Driver {
		return drivertest.Card(t)
	})
}
