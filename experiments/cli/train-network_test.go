package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/internal/oktest"
	"gradsync/shared/tensor/safetensors"
)

// A diverged run is told in text and in JSON, with exit code 1.
func TestTrainDiverged(t *testing.T) {
	const diverging = quickTrain + " --sync bsp --rate 1e10 --quiet"
	rc, out, msg := gradsync(fields(diverging)...)
	if rc != exitFailed || msg != "gradsync: train: diverged, lower --rate 1e+10\n" ||
		!strings.Contains(out, "diverged        loss or parameters not finite at the evaluation after 12 gradients\n") {
		t.Errorf("exit code %d, %q\n%s", rc, msg, out)
	}
	rc, out, msg = gradsync(append(fields(diverging), "--json")...)
	var o struct {
		Diverged *struct{ Pushes int64 }
		Curve    []struct{ Loss *float64 }
	}
	if err := json.Unmarshal([]byte(out), &o); err != nil || rc != exitFailed || strings.Count(msg, "\n") != 1 || o.Diverged == nil ||
		o.Diverged.Pushes != 12 || o.Curve[0].Loss != nil {
		t.Errorf("exit code %d, %q, %v\n%s", rc, msg, err, out)
	}
}

// A network on whose maps a pool cannot work says so before it is trained or
// graded, on one line, unless told to be quiet.
func TestNetworkRemarks(t *testing.T) {
	const train, grad = "train --data synthetic --sync bsp --workers 1 --batch 2 --updates 1 --eval-every -1 --json",
		"grad --data synthetic --samples 0:2 --json --out "
	for _, command := range []string{train, grad + filepath.Join(t.TempDir(), "g")} {
		for flags, want := range map[string]int{" --model vgg19_bn --width 0.0625 --image 16": 1, " --model vgg19_bn --width 0.0625 --image 16 --quiet": 0,
			" --model resnet18 --width 0.0625 --image 16": 0, "": 0} {
			rc, out, msg := gradsync(fields(command + flags)...)
			if rc != exitOK || strings.Count(msg, "vgg19_bn at 16×16: a 2×2 max-pool (layer 53 of 55) meets a 1×1 map and passes it through\n") != want ||
				strings.Contains(out, "max-pool") {
				t.Errorf("%s%s: exit code %d, %q; want the remark %d times", command, flags, rc, msg, want)
			}
		}
	}
}

// A checkpoint says which network it is of, and another one refuses it, by side
// of the images too, which no tensor's shape shows.
func TestLoadChecksTheNetwork(t *testing.T) {
	oktest.Slow(t)
	w, g := filepath.Join(t.TempDir(), "w"), filepath.Join(t.TempDir(), "g")
	const size = " --model resnet18 --width 0.0625 --image 16"
	const train, grad = "train --data synthetic --sync bsp --workers 1 --batch 2 --updates 1 --eval-every -1", "grad --data synthetic --samples 0:2 --out "
	object(t, train+size+" --save "+w)
	f, err := safetensors.Read(w)
	want := map[string]string{"model": "resnet18", "width": "0.0625", "image": "16"}
	if diff := cmp.Diff(f.Metadata, want); err != nil || diff != "" {
		t.Errorf("metadata: %v\n%s", err, diff)
	}
	for more, named := range map[string]string{" --model resnet18 --width 0.0625": "width 0.0625 on 32×32",
		" --model resnet18 --image 16": "resnet18 of width 1 on", "": "lenet5 of width 1 on 28×28"} {
		for _, command := range []string{train, grad + g} {
			rc, _, msg := gradsync(fields(command + more + " --quiet --load " + w)...)
			if rc != exitUsage || strings.Count(msg, "\n") != 1 || !strings.Contains(msg, w+" holds resnet18 of width 0.0625 on 16×16 images, not ") ||
				!strings.Contains(msg, named) {
				t.Errorf("%s%s: exit code %d, %q; want %d and one line with %q", command, more, rc, msg, exitUsage, named)
			}
		}
	}
	object(t, train+size+" --load "+w)
	object(t, grad+g+size+" --eval-mode --load "+w)
	for _, foreign := range []map[string]string{nil, {"format": "pt"}, {"model": "mine", "format": "pt"}} {
		f.Metadata = foreign
		oktest.Nil(t, safetensors.Write(w, f))
		object(t, train+" --model resnet18 --width 0.0625 --load "+w)
	}
}
