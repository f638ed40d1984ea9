package bench

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"unsafe"

	"gradsync/shared/gpu"
	"gradsync/shared/gpu/driver"
	cuda "gradsync/shared/gpu/kernels"
)

// openDevice makes Job.Device the engine gpu.Name; a job on the CPU opens none. The device is
// the worker's until its process ends.
func openDevice(j Job) (*gpu.Device, error) {
	n, ok := gpu.Number(j.Device)
	if !ok {
		return nil, fmt.Errorf("bench: no device %q", j.Device)
	}
	return gpu.Open(gpu.Options{Index: n})
}

// deviceBuffers are the operands of a vector kernel on a GPU: n elements each, and what packing
// needs beside them.
type deviceBuffers struct {
	queue                                *cuda.Queue
	n                                    int
	x, y, p, q                           unsafe.Pointer
	bitmap, values, counts, offsets, out unsafe.Pointer
}

// deviceKernels are the contenders of KindVec on a GPU, by the names of those on the CPU; what
// they move is counted as there.
func deviceKernels(b *deviceBuffers, d driver.Driver, name string, density float64) (run func() error, moved float64) {
	bytes := 4 * float64(b.n)
	packed := density*bytes + bytes/32
	switch verb, _, _ := strings.Cut(name, "-"); {
	case name == Copy:
		return func() error { return d.Copy(b.queue.Stream(), b.y, b.x, 4*b.n) }, 2 * bytes
	case name == "add-float32":
		return func() error { return b.queue.Add(b.n, b.y, b.x, b.y, false) }, 3 * bytes
	case name == "quantise":
		return func() error { return b.queue.Quantise(b.n, b.x, b.p, b.out, 1<<20, 1<<30) }, 2 * bytes
	case name == "add-int32":
		return func() error { return b.queue.AddInt32(b.n, b.p, b.q) }, 3 * bytes
	case name == "sub-int32":
		return func() error { return b.queue.SubInt32(b.n, b.p, b.q) }, 3 * bytes
	case verb == "pack":
		return b.pack, bytes + packed
	case verb == "unpack":
		return func() error { return b.queue.UnpackBitmap(b.n, b.bitmap, b.values, b.counts, b.offsets, b.y, true) }, 2*bytes + packed
	}
	return nil, 0
}

func (b *deviceBuffers) pack() error {
	return b.queue.PackBitmap(b.n, b.x, b.counts, b.offsets, b.bitmap, b.values)
}

// openDeviceVec opens a vector kernel on a GPU, on random operands; a step is one pass, and the
// clock stops when the device is done.
func openDeviceVec(j Job) (*Task, error) {
	device, err := openDevice(j)
	if err != nil {
		return nil, err
	}
	d := device.Driver()
	set, err := cuda.Load(d)
	if err != nil {
		return nil, err
	}
	stream, err := d.Stream()
	if err != nil {
		return nil, err
	}
	b := &deviceBuffers{queue: set.On(stream), n: j.Bytes / 4}
	for _, room := range []struct {
		at    *unsafe.Pointer
		words int
	}{{&b.x, b.n}, {&b.y, b.n}, {&b.p, b.n}, {&b.q, b.n}, {&b.values, b.n}, {&b.bitmap, cuda.BitmapWords(b.n)},
		{&b.counts, cuda.Segments(b.n)}, {&b.offsets, cuda.Segments(b.n) + 1}, {&b.out, cuda.ClippedInts(b.n)}} {
		if *room.at, err = d.Alloc(4 * room.words); err != nil {
			return nil, err
		}
	}
	density := densityOf(j.Contender)
	if err := b.fill(d, density); err != nil {
		return nil, err
	}
	once, moved := deviceKernels(b, d, j.Contender, density)
	if once == nil {
		return nil, fmt.Errorf("bench: no kernel %q", j.Contender)
	}
	var facts []string
	if j.Contender == Copy { // once is enough
		facts = append(facts, device.String())
	}
	return &Task{Class: gpu.Name, Facts: facts, Bytes: moved, Run: func(steps int) error {
		for range steps {
			if err := once(); err != nil {
				return err
			}
		}
		return d.Sync(stream)
	}}, nil
}

// densityOf returns the share of a kernel's elements that are not 0, of which its name may tell
// the percentage.
func densityOf(name string) float64 {
	percent, err := strconv.Atoi(strings.TrimSuffix(name[strings.LastIndex(name, "-")+1:], "%"))
	if err != nil {
		return 1
	}
	return float64(percent) / 100
}

// fill draws the operands, and packs the first one for kernels that unpack it.
func (b *deviceBuffers) fill(d driver.Driver, density float64) error {
	r := rand.New(rand.NewPCG(5, 6))
	host := make([]float32, b.n)
	for _, at := range []unsafe.Pointer{b.x, b.y, b.p, b.q} {
		for i := range host {
			host[i] = 1 + r.Float32()
			if at == b.x && r.Float64() >= density {
				host[i] = 0
			}
		}
		if err := d.Upload(b.queue.Stream(), at, unsafe.Pointer(unsafe.SliceData(host)), 4*b.n); err != nil {
			return err
		}
	}
	if err := b.pack(); err != nil {
		return err
	}
	return d.Sync(b.queue.Stream())
}
