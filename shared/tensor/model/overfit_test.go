package model_test

import (
	"os"
	"testing"

	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/optim"
)

// TestOverfits: every network learns random images by heart, to the last one: 40
// here, 200 with GRADSYNC_LONG=1. Fails with any wrong gradient that points
// uphill, and with an update that forgets momentum.
func TestOverfits(t *testing.T) {
	images := 40
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Log("40 images; set GRADSYNC_LONG=1 for 200")
	} else {
		images = 200
	}
	for _, name := range model.Names() {
		if name == "cnn" && images < 200 {
			continue // 15 times LeNet-5's arithmetic: with GRADSYNC_LONG=1 only
		}
		t.Run(name, func(t *testing.T) {
			const size = 20
			epochs := 20
			if name == "lenet5" { // narrow: it lingers near ln 10 before it learns
				epochs = 80
			}
			m, e, params := open(t, name)
			w := m.NewWorkspace(e, size, 2)
			x, labels := batch(m, images, 3)
			pixels := len(x) / images
			grads := make([]float32, len(params))
			sgd := optim.SGD{Rate: 0.01, Momentum: 0.9}
			for epoch := range epochs {
				right := 0
				for i := 0; i < images; i += size {
					part := x[i*pixels : (i+size)*pixels]
					logits, err := w.Logits(params, part, size)
					if err != nil {
						t.Fatal(err)
					}
					for j, l := range labels[i : i+size] {
						if argmax(logits[j*10:(j+1)*10]) == int(l) {
							right++
						}
					}
					if _, err := w.Gradient(params, grads, part, labels[i:i+size], nil); err != nil {
						t.Fatal(err)
					}
					sgd.Step(params, grads)
				}
				if right == images {
					t.Logf("%d of %d after %d epochs", right, images, epoch)
					return
				}
			}
			t.Errorf("not all of %d images after %d epochs", images, epochs)
		})
	}
}

func argmax(v []float32) int {
	best := 0
	for i, x := range v {
		if x > v[best] {
			best = i
		}
	}
	return best
}
