//go:build cu && cgo

package driver_test

import (
	"os"
	"strconv"
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/fake"
)

// linked returns the fake driver that this program is linked to. Where it is a real one,
// which GRADSYNC_CU=fake forbids, the test skips itself.
func linked(t *testing.T, o fake.Options) *fake.Library {
	t.Helper()
	l, err := fake.Linked(o)
	if err == nil {
		return l
	}
	if os.Getenv("GRADSYNC_CU") == "fake" {
		t.Fatal(err)
	}
	t.Skip(err)
	return nil
}

func openCu(t *testing.T) driver.Driver {
	t.Helper()
	d, err := driver.OpenCu(0)
	must(t, err)
	return d
}

// TestCu runs on whatever driver this program is linked to.
func TestCu(t *testing.T) {
	if os.Getenv("GRADSYNC_CU") == "fake" {
		linked(t, fake.Options{})
	}
	d := openCu(t)
	t.Log(d.Info())
	if err := d.Close(); err != nil || d.Close() == nil {
		t.Fatalf("closed twice (%v)", err)
	}
	_, err := driver.OpenCu(99)
	oneLine(t, "another device", err, []string{"gpu: none (", "device 99 of " + strconv.Itoa(devices(t))})
	contract(t, noGraph, openCu)
}

// devices counts the devices that can be opened.
func devices(t *testing.T) int {
	t.Helper()
	for n := 0; ; n++ {
		d, err := driver.OpenCu(n)
		if err != nil {
			return n
		}
		must(t, d.Close())
	}
}

// TestCuLazy: the contract holds where work is done only when somebody waits.
func TestCuLazy(t *testing.T) {
	linked(t, fake.Options{Lazy: true})
	contract(t, noGraph, openCu)
}

// TestCuOldDriver: a driver that cannot compile the kernels is refused.
func TestCuOldDriver(t *testing.T) {
	linked(t, fake.Options{Version: 10020})
	defer linked(t, fake.Options{Version: 12090})
	_, err := driver.OpenCu(0)
	oneLine(t, "old driver", err, []string{"gpu: none (the driver speaks CUDA 10.2; the kernels need 11.0 or newer)"})
}

// TestCuEveryCallFails is TestEveryCallFails for cu. The device is lost behind it: it is the last test.
func TestCuEveryCallFails(t *testing.T) {
	l := linked(t, fake.Options{})
	try := func(err error) { must(t, err) }
	everyCall(t, openCu(t), func(n, code int) { try(l.FailAt(n, code)) }, func() int {
		n, err := l.Count("calls")
		try(err)
		return n
	})
}

// noGraph: all calls that have to do with a graph are refused, and work goes on.
func noGraph(t *testing.T, d driver.Driver) {
	const n = 500
	x := newAdder(t, d, n)
	s := take(t, d.Stream)
	refused(t, d.Capture(s), 801, "cuStreamBeginCapture", "CUDA_ERROR_NOT_SUPPORTED")
	g, err := d.EndCapture(s)
	refused(t, err, 801)
	refused(t, d.Replay(g, s), 801)
	refused(t, d.CloseGraph(g), 801)
	out := make([]float32, n)
	must(t, d.Upload(s, x.a, pointer(counting(n, 7)), 4*n))
	x.add(t, s)
	must(t, d.Download(s, pointer(out), x.c, 4*n))
	holds(t, "sum after it", out, 7)
	must(t, d.CloseStream(s))
	x.close(t, d)
}
