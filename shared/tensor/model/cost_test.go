package model_test

import (
	"math"
	"strings"
	"testing"

	"gradsync/shared/tensor/model"
)

// costs lists a network's layers with what they cost.
func costs(name string) ([]model.LayerInfo, error) {
	m, err := model.New(name)
	if err != nil {
		return nil, err
	}
	return m.Layers(), nil
}

// ResNet-110 in closed form. A stage of c channels on side×side maps has 36 convolutions of 3×3 (the first reads half
// the channels in stages 2 and 3), each with a batch norm of 2c parameters, and a 1×1 shortcut with its norm where the
// channels double. He et al. 2016, Table 6, print 1.7 M parameters.
const (
	resnet110Params = 27*16 + 32 + // stem
		36*(9*16*16+2*16) +
		9*16*32 + 35*9*32*32 + 36*2*32 + 16*32 + 2*32 +
		9*32*64 + 35*9*64*64 + 36*2*64 + 32*64 + 2*64 +
		64*10 + 10
	resnet110MACs = 32*32*(27*16+36*9*16*16) + 16*16*(9*16*32+35*9*32*32+16*32) + 8*8*(9*32*64+35*9*64*64+32*64) + 64*10
)

// TestCostTables checks totals. Parameter counts: LeNet-5 and the MLP by hand,
// ResNet-18 and VGG-19-BN as published for these CIFAR-10 variants (and as
// PyTorch counts them). MFLOP per image of training (three forward passes): as the project's plan lists them.
func TestCostTables(t *testing.T) {
	for _, c := range []struct {
		name   string
		params int
		mflop  float64 // 0: not stated
	}{
		{"lenet5", 61706, 2.5}, {"mlp", 784*512 + 512 + 512*512 + 512 + 512*10 + 10, 0},
		{"cnn", (27+1)*32 + (288+1)*64 + (4096+1)*128 + (128+1)*10, 0}, {"resnet18", 11173962, 3333},
		{"resnet110", resnet110Params, 3 * 2 * resnet110MACs / 1e6}, {"vgg19_bn", 20040522, 2389},
	} {
		rows := sure(costs(c.name))(t)
		length, flop := 0, 0.0
		for _, r := range rows {
			if r.Offset != length || r.Length <= 0 {
				t.Errorf("%s: layer %s covers %d+%d, want it to begin at %d", c.name, r.Name, r.Offset, r.Length, length)
			}
			length += r.Length
			flop += r.ForwardFLOP + r.BackwardFLOP
		}
		if length != c.params {
			t.Errorf("%s: %d parameters, want %d", c.name, length, c.params)
		}
		if c.mflop > 0 && math.Abs(flop/1e6/c.mflop-1) > 2e-3 {
			t.Errorf("%s: %.1f MFLOP per image, want %.1f", c.name, flop/1e6, c.mflop)
		}
	}
}

// TestCostTableNames spot-checks torchvision's names: the last layers of each
// stage, which come out wrong if any index slips.
func TestCostTableNames(t *testing.T) {
	want := map[string]map[string]int{
		"resnet18": {"layer2.0.downsample.0": 64 * 128, "layer4.1.conv2": 512 * 512 * 9, "layer4.1.bn2": 1024, "fc": 5130},
		"resnet110": {"conv1": 27 * 16, "layer1.17.conv2": 16 * 16 * 9, "layer2.0.downsample.0": 16 * 32,
			"layer3.0.conv1": 32 * 64 * 9, "layer3.17.bn2": 128, "fc": 650},
		"vgg19_bn": {"features.0": 27*64 + 64, "features.40": 512*512*9 + 512, "features.50": 1024, "classifier": 5130},
	}
	for name, layers := range want {
		rows, got := sure(costs(name))(t), map[string]int{}
		for _, r := range rows {
			got[r.Name] = r.Length
		}
		for l, n := range layers {
			if got[l] != n {
				t.Errorf("%s: layer %s has %d parameters, want %d", name, l, got[l], n)
			}
		}
	}
}

func TestUnknownNames(t *testing.T) {
	if _, err := model.New("lenet"); err == nil || !strings.Contains(err.Error(), "cnn, lenet5, mlp") {
		t.Errorf("New of an unknown name: %v, want an error that lists the known", err)
	}
}
