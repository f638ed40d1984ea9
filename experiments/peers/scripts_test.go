package peers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/safetensors"
)

// script runs a script that may fail: its exit code and what it prints.
func script(t *testing.T, python, name string, args ...string) (rc int, out, msg string) {
	t.Helper()
	cmd := exec.Command(python, append([]string{name}, args...)...)
	cmd.Env = environment()
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

func write(t *testing.T, metadata map[string]string, tensors ...safetensors.Tensor) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.safetensors")
	oktest.Nil(t, safetensors.Write(path, safetensors.File{Tensors: tensors, Metadata: metadata}))
	return path
}

// TestCompareMeasuresVanishingBiases: what rounding leaves of the bias of a convolution before a batch norm is measured
// against the convolution's weight, and no other bias is.
func TestCompareMeasuresVanishingBiases(t *testing.T) {
	python := findTorch(t)
	constant := func(name string, v float32, shape ...int) safetensors.Tensor {
		n := 1
		for _, d := range shape {
			n *= d
		}
		return safetensors.Tensor{Name: name, Shape: shape, Data: slices.Repeat([]float32{v}, n)}
	}
	norm, conv, linear := []int{2}, []int{2, 2, 3, 3}, []int{4, 2} // shapes of the weight that follows
	cases := []struct {
		what            string
		ours, theirs    float32 // the bias of a convolution of two channels
		next            []int
		against, within bool
	}{
		{"rounding before a norm", 2e-7, -1e-7, norm, true, true},
		{"an error before a norm", 0.1, -1e-7, norm, true, false},
		{"a bias that is not rounding, as in eval mode", 0.5, 0.50001, norm, false, true},
		{"a wrong bias in eval mode", 0.5, 0.501, norm, false, false},
		{"before a convolution", 2e-7, -1e-7, conv, false, false},
		{"before a linear layer", 2e-7, -1e-7, linear, false, false},
	}
	var ours, theirs []safetensors.Tensor
	for i, c := range cases {
		for bias, file := range map[float32]*[]safetensors.Tensor{c.ours: &ours, c.theirs: &theirs} {
			*file = append(*file, constant(fmt.Sprintf("%d.a.weight", i), 1, 2, 1, 3, 3), constant(fmt.Sprintf("%d.a.bias", i), bias, 2),
				constant(fmt.Sprintf("%d.b.weight", i), 1, c.next...), constant(fmt.Sprintf("%d.b.bias", i), 1, c.next[0]))
		}
	}
	rc, out, msg := script(t, python, "torch_grad.py", "--compare", write(t, nil, ours...), write(t, nil, theirs...))
	var got struct {
		Within   bool
		Against  []string `json:"against_weight"`
		Distance map[string]float64
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || rc != 1 || got.Within || len(got.Distance) != len(ours) {
		t.Fatalf("exit code %d, %v: %s%s", rc, err, out, msg)
	}
	for i, c := range cases {
		name := fmt.Sprintf("%d.a.bias", i)
		if slices.Contains(got.Against, name) != c.against || (got.Distance[name] <= 1e-4) != c.within {
			t.Errorf("%s: distance %g, against weights %v; want within %t, against its weight %t", c.what, got.Distance[name], got.Against, c.within, c.against)
		}
	}
	if len(got.Against) != 2 {
		t.Errorf("against weights %v, want two", got.Against)
	}
}

// TestScriptsRefuseInOneLine: a wrong file, folder or network is one line on
// standard error, and a checkpoint of another network exit code 2. Starting PyTorch
// takes seconds, so these are three of nine unless GRADSYNC_LONG is set.
func TestScriptsRefuseInOneLine(t *testing.T) {
	python, long := findTorch(t), os.Getenv("GRADSYNC_LONG") != ""
	junk := filepath.Join(t.TempDir(), "junk")
	if err := os.WriteFile(junk, []byte("no tensors at all"), 0o644); err != nil {
		t.Fatal(err)
	}
	d := newNet(t, "lenet5")
	plain := d.save(d.params)
	of := func(model, width, image string) string {
		return write(t, map[string]string{"model": model, "width": width, "image": image}, d.m.Tensors(d.params)...)
	}
	for _, c := range []struct {
		what, load, data string
		rc               int
		want             string
		short            bool
	}{
		{"no file", "none.safetensors", images, 1, "none.safetensors", false},
		{"junk", junk, images, 1, "junk is no safetensors file", true},
		{"no folder", plain, "none", 1, "'none'", false},
		{"a folder without images", plain, t.TempDir(), 1, "train-images-idx3-ubyte is not there", false},
		{"another network", of("lenet5", "1", "32"), images, 2, "holds lenet5 of width 1 on 32×32 images, not lenet5 of width 1 on 28×28 images", true},
		{"the same network", of("lenet5", "1", "28"), images, 0, "", false},
	} {
		if !c.short && !long {
			continue
		}
		rc, _, msg := script(t, python, "torch_eval.py", "--model", "lenet5", "--load", c.load, "--data", c.data)
		if rc != c.rc || strings.Count(msg, "\n") != min(rc, 1) || !strings.Contains(msg, c.want) {
			t.Errorf("%s: exit code %d, %q; want %d and one line with %q", c.what, rc, msg, c.rc, c.want)
		}
	}
	narrow := newDeep(t, model.Spec{Name: "resnet18", Width: 0.125, Image: 16}, 2).state
	for flags, want := range map[string]string{"--image 48": "the sizes that work are 16×16, 28×28, 32×32", "--width 0.25": "not the tensors " +
		"of resnet18 of width 0.25", "--width 17": "1/64 to 16"} {
		if flags != "--image 48" && !long {
			continue
		}
		args := append([]string{"--model", "resnet18", "--load", narrow, "--data", images, "--out", "none", "--width", "0.125"}, strings.Fields(flags)...)
		if rc, _, msg := script(t, python, "torch_grad.py", args...); rc != 1 || strings.Count(msg, "\n") != 1 || !strings.Contains(msg, want) {
			t.Errorf("%s: exit code %d, %q; want 1 and one line with %q", flags, rc, msg, want)
		}
	}
}
