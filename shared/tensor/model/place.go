package model

import "slices"

// align is the granularity of buffers, in elements per image: with it, every
// buffer of an image-major batch begins at a whole vector too.
const align = 16

// place gives every buffer its offset so that buffers alive at one time do not
// overlap, and returns the length of it all: the largest first, each at the
// lowest place that is free for its whole life.
func place(buffers []buffer) int {
	order := make([]int, len(buffers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return buffers[j].size - buffers[i].size })
	var placed []int // by offset
	length := 0
	for _, i := range order {
		b := &buffers[i]
		size := (b.size + align - 1) / align * align
		b.offset = 0
		for _, j := range placed {
			o := buffers[j]
			if o.last < b.first || b.last < o.first {
				continue
			}
			if b.offset+size <= o.offset {
				break
			}
			b.offset = max(b.offset, o.offset+(o.size+align-1)/align*align)
		}
		at, _ := slices.BinarySearchFunc(placed, b.offset, func(j, offset int) int {
			if buffers[j].offset <= offset {
				return -1
			}
			return 1
		})
		placed = slices.Insert(placed, at, i)
		length = max(length, b.offset+size)
	}
	return length
}
