package codedsgd

import (
	"slices"

	"gradsync/shared/tensor/vec"
)

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
	length := x.job.Layers[l].Length
	if x.store != nil {
		if err := z.bound(l); err != nil {
			return err
		}
		clear(s.slice)
	}
	add := func(dst []int32, q, slice int) error {
		lo, hi := z.plan.Slice(length, slice)
		x.coded(x.m * (hi - lo))
		for j := range x.m {
			if x.store == nil {
				break
			}
			g, err := x.store.Layer(q, j, l)
			if err != nil {
				return err
			}
			vec.AddInt32(dst, g[lo:hi])
		}
		return nil
	}
	if z.plan.Gathers() {
		for _, q := range x.own {
			if err := add(s.slice, q, x.rank); err != nil {
				return err
			}
		}
	}
	for i, sum := range z.plan.sums {
		if !slices.Contains(sum.Common, x.rank) {
			continue
		}
		var dst []int32
		if x.store != nil {
			dst = s.sums[i]
			clear(dst)
		}
		for _, q := range sum.Blocks {
			if err := add(dst, q, sum.Slice); err != nil {
				return err
			}
		}
	}
	return x.pass()
}

// bound keeps the own gradients' numbers within what Options.Range is in the wider
// range, so that no sum wraps, and counts those that were not. (The store has counted
// what left the wider range; what rounding alone put beyond is not out of range.)
func (z *compressed) bound(l int) error {
	for _, q := range z.x.own {
		for j := range z.x.m {
			g, err := z.x.store.Layer(q, j, l)
			if err != nil {
				return err
			}
			for i, v := range g {
				if uint32(v)+uint32(z.top) <= 2*uint32(z.top) { // −top ≤ v ≤ top
					continue
				}
				g[i] = max(-z.top, min(z.top, v))
				if v != Top && v != -Top && (v < -z.top-1 || v > z.top+1) {
					z.x.log.Totals.Saturated++
				}
			}
		}
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
