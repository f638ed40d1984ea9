// Package check judges a GPU: each of our kernels against the CPU, the bits of a trained network against those that the
// kernels have on the interpreter of their PTX, and a sum over devices against the CPU's.
package check

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"unsafe"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/optim"
)

// bits has what the interpreter of PTX makes of every trial: name and digest in a row.
//
//go:embed bits.csv
var bits string

// Outcome is what a trial on a device came to.
type Outcome struct {
	Kernels []string `json:"kernels"` // their names in the PTX
	Values  int      `json:"values"`  // how many were compared
	Off     float64  `json:"off"`     // the largest difference from the CPU's, as a share of its largest value
	Bits    string   `json:"bits"`    // a digest of the results
	Same    bool     `json:"same"`    // whether the interpreter of PTX has that digest
	Error   string   `json:"error,omitempty"`
}

// Near is how far a sum may be off the CPU's, as a share of its largest value: the order of
// summation is another. Whole numbers and moved values are equal.
const Near = 1e-5

// OK reports whether the device did the trial right.
func (o Outcome) OK() bool { return o.Error == "" && o.Same && o.Off <= Near }

// Kernels runs every kernel on a device, which stays the caller's, and the same on an engine of the CPU, the reference.
// The error is of a device that breaks off.
func Kernels(d driver.Driver, cpu tensor.Engine) (all []Outcome, err error) {
	set, err := kernels.Load(d)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	for _, t := range trials {
		b := &bench{q: set.On(0), d: d, r: rand.New(rand.NewPCG(1, 2)), cpu: cpu, sum: sha256.New()}
		t.run(b)
		for _, p := range b.all {
			b.keep(d.Free(p))
		}
		o := Outcome{Kernels: strings.Fields(t.kernels), Values: b.values, Off: b.off}
		o.judge(t.kernels, b.sum.Sum(nil))
		if b.err != nil {
			o.Error = b.err.Error()
		}
		all = append(all, o)
	}
	return all, nil
}

// judge sets the digest and compares it with the interpreter's.
func (o *Outcome) judge(name string, sum []byte) {
	o.Bits = hex.EncodeToString(sum[:8])
	o.Same = strings.Contains(bits, name+","+o.Bits+"\n")
}

// Network trains LeNet-5 for three steps by our kernels on a device, which stays the caller's, and compares its
// parameters with those that an engine of the CPU comes to.
func Network(d driver.Driver, cpu tensor.Engine) (Outcome, error) {
	e, err := engine.New(d)
	if err != nil {
		return Outcome{}, err
	}
	got, err := train(e)
	if err = errors.Join(err, e.Close()); err != nil {
		return Outcome{}, err
	}
	want, err := train(cpu)
	if err != nil {
		return Outcome{}, err
	}
	b := &bench{sum: sha256.New()}
	compare(b, got, want)
	o := Outcome{Values: b.values, Off: b.off}
	o.judge("lenet5", b.sum.Sum(nil))
	return o, nil
}

// train returns the parameters of LeNet-5 after three steps of momentum on random images.
func train(e tensor.Engine) (params []float32, err error) {
	m, err := model.Build(model.Spec{Name: "lenet5"})
	if err != nil {
		return nil, err
	}
	const batch = 8
	r := rand.New(rand.NewPCG(3, 4))
	params = make([]float32, m.NumParams())
	m.Init(params, r)
	c, h, w := m.Input()
	x, labels, grads := make([]float32, batch*c*h*w), make([]uint8, batch), make([]float32, len(params))
	space := m.NewWorkspace(e, batch, 1)
	defer func() { err = errors.Join(err, space.Close()) }()
	sgd := optim.SGD{Rate: 0.01, Momentum: 0.9, WeightDecay: 1e-4}
	for range 3 {
		for i := range x {
			x[i] = float32(r.IntN(2001)-1000) / 500
		}
		for i := range labels {
			labels[i] = uint8(r.IntN(m.Classes()))
		}
		if _, err := space.Gradient(params, grads, x, labels, nil); err != nil {
			return nil, err
		}
		sgd.Step(params, grads)
	}
	return params, nil
}

