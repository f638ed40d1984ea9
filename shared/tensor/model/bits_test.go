package model_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"testing"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/optim"
)

// TestPortableBits: initial weights, losses and weights after five steps are the same bits on every machine, compiler
// and number of threads. The hashes were made on amd64, where Go does not fuse products with sums; GOAMD64=v3 and arm64
// do, so there this test finds a product that is not rounded explicitly. They change only with the arithmetic itself,
// and then the change log says so.
func TestPortableBits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	for name, want := range map[string]string{
		"lenet5": "5458b1f0de3e8a62",
		"mlp":    "1b1e5501a8fe8248",
		"cnn":    "dd941180fe29c71a",
		// Narrow and on 16×16, with batch norms, shortcuts and average pools.
		"resnet18":  "5f5aab107a855ff5",
		"resnet110": "54d89e6ee2eeb5bd",
		"vgg19_bn":  "354d37e3f26e5fd7",
	} {
		m, e, params := open(t, name)
		w, sgd := m.NewWorkspace(e, 4, 2), optim.SGD{Rate: 0.05, Momentum: 0.9, WeightDecay: 1e-4}
		grads := make([]float32, len(params))
		h := sha256.New()
		for step := range 5 {
			x, labels := batch(m, 4, uint64(step))
			loss := sure(w.Gradient(params, grads, x, labels, nil))(t)
			sgd.Step(params, grads)
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(loss))
			h.Write(b[:])
			for _, v := range params {
				binary.LittleEndian.PutUint32(b[:], math.Float32bits(v))
				h.Write(b[:4])
			}
		}
		if got := hex.EncodeToString(h.Sum(nil))[:16]; got != want {
			t.Errorf("%s: hash %s, want %s", name, got, want)
		}
	}
}

// TestNarrowerInstructionsGiveTheSameBits: engine asm trains every kind of layer to the same bits with AVX2 as with AVX-512.
func TestNarrowerInstructionsGiveTheSameBits(t *testing.T) {
	if e, err := tensor.Lookup("asm"); err != nil || fmt.Sprint(e) != "asm (avx512)" {
		t.Skipf("%v, %v: it needs AVX-512, and no GRADSYNC_CPU", e, err)
	}
	for _, name := range []string{"lenet5", "resnet18", "vgg19_bn"} {
		var all [2][]float32
		for i, value := range []string{"", "avx2"} {
			t.Setenv("GRADSYNC_CPU", value)
			m, e, params := openOn(t, name, "asm")
			w, grads, sgd := m.NewWorkspace(e, 19, 2), make([]float32, len(params)), optim.SGD{Rate: 0.05}
			for step := range 2 {
				x, labels := batch(m, 19, uint64(step))
				loss := sure(w.Gradient(params, grads, x, labels, nil))(t)
				sgd.Step(params, grads)
				all[i] = append(append(all[i], float32(loss)), grads...)
			}
		}
		if !slices.Equal(all[0], all[1]) {
			t.Errorf("%s: other bits", name)
		}
	}
}
