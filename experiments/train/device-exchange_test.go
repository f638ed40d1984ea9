package train

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	compare "github.com/google/go-cmp/cmp"

	"gradsync/internal/oktest"
	"gradsync/papers/codedsgd"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/race"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/vec"
)

// counting is a driver that counts kernels and bytes.
type counting struct {
	driver.Driver
	launches, down atomic.Int64
}

func (d *counting) Launch(s driver.Stream, f driver.Func, grid, block driver.Dim, cells []uint64) error {
	d.launches.Add(1)
	return d.Driver.Launch(s, f, grid, block, cells)
}

func (d *counting) Download(s driver.Stream, dst, src unsafe.Pointer, bytes int) error {
	d.down.Add(int64(bytes))
	return d.Driver.Download(s, dst, src, bytes)
}

// traffic counts what a run asked of a driver.
type traffic struct{ launches, down int64 }

// hidden is a Stepper on a device whose gradients all come to the host.
type hidden struct {
	model.Stepper
	io.Closer
}

// onDevice trains on a device, with what exchanges do there or without.
func onDevice(t *testing.T, d driver.Driver, hide bool, c Config) (*Outcome, traffic) {
	t.Helper()
	counts := &counting{Driver: d}
	e := oktest.Must(engine.New(counts))(t)
	e.Graphs(false) // whose kernels are launched once for many steps
	Backends["device"] = func(m *model.Model, batch int) (model.Stepper, error) {
		w := m.NewWorkspace(e, batch, 1)
		if hide {
			return hidden{w, w}, nil
		}
		return w, nil
	}
	defer delete(Backends, "device")
	free, _, err := d.Memory()
	oktest.Nil(t, err)
	c.Engine, c.Backend = "", "device"
	o := mustRun(t, c)
	if left, _, err := d.Memory(); left != free || err != nil {
		t.Errorf("%d bytes of %d are free again, %v", left, free, err)
	}
	oktest.Nil(t, e.Close())
	return o, traffic{counts.launches.Load(), counts.down.Load()}
}

// devices opens the emulator and fake drivers, whichever this machine has.
type devices map[string]driver.Driver

func openDevices(t *testing.T) devices {
	t.Helper()
	oktest.Slow(t)
	all := devices{}
	built, missing := fake.Build(kernels.Sources())
	if missing != nil && !errors.Is(missing, fake.ErrMissing) {
		t.Fatal(missing)
	}
	if missing != nil || !race.Enabled { // minutes under the race detector
		all["emulator"] = faketest.Emulated()
	}
	for name, lazy := range map[string]bool{"fake": false, "lazy": true} {
		if missing != nil {
			break
		}
		l := oktest.Must(fake.New(built, t.TempDir(), fake.Options{Lazy: lazy}))(t)
		all[name] = oktest.Must(driver.Open(l.Path, 0))(t)
	}
	t.Cleanup(func() {
		for _, d := range all {
			oktest.Nil(t, d.Close())
		}
	})
	return all
}

// get returns the device of a name, the lazy driver without one, and else what there is.
func (all devices) get(name string) driver.Driver {
	for _, name := range []string{name, "lazy", "emulator"} {
		if d := all[name]; d != nil {
			return d
		}
	}
	return nil
}

// agree compares outcomes, but for times of a real clock.
func agree(t *testing.T, got, want *Outcome) {
	t.Helper()
	if got.Runtime != "virtual" { // a real clock
		got, want = &Outcome{ParamsSHA256: got.ParamsSHA256, Updates: got.Updates}, &Outcome{ParamsSHA256: want.ParamsSHA256, Updates: want.Updates}
	}
	if diff := compare.Diff(text(t, want), text(t, got)); diff != "" {
		t.Errorf("the outcome differs from the host's:\n%s", diff)
	}
}

