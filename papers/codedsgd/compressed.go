package codedsgd

import (
	"math/bits"
	"slices"
)

// compressed is method compressed on one rank: of all layers, last first, the
// reduce-scatter of a SumPlan, then of all the all-gather. A layer begins when all own
// blocks have it, in the last one's backward pass. (Gathering a layer before the next
// is reduced keeps links idle: a slice waits for the node that sends the most.) What is
// sent are sums, so the number of micro-blocks does not change the messages.
//
// Sums of all micro-blocks fit in int32: the range is widened (compressedRange) and
// each number is kept within its own share of it.
type compressed struct {
	courier
	plan    *SumPlan
	top     int32 // what Options.Range is in the wider range
	layers  []layerSums
	content []int32 // of one packet
}

// layerSums is what a rank has of one layer.
type layerSums struct {
	made    bool      // in this step
	packets int       // for this rank
	missing int       // of them, in this step
	sums    [][]int32 // by sum: those that this rank sends or subtracts, nil the others
	slice   []int32   // its own slice, in the end of all blocks
}

// compressedRange returns the range whose fixed point holds the sum of so many numbers
// within limit: limit times the next power of two.
//
// Source: ours: sums on the wire are int32 too
func compressedRange(limit float64, numbers int) float64 {
	return limit * float64(int64(1)<<log2(numbers))
}

// log2 returns ⌈log₂ numbers⌉.
func log2(numbers int) int { return bits.Len(uint(numbers - 1)) }

func newCompressed(x *node) (exchanger, error) {
	plan, err := PlanSums(x.a, x.o.Depth)
	if err != nil {
		return nil, err
	}
	z := &compressed{plan: plan, top: Top >> log2(x.o.MicroBlocks), layers: make([]layerSums, len(x.job.Layers))}
	z.courier = newCourier(x)
	z.cargo = z
	for l := x.last; l >= 0; l-- {
		z.listPackets(l)
		if x.store != nil {
			z.layers[l].open(plan, x.rank, x.job.Layers[l].Length)
		}
	}
	for l := x.last; l >= 0 && plan.Gathers(); l-- {
		z.listSlices(l)
	}
	return z, nil
}

// open makes room for the sums of a layer that a node uses and for its slice.
func (s *layerSums) open(plan *SumPlan, rank, length int) {
	lo, hi := plan.Slice(length, rank)
	s.slice, s.sums = make([]int32, hi-lo), make([][]int32, len(plan.sums))
	for i, sum := range plan.sums {
		if slices.Contains(sum.Common, rank) {
			lo, hi := plan.Slice(length, sum.Slice)
			s.sums[i] = make([]int32, hi-lo)
		}
	}
}

// listPackets adds the packets of a layer that concern this rank.
func (z *compressed) listPackets(l int) {
	for id, packet := range z.plan.packets {
		if z.list(l, id, packet.From, z.plan.Length(z.x.job.Layers[l].Length, packet), packet.To) && packet.From != z.x.rank {
			z.layers[l].packets++
			z.courier.plan[len(z.courier.plan)-1].needs = z.x.stage(len(z.x.own)-1, l)
		}
	}
}

// listSlices adds the slices of a layer, each to all other nodes.
func (z *compressed) listSlices(l int) {
	for k := range z.x.n {
		var to []int
		for i := range z.x.n {
			if i != k {
				to = append(to, i)
			}
		}
		lo, hi := z.plan.Slice(z.x.job.Layers[l].Length, k)
		z.list(l, len(z.plan.packets)+k, k, hi-lo, to)
	}
}

// list adds one message, of so many numbers, if it is not empty and concerns this rank,
// and reports whether it does. Headers are unlike those of CSSGD's packets: their
// second word is negative.
func (z *compressed) list(l, id, from, numbers int, to []int) bool {
	if numbers == 0 || from != z.x.rank && !slices.Contains(to, z.x.rank) {
		return false
	}
	var set uint64
	for _, k := range to {
		set |= 1 << k
	}
	z.courier.plan = append(z.courier.plan, flight{
		id: id, layer: l, from: from, group: members(set | 1<<from),
		header: Header{int64(set), -1, int64(id), int64(z.plan.depth)}, size: 4 * numbers,
	})
	return true
}

func (z *compressed) exchange() error {
	for l := range z.layers {
		z.layers[l].made, z.layers[l].missing = false, z.layers[l].packets
	}
	if err := z.deliver(); err != nil {
		return err
	}
	if z.plan.Gathers() {
		return nil
	}
	for l := z.x.last; l >= 0; l-- {
		if err := z.prepare(l); err != nil {
			return err
		}
		if err := z.x.addOwn(l); err != nil {
			return err
		}
	}
	return nil
}
