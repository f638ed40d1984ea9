// Package faketest gives tests a device: a fake driver, where one can be built, or PTX on the CPU.
package faketest

import (
	"errors"
	"io/fs"
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/race"
)

// Library returns a fake driver library of the test's own. It skips a short test, but under the
// race detector, which looks for who shares a driver.
//
// Source: ours: building one takes half a minute, once
func Library(t testing.TB, o fake.Options) *fake.Library {
	t.Helper()
	if testing.Short() && !race.Enabled {
		t.Skip("takes seconds: make test has it")
	}
	return Of(t, kernels.Sources(), o)
}

// Of does Library for other kernels, in a short test too.
//
// Source: ours: tests plant mistakes
func Of(t testing.TB, sources fs.FS, o fake.Options) *fake.Library {
	t.Helper()
	built, err := fake.Build(sources)
	if errors.Is(err, fake.ErrMissing) {
		t.Skip(err)
	}
	var l *fake.Library
	if err == nil {
		l, err = fake.New(built, t.TempDir(), o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Machine does Library, and makes it the only driver that package gpu finds, without libraries.
//
// Source: ours: NVIDIA's libraries do not work on it
func Machine(t testing.TB, o fake.Options) *fake.Library {
	t.Helper()
	l := Library(t, o)
	t.Setenv("GRADSYNC_CUDA_DRIVER", l.Path) // gpu.EnvDriver and gpu.EnvLibraries, which tests below gpu cannot import
	t.Setenv("GRADSYNC_CUDA_LIBS", "none")
	return l
}

// Open opens a library's first device.
//
// Source: ours: as driver.Open
func Open(t testing.TB, l *fake.Library) driver.Driver {
	t.Helper()
	d, err := driver.Open(l.Path, 0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Emulated returns a device that runs PTX on the CPU.
//
// Source: ours: for tests outside of shared/gpu
func Emulated() driver.Driver { return emulated.New(emulated.Options{}) }
