package model_test

import (
	"os"
	"testing"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/optim"
)

// TestOverfits: every network learns random images by heart, to the last one, on every engine: 200 on asm, 40 on the
// other and of ResNet-110, which one engine learns, unless GRADSYNC_LONG=1. Fails with any wrong gradient that points
// uphill, and with an update that forgets momentum. Batch norms are judged by their running statistics, estimated anew
// from all images.
func TestOverfits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	long := os.Getenv("GRADSYNC_LONG") != ""
	if !long {
		t.Log("portable and ResNet-110 learn 40 images; set GRADSYNC_LONG=1 for 200")
	}
	onEvery(t, func(t *testing.T, m *model.Model, e tensor.Engine, params []float32) {
		deepOnOne(t, m, e)
		images := 40
		if long || e.Name() == "asm" && m.Name() != "resnet110" {
			images = 200
		}
		if e.Name() == "portable" && (m.Name() == "cnn" || m.Name() == "vgg19_bn") && !long {
			t.Skip("takes seconds: set GRADSYNC_LONG=1")
		}
		size, rate := 20, float32(0.01)
		if m.NumStats() > 0 {
			size, rate = images, 0.02 // else they learn the batches by heart, not the images
		}
		epochs := 80 // LeNet-5 is narrow: it lingers near ln 10 before it learns
		if m.Name() == "resnet110" {
			epochs = 160 // so does a network of 110 layers
		}
		w := m.NewWorkspace(e, size, 2)
		w.SetStats(freshStats(m))
		x, labels := batch(m, images, 3)
		pixels := len(x) / images
		grads := make([]float32, len(params))
		sgd := optim.SGD{Rate: rate, Momentum: 0.9}
		for epoch := range epochs {
			right := 0
			observe(t, m, w, params, x, images, size)
			for i := 0; i < images; i += size {
				logits := sure(w.Logits(params, x[i*pixels:(i+size)*pixels], size))(t)
				for j, l := range labels[i : i+size] {
					if argmax(logits[j*10:(j+1)*10]) == int(l) {
						right++
					}
				}
			}
			if right == images {
				t.Logf("%d of %d after %d epochs", right, images, epoch)
				return
			}
			for i := 0; i < images; i += size {
				sure(w.Gradient(params, grads, x[i*pixels:(i+size)*pixels], labels[i:i+size], nil))(t)
				sgd.Step(params, grads)
			}
		}
		t.Errorf("not all of %d images after %d epochs", images, epochs)
	})
}

// observe estimates the running statistics from all images, batch by batch.
func observe(t *testing.T, m *model.Model, w *model.Workspace, params, x []float32, images, size int) {
	if m.NumStats() == 0 {
		return
	}
	pixels := len(x) / images
	for i := 0; i < images; i += size {
		must(t, w.Observe(params, x[i*pixels:(i+size)*pixels], size, 1/float32(i/size+1)))
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
