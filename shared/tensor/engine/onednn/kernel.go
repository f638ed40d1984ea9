//go:build linux && (amd64 || arm64) && !nodl

package onednn

import "runtime"

// pass says which computation a kernel does.
type pass int

const (
	forward pass = iota
	backwardData
	backwardFilter
	product
)

// shape is the key of a kept kernel: a pass and the numbers that describe it.
type shape struct {
	pass pass
	bias bool
	n    [9]int
}

// argument is dnnl_exec_arg_t.
type argument struct {
	kind   int32
	_      int32
	memory uintptr
}

// memory is a memory object and where it points.
type memory struct {
	handle, at uintptr
	bytes      int
}

// primitive is a primitive with its arguments.
type primitive struct {
	handle  uintptr
	args    []argument
	scratch memory
}

// operand is one array of a kernel: the caller's, and the primitive's own where
// the two are laid out differently.
type operand struct {
	user, own memory
	reorder   *primitive // nil if the primitive takes the user's
}

// kernel is a primitive with the reorders round it, for one thread.
type kernel struct {
	main                 *primitive
	first, second, third operand
	bias                 memory
}

// builder is written by the library while a kernel is made, so it must not be on a
// stack.
type builder struct {
	dims, strides, more [maxDims]int64
	first, second       descriptor
	third, bias         descriptor
	user                descriptor
	operation           operation
	handle              uintptr
}

// set fills dims.
func (b *builder) set(to *[maxDims]int64, v ...int) uintptr {
	for i, x := range v {
		to[i] = int64(x)
	}
	return address(to)
}

// describe fills d with a tensor of these dimensions in the tagged format.
func (w *worker) describe(d *descriptor, tag int, dims ...int) uintptr {
	w.lib.must(descByTag, address(d), uintptr(len(dims)), w.build.set(&w.build.dims, dims...), float32Type, uintptr(tag))
	return address(d)
}

// plain returns the same in row-major order.
func (w *worker) plain(d *descriptor, dims ...int) uintptr {
	return w.describe(d, tagPlain+len(dims), dims...)
}

// descriptorOf creates a primitive descriptor of the operation in the builder;
// the caller destroys it.
func (w *worker) descriptorOf(hint uintptr) uintptr {
	w.lib.must(primitiveDescCreate, address(&w.build.handle), address(&w.build.operation), w.lib.attr, w.lib.engine, hint)
	return w.build.handle
}

// primitive creates the primitive a descriptor describes.
func (w *worker) primitive(desc uintptr) *primitive {
	w.lib.must(primitiveCreate, address(&w.build.handle), desc)
	p := &primitive{handle: w.build.handle}
	w.owned.add(primitiveDestroy, p.handle)
	p.scratch = w.memory(w.lib.ask(primitiveDescQuery, desc, queryScratchpad, 0))
	if p.scratch.bytes > 0 {
		p.bind(argScratchpad, p.scratch)
	}
	return p
}

func (p *primitive) bind(kind int32, m memory) {
	p.args = append(p.args, argument{kind: kind, memory: m.handle})
}

// memory creates a memory object that points nowhere yet.
func (w *worker) memory(desc uintptr) memory {
	w.lib.must(memoryCreate, address(&w.build.handle), desc, w.lib.engine, 0)
	m := memory{handle: w.build.handle, bytes: int(w.lib.ask(descSize, desc))}
	w.owned.add(memoryDestroy, m.handle)
	return m
}

// operand makes the memory of one array: user is how the caller lays it out,
// desc how the primitive wants it; out tells which way to reorder.
func (w *worker) operand(user, desc uintptr, out bool) operand {
	o := operand{user: w.memory(user)}
	if int32(w.lib.ask(descEqual, user, desc)) != 0 {
		o.own = o.user
		return o
	}
	o.own = w.memory(desc)
	from, to := user, desc
	if out {
		from, to = desc, user
	}
	w.lib.must(reorderDescCreate, address(&w.build.handle), from, w.lib.engine, to, w.lib.engine, w.lib.attr)
	reorder := w.build.handle
	o.reorder = w.primitive(reorder)
	w.lib.must(primitiveDescDestroy, reorder)
	a, b := o.user, o.own
	if out {
		a, b = b, a
	}
	o.reorder.bind(argInput, a)
	o.reorder.bind(argOutput, b)
	return o
}

// point makes m refer to the bytes at at.
func (w *worker) point(m *memory, at uintptr) {
	if m.at != at {
		w.args[0], w.args[1] = m.handle, at
		w.repeat(memoryPoint, 2)
		m.at = at
	}
}

// execute runs p; on a CPU the library has finished when it returns.
func (w *worker) execute(p *primitive) {
	if p.scratch.bytes > 0 {
		w.point(&p.scratch, w.scratch.fit(p.scratch.bytes))
	}
	w.args[0], w.args[1], w.args[2], w.args[3] = p.handle, w.stream, uintptr(len(p.args)), address(&p.args[0])
	w.repeat(primitiveExecute, 4)
	runtime.KeepAlive(p)
}

// load brings an input where the primitive reads it, through buf if it must be
// reordered.
func (w *worker) load(o *operand, at uintptr, buf *buffer) {
	w.point(&o.user, at)
	if o.reorder == nil {
		return
	}
	w.point(&o.own, buf.fit(o.own.bytes))
	w.execute(o.reorder)
}

// read returns the memory the primitive itself reads or writes.
func (o *operand) read() *memory {
	if o.reorder == nil {
		return &o.user
	}
	return &o.own
}

// store runs the kernel, whose output goes to at, through the worker's buffer
// if it must be reordered.
func (w *worker) store(k *kernel, at uintptr) {
	w.point(&k.third.user, at)
	if k.third.reorder != nil {
		w.point(&k.third.own, w.output.fit(k.third.own.bytes))
	}
	w.execute(k.main)
	if k.third.reorder != nil {
		w.execute(k.third.reorder)
	}
}
