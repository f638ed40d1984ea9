package ptx

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Memory is a device's memory: allocations at addresses that the host cannot read.
//
// Source: ours: CUDA's global memory
type Memory struct {
	base, end uint64
	limit     int

	mu   sync.Mutex
	next uint64 // addresses are used again as late as possible, so that a freed one is nobody's
	used int
	runs uint64                    // launches that were watched
	live atomic.Pointer[[]*region] // sorted; replaced as a whole
}

// region is an allocation.
type region struct {
	at          uint64
	data        []byte
	wrote, read []uint64 // per word, of a watched launch: its number and the thread's
}

func (r *region) end() uint64 { return r.at + uint64(len(r.data)) }

// Every allocation begins at a multiple of alignment. There are at least apart bytes
// behind one, which are in no allocation.
const (
	alignment = 256
	apart     = 1 << 16
)

// NewMemory returns memory of limit bytes whose addresses are base ≤ a < end.
func NewMemory(base, end uint64, limit int) *Memory {
	m := &Memory{base: base, end: end, limit: limit, next: base}
	m.live.Store(&[]*region{})
	return m
}

// Alloc returns the address of new memory, all bits of it set (floats are NaN). The
// second result is how many bytes are free when these are not.
func (m *Memory) Alloc(bytes int) (at uint64, free int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	size := (uint64(bytes)+alignment-1)&^(alignment-1) + apart
	live := *m.live.Load()
	at, i := m.gap(live, m.next, size)
	if i < 0 {
		at, i = m.gap(live, m.base, size)
	}
	if bytes <= 0 || m.used+bytes > m.limit || i < 0 {
		return 0, m.limit - m.used, false
	}
	data := make([]byte, bytes)
	for i := range data {
		data[i] = 0xff
	}
	live = slices.Insert(slices.Clone(live), i, &region{at: at, data: data})
	m.live.Store(&live)
	m.next, m.used = at+size, m.used+bytes
	return at, m.limit - m.used, true
}

// gap returns the first place for size bytes from an address on, and its index.
func (m *Memory) gap(live []*region, from, size uint64) (at uint64, i int) {
	i, _ = slices.BinarySearchFunc(live, from, func(r *region, a uint64) int { return compareUint(r.end(), a) })
	for ; ; i++ {
		if from+size > m.end {
			return 0, -1
		}
		if i == len(live) || from+size <= live[i].at {
			return from, i
		}
		from = (live[i].end()+alignment-1)&^(alignment-1) + apart
	}
}