// sparseNet returns a small training by ringsparse: two steps of three ranks, three layers.
func sparseNet(o ringsparse.Options) Config {
	c := quick("ringsparse")
	c.Model, c.Width, c.Classes, c.RawPixels = "mlp", 1./16, 3, true
	c.MaxPushes, c.MaxUpdates, c.EvalEvery, c.Batch = 0, 2, -1, 2
	o.LogChoices = true
	c.RingSparse = &o
	return c
}

// pruned returns a mask that keeps about a tenth.
func pruned(t *testing.T, c Config) []bool {
	t.Helper()
	m := oktest.Must(c.network())(t)
	r, mask := rand.New(rand.NewPCG(1, 2)), make([]bool, m.NumParams())
	for i := range mask {
		mask[i] = r.IntN(10) == 0
	}
	return mask
}

// TestSparseOnDevice: what the device counts and packs are the host's numbers, so training
// and choices are the same, to the bit, whatever the options. What crosses to the host falls
// with what is zero: a tenth of the weights is kept, black pixels leave two thirds of the
// gradients. Kernels beside the pass's are those that make and count the kinds of each layer,
// and three for each block that is packed: once, but three times in "pruned" the rank before has
// chosen the other kind than this rank would, and what was fetched meanwhile is for nothing.
func TestSparseOnDevice(t *testing.T) {
	all := openDevices(t)
	const passes, layers, every = 2 * 3, 3, 2 * 3 * 3 * 3
	for name, c := range map[string]struct {
		options ringsparse.Options
		change  func(*Config)
		device  string  // "": the lazy one
		per     int     // kernels by layer, beside packing
		packed  int     // blocks
		share   float64 // of the host's bytes, at most
	}{
		"as in the patent":  {device: "emulator", per: 3, packed: every, share: 0.67},
		"gradients":         {options: ringsparse.Options{Kinds: "gradients"}, per: 1, packed: every, share: 0.67},
		"gradients, coo":    {options: ringsparse.Options{Kinds: "gradients", Codec: "coo"}, per: 1, packed: every, share: 0.67},
		"gradients, bitmap": {options: ringsparse.Options{Kinds: "gradients", Codec: "bitmap"}, device: "fake", per: 1, packed: every, share: 0.67},
		"weights, direct":   {options: ringsparse.Options{Kinds: "weights", Codec: "dense"}, per: 2, share: 1.001},
		"printed sign":      {options: ringsparse.Options{Sign: "printed"}, per: 4, packed: every, share: 0.67},
		"tie of gradients":  {options: ringsparse.Options{Tie: "gradients"}, per: 3, packed: every, share: 0.67},
		"all-gather":        {options: ringsparse.Options{Exchange: "all-gather"}, per: 1, packed: passes * layers, share: 0.67},
		"decay":             {change: func(c *Config) { c.WeightDecay = 0.01 }, per: 4, share: 1.001},
		"pruned":            {change: func(c *Config) { c.Mask = pruned(t, *c) }, per: 4, packed: every + 3, share: 0.14},
		"pruned, weights": {options: ringsparse.Options{Kinds: "weights"}, change: func(c *Config) { c.Mask = pruned(t, *c) },
			device: "emulator", per: 3, packed: every, share: 0.14},
		"threshold":    {options: ringsparse.Options{Threshold: 1e-4}, share: 1},
		"uneven batch": {change: func(c *Config) { c.BatchSize = 7 }, share: 1},
		"processes":    {change: func(c *Config) { c.Runtime = "tcp" }, per: 3, packed: every, share: 0.67},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := sparseNet(c.options)
			if c.change != nil {
				c.change(&cfg)
			}
			d := all.get(c.device)
			want, host := onDevice(t, d, true, cfg)
			got, device := onDevice(t, d, false, cfg)
			agree(t, got, want)
			if share := float64(device.down) / float64(host.down); share > c.share {
				t.Errorf("%d bytes came to the host, the gradients are %d: %.3f of it, want %.3f", device.down, host.down, share, c.share)
			}
			if more, want := device.launches-host.launches, int64(passes*layers*c.per+3*c.packed); more != want {
				t.Errorf("%d kernels more than the passes', want %d", more, want)
			}
		})
	}
}

