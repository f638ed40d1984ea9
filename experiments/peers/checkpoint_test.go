package peers

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gradsync/experiments/platforms"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/shared/tensor"
)

// TestCheckpointEqualsPyTorch: a ResNet-18 with the statistics that train saved loads strictly and is right on as many
// test images there as reported here, to the last; and its gradient after model.eval() is that of grad --eval-mode.
func TestCheckpointEqualsPyTorch(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("trains and starts PyTorch twice for every engine: set GRADSYNC_LONG=1")
	}
	python := findTorch(t)
	embedded(t)
	platform := oktest.Must(platforms.Load("homogeneous6"))(t)
	const width, image = 0.125, 16
	size := []string{"--width", strconv.FormatFloat(width, 'g', -1, 64), "--image", strconv.Itoa(image)}
	for _, engine := range tensor.Engines() {
		dir := t.TempDir()
		w, ours, theirs := filepath.Join(dir, "w"), filepath.Join(dir, "ours"), filepath.Join(dir, "theirs")
		o, err := train.Run(context.Background(), train.Config{Sync: "bsp", Model: "resnet18", Width: width, Image: image, Data: "fashion-mnist",
			Engine: engine, Platform: platform, Workers: 2, Rate: 0.02, MaxPushes: 60, EvalEvery: -1, Save: w})
		oktest.Nil(t, err)
		var there struct{ Correct, Total int }
		run(t, python, &there, "torch_eval.py", append([]string{"--model", "resnet18", "--load", w, "--data", images}, size...)...)
		if got := float64(there.Correct) / float64(there.Total); got != *o.TestAccuracy || got < 0.3 {
			t.Errorf("%s: accuracy %g here, %d of %d in PyTorch; want the same, and more than chance", engine, *o.TestAccuracy, there.Correct, there.Total)
		}
		g, err := train.Gradient(train.GradConfig{Name: "resnet18", Width: width, Image: image, Load: w, Data: "fashion-mnist", Engine: engine,
			From: 100, To: 132, EvalMode: true})
		oktest.Nil(t, err)
		oktest.Nil(t, train.SaveParams(ours, g.Model, g.Grads))
		var made struct{ Loss float64 }
		run(t, python, &made, "torch_grad.py", append([]string{"--model", "resnet18", "--load", w, "--data", images, "--samples", "100:132",
			"--eval", "--out", theirs}, size...)...)
		var compared struct {
			Within   bool
			Distance map[string]float64
		}
		run(t, python, &compared, "torch_grad.py", "--compare", ours, theirs, "--tolerance", "1e-4")
		if d := g.Loss - made.Loss; !compared.Within || d > 1e-5 || d < -1e-5 {
			t.Errorf("%s: loss %g, PyTorch %g; distances of the gradients in eval mode %v", engine, g.Loss, made.Loss, compared.Distance)
		}
	}
}
