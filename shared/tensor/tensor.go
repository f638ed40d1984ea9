// Package tensor holds what the network code agrees on: the arithmetic seam
// (Engine), and the hook by which a layer's gradient leaves the backward pass
// the moment it is final.
package tensor

// OnGrad receives layer l's gradient the moment the backward pass has finished
// with it: last layer first, dW before dX. grad aliases the gradient buffer.
//
// Source: ours: what overlap of computation and communication needs
type OnGrad func(l int, grad []float32) error
