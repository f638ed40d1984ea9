package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gradsync/shared/tensor/model"
)

// torchvision's resnet18().named_parameters(), without the tensor names.
const resnetLayers = `conv1 bn1
layer1.0.conv1 layer1.0.bn1 layer1.0.conv2 layer1.0.bn2
layer1.1.conv1 layer1.1.bn1 layer1.1.conv2 layer1.1.bn2
layer2.0.conv1 layer2.0.bn1 layer2.0.conv2 layer2.0.bn2 layer2.0.downsample.0 layer2.0.downsample.1
layer2.1.conv1 layer2.1.bn1 layer2.1.conv2 layer2.1.bn2
layer3.0.conv1 layer3.0.bn1 layer3.0.conv2 layer3.0.bn2 layer3.0.downsample.0 layer3.0.downsample.1
layer3.1.conv1 layer3.1.bn1 layer3.1.conv2 layer3.1.bn2
layer4.0.conv1 layer4.0.bn1 layer4.0.conv2 layer4.0.bn2 layer4.0.downsample.0 layer4.0.downsample.1
layer4.1.conv1 layer4.1.bn1 layer4.1.conv2 layer4.1.bn2
fc`

// resnet110Layers returns the same names in three stages of 18 blocks.
func resnet110Layers() []string {
	names := []string{"conv1", "bn1"}
	for stage := 1; stage <= 3; stage++ {
		for block := range 18 {
			at := fmt.Sprintf("layer%d.%d.", stage, block)
			names = append(names, at+"conv1", at+"bn1", at+"conv2", at+"bn2")
			if stage > 1 && block == 0 {
				names = append(names, at+"downsample.0", at+"downsample.1")
			}
		}
	}
	return append(names, "fc")
}

// The indices of vgg19_bn().features that have parameters.
const vggLayers = `features.0 features.1 features.3 features.4 features.7 features.8 features.10 features.11
features.14 features.15 features.17 features.18 features.20 features.21 features.23 features.24
features.27 features.28 features.30 features.31 features.33 features.34 features.36 features.37
features.40 features.41 features.43 features.44 features.46 features.47 features.49 features.50
classifier`

// TestTorchvisionNames: every tensor, every statistic and every layer, in torchvision's order.
func TestTorchvisionNames(t *testing.T) {
	for name, layers := range map[string][]string{
		"resnet18": strings.Fields(resnetLayers), "resnet110": resnet110Layers(), "vgg19_bn": strings.Fields(vggLayers),
	} {
		m := sure(model.New(name))(t)
		var params, stats, got []string
		for i, l := range layers {
			params = append(params, l+".weight")
			norm := strings.Contains(l, "bn") || strings.HasSuffix(l, "downsample.1") || name == "vgg19_bn" && i%2 == 1
			if norm {
				stats = append(stats, l+".running_mean", l+".running_var")
			}
			if norm || name == "vgg19_bn" || l == "fc" {
				params = append(params, l+".bias")
			}
		}
		for _, p := range m.Params() {
			got = append(got, p.Name)
		}
		if !slices.Equal(got, params) {
			t.Errorf("%s: parameters %v, want %v", name, got, params)
		}
		got = nil
		for _, p := range m.Stats() {
			got = append(got, p.Name)
		}
		if !slices.Equal(got, stats) {
			t.Errorf("%s: statistics %v, want %v", name, got, stats)
		}
		got = nil
		for _, l := range m.Layers() {
			got = append(got, l.Name)
		}
		if !slices.Equal(got, layers) {
			t.Errorf("%s: layers %v, want %v", name, got, layers)
		}
	}
}