func onClocks(c *Config) { c.Runtime = "local" }

// fixedCases are the trainings of TestFixedOnDevice.
var fixedCases = map[string]struct {
	sync            string
	nodes, r, micro int
	device          string // "": the lazy one
	blocks, passes  int64  // on the device, in a step; on virtual time holders share a block
	kept            bool   // blocks stay there, their sums come
	change          func(*Config)
}{
	"cssgd":            {sync: codedsgd.CSSGD, nodes: 3, r: 2, device: "emulator", blocks: 3, passes: 3},
	"cssgd by columns": {sync: codedsgd.CSSGD, nodes: 3, r: 2, micro: 6, blocks: 6, passes: 6, change: func(c *Config) { c.Coded.Split = codedsgd.Columns }},
	"processors":       {sync: codedsgd.CSSGD, nodes: 3, r: 2, blocks: 6, passes: 6, change: onClocks},
	"literal":          {sync: codedsgd.CSSGD, nodes: 4, r: 2, blocks: 6, passes: 6, change: func(c *Config) { c.Coded.Literal = true }},
	"unicast":          {sync: codedsgd.SSGDUnicast, nodes: 3, r: 1, device: "fake", blocks: 3, passes: 3},
	"multicast":        {sync: codedsgd.SSGDMulticast, nodes: 3, r: 2, blocks: 3, passes: 3},
	"compressed":       {sync: codedsgd.Compressed, nodes: 4, r: 2, blocks: 6, passes: 6},
	"out of range": {sync: codedsgd.Compressed, nodes: 3, r: 2, device: "emulator", blocks: 3, passes: 3,
		change: func(c *Config) { c.Coded.Range = 0.25 }},
	"compressed by processors":   {sync: codedsgd.Compressed, nodes: 4, r: 2, blocks: 12, passes: 12, kept: true, change: onClocks},
	"compressed in micro-blocks": {sync: codedsgd.Compressed, nodes: 4, r: 1, micro: 8, blocks: 8, passes: 8, kept: true, change: onClocks},
	"out of range and kept": {sync: codedsgd.Compressed, nodes: 3, r: 2, blocks: 6, passes: 6, kept: true,
		change: func(c *Config) { c.Runtime, c.Coded.Range = "local", 0.25 }},
	"passes": {sync: codedsgd.CSSGD, nodes: 2, r: 1, blocks: 2, passes: 4, change: func(c *Config) { c.BatchSize = 2*passImages + 100 }},
	"passes are kept": {sync: codedsgd.Compressed, nodes: 2, r: 1, blocks: 2, passes: 4, kept: true,
		change: func(c *Config) { c.BatchSize = 2*passImages + 100 }},
	"empty micro-blocks": {sync: codedsgd.CSSGD, nodes: 3, r: 2, micro: 6, blocks: 5, passes: 5, change: func(c *Config) { c.BatchSize = 5 }},
	"empty ones are kept": {sync: codedsgd.Compressed, nodes: 3, r: 1, blocks: 2, passes: 2, kept: true,
		change: func(c *Config) { c.BatchSize = 2 }},
	"all have all": {sync: codedsgd.Compressed, nodes: 2, r: 2, blocks: 1, passes: 1},
}

