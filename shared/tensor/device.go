package tensor

// Device is an Engine with memory of its own. All buffers that its operations are given
// come from Make, but for labels; the host must not touch their elements. Layout is
// ImageMajor.
//
// Operations return when they are queued, in the order of the calls that one Call makes.
// The first error of a Call's work is kept, what comes after it is not done, and Settle
// returns it. What a Call was lent is given back by Release.
//
// Source: ours: activations and parameters stay where the arithmetic is
type Device interface {
	Engine
	// Workspaces returns how many Calls should hold memory at a time.
	Workspaces() int

	// Make returns memory for n values, of any content; nil after an error.
	Make(c *Call, n int) []float32
	// Upload copies the host's src to dst; src may be used again on return.
	Upload(c *Call, dst, src []float32)
	// Download copies src to the host's dst, and returns when that is done.
	Download(c *Call, dst, src []float32)
	// Copy copies within the device.
	Copy(c *Call, dst, src []float32)

	// Send begins to copy src to the host when the work queued so far is done, beside
	// what is queued later; src must stay as it is until Receive.
	Send(c *Call, src []float32)
	// Receive waits for the oldest Send that was not received yet, of as many values, and
	// writes it to the host's dst.
	Receive(c *Call, dst []float32) error

	// BatchNormBlend computes running = (1−momentum)·running + momentum·factor·batch,
	// every product rounded.
	BatchNormBlend(c *Call, running, batch []float32, momentum float32, factor float64)
	// Update does the step of optim.SGD with that rate, momentum and weight decay, bit for
	// bit; first is the first one. Without momentum velocity may be nil.
	Update(c *Call, params, velocity, gradient []float32, rate, momentum, decay float32, first bool)

	// Settle waits for all of a Call's work, forgets what was sent and not received, and
	// returns the first error since the last Settle. An error after which the device is
	// lost comes again each time.
	Settle(c *Call) error
	// Release gives back all that a Call was lent; after an error it may be called again.
	Release(c *Call) error
}

// Repeater is a Device that can do at once what a Call has queued piece by piece before.
//
// Between Repeat and Repeated a Call does one pass, the same as the last one with that
// key: operations, shapes and the device's buffers. Only values may differ, on the host
// too. Nothing leaves the device then but by Send, and Receive follows Repeated.
//
// Source: ours: CUDA's graphs, which spare a small network the launches
type Repeater interface {
	Device
	// Repeat begins a pass.
	Repeat(c *Call, key int)
	// Repeated ends it and returns its loss: SoftmaxCrossEntropy's result may be NaN.
	Repeated(c *Call) float64
}

// Make returns memory for n values: the engine's if it is a Device, which gives nil after
// an error.
func Make(e Engine, c *Call, n int) []float32 {
	if d, ok := e.(Device); ok {
		return d.Make(c, n)
	}
	return make([]float32, n)
}

// MakeIndices is Make for a max-pool's choices.
func MakeIndices(e Engine, c *Call, n int) []int32 {
	d, ok := e.(Device)
	if !ok {
		return make([]int32, n)
	}
	return Int32s(d.Make(c, n))
}

// Copy copies src to dst, both of the engine's memory.
func Copy(e Engine, c *Call, dst, src []float32) {
	if d, ok := e.(Device); ok {
		d.Copy(c, dst, src)
		return
	}
	copy(dst, src)
}