// TestDeepSizes: parameters by hand, statistics twice the norms' channels; what is impossible is refused and named.
func TestDeepSizes(t *testing.T) {
	for _, c := range []struct {
		spec          model.Spec
		params, stats int
	}{
		{model.Spec{Name: "resnet18"}, 11173962, 9600},
		{model.Spec{Name: "resnet18", Width: 1, Image: 16}, 11173962, 9600},
		{model.Spec{Name: "resnet110"}, resnet110Params, 2 * (37*16 + 37*32 + 37*64)},
		// Width 1/4: 4, 8 and 16 channels.
		{model.Spec{Name: "resnet110", Width: 0.25, Image: 16}, 27*4 + 8 + 36*(9*4*4+8) + 9*4*8 + 35*9*8*8 + 37*16 + 4*8 +
			9*8*16 + 35*9*16*16 + 37*32 + 8*16 + 16*10 + 10, 2 * 37 * (4 + 8 + 16)},
		{model.Spec{Name: "vgg19_bn"}, 20040522, 11008},
		{model.Spec{Name: "vgg19_bn", Image: 64}, 20040522, 11008},
		// Width 1/2 by the layers' formula: with c channels for 64, the first
		// convolution and the norms are linear in c, the rest quadratic.
		{model.Spec{Name: "resnet18", Width: 0.5}, (11173962-27*64-9600-5130)/4 + 27*32 + 4800 + 2570, 4800},
		{model.Spec{Name: "resnet18", Width: 0.125, Image: 48}, (11173962-27*64-9600-5130)/64 + 27*8 + 1200 + 650, 1200},
		{model.Spec{Name: "vgg19_bn", Width: 0.5, Image: 16}, (20040522-27*64-3*5504-5130)/4 + 27*32 + 3*2752 + 2570, 5504},
		{model.Spec{Name: "cnn", Width: 1, Image: 32}, 545098, 0},
	} {
		m := sure(model.Build(c.spec))(t)
		if m.NumParams() != c.params || m.NumStats() != c.stats {
			t.Errorf("%+v: %d parameters, %d statistics; want %d, %d", c.spec, m.NumParams(), m.NumStats(), c.params, c.stats)
		}
		ch, h, w := m.Input()
		side := c.spec.Image
		if side == 0 {
			side = 32
		}
		if ch != 3 || h != side || w != side || m.Classes() != 10 {
			t.Errorf("%+v: input %d×%d×%d, %d classes", c.spec, ch, h, w, m.Classes())
		}
	}
	for _, c := range []struct {
		spec  model.Spec
		names string
	}{
		{model.Spec{Name: "resnet18", Width: 1. / 128}, "width 0.0078125"},
		{model.Spec{Name: "resnet18", Width: -1}, "width -1"},
		{model.Spec{Name: "resnet110", Width: 1. / 17}, "0 channels; between 1/16 and 16"},
		{model.Spec{Name: "resnet110", Image: 24}, "24×24"}, {model.Spec{Name: "vgg19_bn", Image: 28}, "28×28"},
		{model.Spec{Name: "vgg19_bn", Image: -16}, "-16×-16"}, {model.Spec{Name: "lenet5", Width: 0.5}, "width 0.5"},
		{model.Spec{Name: "lenet5", Image: 32}, "32×32"}, {model.Spec{Name: "lenet"}, "resnet110, resnet18, vgg19_bn"},
	} {
		if _, err := model.Build(c.spec); err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%+v: %v, want an error that says %q", c.spec, err, c.names)
		}
	}
}

// TestPassThrough: the last pool of VGG-19 on 16×16 meets 1×1 and says what it does.
func TestPassThrough(t *testing.T) {
	m, pools := sure(model.Build(model.Spec{Name: "vgg19_bn", Image: 16}))(t), 0
	for _, s := range m.Steps() {
		if text := fmt.Sprint(s.Layer); strings.Contains(text, "pool 2×2") {
			pools++
			if !strings.Contains(text, "1×1 passes through") {
				t.Errorf("the pool calls itself %q", text)
			}
		}
	}
	if pools != 5 {
		t.Errorf("%d pools, want 5", pools)
	}
}
