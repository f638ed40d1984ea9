package tensor

// Collective is a Device that can sum vectors with the devices of other ranks, by a library
// that fixes no order of summation: a bit class of its own.
//
// Source: ours: what crosses from device to device need not pass the hosts
type Collective interface {
	Device
	// Collector names the library and its version, "NCCL 2.28.3"; empty: there is none.
	Collector() string
	// NewGroup makes the name of a group of ranks, which one of them tells the others.
	NewGroup() ([]byte, error)
	// Join makes the device one of a group's ranks, which count from 0, and returns when all
	// have joined. Each rank has a device of its own.
	Join(group []byte, rank, ranks int) (Group, error)
}

// Group is one rank's place in a group of a Collective.
//
// Source: ours: see Collective
type Group interface {
	// SumSend is Send of the sum of all ranks' src, which src becomes. All ranks call it in the
	// same order with as many values, and get the same bits.
	SumSend(c *Call, src []float32)
	// Close leaves the group when its sums are done; after an error Abort is left.
	Close() error
	// Abort leaves the group at once, also while another goroutine waits for a sum, which
	// ends without a result. It is harmless after Close.
	Abort() error
}
