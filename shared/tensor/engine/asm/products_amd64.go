package asm

import "gradsync/shared/tensor"

//go:generate go run ./gen/products -out products_amd64.s -stubs products-stubs_amd64.go -pkg asm

// productTasks are the convolutions, linear layers and matrix products.
type productTasks struct {
	plans      map[planKey]*plan
	product    product
	filter     filterSums
	filters    map[tensor.Conv]*filterPlan
	deep       deepFilter
	deeps      map[tensor.Conv]*deepPlan
	long       longFilter
	longs      map[tensor.Conv]*longPlan
	winograd   winograd
	winograds  map[tensor.Conv]*winogradPlan
	four       winograd4
	fours      map[tensor.Conv]*winograd4Plan
	strides    map[tensor.Conv]*winograd4Plan // forward
	backs      map[tensor.Conv]*winograd4Plan // backward-data
	fourDW     winograd4Filter
	b, c, d, e []float32 // a matrix product's padded operand and result
}

// tileArgs is read by a tile kernel; gen/products knows the offsets.
// Strides are in bytes, table entries in elements.
type tileArgs struct {
	count      int // steps of the sum
	a          *float32
	lda        int
	aoff, boff *int32
	b          [3]*float32 // one per vector
	c          [3]*float32
	ldc        int
	bias       *float32 // one per row
	flags      int
}

const (
	resume   = 1 // continue the chains in c instead of starting at the bias
	withReLU = 2
)

// sumArgs is read by a kernel of lane-wise sums; gen/products knows the
// offsets. acc holds rows × columns vectors of 16 lanes.
type sumArgs struct {
	count int
	a     *float32
	lda   int
	aoff  *int32
	b     *float32
	ldb   int
	boff  *int32
	acc   *float32
	more  int // not 0: continue the sums in acc
}

// kept returns the plan of a shape, made on first use.
func kept[P any](plans *map[tensor.Conv]*P, g tensor.Conv, plan func(tensor.Conv) *P) *P {
	if p := (*plans)[g]; p != nil {
		return p
	}
	if *plans == nil {
		*plans = map[tensor.Conv]*P{}
	}
	p := plan(g)
	(*plans)[g] = p
	return p
}
