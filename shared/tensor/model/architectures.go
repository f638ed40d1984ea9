package model

import "gradsync/shared/tensor/layer"

// architecture is a network as one reads it: input shape, then layers.
type architecture struct {
	input layer.Shape
	steps []Step
}

func conv(name string, in, out, k, pad int) Step {
	return Step{name, layer.Conv2D{Inputs: in, Outputs: out, K: k, Stride: 1, Pad: pad}}
}

func linear(name string, in, out int) Step { return Step{name, layer.Linear{Inputs: in, Outputs: out}} }

// pool and relu stand in this order, though the networks are usually written
// ReLU first: the two commute, values and gradients, and a quarter is left to do.
var (
	pool = Step{"", layer.MaxPool{Size: 2, Stride: 2}}
	relu = Step{"", layer.ReLU{}}
)

// architectures are the networks that can be trained here.
//
//   - lenet5: LeCun et al. 1998 as it is taught today: ReLU, max-pool, padding 2
//     on 28×28, full connection of conv2; 61,706 parameters.
//   - mlp: 784-512-512-10; 669,706 parameters.
//   - cnn: two convolutions and two linear layers for CIFAR-10; 545,098 parameters.
var architectures = map[string]architecture{
	"lenet5": {layer.Shape{C: 1, H: 28, W: 28}, []Step{
		conv("conv1", 1, 6, 5, 2), pool, relu,
		conv("conv2", 6, 16, 5, 0), pool, relu,
		linear("fc1", 16*5*5, 120), relu,
		linear("fc2", 120, 84), relu,
		linear("fc3", 84, 10),
	}},
	"mlp": {layer.Shape{C: 1, H: 28, W: 28}, []Step{
		linear("fc1", 784, 512), relu,
		linear("fc2", 512, 512), relu,
		linear("fc3", 512, 10),
	}},
	"cnn": {layer.Shape{C: 3, H: 32, W: 32}, []Step{
		conv("conv1", 3, 32, 3, 1), pool, relu,
		conv("conv2", 32, 64, 3, 1), pool, relu,
		linear("fc1", 64*8*8, 128), relu,
		linear("fc2", 128, 10),
	}},
}
