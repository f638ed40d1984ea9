package driver_test

import (
	"errors"
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/driver/drivertest"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/race"
)

// library returns a fake driver library of its own, or skips.
func library(t *testing.T, o fake.Options) *fake.Library {
	t.Helper()
	if testing.Short() && !race.Enabled { // its locks are for threads
		t.Skip("takes seconds: make test has it")
	}
	built, err := fake.Build(kernels.Sources())
	if errors.Is(err, fake.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := fake.New(built, t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func openFake(t *testing.T, l *fake.Library) driver.Driver {
	t.Helper()
	d, err := driver.Open(l.Path, 0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestFake(t *testing.T) {
	drivertest.Run(t, func(t *testing.T) driver.Driver { return openFake(t, library(t, fake.Options{})) })
}

// TestLazy: the contract holds where work is done only when somebody waits.
func TestLazy(t *testing.T) {
	drivertest.Run(t, func(t *testing.T) driver.Driver { return openFake(t, library(t, fake.Options{Lazy: true})) })
}

// TestHost: another library of CUDA may enter the context until the driver is closed or lost.
func TestHost(t *testing.T) {
	d := openFake(t, library(t, fake.Options{}))
	h, ok := d.(driver.Host)
	if !ok {
		t.Fatal("NVIDIA's driver is no Host")
	}
	if err := h.Enter(); err != nil {
		t.Fatal(err)
	}
	h.Leave()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := h.Enter(); err == nil {
		h.Leave()
		t.Error("a closed driver's context can be entered")
	}
}

// TestCardByVariable: tests on the card open the driver that programs open.
func TestCardByVariable(t *testing.T) {
	t.Setenv("GRADSYNC_CUDA_DRIVER", library(t, fake.Options{}).Path)
	t.Setenv("GRADSYNC_REQUIRE_GPU", "1")
	d := drivertest.Card(t)
	if got := d.Info().Name; got != "fake GPU on the CPU" {
		t.Errorf("opened %q", got)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
