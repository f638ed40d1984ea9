package mutants

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"unsafe"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/tensor"
)

// sweeper runs kernels once each on odd shapes and collects what they give.
type sweeper struct {
	*kernels.Queue
	d   driver.Driver
	r   *rand.Rand
	all []unsafe.Pointer
	out bytes.Buffer
	err error
}

// sweep returns the results of all kernels of a PTX, or the first error. It closes d.
func sweep(d driver.Driver, ptx string) ([]byte, error) {
	set, err := kernels.LoadText(d, ptx)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	s := &sweeper{Queue: set.On(0), d: d, r: rand.New(rand.NewPCG(1, 1))}
	for _, part := range []func(){s.products, s.convs, s.norms, s.pools, s.rest, s.bitmaps} {
		if part(); s.err != nil {
			break
		}
		for _, p := range s.all {
			s.try(d.Free(p))
		}
		s.all = nil
	}
	if s.err != nil {
		_ = d.Close() // the device is lost, and memory with it
		return nil, s.err
	}
	return s.out.Bytes(), errors.Join(set.Close(), d.Close())
}

func (s *sweeper) try(err error) {
	if s.err == nil {
		s.err = err
	}
}

// room returns n words.
func (s *sweeper) room(n int) unsafe.Pointer {
	p, err := s.d.Alloc(4 * n)
	s.try(err)
	s.all = append(s.all, p)
	return p
}

// random returns n words that are floats, a third of them 0.
func (s *sweeper) random(n int) unsafe.Pointer {
	x := make([]float32, n)
	for i := range x {
		if s.r.IntN(3) > 0 {
			x[i] = float32(s.r.NormFloat64())
		}
	}
	p := s.room(n)
	s.try(s.d.Upload(0, p, unsafe.Pointer(unsafe.SliceData(x)), 4*n))
	return p
}

// keep adds n words to the results.
func (s *sweeper) keep(p unsafe.Pointer, n int) {
	if x := make([]uint32, n); s.err == nil {
		s.try(s.d.Download(0, unsafe.Pointer(unsafe.SliceData(x)), p, 4*n))
		s.try(binary.Write(&s.out, binary.LittleEndian, x))
	}
}

func (s *sweeper) products() {
	for _, g := range []tensor.Gemm{{M: 65, N: 3, K: 40}, {M: 3, N: 70, K: 33, TransA: true, TransB: true}} {
		out := s.room(g.M * g.N)
		s.try(s.Gemm(g, s.random(g.M*g.K), s.random(g.K*g.N), out))
		s.keep(out, g.M*g.N)
	}
}

func (s *sweeper) convs() {
	g := tensor.Conv{N: 3, InC: 2, H: 7, W: 6, OutC: 5, KH: 3, KW: 3, Stride: 2, Pad: 1}
	in, out, w := g.N*g.InC*g.H*g.W, g.N*g.OutC*g.OutH()*g.OutW(), g.OutC*g.Taps()
	x, dy, filter := s.random(in), s.random(out), s.random(w)
	y, dx, dw := s.room(out), s.room(in), s.room(w)
	s.try(s.ConvForward(g, x, filter, s.random(g.OutC), y))
	s.try(s.ConvBackwardData(g, dy, filter, dx))
	s.try(s.ConvBackwardFilter(g, x, dy, dw, s.room(kernels.FilterScratch(g))))
	s.keep(y, out)
	s.keep(dx, in)
	s.keep(dw, w)
}

func (s *sweeper) norms() {
	g := tensor.Norm{N: 3, C: 2, HW: 150, Eps: 1e-5, ReLU: true}
	n := g.N * g.C * g.HW
	x, dy, scale, mean, variance, y := s.random(n), s.random(n), s.random(g.C), s.room(g.C), s.room(g.C), s.room(n)
	dscale, dshift, db := s.room(g.C), s.room(g.C), s.room(g.C)
	s.try(s.BiasBackward(g.N, g.C, g.HW, dy, db))
	s.try(s.BiasForward(g.N, g.C, g.HW, db, x, true))
	s.try(s.BatchNormForward(g, x, scale, s.random(g.C), y, mean, variance))
	s.try(s.BatchNormBackward(g, x, y, dy, scale, mean, variance, dy, dscale, dshift))
	s.try(s.BatchNormBlend(g.C, mean, variance, 0.1, 1.5))
	for _, p := range []unsafe.Pointer{mean, variance, dscale, dshift, db} {
		s.keep(p, g.C)
	}
	s.keep(y, n)
	s.keep(dy, n)
}

