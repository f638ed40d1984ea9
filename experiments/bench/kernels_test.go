package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/codec"
	"gradsync/shared/tensor/vec"
)

// gemm makes one product of an engine or of gonum.
func gemm(_ testing.TB, k keys, by string, measure func(work, func() error) error) error {
	n, r := k.Int("size", 0), rand.New(rand.NewPCG(3, 4))
	once, err := multiply(by, n, k.Int("threads", 1), normal(r, n*n), normal(r, n*n), make([]float32, n*n))
	if err != nil {
		return err
	}
	return measure(work{flop: 2 * float64(n*n) * float64(n)}, func() error { once(); return nil })
}

// multiply returns out = a·b of n×n by a contender.
func multiply(by string, n, threads int, a, b, out []float32) (func(), error) {
	if by == "gonum" {
		square := func(x []float32) blas32.General { return blas32.General{Rows: n, Cols: n, Stride: n, Data: x} }
		return func() { blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, square(a), square(b), 0, square(out)) }, nil
	}
	e, err := tensor.Lookup(by)
	call, g := &tensor.Call{Threads: threads}, tensor.Gemm{M: n, N: n, K: n}
	return func() { e.Gemm(call, g, a, b, out) }, err
}

// kernelElements holds 64 MiB of float32; tests take fewer.
var kernelElements = 64 << 20 / 4

// kernel makes one pass of a vector kernel of the codecs, or of copy().
func kernel(_ testing.TB, k keys, by string, measure func(work, func() error) error) error {
	r, n := rand.New(rand.NewPCG(5, 6)), kernelElements
	x, y, p, q := make([]float32, n), make([]float32, n), make([]int32, n), make([]int32, n)
	density := uint64(k.Int("density", 100))
	for i := range x {
		if u := r.Uint64(); u>>32%100 < density {
			x[i] = 1 + float32(uint32(u))/(1<<32)
		}
		y[i], p[i], q[i] = 1, int32(i), int32(-i)
	}
	full := vec.Bytes(n)
	wire := vec.AppendBitmap(make([]byte, 0, vec.BitmapBytes(n, n)), x)
	op, moved := k["op"], 0
	var once func() error
	if by == "copy" {
		op = by
	}
	switch op {
	case "copy":
		moved, once = 2*full, func() error { copy(y, x); return nil }
	case "pack":
		moved, once = full+len(wire), func() error { wire = vec.AppendBitmap(wire[:0], x); return nil }
	case "unpack-add":
		moved, once = 2*full+len(wire), func() error { return codec.Bitmap{}.Accumulate(y, wire) }
	case "quantise":
		moved, once = 2*full, func() error { vec.QuantiseRange(p, x, 10); return nil }
	case "add-int32":
		moved, once = 3*full, func() error { vec.AddInt32(p, q); return nil }
	default:
		return fmt.Errorf("no kernel %q", op)
	}
	return measure(work{bytes: float64(moved)}, once)
}

// ringMessages says how many messages a step passes: a runtime is made for each step.
const ringMessages = 200_000

// messages passes messages round a ring, each rank one to its neighbour and then waiting for one.
func messages(_ testing.TB, k keys, by string, measure func(work, func() error) error) error {
	ranks := k.Int("ranks", 2)
	rounds := max(ringMessages/ranks, 1)
	return measure(work{}, func() error {
		if by == "channels" {
			return channels(ranks, rounds)
		}
		return timed(ranks, rounds)
	})
}

// timed passes messages of 64 KiB on the virtual runtime, which keeps a clock, and counts them.
func timed(ranks, rounds int) error {
	host := cluster.Host{Name: "w", FLOPS: 1e12, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}
	rt := virtual.New(cluster.Uniform(ranks, host, nil), virtual.Config{})
	out, err := rt.Run(context.Background(), func(p cluster.Proc) ([]byte, error) {
		left, right := (p.Rank()+ranks-1)%ranks, (p.Rank()+1)%ranks
		var in cluster.Msg
		sent := cluster.Msg{Declared: 64 << 10}
		for range rounds {
			if err := cluster.Wait(p, p.Irecv(left, 1, &in), p.Isend(right, 1, &sent)); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if err != nil {
		return err
	}
	passed := int64(0)
	for _, s := range out.Trace.Sent {
		passed += s.Messages
	}
	if passed != int64(ranks*rounds) {
		err = fmt.Errorf("%d messages, want %d", passed, ranks*rounds)
	}
	return err
}

// channels passes a number from each goroutine to the next and checks what arrives.
func channels(ranks, rounds int) error {
	to, wrong := make([]chan int, ranks), make([]bool, ranks)
	for i := range to {
		to[i] = make(chan int, 1)
	}
	var all sync.WaitGroup
	for rank := range ranks {
		all.Go(func() {
			for i := range rounds {
				to[(rank+1)%ranks] <- i
				wrong[rank] = <-to[rank] != i || wrong[rank]
			}
		})
	}
	all.Wait()
	if slices.Contains(wrong, true) {
		return errors.New("a rank heard another round's number")
	}
	return nil
}
