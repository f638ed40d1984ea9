package cli

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/datasets"
	"gradsync/internal/oktest"
)

const shapes = "../../datasets/testdata/shapes"

// ownFolders keeps data sets of this machine out of a test.
func ownFolders(t *testing.T) {
	t.Helper()
	t.Setenv(datasets.EnvDir, "")
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, t.TempDir())
	}
}

// An imported folder is found by its name by every command, and classes and the network's
// last layer follow from it.
func TestDataImport(t *testing.T) {
	oktest.Slow(t)
	ownFolders(t)
	made := object(t, "data import "+shapes+" --name shapes")
	if made["same"] != false || len(made["classes"].([]any)) != 3 || made["split"] != "by key" || !strings.Contains(made["folder"].(string), "gradsync") {
		t.Errorf("import printed %v", made)
	}
	if rc, out, msg := gradsync("data", "import", shapes, "--name", "shapes"); rc != exitOK ||
		!strings.Contains(out, "shapes was already in") || !strings.Contains(out, "class 2    triangle: 24 and 6") || !strings.Contains(out, "lenet5, mlp") ||
		!strings.Contains(out, "`gradsync train --data shapes --model lenet5 --batch 12` trains on it") {
		t.Errorf("a second import: exit code %d, %s%s", rc, out, msg)
	}
	if rc, out, msg := gradsync("data", "verify", "shapes"); rc != exitOK || !strings.Contains(out, made["sha256"].(string)) {
		t.Errorf("verify: exit code %d, %s%s", rc, out, msg)
	}
	if rc, out, _ := gradsync("data", "list"); rc != exitOK || !strings.Contains(out, "shapes") || !strings.Contains(out, "72 + 18") {
		t.Errorf("list: exit code %d, %s", rc, out)
	}
	if rc, _, msg := gradsync("data", "fetch", "shapes"); rc != exitUsage || !strings.Contains(msg, `no set "shapes"`) {
		t.Errorf("fetch: exit code %d, %s", rc, msg)
	}
	const flags = "train --sync bsp --data shapes --workers 2 --batch 6 --updates 8 --eval-every 8 --engine portable --model "
	o := object(t, flags+"lenet5")
	data := o["data"].(map[string]any)
	if data["name"] != "shapes" || data["sha256"] != made["sha256"] || data["train"] != 72. || !strings.Contains(data["note"].(string), "own images") {
		t.Errorf("trained on %v", data)
	}
	again := object(t, flags+"lenet5")
	if again["params_sha256"] != o["params_sha256"] {
		t.Error("the same training gives other bits")
	}
	w := filepath.Join(t.TempDir(), "w")
	object(t, flags+"resnet18 --width 0.0625 --save "+w) // padded, repeated to three channels
	raw, err := os.ReadFile(w)
	if err != nil || !bytes.Contains(raw, []byte(`"fc.bias":{"dtype":"F32","shape":[3]`)) {
		t.Errorf("the last layer has not three logits: %v", err)
	}
	if g := object(t, "grad --data shapes --samples 0:8 --out "+w); g["data"].(map[string]any)["name"] != "shapes" {
		t.Errorf("grad printed %v", g)
	}
}

// The network takes the side of the images where it takes several, and says which networks take them where it does not.
func TestTrainFollowsTheImages(t *testing.T) {
	ownFolders(t)
	dir, to := t.TempDir(), t.TempDir()
	for i := range 24 {
		img := image.NewRGBA(image.Rect(0, 0, 48, 48))
		for p := range 48 * 48 {
			img.SetRGBA(p%48, p/48, color.RGBA{byte(p * i), byte(p + i), byte(i), 255})
		}
		var b bytes.Buffer
		oktest.Nil(t, png.Encode(&b, img))
		folder := filepath.Join(dir, string(rune('a'+i%12)))
		oktest.Nil(t, os.MkdirAll(folder, 0o755))
		oktest.Nil(t, os.WriteFile(filepath.Join(folder, string(rune('a'+i))+".png"), b.Bytes(), 0o644))
	}
	made := object(t, "data import "+dir+" --name large --to "+to)
	if models := made["models"].([]any); len(models) != 3 || models[1] != "resnet18" {
		t.Errorf("networks that take 48×48 colour: %v", models)
	}
	const flags = "train --sync bsp --data large --workers 1 --batch 4 --updates 1 --eval-every -1 --model "
	if o := object(t, flags+"resnet18 --width 0.0625 --data-dir "+to); o["image"] != 48. {
		t.Errorf("resnet18 saw images of %v, want 48", o["image"])
	}
	for command, want := range map[string]string{
		flags + "lenet5 --data-dir " + to:                "to input 28×28×1 (height×width×channels); networks that take large: resnet110, resnet18, vgg19_bn",
		flags + "resnet18 --image 32 --data-dir " + to:   "no adaptation of 48×48×3",
		flags + "resnet18 --classes 13 --data-dir " + to: "first 13 classes, want 2 to 12",
		flags + "resnet18":                               "and --data-dir DIR finds one that was made with --to DIR",
		"data import " + dir + " --data-dir " + to:       "--to is the folder",
		flags + "resnet18 --batch 13 --data-dir " + to:   "a worker's share of large is 12 images: want --batch of 12 at most",
	} {
		if rc, out, msg := gradsync(fields(command)...); rc != exitUsage || out != "" || !strings.Contains(msg, want) || strings.Count(msg, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q; want %d and one line with %q", command, rc, msg, exitUsage, want)
		}
	}
}