// TestFixedOnDevice: blocks that a device rounds are those that the host rounds, whatever the method, and their counts
// too. A block comes once, however many passes it takes, beside counts by ClippedInts; kernels beside the passes' are
// one for each layer of a pass, which adds it up, and one for each layer of a block, which rounds it.
func TestFixedOnDevice(t *testing.T) {
	all := openDevices(t)
	const steps, layers = 2, 3
	for name, c := range fixedCases {
		t.Run(name, func(t *testing.T) {
			cfg := inBlocks(c.sync, c.nodes, c.r, c.micro)
			cfg.MaxUpdates = steps
			if c.change != nil {
				c.change(&cfg)
			}
			d := all.get(c.device)
			want, host := onDevice(t, d, true, cfg)
			got, device := onDevice(t, d, false, cfg)
			agree(t, got, want)
			m := oktest.Must(cfg.network())(t)
			pass, counts := int64(m.NumParams()), int64(0)
			for _, l := range m.Layers() {
				counts += int64(kernels.ClippedInts(l.Length))
			}
			added, come := int64(0), c.blocks*pass
			if c.kept {
				added, come = sums(t, &cfg, m)
			}
			if more, want := device.launches-host.launches, steps*(layers*(c.passes+c.blocks)+added); more != want {
				t.Errorf("%d kernels more than the passes', want %d", more, want)
			}
			if more, want := device.down-host.down, 4*steps*(come+c.blocks*counts-c.passes*pass); more != want {
				t.Errorf("%d bytes more came to the host than gradients of all passes have, want %d", more, want)
			}
			if name == "out of range" && got.Coded.Totals.Saturated == 0 {
				t.Error("nothing was out of range")
			}
		})
	}
}

// sums returns how many additions all ranks make in a step to sum blocks, and how many numbers come of it.
func sums(t *testing.T, c *Config, m *model.Model) (added, come int64) {
	t.Helper()
	a := oktest.Must(codedsgd.Assign(c.Workers, c.Coded.Redundancy))(t)
	plan := oktest.Must(codedsgd.PlanSums(a, 0))(t)
	micro := max(c.Coded.MicroBlocks/a.Blocks(), 1)
	bounds := a.Split(c.BatchSize, micro*a.Blocks(), nil)
	for _, l := range m.Layers() {
		sum := func(slice int, blocks []int) {
			terms := int64(0)
			for _, q := range blocks {
				for j := range micro {
					if bounds[q*micro+j] < bounds[q*micro+j+1] {
						terms++
					}
				}
			}
			if lo, hi := plan.Slice(l.Length, slice); lo < hi && terms > 0 {
				added, come = added+terms-1, come+int64(hi-lo)
			}
		}
		for rank := range c.Workers {
			sum(rank, a.Of(rank))
			for _, s := range plan.Sums() {
				if slices.Contains(s.Common, rank) {
					sum(s.Slice, s.Blocks)
				}
			}
		}
	}
	return added, come
}

// TestExchangeFails: whichever call of the driver's fails while a gradient is exchanged from a
// device, the run ends with that error, and all memory is given back.
func TestExchangeFails(t *testing.T) {
	kept, ring := inBlocks(codedsgd.Compressed, 2, 1, 0), sparseNet(ringsparse.Options{})
	kept.MaxUpdates, ring.MaxUpdates = 1, 1
	for name, c := range map[string]Config{"ringsparse": ring, "compressed": kept} {
		l := faketest.Library(t, fake.Options{})
		d := faketest.Open(t, l)
		e := oktest.Must(engine.New(d))(t)
		Backends["device"] = func(m *model.Model, batch int) (model.Stepper, error) { return m.NewWorkspace(e, batch, 1), nil }
		defer delete(Backends, "device")
		c.Engine, c.Backend = "", "device"
		count := func(key string) int { return oktest.Must(l.Count(key))(t) }
		open, before := count("open"), count("calls")
		mustRun(t, c)
		all := count("calls") - before
		for n := 1; n < all*3/4; n += all / 12 { // the rest scores the test images
			oktest.Nil(t, l.FailAt(n, 2))
			var failed *driver.Error
			if _, err := Run(t.Context(), c); !errors.As(err, &failed) || failed.Code != 2 {
				t.Errorf("%s, call %d of %d: %v, want out of memory", name, n, all, err)
			}
			oktest.Nil(t, l.FailAt(-1, 0))
			if now := count("open"); now != open {
				t.Fatalf("%s, call %d of %d, %v: %d things are open, want %d", name, n, all, failed, now, open)
			}
		}
		oktest.Nil(t, errors.Join(e.Close(), d.Close()))
	}
}

