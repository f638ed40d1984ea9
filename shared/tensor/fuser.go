package tensor

// Fuser is an Engine that moves less for a batch norm: it does the norm, and the sum and ReLU at
// the end of a shortcut, in one sweep over memory, and reads no ReLU's output that it can compute.
// The bits are those of the operations one after the other.
//
// Source: He et al. 2016, Fig. 2: the end of a basic block
type Fuser interface {
	Engine
	// BatchNormAdd does BatchNormForward without its ReLU and computes y = max(that + other, 0);
	// y may be other.
	BatchNormAdd(c *Call, g Norm, x, other, scale, shift, y, mean, variance []float32)
	// BatchNormAddBackward computes d, the gradient behind a ReLU whose output is y: dy + more
	// where y > 0, else 0 (NaN where y is NaN); more is nil for none. Then it does
	// BatchNormBackward of d without a ReLU. d may be dy or more, and dx may be d.
	BatchNormAddBackward(c *Call, g Norm, x, y, dy, more, d, scale, mean, variance, dx, dscale, dshift []float32)
	// BatchNormReLUBackward does BatchNormBackward behind the ReLU whose output BatchNormForward
	// wrote for x with this scale and shift, mean and variance. dx may be dy.
	BatchNormReLUBackward(c *Call, g Norm, x, dy, scale, shift, mean, variance, dx, dscale, dshift []float32)
}
