package model

import (
	"fmt"
	"strings"

	"gradsync/shared/tensor/layer"
)

// CostTable lists the layers with parameters of a full-size network in forward
// order, for runs that time it without its arithmetic. Known are the networks
// of New and, for 32×32×3 images and 10 classes,
//
//   - resnet18: torchvision's names, with a 3×3 stem and no first max-pool
//     (He et al. 2016, the usual change for CIFAR-10); 11,173,962 parameters;
//   - vgg19_bn: torchvision's features.N with biases, and one linear
//     classifier; 20,040,522 parameters.
//
// A batch norm is a layer of its own: two parameters per channel, bytes but no
// FLOP counted. See LayerInfo for the units. The error lists the known names.
//
// Source: ours: the models of the DASP tables at full size
func CostTable(name string) ([]LayerInfo, error) {
	switch name {
	case "resnet18":
		return resnet18(), nil
	case "vgg19_bn":
		return vgg19(), nil
	}
	m, err := New(name)
	if err != nil {
		return nil, fmt.Errorf("model: no cost table %q: known are %s", name, strings.Join(append(Names(), "resnet18", "vgg19_bn"), ", "))
	}
	return m.Layers(), nil
}

// table grows a cost table layer by layer, along the shape of one image.
type table struct {
	shape layer.Shape
	rows  []LayerInfo
}

func (t *table) add(name string, length int, macs float64, out layer.Shape) {
	offset := 0
	if n := len(t.rows); n > 0 {
		offset = t.rows[n-1].Offset + t.rows[n-1].Length
	}
	t.rows = append(t.rows, LayerInfo{
		Name: name, Offset: offset, Length: length,
		ForwardFLOP: 2 * macs, BackwardFLOP: 4 * macs,
		Bytes: 4 * float64(t.shape.Len()+out.Len()),
	})
	t.shape = out
}

// conv adds a k×k convolution that keeps the size but for its stride.
func (t *table) conv(name string, outputs, k, stride int, bias bool) {
	weights := outputs * t.shape.C * k * k
	out := layer.Shape{C: outputs, H: t.shape.H / stride, W: t.shape.W / stride}
	length := weights
	if bias {
		length += outputs
	}
	t.add(name, length, float64(weights)*float64(out.H*out.W), out)
}

func (t *table) norm(name string) { t.add(name, 2*t.shape.C, 0, t.shape) }

func (t *table) linear(name string, outputs int) {
	weights := outputs * t.shape.Len()
	t.add(name, weights+outputs, float64(weights), layer.Shape{C: outputs, H: 1, W: 1})
}

func resnet18() []LayerInfo {
	t := &table{shape: layer.Shape{C: 3, H: 32, W: 32}}
	t.conv("conv1", 64, 3, 1, false)
	t.norm("bn1")
	for stage, width := range []int{64, 128, 256, 512} {
		for block := range 2 {
			stride := 1
			if stage > 0 && block == 0 {
				stride = 2
			}
			t.basicBlock(fmt.Sprintf("layer%d.%d.", stage+1, block), width, stride)
		}
	}
	t.shape = layer.Shape{C: 512, H: 1, W: 1} // global average pool
	t.linear("fc", 10)
	return t.rows
}

// basicBlock adds two 3×3 convolutions and, where the shape changes, the 1×1
// convolution of the shortcut, in torchvision's order.
func (t *table) basicBlock(prefix string, width, stride int) {
	in := t.shape
	t.conv(prefix+"conv1", width, 3, stride, false)
	t.norm(prefix + "bn1")
	t.conv(prefix+"conv2", width, 3, 1, false)
	t.norm(prefix + "bn2")
	if stride == 1 {
		return
	}
	t.shape = in
	t.conv(prefix+"downsample.0", width, 1, stride, false)
	t.norm(prefix + "downsample.1")
}

func vgg19() []LayerInfo {
	t := &table{shape: layer.Shape{C: 3, H: 32, W: 32}}
	at := 0 // torchvision numbers convolutions, norms, ReLUs and pools in one list
	for _, stage := range []struct{ width, convs int }{{64, 2}, {128, 2}, {256, 4}, {512, 4}, {512, 4}} {
		for range stage.convs {
			t.conv(fmt.Sprintf("features.%d", at), stage.width, 3, 1, true)
			t.norm(fmt.Sprintf("features.%d", at+1))
			at += 3
		}
		t.shape.H, t.shape.W = t.shape.H/2, t.shape.W/2
		at++
	}
	t.linear("classifier", 10)
	return t.rows
}
