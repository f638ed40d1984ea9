package cluster

// Layer is one slice of a task's parameter vector and what its arithmetic costs.
type Layer struct {
	Name           string
	Offset, Length int // in elements of Params
	Forward        Work
	Backward       Work
}

// Task is trained by a paper's method: a loss over one flat parameter vector. The
// experiments implement it with a network and a data shard, tests with
// quadratics.
//
// Source: ours: the papers need gradients, not networks
type Task interface {
	Layers() []Layer // in forward order; together they cover Params without gaps
	Params() []float32
	// Grads is this rank's fixed gradient buffer, of the length of Params.
	// Layer l's part is final once done(l) was called.
	Grads() []float32
	// Grad computes the mean-loss gradient of mini-batch number step at Params.
	// It calls done(l) once per layer, last layer first.
	Grad(step int64, done func(layer int)) (loss float64, err error)
}

// Lodger is a Task whose parameters and gradient lie where the method says, such as in
// messages: then they are not copied into those and out of them.
//
// Source: ours: a gradient of a deep network is tens of megabytes
type Lodger interface {
	Task
	// Lodge makes params and grads the task's Params and Grads until the next Lodge. Both
	// have the length of Params; what they hold stays. Before the first Lodge, Params may
	// be read alone, and Grads be nil.
	Lodge(params, grads []float32)
}
