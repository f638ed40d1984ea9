package driver

import (
	"fmt"
	"sync"
	"unsafe"
)

// MostParams is how many parameters a kernel may have.
//
// Source: ours: more than any here has
const MostParams = 24

// checked checks what is asked for before a driver does it, and keeps the books of what was taken.
type checked struct {
	Driver
	books *books

	mu      sync.Mutex
	modules map[Module]map[string][]int // of each kernel the sizes of its parameters
}

// checkedHost is a checked driver that is a Host.
type checkedHost struct {
	*checked
	host Host
}

func (c checkedHost) Enter() error { return c.host.Enter() }
func (c checkedHost) Leave()       { c.host.Leave() }

// Checked returns d behind the checks that all drivers share. It asks d for some memory and for copies of some bytes
// alone, to give back what it gave, and for kernels that a module has, with the parameters that they have; Close
// says what was not given back. Of a Func d gives the handle. It is a Host if d is.
//
// Source: ours: see Driver
func Checked(d Driver) Driver {
	c := &checked{Driver: d, books: newBooks(), modules: map[Module]map[string][]int{}}
	if h, ok := d.(Host); ok {
		return checkedHost{c, h}
	}
	return c
}

func (c *checked) Alloc(bytes int) (unsafe.Pointer, error) {
	if bytes <= 0 {
		return nil, Failed("cuMemAlloc", codeInvalid, fmt.Sprintf("%d bytes", bytes))
	}
	p, err := c.Driver.Alloc(bytes)
	if err != nil {
		return nil, withRoom(err, bytes, c)
	}
	c.books.take(c.books.memory, p, bytes)
	return p, nil
}

func (c *checked) Free(p unsafe.Pointer) error {
	if p == nil {
		return nil
	}
	return c.books.free(p, func() error { return c.Driver.Free(p) })
}

func (c *checked) Pinned(bytes int) (unsafe.Pointer, error) {
	if bytes <= 0 {
		return nil, Failed("cuMemHostAlloc", codeInvalid, fmt.Sprintf("%d bytes", bytes))
	}
	p, err := c.Driver.Pinned(bytes)
	if err != nil {
		return nil, ofHost(err, bytes)
	}
	c.books.take(c.books.pinned, p, bytes)
	return p, nil
}

func (c *checked) FreePinned(p unsafe.Pointer) error {
	if p == nil {
		return nil
	}
	return c.books.freePinned(p, func() error { return c.Driver.FreePinned(p) })
}

func (c *checked) Upload(s Stream, dst, src unsafe.Pointer, bytes int) error {
	if bytes == 0 {
		return nil
	}
	return c.Driver.Upload(s, dst, src, bytes)
}

func (c *checked) Download(s Stream, dst, src unsafe.Pointer, bytes int) error {
	if bytes == 0 {
		return nil
	}
	return c.Driver.Download(s, dst, src, bytes)
}

func (c *checked) Copy(s Stream, dst, src unsafe.Pointer, bytes int) error {
	if bytes == 0 {
		return nil
	}
	return c.Driver.Copy(s, dst, src, bytes)
}

func (c *checked) Fill(s Stream, dst unsafe.Pointer, v uint32, n int) error {
	if n == 0 {
		return nil
	}
	return c.Driver.Fill(s, dst, v, n)
}

func (c *checked) Load(ptx string) (Module, error) {
	m, err := c.Driver.Load(ptx)
	if err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.modules[m] = entries(ptx)
	c.books.count("modules", 1)
	return m, nil
}

// kernels returns the kernels of a module.
func (c *checked) kernels(m Module, call string) (map[string][]int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if all, ok := c.modules[m]; ok {
		return all, nil
	}
	return nil, Failed(call, codeHandle, "no such module")
}

func (c *checked) Unload(m Module) error {
	if _, err := c.kernels(m, "cuModuleUnload"); err != nil {
		return err
	}
	if err := c.Driver.Unload(m); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.modules, m)
	c.books.count("modules", -1)
	return nil
}

func (c *checked) Function(m Module, name string, params ...int) (Func, error) {
	all, err := c.kernels(m, "cuModuleGetFunction")
	if err == nil {
		err = entry(all, name, params)
	}
	if err != nil {
		return Func{}, err
	}
	f, err := c.Driver.Function(m, name, params...)
	if err != nil {
		return Func{}, err
	}
	return Func{f.Handle, name, len(params)}, nil
}

func (c *checked) Launch(s Stream, f Func, grid, block Dim, cells []uint64) error {
	if err := cellsFit(f, grid, block, cells); err != nil {
		return err
	}
	return c.Driver.Launch(s, f, grid, block, cells)
}

// taken counts a handle, unless it is 0: then there is an error.
func (c *checked) taken(kind string, handle uintptr) {
	if handle != 0 {
		c.books.count(kind, 1)
	}
}

// ended gives a handle back.
func (c *checked) ended(kind, call string, handle uintptr, give func() error) error {
	if handle == 0 {
		return Failed(call, codeHandle, "no such handle")
	}
	err := give()
	if err == nil {
		c.books.count(kind, -1)
	}
	return err
}

func (c *checked) Stream() (Stream, error) {
	s, err := c.Driver.Stream()
	c.taken("streams", uintptr(s))
	return s, err
}

func (c *checked) CloseStream(s Stream) error {
	return c.ended("streams", "cuStreamDestroy", uintptr(s), func() error { return c.Driver.CloseStream(s) })
}

func (c *checked) Event() (Event, error) {
	e, err := c.Driver.Event()
	c.taken("events", uintptr(e))
	return e, err
}

func (c *checked) CloseEvent(e Event) error {
	return c.ended("events", "cuEventDestroy", uintptr(e), func() error { return c.Driver.CloseEvent(e) })
}

// EndCapture counts a graph that is there, be it beside an error.
func (c *checked) EndCapture(s Stream) (Graph, error) {
	g, err := c.Driver.EndCapture(s)
	c.taken("graphs", uintptr(g))
	return g, err
}

// CloseGraph leaves it to d, which may have no graphs, to say that there is none.
func (c *checked) CloseGraph(g Graph) error {
	err := c.Driver.CloseGraph(g)
	if err == nil {
		c.books.count("graphs", -1)
	}
	return err
}

func (c *checked) Close() error {
	if err := c.Driver.Close(); err != nil {
		return err
	}
	return c.books.open()
}
