package codedsgd

import (
	"math/bits"
	"slices"

	"gradsync/shared/tensor/vec"
)

// compressed is method compressed on one rank: of all layers, last first, the
// reduce-scatter of a SumPlan, then of all the all-gather. A layer begins when all own
// blocks have it, in the last one's backward pass. (Gathering a layer before the next
// is reduced keeps links idle: a slice waits for the node that sends the most.) What is
// sent are sums, so the number of micro-blocks does not change the messages.
//
// Sums of all micro-blocks fit in int32: the range is widened (compressedRange) and
// each number is kept within its own share of it (summand), when it is quantised.
type compressed struct {
	courier
	plan    *SumPlan
	layers  []layerSums
	content []int32 // of one packet
}

// layerSums holds a rank's sums of one layer.
type layerSums struct {
	made    bool      // in this step
	packets int       // for this rank
	missing int       // of them, in this step
	sums    [][]int32 // by sum: those that this rank sends or subtracts, nil the others
	slice   []int32   // its own slice, in the end of all blocks
}

// compressedRange returns the range in whose fixed point a sum cannot wrap, of numbers that
// are each within limit: limit times the least power of two not below their count.
//
// Source: ours: sums on the wire are int32 too
func compressedRange(limit float64, numbers int) float64 {
	return limit * float64(int64(1)<<log2(numbers))
}

// summand returns the end of limit in the range that compressedRange makes of it.
func summand(numbers int) int32 { return Top >> log2(numbers) }

// log2 returns ⌈log₂ numbers⌉.
func log2(numbers int) int { return bits.Len(uint(numbers - 1)) }

