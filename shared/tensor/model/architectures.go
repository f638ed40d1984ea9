package model

import (
	"fmt"
	"math"

	"gradsync/shared/tensor/layer"
)

// Step is one layer of a network; Name is empty for layers without parameters.
// Inputs are the indices of the steps whose outputs it reads; nil is the step
// before, or the image for the first.
//
// Source: ours: what another library needs to build the same network
type Step struct {
	Name   string
	Layer  layer.Layer
	Inputs []int
}

// architecture is a network as one reads it: input shape, then layers.
type architecture struct {
	input layer.Shape
	steps []Step
}

// add appends a step and returns its index.
func (a *architecture) add(name string, l layer.Layer, inputs ...int) int {
	a.steps = append(a.steps, Step{name, l, inputs})
	return len(a.steps) - 1
}

func (a *architecture) conv(name string, in, out, k, pad int) {
	a.add(name, layer.Conv2D{Inputs: in, Outputs: out, K: k, Stride: 1, Pad: pad})
}

func (a *architecture) linear(name string, in, out int) {
	a.add(name, layer.Linear{Inputs: in, Outputs: out})
}

func (a *architecture) relu() { a.add("", layer.ReLU{}) }

// poolReLU stands in this order, though the networks are usually written ReLU
// first: the two commute, values and gradients, and a quarter is left to do.
func (a *architecture) poolReLU() {
	a.add("", layer.MaxPool{Size: 2, Stride: 2})
	a.relu()
}

// small is a network for images of one side, image×image; narrowest is the
// smallest of the channels and units that Spec.Width scales, 0 where it scales none.
type small struct {
	channels, image, narrowest int
	build                      func(a *architecture, wide func(channels int) int)
}

// small networks:
//
//   - lenet5: LeCun et al. 1998 as it is taught today: ReLU, max-pool, padding 2
//     on 28×28, full connection of conv2; 61,706 parameters.
//   - mlp: 784-512-512-10; 669,706 parameters.
//   - cnn: two convolutions and two linear layers for CIFAR-10; 545,098 parameters.
var smalls = map[string]small{
	"lenet5": {1, 28, 0, func(a *architecture, _ func(int) int) {
		a.conv("conv1", 1, 6, 5, 2)
		a.poolReLU()
		a.conv("conv2", 6, 16, 5, 0)
		a.poolReLU()
		a.linear("fc1", 16*5*5, 120)
		a.relu()
		a.linear("fc2", 120, 84)
		a.relu()
		a.linear("fc3", 84, 10)
	}},
	"mlp": {1, 28, 512, func(a *architecture, wide func(int) int) {
		a.linear("fc1", 784, wide(512))
		a.relu()
		a.linear("fc2", wide(512), wide(512))
		a.relu()
		a.linear("fc3", wide(512), 10)
	}},
	"cnn": {3, 32, 32, func(a *architecture, wide func(int) int) {
		a.conv("conv1", 3, wide(32), 3, 1)
		a.poolReLU()
		a.conv("conv2", wide(32), wide(64), 3, 1)
		a.poolReLU()
		a.linear("fc1", wide(64)*8*8, wide(128))
		a.relu()
		a.linear("fc2", wide(128), 10)
	}},
}

func buildSmall(s small, spec Spec) (architecture, error) {
	width := spec.Width
	if width == 0 {
		width = 1
	}
	switch {
	case s.narrowest == 0 && width != 1:
		return architecture{}, fmt.Errorf("width %g: it comes in width 1 only", width)
	case s.narrowest > 0 && !(float64(s.narrowest)*width >= 1 && width <= 16):
		return architecture{}, fmt.Errorf("width %g: between 1/%d and 16 is possible", width, s.narrowest)
	}
	if spec.Image != 0 && spec.Image != s.image {
		return architecture{}, fmt.Errorf("images of %d×%[1]d: it takes %d×%[2]d only", spec.Image, s.image)
	}
	a := architecture{input: layer.Shape{C: s.channels, H: s.image, W: s.image}}
	s.build(&a, func(channels int) int { return int(float64(channels) * width) })
	return a, nil
}

// maxClasses is how many classes a label of one byte can name.
const maxClasses = 256

// tell makes the last layer, which is linear in every network, tell that number
// of classes apart.
func (a *architecture) tell(classes int) error {
	last := &a.steps[len(a.steps)-1]
	l, ok := last.Layer.(layer.Linear)
	if !ok || classes < 2 || classes > maxClasses {
		return fmt.Errorf("%d classes: it tells 2 to %d apart", classes, maxClasses)
	}
	l.Outputs = classes
	last.Layer = l
	return nil
}

// deep networks can be narrowed and take several image sizes, 32×32 unless told.
//
//   - resnet18: torchvision's, with a 3×3 stem of stride 1 and no first max-pool
//     (He et al. 2016, the usual change for CIFAR-10); 11,173,962 parameters.
//   - vgg19_bn: torchvision's features, then a global average pool (of 1×1 up to
//     48×48) and one linear classifier; 20,040,522 parameters.
//   - resnet110: He et al. 2016, Section 4.2 with n = 18, for CIFAR-10: a 3×3 stem
//     and three stages of 18 basic blocks with 16, 32 and 64 channels. Where the
//     shape changes the shortcut is a 1×1 convolution (their option B; their CIFAR
//     networks have option A, which pads with zeros and has 2,752 parameters
//     fewer); 1,730,714 parameters.
var deep = map[string]wide{
	"resnet18":  {64, resnet18},
	"resnet110": {16, resnet110},
	"vgg19_bn":  {64, vgg19},
}

// wide is a network that Spec.Width scales; its first convolution, the narrowest
// layer, has stem channels at width 1.
type wide struct {
	stem  int
	build func(a *architecture, wide func(channels int) int)
}

func buildDeep(d wide, spec Spec) (architecture, error) {
	width, image := spec.Width, spec.Image
	if width == 0 {
		width = 1
	}
	if image == 0 {
		image = 32
	}
	if stem := float64(d.stem) * width; !(stem >= 1) || width > 16 {
		return architecture{}, fmt.Errorf("width %g: the first convolution would have %g channels; between 1/%d and 16 is possible", width, math.Floor(stem), d.stem)
	}
	if image < 16 || image%16 != 0 {
		return architecture{}, fmt.Errorf("images of %d×%[1]d: the side must be a multiple of 16", image)
	}
	a := architecture{input: layer.Shape{C: 3, H: image, W: image}}
	d.build(&a, func(channels int) int { return int(float64(channels) * width) })
	return a, nil
}