func compareUint(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Free gives back what Alloc returned; false: there is no allocation at that address.
func (m *Memory) Free(at uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	live := *m.live.Load()
	i, found := slices.BinarySearchFunc(live, at, func(r *region, a uint64) int { return compareUint(r.at, a) })
	if !found {
		return false
	}
	m.used -= len(live[i].data)
	live = slices.Delete(slices.Clone(live), i, i+1)
	m.live.Store(&live)
	return true
}

// Bytes returns the memory from an address on, nil unless it is all in one allocation.
func (m *Memory) Bytes(at uint64, n int) []byte {
	r := find(*m.live.Load(), at)
	if r == nil || n < 0 || at+uint64(n) > r.end() {
		return nil
	}
	return r.data[at-r.at:][:n:n]
}

// Live returns the number of allocations and of bytes in them.
func (m *Memory) Live() (allocations, bytes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(*m.live.Load()), m.used
}

// find returns the region that an address is in, or nil.
func find(live []*region, at uint64) *region {
	i, found := slices.BinarySearchFunc(live, at, func(r *region, a uint64) int { return compareUint(r.at, a) })
	if !found {
		i--
	}
	if i < 0 || at >= live[i].end() {
		return nil
	}
	return live[i]
}

// access is a decoded load or store.
type access struct {
	store         bool
	address       int // 64-bit register
	offset        uint64
	size          int // of an element, in bytes
	signed        bool
	elements      []operand
	site          int // which access to global memory
	shared, local bool
	param         bool
	argument      int
}

// typeSizes holds the types of memory.
var typeSizes = map[string]int{
	"u8": 1, "s8": 1, "b8": 1, "u16": 2, "s16": 2, "b16": 2,
	"u32": 4, "s32": 4, "b32": 4, "f32": 4, "u64": 8, "s64": 8, "b64": 8, "f64": 8,
}

// access decodes ld.<space>[.v2|.v4].<type> and st.
func (d *decoder) access(opcode string, args []string) (step, error) {
	part := strings.Split(opcode, ".")
	typ := part[len(part)-1]
	a := access{store: part[0] == "st", size: typeSizes[typ], signed: typ[0] == 's', shared: part[1] == "shared", local: part[1] == "local",
		param: part[1] == "param"}
	if a.size == 0 || len(args) != 2 || len(part) > 4 || part[1] != "global" && !a.shared && !a.local && (!a.param || a.store) {
		return nil, fmt.Errorf("access %s is not known", opcode)
	}
	memory, values := args[1], args[0]
	if a.store {
		memory, values = values, memory
	}
	count := 1
	list := []string{values}
	if len(part) == 4 {
		count = map[string]int{"v2": 2, "v4": 4}[part[2]]
		list = splitOperands(strings.Trim(values, "{}"))
	}
	if len(list) != count {
		return nil, fmt.Errorf("%d values for %s", len(list), opcode)
	}
	for _, v := range list {
		o, err := d.element(a, v)
		if err != nil {
			return nil, err
		}
		a.elements = append(a.elements, o)
	}
	if err := d.place(&a, memory); err != nil {
		return nil, err
	}
	switch {
	case a.param:
		return a.loadParam(d.k.Params[a.argument])
	case a.store:
		return a.storing(), nil
	}
	return a.loading(), nil
}

// element finds a value's register. A load may widen, a store takes the low bytes.
func (d *decoder) element(a access, s string) (operand, error) {
	o, ok := d.register[s]
	if !ok && a.store {
		b := word
		if a.size == 8 {
			b = long
		}
		at, err := d.want(b, s)
		return operand{b, at}, err
	}
	if !ok || o.bank == predicate || o.bank == word && (a.size > 4 || o.at < specials) || a.store && o.bank == long && a.size != 8 {
		return o, fmt.Errorf("%s does not fit the access", s)
	}
	return o, nil
}

// place reads [register+offset], [variable+offset] or [parameter].
func (d *decoder) place(a *access, s string) error {
	s, ok := strings.CutPrefix(strings.TrimSuffix(s, "]"), "[")
	if !ok {
		return fmt.Errorf("want an address in brackets")
	}
	base, offset, plus := strings.Cut(s, "+")
	if plus {
		v, err := strconv.ParseInt(offset, 0, 64)
		if err != nil {
			return err
		}
		a.offset = uint64(v)
	}
	if a.param {
		at, ok := d.params[base]
		if !ok || plus {
			return fmt.Errorf("there is no parameter %s", s)
		}
		a.argument = at
		return nil
	}
	if !a.shared && !a.local {
		a.site = d.k.sites
		d.k.sites++
	}
	var err error
	a.address, err = d.want(long, base)
	return err
}

func (a access) loadParam(size int) (step, error) {
	o, n := a.elements[0], a.argument
	if size != a.size || len(a.elements) != 1 {
		return nil, fmt.Errorf("the parameter has %d bytes", size)
	}
	signed := a.signed
	return func(w *warp) {
		v := w.block.args[n]
		if o.bank == word {
			out := w.word(o.at)
			for i := range out {
				out[i] = uint32(v)
			}
			w.keep(o.at)
			return
		}
		if size == 4 {
			if v = uint64(uint32(v)); signed {
				v = uint64(int64(int32(v)))
			}
		}
		out := w.long(o.at)
		for i := range out {
			out[i] = v
		}
		w.keepLong(o.at)
	}, nil
}

// at returns the memory that a thread accesses, or ends the kernel with a fault.
func (a *access) at(w *warp, lane int, address uint64, bytes uint64) []byte {
	if address%bytes != 0 {
		w.fault(lane, fmt.Sprintf("misaligned address %#x: want a multiple of %d", address, bytes))
	}
	if a.shared {
		return w.sharedAt(lane, address, bytes, a.store)
	}
	if a.local {
		return w.localAt(lane, address, bytes)
	}
	b := w.block
	r := b.near[a.site]
	if r == nil || address < r.at || address+bytes > r.end() {
		if r = find(b.live, address); r == nil || address+bytes > r.end() {
			w.fault(lane, fmt.Sprintf("address %#x is in no allocation%s", address, nearby(b.live, address)))
		}
		b.near[a.site] = r
	}
	if b.watch != 0 {
		w.touchGlobal(lane, r, address-r.at, bytes, a.store)
	}
	return r.data[address-r.at:][:bytes]
}

// localAt returns the bytes of a thread's own memory.
func (w *warp) localAt(lane int, address, bytes uint64) []byte {
	valid := w.block.kernel.local
	for at := address / 4; 4*at < address+bytes; at++ {
		if address >= uint64(4*len(valid)) || at >= uint64(len(valid)) || !valid[at] {
			w.fault(lane, fmt.Sprintf("local address %#x is in no variable", address))
		}
	}
	return w.local[4*lane*len(valid):][address:][:bytes]
}

// nearby says where the next allocation lies.
func nearby(live []*region, address uint64) string {
	for i := len(live) - 1; i >= 0; i-- {
		if r := live[i]; address >= r.end() && address-r.end() < 1<<32 {
			return fmt.Sprintf(": %d bytes behind the end of one of %d bytes", address-r.end(), len(r.data))
		}
	}
	return ""
}

func (a access) loading() step {
	bytes := uint64(a.size * len(a.elements))
	if a.size == 4 && a.elements[0].bank == word {
		return func(w *warp) {
			base := &w.longs[a.address]
			for m := w.act; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m) % warpSize
				p := a.at(w, i, base[i]+a.offset, bytes)
				for e, o := range a.elements {
					w.words[o.at][i] = binary.LittleEndian.Uint32(p[4*e:])
				}
			}
		}
	}
	return func(w *warp) {
		base := &w.longs[a.address]
		for m := w.act; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) % warpSize
			p := a.at(w, i, base[i]+a.offset, bytes)
			for e, o := range a.elements {
				v := a.read(p[e*a.size:])
				if o.bank == word {
					w.words[o.at][i] = uint32(v)
				} else {
					w.longs[o.at][i] = v
				}
			}
		}
	}
}

// read returns an element, widened by its sign or by zeros.
func (a *access) read(p []byte) uint64 {
	var v uint64
	for i := range a.size {
		v |= uint64(p[i]) << (8 * i)
	}
	if shift := 64 - 8*a.size; a.signed {
		v = uint64(int64(v<<shift) >> shift)
	}
	return v
}

func (a access) storing() step {
	bytes := uint64(a.size * len(a.elements))
	return func(w *warp) {
		base := &w.longs[a.address]
		for m := w.act; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) % warpSize
			p := a.at(w, i, base[i]+a.offset, bytes)
			for e, o := range a.elements {
				if o.bank == word && a.size == 4 {
					binary.LittleEndian.PutUint32(p[4*e:], w.words[o.at][i])
					continue
				}
				v := uint64(0)
				if o.bank == word {
					v = uint64(w.words[o.at][i])
				} else {
					v = w.longs[o.at][i]
				}
				for k := range a.size {
					p[e*a.size+k] = byte(v >> (8 * k))
				}
			}
		}
	}
}
