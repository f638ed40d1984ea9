package bench

import (
	"errors"
	"math"
	"strings"
	"testing"

	fakegpu "gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
)

// TestDeviceVec: on a GPU every kernel that the CPU has runs, counts the same bytes and no
// others, and launches what it is made of.
func TestDeviceVec(t *testing.T) {
	for _, name := range Kernels() {
		l := faketest.Machine(t, fakegpu.Options{})
		j := Job{Kind: KindVec, Contender: name, Threads: 1, Bytes: 1 << 18}
		host, err := Open(j)
		if err != nil {
			t.Fatal(err)
		}
		j.Device = "cuda:0"
		device, err := Open(j)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(host.Bytes/device.Bytes-1) > 0.01 { // densities are drawn
			t.Errorf("%s: %v bytes on the device, %v on the host", name, device.Bytes, host.Bytes)
		}
		work := func() int {
			kernels, err := l.Count("cuLaunchKernel")
			copies, wrong := l.Count("cuMemcpyDtoDAsync_v2")
			if err := errors.Join(err, wrong); err != nil {
				t.Fatal(err)
			}
			return kernels + copies
		}
		before := work()
		if err := device.Run(5); err != nil {
			t.Fatal(err)
		}
		once := map[string]int{"pack": 3, "unpa": 3}[name[:4]]
		if n := work() - before; n != 5*max(once, 1) {
			t.Errorf("%s: %d kernels and copies in 5 steps", name, n)
		}
	}
	for device, says := range map[string]string{"cpu": `bench: no device "cpu"`, "cuda:7": "device 7 of 1"} {
		if _, err := Open(Job{Kind: KindVec, Contender: Copy, Threads: 1, Bytes: 64, Device: device}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", device, err)
		}
	}
}