// Sum lets devices that have NCCL sum a vector of rank+1 times whole numbers, which is exact in any order. The devices
// stay the caller's.
func Sum(devices []tensor.Collective) (Outcome, error) {
	const n = 1 << 20
	group, err := devices[0].NewGroup()
	if err != nil {
		return Outcome{}, err
	}
	got, errs := make([][]float32, len(devices)), make([]error, len(devices))
	var all sync.WaitGroup
	for rank, d := range devices {
		all.Go(func() { got[rank], errs[rank] = sumOn(d, group, rank, len(devices), n) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return Outcome{}, err
	}
	want := make([]float32, n)
	for rank := range devices {
		for i := range want {
			want[i] += float32((rank + 1) * (i%4096 - 2048))
		}
	}
	b := &bench{sum: sha256.New()}
	for _, g := range got {
		compare(b, g, want)
	}
	o := Outcome{Values: b.values, Off: b.off, Bits: hex.EncodeToString(b.sum.Sum(nil)[:8]), Same: b.off == 0}
	return o, nil
}

// sumOn is one rank's part of Sum.
func sumOn(d tensor.Collective, id []byte, rank, ranks, n int) (out []float32, err error) {
	group, err := d.Join(id, rank, ranks)
	if err != nil {
		return nil, err
	}
	var c tensor.Call
	out = make([]float32, n)
	for i := range out {
		out[i] = float32((rank + 1) * (i%4096 - 2048))
	}
	at := d.Make(&c, n)
	d.Upload(&c, at, out)
	group.SumSend(&c, at)
	err = d.Receive(&c, out)
	return out, errors.Join(err, d.Settle(&c), group.Close(), d.Release(&c))
}

// bench is a device with the kernels, and what one trial came to.
type bench struct {
	q      *kernels.Queue
	d      driver.Driver
	r      *rand.Rand
	cpu    tensor.Engine
	call   tensor.Call
	all    []unsafe.Pointer
	sum    hash.Hash
	values int
	off    float64
	err    error
}

// keep remembers the first error.
func (b *bench) keep(err error) {
	if b.err == nil {
		b.err = err
	}
}

// up returns a copy of x on the device.
func up[T any](b *bench, x []T) unsafe.Pointer {
	size := len(x) * int(unsafe.Sizeof(x[0]))
	p, err := b.d.Alloc(size)
	if b.keep(err); err == nil {
		b.all = append(b.all, p)
		b.keep(b.d.Upload(0, p, unsafe.Pointer(unsafe.SliceData(x)), size))
	}
	return p
}

// floats draws n normal values, here and on the device.
func (b *bench) floats(n int) ([]float32, unsafe.Pointer) {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(b.r.NormFloat64())
	}
	return x, up(b, x)
}

// room returns room for n values, here and on the device.
func room[T any](b *bench, n int) ([]T, unsafe.Pointer) {
	x := make([]T, n)
	return x, up(b, x)
}

// down compares what the device has with what the CPU has.
func down[T float32 | float64 | int32 | uint32](b *bench, p unsafe.Pointer, want []T) {
	got := make([]T, len(want))
	if b.err == nil {
		b.keep(b.d.Download(0, unsafe.Pointer(unsafe.SliceData(got)), p, len(got)*int(unsafe.Sizeof(got[0]))))
	}
	compare(b, got, want)
}

// compare counts values, adds their bits to the digest and notes how far they are off.
func compare[T float32 | float64 | int32 | uint32](b *bench, got, want []T) {
	fmt.Fprintf(b.sum, "%x;", unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(got))), len(got)*int(unsafe.Sizeof(got[0]))))
	largest, apart := 0.0, 0.0
	for i, w := range want {
		largest = max(largest, math.Abs(float64(w)))
		apart = max(apart, math.Abs(float64(got[i])-float64(w)))
	}
	if b.values += len(want); apart != 0 { // NaN too
		off := apart / largest
		if !(off <= 1) {
			off = 1
		}
		b.off = max(b.off, off)
	}
}
