package engine_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/tensor"
)

// little does a layer's work on a lane of its own and returns what comes back.
func little(e *engine.Engine, seed uint64) (out []float32, err error) {
	const m, n, k = 6, 10, 20
	r := rand.New(rand.NewPCG(seed, 9))
	a, b, labels := make([]float32, m*k), make([]float32, k*n), make([]uint8, m)
	for _, x := range [][]float32{a, b} {
		for i := range x {
			x[i] = r.Float32() - 0.5
		}
	}
	var c tensor.Call
	x, w, y, d := e.Make(&c, m*k), e.Make(&c, k*n), e.Make(&c, m*n), e.Make(&c, m*n)
	out = make([]float32, m*n+1)
	if d != nil {
		e.Upload(&c, x, a)
		e.Upload(&c, w, b)
		e.Gemm(&c, tensor.Gemm{M: m, N: n, K: k}, x, w, y)
		out[m*n] = float32(e.SoftmaxCrossEntropy(&c, m, n, y, labels, d))
		e.Send(&c, d)
		e.Update(&c, y, nil, d, 0.1, 0, 0, true)
		err = e.Receive(&c, out[:m*n])
	}
	return out, errors.Join(err, e.Settle(&c), e.Release(&c))
}

// TestGoroutines: several use one engine at once, and each gets what it gets alone.
func TestGoroutines(t *testing.T) {
	check := func(t *testing.T, d driver.Driver) {
		e := open(t, d)
		const threads, rounds = 4, 3
		var want [threads][]float32
		for i := range threads {
			var err error
			if want[i], err = little(e, uint64(i)); err != nil {
				t.Fatal(err)
			}
		}
		if slices.Equal(want[0], want[1]) {
			t.Fatal("two threads do the same")
		}
		var all sync.WaitGroup
		for i := range threads {
			all.Go(func() {
				for range rounds {
					if got, err := little(e, uint64(i)); err != nil || !slices.Equal(got, want[i]) {
						t.Errorf("thread %d: other results than alone (%v)", i, err)
					}
				}
			})
		}
		all.Wait()
	}
	t.Run("emulator", func(t *testing.T) { check(t, emulated.New(emulated.Options{})) })
	onDevices(t, check)
}
