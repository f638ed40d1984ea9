package model

import (
	"fmt"

	"gradsync/shared/tensor/layer"
)

// resnet18 has four stages of two basic blocks with 64, 128, 256 and 512 channels.
func resnet18(a *architecture, wide func(int) int) { a.residual(wide, 64, 4, 2) }

// resnet110 has three stages of 18 basic blocks with 16, 32 and 64 channels.
//
// Source: He et al. 2016, Section 4.2: 6n + 2 layers, n = 18
func resnet110(a *architecture, wide func(int) int) { a.residual(wide, 16, 3, 18) }

// residual adds the stem, stages of basic blocks, each with half the side and
// twice the channels of the one before, and the classifier. wide turns the
// paper's channels into this network's.
func (a *architecture) residual(wide func(int) int, stem, stages, blocks int) {
	channels := wide(stem)
	at := a.convNorm("conv1", "bn1", layer.Conv2D{Inputs: 3, Outputs: channels, K: 3, Stride: 1, Pad: 1})
	at = a.add("", layer.ReLU{}, at)
	for stage := range stages {
		out := wide(stem << stage)
		for block := range blocks {
			stride := 1
			if stage > 0 && block == 0 {
				stride = 2
			}
			at = a.basicBlock(fmt.Sprintf("layer%d.%d.", stage+1, block), at, channels, out, stride)
			channels = out
		}
	}
	a.add("", layer.AvgPool{}, at)
	a.linear("fc", channels, 10)
}

// convNorm adds a convolution without bias and its batch norm.
func (a *architecture) convNorm(conv, norm string, c layer.Conv2D, inputs ...int) int {
	c.NoBias = true
	at := a.add(conv, c, inputs...)
	return a.add(norm, layer.BatchNorm{Channels: c.Outputs}, at)
}

// basicBlock adds two 3×3 convolutions and the shortcut from step at around
// them, by a 1×1 convolution where the shape changes.
//
// Source: He et al. 2016, Fig. 2 and Section 4.2, option B, in torchvision's order
func (a *architecture) basicBlock(prefix string, at, in, out, stride int) int {
	main := a.convNorm(prefix+"conv1", prefix+"bn1", layer.Conv2D{Inputs: in, Outputs: out, K: 3, Stride: stride, Pad: 1}, at)
	main = a.add("", layer.ReLU{}, main)
	main = a.convNorm(prefix+"conv2", prefix+"bn2", layer.Conv2D{Inputs: out, Outputs: out, K: 3, Stride: 1, Pad: 1}, main)
	shortcut := at
	if stride != 1 || in != out {
		shortcut = a.convNorm(prefix+"downsample.0", prefix+"downsample.1", layer.Conv2D{Inputs: in, Outputs: out, K: 1, Stride: stride}, at)
	}
	sum := a.add("", layer.Add{}, main, shortcut)
	return a.add("", layer.ReLU{}, sum)
}

// vgg19 returns configuration E with batch norm.
//
// Source: Simonyan and Zisserman 2015, Table 1, as torchvision numbers it:
// convolutions, norms, ReLUs and pools in one list
func vgg19(a *architecture, wide func(int) int) {
	at, in := 0, 3
	for _, stage := range []struct{ width, convs int }{{64, 2}, {128, 2}, {256, 4}, {512, 4}, {512, 4}} {
		out := wide(stage.width)
		for range stage.convs {
			a.conv(fmt.Sprintf("features.%d", at), in, out, 3, 1)
			a.add(fmt.Sprintf("features.%d", at+1), layer.BatchNorm{Channels: out})
			a.relu()
			at += 3
			in = out
		}
		a.add("", layer.MaxPool{Size: 2, Stride: 2})
		at++
	}
	a.add("", layer.AvgPool{})
	a.linear("classifier", in, 10)
}
