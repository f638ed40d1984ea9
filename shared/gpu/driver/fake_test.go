package driver_test

import (
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
)

func TestFake(t *testing.T) {
	contract(t, graph, func(t *testing.T) driver.Driver { return faketest.Open(t, faketest.Library(t, fake.Options{})) })
}

// TestLazy: the contract holds where work is done only when somebody waits.
func TestLazy(t *testing.T) {
	contract(t, graph, func(t *testing.T) driver.Driver {
		return faketest.Open(t, faketest.Library(t, fake.Options{Lazy: true}))
	})
}

// TestHost: another library of CUDA may enter the context until the driver is closed or lost.
func TestHost(t *testing.T) {
	d := faketest.Open(t, faketest.Library(t, fake.Options{}))
	h, ok := d.(driver.Host)
	if !ok {
		t.Fatal("NVIDIA's driver is no Host")
	}
	must(t, h.Enter())
	h.Leave()
	must(t, d.Close())
	if err := h.Enter(); err == nil {
		h.Leave()
		t.Error("a closed driver's context can be entered")
	}
}

// TestCardByVariable: tests on the card open the driver that programs open.
func TestCardByVariable(t *testing.T) {
	t.Setenv("GRADSYNC_CUDA_DRIVER", faketest.Library(t, fake.Options{}).Path)
	t.Setenv("GRADSYNC_REQUIRE_GPU", "1")
	d := faketest.Card(t)
	if got := d.Info().Name; got != "fake GPU on the CPU" {
		t.Errorf("opened %q", got)
	}
	must(t, d.Close())
}