// TestDeviceBlocks: the device's blocks are what ringsparse makes on the host of the same
// gradient and parameters, to the bit, in any order of fetching and loading.
func TestDeviceBlocks(t *testing.T) {
	d := faketest.Emulated()
	e, layers := oktest.Must(engine.New(d))(t), []cluster.Layer{{Length: 1500}, {Offset: 1500, Length: 2}}
	const n, blocks, decay, rate = 1502, 3, 0.25, float32(0.1)
	r := rand.New(rand.NewPCG(7, 8))
	params, grads, mask := make([]float32, n), make([]float32, n), make([]bool, n)
	for i := range params {
		params[i], mask[i] = float32(r.NormFloat64()), r.IntN(3) > 0
		if r.IntN(3) > 0 {
			grads[i] = float32(r.NormFloat64())
		}
		if r.IntN(3) > 0 {
			params[i] = []float32{0, float32(math.Copysign(0, -1))}[r.IntN(2)]
		}
	}
	for _, sign := range []ringsparse.Sign{ringsparse.Descent, ringsparse.Printed} {
		b, err := newDeviceBlocks(e, ringsparse.Local{Layers: layers, Blocks: blocks, Kinds: []ringsparse.Kind{ringsparse.Weights, ringsparse.Gradients},
			WeightDecay: decay, Step: float32(sign) * rate, Sign: sign, Mask: mask})
		oktest.Nil(t, err)
		var c tensor.Call
		p, g := e.Make(&c, n), e.Make(&c, n)
		e.Upload(&c, p, params)
		e.Upload(&c, g, grads)
		want := map[ringsparse.Kind][]float32{ringsparse.Gradients: slices.Clone(grads), ringsparse.Weights: make([]float32, n)}
		vec.AxpyTo(want[ringsparse.Gradients], decay, params)
		if sign == ringsparse.Printed {
			for i, v := range want[ringsparse.Gradients] {
				want[ringsparse.Gradients][i] = 0 - v
			}
		}
		ringsparse.LocalStep(want[ringsparse.Weights], params, want[ringsparse.Gradients], float64(rate), sign)
		ringsparse.Project(want[ringsparse.Weights], mask)
		for l := len(layers) - 1; l >= 0; l-- {
			lo, hi := layers[l].Offset, layers[l].Offset+layers[l].Length
			b.Queue(&c, l, p[lo:hi], g[lo:hi])
			oktest.Nil(t, b.receive(&c, l))
			for step := range 4 * blocks {
				i, k := step%blocks, ringsparse.Kind(1+r.IntN(2))
				from, to := ringsparse.Block(layers[l].Length, blocks, i)
				x, got := want[k][lo+from:lo+to], make([]float32, to-from)
				if step%3 > 0 { // a third of them in vain
					b.Fetch(l, ringsparse.Kind(1+r.IntN(2)), (i+step%2)%blocks)
				}
				form := oktest.Must(b.Load(got, []byte{1}, l, k, i))(t)
				nonzero, wire := vec.CountNonzero(x), vec.AppendBitmap([]byte{1}, x)
				if !slices.Equal(vec.AppendBytes(nil, got), vec.AppendBytes(nil, x)) || b.Nonzero(l, k, i) != nonzero || len(form) > 1 && !slices.Equal(form, wire) {
					t.Errorf("sign %d, layer %d, block %d of %v: %d are not zero, want %d, or other bytes", sign, l, i, k, b.Nonzero(l, k, i), nonzero)
				}
			}
		}
		oktest.Nil(t, errors.Join(e.Release(&c), e.Release(&b.call)))
	}
	oktest.Nil(t, errors.Join(e.Close(), d.Close()))
}