func (s *sweeper) pools() {
	for _, g := range []tensor.Pool{{N: 2, C: 2, H: 7, W: 6, Size: 3, Stride: 2}, {N: 1, C: 3, H: 8, W: 8, Size: 2, Stride: 2}} {
		in, out := g.N*g.C*g.H*g.W, g.N*g.C*g.OutH()*g.OutW()
		x, dy, y, arg, dx := s.random(in), s.random(out), s.room(out), s.room(out), s.room(in)
		s.try(s.MaxPoolForward(g, x, y, arg))
		s.try(s.MaxPoolBackward(g, dy, arg, dx))
		s.keep(y, out)
		s.keep(arg, out)
		s.keep(dx, in)
		s.try(s.AvgPoolForward(g, x, y))
		s.try(s.AvgPoolBackward(g, dy, dx))
		s.keep(y, out)
		s.keep(dx, in)
	}
}

func (s *sweeper) rest() {
	const n, classes = 300, 5
	x, y := s.random(n*classes), s.room(n*classes)
	labels := s.room(n)
	s.try(s.d.Fill(0, labels, 0x03000102, n))
	losses, mean := s.room(2*n), s.room(2)
	s.try(s.SoftmaxCrossEntropy(n, classes, x, labels, y, losses, mean))
	s.keep(y, n*classes)
	s.keep(mean, 2)
	s.try(s.Add(n, x, y, y, true))
	s.try(s.ReLU(n, y, y))
	s.try(s.ReLUBackward(n, y, x, y))
	s.try(s.Update(n, x, losses, y, 0.1, 0.9, 1e-4, true))
	s.try(s.Update(n, x, losses, y, 0.1, 0.9, 1e-4, false))
	s.keep(x, n)
	q, clipped := s.room(n), s.room(kernels.ClippedInts(n))
	s.try(s.Quantise(n, x, q, clipped, 1000, 900))
	s.keep(clipped, kernels.ClippedInts(n))
	s.try(s.QuantiseRange(n, y, labels, clipped, 2, 1<<30))
	s.keep(clipped, kernels.ClippedInts(n))
	s.try(s.AddInt32(n, q, labels))
	s.try(s.SubInt32(n-1, q, labels))
	s.keep(q, n)
}

func (s *sweeper) bitmaps() {
	const n = 299_900 // two rounds of the prefix sum, and a last segment that is not whole
	x := s.random(n)
	counts, offsets, bitmap, values := s.room(kernels.Segments(n)), s.room(kernels.Segments(n)+1), s.room(kernels.BitmapWords(n)), s.room(n)
	s.try(s.d.Fill(0, values, 0, n))
	s.try(s.PackBitmap(n, x, counts, offsets, bitmap, values))
	s.keep(offsets, kernels.Segments(n)+1)
	s.keep(bitmap, kernels.BitmapWords(n))
	s.keep(values, n)
	s.try(s.UnpackBitmap(n, bitmap, values, counts, offsets, x, true))
	s.keep(x, n)
}

// verdict says how a sweep shows a mistake; empty: not at all.
func verdict(got []byte, err error, right []byte) string {
	switch {
	case err != nil:
		return err.Error()
	case len(got) != len(right):
		return fmt.Sprintf("%d bytes of results, not %d", len(got), len(right))
	}
	for i := range got {
		if got[i] != right[i] {
			return fmt.Sprintf("wrong result: byte %d of %d", i, len(got))
		}
	}
	return ""
}