func newCompressed(x *node) (exchanger, error) {
	plan, err := PlanSums(x.a, x.o.Depth)
	if err != nil {
		return nil, err
	}
	z := &compressed{plan: plan, layers: make([]layerSums, len(x.job.Layers))}
	z.courier = newCourier(x)
	z.cargo = z
	for l := x.last; l >= 0; l-- {
		z.listPackets(l)
		if x.store != nil {
			z.layers[l].open(plan, x.rank, x.job.Layers[l].Length)
		}
	}
	for l := x.last; l >= 0 && plan.gathers(); l-- {
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
		if z.list(l, id, packet.From, z.plan.length(z.x.job.Layers[l].Length, packet), packet.To) && packet.From != z.x.rank {
			z.layers[l].packets++
			z.courier.plan[len(z.courier.plan)-1].needs = z.x.stage(0, len(z.x.own)-1, l)
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

// list adds one message of a given length, if it is not empty and concerns this rank, and
// reports whether it did. No packet of CSSGD has such a header: its second word is negative.
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
	if z.plan.gathers() {
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

// prepare waits for a layer of all own blocks and makes the sums that this rank uses.
func (z *compressed) prepare(l int) error {
	s, x := &z.layers[l], z.x
	if s.made {
		return nil
	}
	s.made = true
	if err := x.ready(len(x.own)-1, l); err != nil {
		return err
	}
	sums := z.wanted(l)
	for _, sum := range sums {
		lo, hi := z.plan.Slice(x.job.Layers[l].Length, sum.slice)
		for range sum.blocks {
			x.coded(x.m * (hi - lo))
		}
	}
	if x.store != nil {
		if err := z.add(l, sums); err != nil {
			return err
		}
	}
	return x.pass()
}

// wantedSum is one of the sums that a rank makes of a layer.
type wantedSum struct {
	dst    []int32 // nil in a timing-only run
	slice  int
	blocks []int
}

// wanted lists the sums of a layer: the own slice of all own blocks if slices are gathered,
// and those that packets of this rank hold or are decoded with.
func (z *compressed) wanted(l int) (list []wantedSum) {
	x, s := z.x, &z.layers[l]
	if z.plan.gathers() {
		list = append(list, wantedSum{s.slice, x.rank, x.own})
	}
	for i, sum := range z.plan.sums {
		if !slices.Contains(sum.Common, x.rank) {
			continue
		}
		w := wantedSum{slice: sum.Slice, blocks: sum.Blocks}
		if x.store != nil {
			w.dst = s.sums[i]
		}
		list = append(list, w)
	}
	return list
}

// add makes the sums of a layer, where the blocks are.
func (z *compressed) add(l int, sums []wantedSum) error {
	x, length := z.x, z.x.job.Layers[l].Length
	var there []BlockSum
	for _, sum := range sums {
		clear(sum.dst)
		lo, hi := z.plan.Slice(length, sum.slice)
		if x.keeps() {
			there = append(there, BlockSum{sum.dst, lo, x.kept(sum.blocks)})
			continue
		}
		for _, q := range sum.blocks {
			for j := range x.m {
				g, err := x.store.Layer(q, j, l)
				if err != nil {
					return err
				}
				vec.AddInt32(sum.dst, g[lo:hi])
			}
		}
	}
	if x.keeps() {
		return x.adder.Sums(l, there)
	}
	return nil
}

// await waits for the layer, and for the own slice also for what others know of it:
// packets that stand before it in everybody's order, so that no two ranks wait for
// each other.
func (z *compressed) await(f *flight) error {
	if err := z.prepare(f.layer); err != nil {
		return err
	}
	for f.id >= len(z.plan.packets) && z.layers[f.layer].missing > 0 {
		if err := z.x.wait(z.posted[z.oldest].req); err != nil {
			return err
		}
		if err := z.take(); err != nil {
			return err
		}
	}
	return nil
}

// load encodes a packet, or appends the own slice, which is complete, and takes it over.
func (z *compressed) load(f *flight, body []byte) ([]byte, error) {
	x, s := z.x, &z.layers[f.layer]
	length := x.job.Layers[f.layer].Length
	if f.id >= len(z.plan.packets) {
		lo, hi := z.plan.Slice(length, x.rank)
		x.coded(hi - lo)
		if x.store == nil {
			return nil, nil
		}
		Accumulate(x.sumOf(f.layer)[lo:hi], s.slice)
		return vec.AppendInt32(body, s.slice), nil
	}
	content := slices.Grow(z.content[:0], f.size/4)[:f.size/4]
	z.content = content
	for i, term := range z.plan.packets[f.id].Terms {
		lo, hi := z.plan.within(length, term)
		x.coded(hi - lo)
		if x.store == nil {
			continue
		}
		if segment := s.sums[term.Sum][lo:hi]; i == 0 {
			clear(content[copy(content, segment):])
		} else {
			vec.AddInt32(content[:hi-lo], segment)
		}
	}
	if x.store == nil {
		return nil, nil
	}
	return vec.AppendInt32(body, content), nil
}

// unload adds a packet to the own slice and takes from it the terms that the others
// lack, or takes over another's slice.
func (z *compressed) unload(f *flight, body []byte) (useful int, err error) {
	x := z.x
	length, s := x.job.Layers[f.layer].Length, &z.layers[f.layer]
	if k := f.id - len(z.plan.packets); k >= 0 {
		lo, hi := z.plan.Slice(length, k)
		x.coded(hi - lo)
		if x.store != nil {
			z.content = slices.Grow(z.content[:0], hi-lo)[:hi-lo]
			if err := vec.FromInt32(z.content, body); err != nil {
				return 0, err
			}
			Accumulate(x.sumOf(f.layer)[lo:hi], z.content)
		}
		return f.size, nil
	}
	if err := z.prepare(f.layer); err != nil {
		return 0, err
	}
	s.missing--
	packet := z.plan.packets[f.id]
	mine := packet.Terms[slices.Index(packet.To, x.rank)]
	lo, hi := z.plan.within(length, mine)
	x.coded(hi - lo)
	if x.store != nil {
		if err := vec.AddInt32Bytes(s.slice[lo:hi], body[:4*(hi-lo)]); err != nil {
			return 0, err
		}
	}
	for _, term := range packet.Terms {
		if term == mine {
			continue
		}
		from, to := z.plan.within(length, term)
		n := min(to-from, hi-lo) // the longer is not needed, the shorter was padded
		x.coded(n)
		if x.store != nil {
			vec.SubInt32(s.slice[lo:lo+n], s.sums[term.Sum][from:from+n])
		}
	}
	return 4 * (hi - lo), nil
}
