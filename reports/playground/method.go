package playground

// Method is one way to bring gradients together.
type Method struct {
	Key  string
	Cost func(Setting) Cost
	// AtLeast says that Total is a lower bound; else it is the formula's own value.
	AtLeast bool
}

// Methods returns all of them, in the page's order. The page names one by its index.
func Methods() []Method {
	return []Method{
		{Key: "bsp", Cost: bsp},
		{Key: "asp", Cost: asp, AtLeast: true},
		{Key: "naive", Cost: naive},
		{Key: "ring", Cost: ring},
		{Key: "halving-doubling", Cost: halvingDoubling},
		{Key: "hierarchical", Cost: hierarchical},
		{Key: "ringsparse", Cost: ringSparse},
		{Key: "ssgd-unicast", Cost: ssgdUnicast, AtLeast: true},
		{Key: "ssgd-multicast", Cost: ssgdMulticast, AtLeast: true},
		{Key: "cssgd", Cost: cssgd, AtLeast: true},
		{Key: "cssgd-model", Cost: cssgdModel},
		{Key: "compressed", Cost: compressed, AtLeast: true},
	}
}

// Quantity is a number of a Cost, as the page asks for it.
type Quantity int32

// The numbers of a Cost, in its order.
const (
	Compute Quantity = iota
	Wait
	Exchange
	Total
	Sent
	Received
	quantities
)

// Of returns a quantity of method m, NaN where the setting is out of range or has no
// such method.
func Of(m int, q Quantity, s Setting) float64 {
	all := Methods()
	if m < 0 || m >= len(all) || q < 0 || q >= quantities || !s.Valid() {
		return none().Total
	}
	c := all[m].Cost(s)
	return [quantities]float64{c.Compute, c.Wait, c.Exchange, c.Total, c.Sent, c.Received}[q]
}
