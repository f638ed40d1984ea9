package engine_test

import (
	"errors"
	"path/filepath"
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/lib"
	"gradsync/shared/tensor/enginetest"
)

// fakes are a driver and its libraries, with the engine that works by them.
type fakes struct {
	driver          driver.Driver
	cuda, blas, dnn *fake.Library
	set             *lib.Set
}

// openFakes returns fakes of their own, or skips; the driver is closed at the test's end.
func openFakes(t *testing.T, lazy bool) *fakes {
	t.Helper()
	f := &fakes{cuda: library(t, fake.Options{Lazy: lazy})}
	built, err := fake.BuildLibraries()
	if err == nil {
		f.blas, f.dnn, err = f.cuda.Libraries(built, filepath.Dir(f.cuda.Path), 12)
	}
	if err == nil {
		f.driver, err = driver.Open(f.cuda.Path, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	if f.set = lib.Find([]string{filepath.Dir(f.cuda.Path)}, f.driver.Info().CUDA); f.set.BLAS == nil || f.set.DNN == nil {
		t.Fatal(f.set.Missing)
	}
	t.Cleanup(func() {
		if err := f.driver.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// engine returns one that the test's end closes.
func (f *fakes) engine(t *testing.T, tf32 bool) *engine.Libraries {
	t.Helper()
	e, err := engine.WithLibraries(f.driver, f.set, tf32)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// onLibraries runs f on the libraries of the fake driver and of the lazy one.
func onLibraries(t *testing.T, run func(t *testing.T, f *fakes)) {
	for _, lazy := range []bool{false, true} {
		t.Run(map[bool]string{false: "at once", true: "lazy"}[lazy], func(t *testing.T) { run(t, openFakes(t, lazy)) })
	}
}

// TestLibraries: the engine passes with the fake cuBLAS and cuDNN, with one of them alone,
// and where cuDNN has no algorithm that will do.
func TestLibraries(t *testing.T) {
	onLibraries(t, func(t *testing.T, f *fakes) {
		suite(t, f.engine(t, false), enginetest.Run)
		for _, key := range []string{"cublasSgemm_v2", "cudnnConvolutionForward", "cudnnConvolutionBackwardData", "cudnnConvolutionBackwardFilter",
			"cudnnBatchNormalizationForwardTraining", "cudnnBatchNormalizationBackward"} {
			a, err := f.blas.Count(key)
			b, other := f.dnn.Count(key)
			if err := errors.Join(err, other); err != nil || a+b < 10 {
				t.Errorf("%s was called %d times, %v", key, a+b, err)
			}
		}
	})
}
