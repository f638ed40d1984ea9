package train

import (
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"unsafe"

	"gradsync/papers/codedsgd"
	"gradsync/papers/ringsparse"
	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/tensor/model"
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

// traffic is what a run asked of a driver.
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
	e, err := engine.New(counts)
	if err != nil {
		t.Fatal(err)
	}
	Backends["device"] = func(m *model.Model, batch int) (model.Stepper, error) {
		w := m.NewWorkspace(e, batch, 1)
		if hide {
			return hidden{w, w}, nil
		}
		return w, nil
	}
	defer delete(Backends, "device")
	free, _, err := d.Memory()
	if err != nil {
		t.Fatal(err)
	}
	c.Engine, c.Backend = "", "device"
	o := mustRun(t, c)
	if left, _, err := d.Memory(); left != free || err != nil {
		t.Errorf("%d bytes of %d are free again, %v", left, free, err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	return o, traffic{counts.launches.Load(), counts.down.Load()}
}

// devices are those that this machine can have: the emulator, and fake drivers.
func devices(t *testing.T) map[string]driver.Driver {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	all := map[string]driver.Driver{"emulator": driver.Emulated(driver.EmulatorOptions{})}
	built, err := fake.Build(kernels.Sources())
	if err != nil && !errors.Is(err, fake.ErrMissing) {
		t.Fatal(err)
	}
	for name, lazy := range map[string]bool{"fake": false, "lazy": true} {
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		l, err := fake.New(built, t.TempDir(), fake.Options{Lazy: lazy})
		if err != nil {
			t.Fatal(err)
		}
		if all[name], err = driver.Open(l.Path, 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, d := range all {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return all
}

// sparseNet returns a small training by ringsparse.
func sparseNet(o ringsparse.Options) Config {
	c := quick("ringsparse")
	c.Model, c.Width, c.Classes, c.RawPixels = "mlp", 1./16, 3, true
	c.MaxPushes, c.MaxUpdates, c.EvalEvery, c.Batch = 0, 2, -1, 2
	c.RingSparse = &o
	return c
}

// pruned returns a mask that keeps about a tenth.
func pruned(t *testing.T, c Config) []bool {
	t.Helper()
	m, err := c.network()
	if err != nil {
		t.Fatal(err)
	}
	r, mask := rand.New(rand.NewPCG(1, 2)), make([]bool, m.NumParams())
	for i := range mask {
		mask[i] = r.IntN(10) == 0
	}
	return mask
}

// TestSparseOnDevice: what the device counts and packs are the host's numbers, so training
// and choices are the same, to the bit, whatever the options.
func TestSparseOnDevice(t *testing.T) {
	all := devices(t)
	for name, c := range map[string]Config{
		"as in the patent":  sparseNet(ringsparse.Options{}),
		"gradients":         sparseNet(ringsparse.Options{Kinds: "gradients"}),
		"gradients, coo":    sparseNet(ringsparse.Options{Kinds: "gradients", Codec: "coo"}),
		"gradients, bitmap": sparseNet(ringsparse.Options{Kinds: "gradients", Codec: "bitmap"}),
		"weights, direct":   sparseNet(ringsparse.Options{Kinds: "weights", Codec: "dense"}),
		"printed sign":      sparseNet(ringsparse.Options{Sign: "printed"}),
		"tie of gradients":  sparseNet(ringsparse.Options{Tie: "gradients"}),
		"all-gather":        sparseNet(ringsparse.Options{Exchange: "all-gather"}),
		"threshold":         sparseNet(ringsparse.Options{Threshold: 1e-4}),
		"decay":             sparseNet(ringsparse.Options{}),
		"pruned":            sparseNet(ringsparse.Options{}),
		"pruned, weights":   sparseNet(ringsparse.Options{Kinds: "weights"}),
		"uneven batch":      sparseNet(ringsparse.Options{}),
		"one rank":          sparseNet(ringsparse.Options{}),
	} {
		c.RingSparse.LogChoices = true
		switch name {
		case "decay":
			c.WeightDecay = 0.01
		case "pruned", "pruned, weights":
			c.Mask = pruned(t, c)
		case "uneven batch":
			c.BatchSize = 7
		case "one rank":
			c.Platform = uneven(1)
		}
		t.Run(name, func(t *testing.T) {
			first := ""
			for device, d := range all {
				want, before := onDevice(t, d, true, c)
				got, after := onDevice(t, d, false, c)
				if a, b := text(t, want), text(t, got); a != b {
					t.Errorf("%s: the outcome with the device's blocks differs:\n%s\nwant\n%s", device, b, a)
				}
				if first == "" {
					first = got.ParamsSHA256
				}
				if got.ParamsSHA256 != first {
					t.Errorf("%s: parameters %.12s, another device has %.12s", device, got.ParamsSHA256, first)
				}
				t.Logf("%s: %d bytes down, not %d; %d launches, not %d", device, after.down, before.down, after.launches, before.launches)
			}
		})
	}
}

// TestFixedOnDevice: blocks that a device rounds are those that the host rounds, whatever the
// method, and their counts too.
func TestFixedOnDevice(t *testing.T) {
	all := devices(t)
	for name, c := range map[string]Config{
		"cssgd":              inBlocks(codedsgd.CSSGD, 3, 2, 0),
		"cssgd by columns":   inBlocks(codedsgd.CSSGD, 4, 2, 12),
		"cssgd, local":       inBlocks(codedsgd.CSSGD, 3, 2, 0),
		"literal":            inBlocks(codedsgd.CSSGD, 4, 2, 0),
		"unicast":            inBlocks(codedsgd.SSGDUnicast, 3, 1, 0),
		"multicast":          inBlocks(codedsgd.SSGDMulticast, 3, 2, 0),
		"compressed":         inBlocks(codedsgd.Compressed, 4, 2, 0),
		"out of range":       inBlocks(codedsgd.Compressed, 3, 2, 0),
		"passes":             inBlocks(codedsgd.CSSGD, 2, 1, 0),
		"empty micro-blocks": inBlocks(codedsgd.CSSGD, 3, 2, 60),
		"attack":             inBlocks(codedsgd.CSSGD, 3, 2, 0),
		"median":             inBlocks(codedsgd.CSSGD, 3, 2, 0),
	} {
		switch name {
		case "cssgd by columns":
			c.Coded.Split = codedsgd.Columns
		case "cssgd, local":
			c.Runtime = "local"
		case "literal":
			c.Coded.Literal = true
		case "out of range":
			c.Coded.Range = 0.25
		case "passes":
			c.BatchSize = 2*passImages + 100
		case "attack":
			c.Attack = &Attack{Kind: "flipped", Pieces: 1}
		case "median":
			c.Coded.Rule.Name = codedsgd.Median
		}
		t.Run(name, func(t *testing.T) {
			for device, d := range all {
				want, before := onDevice(t, d, true, c)
				got, after := onDevice(t, d, false, c)
				if c.Runtime == "local" {
					want.Coded.Totals, got.Coded.Totals = codedsgd.Totals{}, codedsgd.Totals{}
				}
				if a, b := text(t, want), text(t, got); a != b {
					t.Errorf("%s: the outcome with the device's blocks differs:\n%s\nwant\n%s", device, b, a)
				}
				if name == "out of range" && got.Coded.Totals.Saturated == 0 {
					t.Errorf("%s: nothing was out of range", device)
				}
				t.Logf("%s: %d bytes down, not %d; %d launches, not %d", device, after.down, before.down, after.launches, before.launches)
			}
		})
	}
}
