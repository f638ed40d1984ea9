// Package check judges a GPU: each of our kernels against the CPU, the bits of a trained network against those that the
// kernels have on the interpreter of their PTX, and a sum over devices against the CPU's.
package check

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
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

// Outcome tells what a trial on a device came to.
type Outcome struct {
	Kernels []string `json:"kernels"` // their names in the PTX
	Values  int      `json:"values"`  // how many were compared
	Off     float64  `json:"off"`     // the largest difference from the CPU's, as a share of its largest value
	Bits    string   `json:"bits"`    // a digest of the results
	Same    bool     `json:"same"`    // whether the interpreter of PTX has that digest
	Error   string   `json:"error,omitempty"`
}

// Near is how far a sum may be off the CPU's, as a share of its largest value: the order of
// summation is another.
const Near = 1e-5

// OK reports whether the device did the trial right.
func (o Outcome) OK() bool { return o.Error == "" && o.Same && o.Off <= Near }

// Kernels runs every kernel on a device, which stays the caller's, and the same on an engine of the CPU, the reference.
// The error is of a device that breaks off.
func Kernels(d driver.Driver, cpu tensor.Engine) (all []Outcome, err error) {
	e, err := engine.New(d)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	for _, t := range trials {
		b := &bench{q: e.Kernels().On(0), d: d, e: e, cpu: cpu, r: rand.New(rand.NewPCG(1, 2)), sum: sha256.New()}
		t.run(b)
		for _, p := range b.all {
			b.keep(d.Free(p))
		}
		o := b.outcome(t.kernels)
		o.Kernels = strings.Fields(t.kernels)
		all = append(all, o)
	}
	return all, nil
}

// Network trains LeNet-5 for three steps by our kernels on a device, which stays the caller's, and compares its
// parameters with those that an engine of the CPU comes to.
func Network(d driver.Driver, cpu tensor.Engine) (Outcome, error) {
	e, err := engine.New(d)
	if err != nil {
		return Outcome{}, err
	}
	three := func(step int) bool { return step < 3 }
	got, _, err := train(e, "lenet5", 8, three)
	if err = errors.Join(err, e.Close()); err != nil {
		return Outcome{}, err
	}
	want, _, err := train(cpu, "lenet5", 8, three)
	if err != nil {
		return Outcome{}, err
	}
	b := &bench{sum: sha256.New()}
	b.compare(got, want)
	return b.outcome("lenet5"), nil
}

// train trains a network with momentum on random images while more says so, and returns its parameters and the time of
// each step.
func train(e tensor.Engine, name string, batch int, more func(step int) bool) (
	params []float32, took []time.Duration, err error,
) {
	m, err := model.Build(model.Spec{Name: name})
	if err != nil {
		return nil, nil, err
	}
	r := rand.New(rand.NewPCG(3, 4))
	c, h, w := m.Input()
	params, grads, stats := make([]float32, m.NumParams()), make([]float32, m.NumParams()), make([]float32, m.NumStats())
	x, labels := make([]float32, batch*c*h*w), make([]uint8, batch)
	m.Init(params, r)
	space := m.NewWorkspace(e, batch, 1)
	defer func() { err = errors.Join(err, space.Close()) }()
	if len(stats) > 0 {
		m.InitStats(stats)
		space.SetStats(stats)
	}
	sgd := optim.SGD{Rate: 0.01, Momentum: 0.9, WeightDecay: 1e-4}
	for more(len(took)) {
		for i := range x {
			x[i] = float32(r.IntN(2001)-1000) / 500
		}
		for i := range labels {
			labels[i] = uint8(r.IntN(m.Classes()))
		}
		start := time.Now()
		if _, err := space.Gradient(params, grads, x, labels, nil); err != nil {
			return nil, nil, err
		}
		sgd.Step(params, grads)
		took = append(took, time.Since(start))
	}
	return params, took, nil
}

// TimeStep returns the median time of a training step of a network on an engine: after one that is not timed at least
// three, and as many as fit into patience.
func TimeStep(e tensor.Engine, name string, batch int, patience time.Duration) (time.Duration, error) {
	begun := time.Now()
	_, took, err := train(e, name, batch, func(step int) bool { return step < 4 || time.Since(begun) < patience })
	if err != nil {
		return 0, err
	}
	slices.Sort(took[1:])
	return took[1+len(took)/2], nil
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
	var together ranks
	for rank, d := range devices {
		all.Go(func() {
			if got[rank], errs[rank] = together.sum(d, group, rank, len(devices), n); errs[rank] != nil {
				errs[rank] = errors.Join(errs[rank], together.abort())
			}
		})
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
		b.compare(g, want)
	}
	o := b.outcome("")
	o.Same = o.Off == 0
	return o, nil
}

// ranks are the groups of Sum's ranks: one that fails aborts all, since a device would wait for it for ever.
type ranks struct {
	mu     sync.Mutex
	groups []tensor.Group
	failed bool
}

func (r *ranks) abort() (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
	for _, g := range r.groups {
		err = errors.Join(err, g.Abort())
	}
	return err
}

// sum is one rank's part of Sum.
func (r *ranks) sum(d tensor.Collective, id []byte, rank, of, n int) (out []float32, err error) {
	group, err := d.Join(id, rank, of)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.groups = append(r.groups, group)
	failed := r.failed
	r.mu.Unlock()
	if failed {
		return nil, errors.New("another rank has failed")
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
	if err = errors.Join(err, d.Settle(&c), d.Release(&c)); err == nil {
		err = group.Close()
	}
	return out, err
}

// bench is a device with the kernels, and what one trial came to.
type bench struct {
	q      *kernels.Queue
	d      driver.Driver
	e      tensor.Device
	cpu    tensor.Engine
	r      *rand.Rand
	all    []unsafe.Pointer
	sum    hash.Hash
	values int
	off    float64
	err    error
}

// outcome returns what the trial of a name came to.
func (b *bench) outcome(name string) Outcome {
	o := Outcome{Values: b.values, Off: b.off, Bits: hex.EncodeToString(b.sum.Sum(nil)[:8])}
	o.Same = strings.Contains(bits, name+","+o.Bits+"\n")
	if b.err != nil {
		o.Error = b.err.Error()
	}
	return o
}

// both runs an operation of an engine on the device and on the CPU, on random inputs of these lengths, and compares the
// outputs.
func both(in, out []int, run func(e tensor.Engine, c *tensor.Call, x, y [][]float32)) func(*bench) {
	return func(b *bench) {
		var host, device tensor.Call
		var x, y, dx, dy [][]float32
		for i, n := range in {
			x, dx = append(x, b.floats(n)), append(dx, b.e.Make(&device, n))
			b.e.Upload(&device, dx[i], x[i])
		}
		for _, n := range out {
			y, dy = append(y, make([]float32, n)), append(dy, b.e.Make(&device, n))
		}
		run(b.cpu, &host, x, y)
		run(b.e, &device, dx, dy)
		for i, want := range y {
			got := make([]float32, len(want))
			b.e.Send(&device, dy[i])
			b.keep(b.e.Receive(&device, got))
			b.compare(got, want)
		}
		b.keep(b.e.Settle(&device))
		b.keep(b.e.Release(&device))
	}
}

// exact runs a kernel on the device, on random inputs and zeros of these lengths, and takes the bits of all of them.
func exact(in, out []int, run func(b *bench, x, y []unsafe.Pointer) error) func(*bench) {
	return func(b *bench) {
		var x, y []unsafe.Pointer
		for _, n := range in {
			x = append(x, up(b, b.floats(n)))
		}
		for _, n := range out {
			y = append(y, up(b, make([]float32, n)))
		}
		if b.err == nil {
			b.keep(run(b, x, y))
		}
		all := slices.Concat(in, out)
		for i, p := range append(x, y...) {
			got := make([]float32, all[i])
			b.keep(b.d.Download(0, unsafe.Pointer(unsafe.SliceData(got)), p, 4*len(got)))
			b.compare(got, nil)
		}
	}
}

// keep remembers the first error.
func (b *bench) keep(err error) {
	if b.err == nil {
		b.err = err
	}
}

// floats draws n normal values, of which half are 0.
func (b *bench) floats(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		if b.r.IntN(2) == 0 {
			x[i] = float32(b.r.NormFloat64())
		}
	}
	return x
}

// up returns a copy of x on the device.
func up[T float32 | int32](b *bench, x []T) unsafe.Pointer {
	p, err := b.d.Alloc(4 * len(x))
	if b.keep(err); err == nil {
		b.all = append(b.all, p)
		b.keep(b.d.Upload(0, p, unsafe.Pointer(unsafe.SliceData(x)), 4*len(x)))
	}
	return p
}

// compare counts values, adds their bits to the digest and notes how far they are off what is wanted, if that is given.
func (b *bench) compare(got, want []float32) {
	b.values += len(got)
	b.keep(binary.Write(b.sum, binary.LittleEndian, got))
	largest, apart := 0.0, 0.0
	for i, w := range want {
		largest, apart = max(largest, math.Abs(float64(w))), max(apart, math.Abs(float64(got[i])-float64(w)))
	}
	if off := apart / largest; off <= 1 {
		b.off = max(b.off, off)
	} else if apart != 0 { // NaN too
		b.off = 1
	}
}
