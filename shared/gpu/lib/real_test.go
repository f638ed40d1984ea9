package lib

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"unsafe"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/tensor"
)

// nowhere is a host without a device: what needs none works there.
type nowhere struct{ driver.Driver }

func (nowhere) Enter() error { return nil }
func (nowhere) Leave()       {}

// found looks for them once: later the loader knows their names, and no file.
var found = sync.OnceValue(func() *Set { return Find(nil, [2]int{}) })

// real returns NVIDIA's own libraries, or skips.
func real(t *testing.T) *Set {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	s := found()
	if s.BLAS == nil || s.DNN == nil {
		t.Skipf("NVIDIA's libraries are not all here (pip install nvidia-cublas nvidia-cudnn-cu13): %q", s.Missing)
	}
	t.Logf("%s, %s: %s", s.BLAS.Path(), s.DNN.Path(), s.Versions())
	return s
}

// TestReal: the real cuBLAS and cuDNN have the functions, give their versions, take the
// descriptors as they are meant and say why there is no handle without a device.
func TestReal(t *testing.T) {
	s := real(t)
	if s.BLAS.version.major < 12 || s.DNN.version.major != 9 || s.DNN.cuda.major < 12 {
		t.Errorf("versions %+v, %+v, for CUDA %+v", s.BLAS.version, s.DNN.version, s.DNN.cuda)
	}
	l := &Layers{lib: s.DNN, host: nowhere{}, math: mathFull, convs: map[convKey]*Conv{}, norms: map[normKey]*Norm{}, frame: newFrame()}
	for _, g := range []tensor.Conv{
		{N: 64, InC: 3, H: 32, W: 32, OutC: 64, KH: 3, KW: 3, Stride: 1, Pad: 1}, {N: 7, InC: 6, H: 14, W: 13, OutC: 16, KH: 5, KW: 3, Stride: 2},
		{N: 1, InC: 64, H: 8, W: 8, OutC: 128, KH: 1, KW: 1, Stride: 2, Pad: 3},
	} {
		c, err := l.Conv(g) // which compares the output's size
		if err != nil {
			t.Fatalf("%+v: %v", g, err)
		}
		for _, d := range []struct {
			at   uintptr
			want [8]int32
		}{
			{c.x, [8]int32{int32(g.N), int32(g.InC), int32(g.H), int32(g.W), int32(g.InC * g.H * g.W), int32(g.H * g.W), int32(g.W), 1}},
			{c.y, [8]int32{int32(g.N), int32(g.OutC), int32(g.OutH()), int32(g.OutW()), int32(g.OutC * g.OutH() * g.OutW()), int32(g.OutH() * g.OutW()),
				int32(g.OutW()), 1}},
		} {
			if got := described(t, s.DNN, d.at); got != d.want {
				t.Errorf("%+v: a tensor of %v, want %v", g, got, d.want)
			}
		}
		l.out[0] = 0
		if code := direct(t, s.DNN, "cudnnGetConvolutionMathType", c.c, address(&l.out)); code != 0 || l.out[0] != mathFull {
			t.Errorf("arithmetic %d, code %d, want %d", l.out[0], code, mathFull)
		}
	}
	realNorm(t, l)
	if _, err := l.tensor(1, 0, 1, 1); err == nil {
		t.Error("a tensor without channels is taken")
	} else {
		t.Log(err)
	}
	if err := l.Close(); err != nil || len(l.made) != 0 {
		t.Errorf("%v, %d descriptors are left", err, len(l.made))
	}
	noDevice(t, s)
	if size := unsafe.Sizeof(algorithmInfo{}); size != 48 {
		t.Errorf("an algorithm's description has %d bytes, cudnn_cnn.h's 48", size)
	}
}

// realNorm compares a batch norm's descriptors with those that cuDNN derives.
func realNorm(t *testing.T, l *Layers) {
	n, err := l.Norm(tensor.Norm{N: 5, C: 12, HW: 49})
	must(t, err)
	derived, err := l.create(dnnTensor, dnnDestroyTensor)
	must(t, err)
	if code := direct(t, l.lib, "cudnnDeriveBNTensorDescriptor", derived, n.x, normSpatial); code != 0 {
		t.Errorf("parameters of a batch norm: code %d", code)
	}
	if got, want := described(t, l.lib, n.p), described(t, l.lib, derived); got != want {
		t.Errorf("parameters of a batch norm: %v, want %v", got, want)
	}
}

// noDevice checks what the libraries say where there is none.
func noDevice(t *testing.T, s *Set) {
	var refused *Error
	if p, err := s.BLAS.Open(nowhere{}, 0, nil, 0, false); err == nil {
		t.Log("there is a device here", p.Close())
	} else if !errors.As(err, &refused) || refused.Call != "cublasCreate" || refused.Name == "" {
		t.Errorf("cuBLAS without a device: %v", err)
	} else {
		t.Log(err)
	}
	if l, err := s.DNN.Open(nowhere{}, 0, 0, false); err == nil {
		t.Log("there is a device here", l.Close())
	} else if !errors.As(err, &refused) || refused.Call != "cudnnCreate" || refused.Code < 1001 {
		t.Errorf("cuDNN without a device: %v", err)
	} else {
		t.Log(err)
	}
}

// direct calls a function that only tests need.
func direct(t *testing.T, d *DNN, name string, args ...uintptr) int {
	t.Helper()
	handle, err := dlopen(d.path)
	must(t, err)
	f, err := dlsym(handle, name)
	must(t, err)
	frame := newFrame()
	return frame.call(f, frame.set(args...))
}

// described returns a tensor's size and strides.
func described(t *testing.T, d *DNN, at uintptr) [8]int32 {
	t.Helper()
	v := new([9]int32) // in the heap: it leaves by the log
	args := []uintptr{at}
	for i := range v {
		args = append(args, address(&v[i]))
	}
	if code := direct(t, d, "cudnnGetTensor4dDescriptor", args...); code != 0 || v[0] != typeFloat {
		t.Errorf("code %d, %v", code, v)
	}
	return [8]int32(v[1:])
}

// TestRealNCCL: the real NCCL has the functions, gives its version and a group's name, refuses
// a rank that cannot be with what it calls that, and its header has our numbers.
func TestRealNCCL(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	n, err := FindNCCL(nil)
	if err != nil {
		t.Skipf("NVIDIA's NCCL is not here (pip install nvidia-nccl-cu12): %v", err)
	}
	t.Log(n.Path(), n.Version())
	text := headers(t, n.Path(), "nccl.h")
	for name, want := range map[string]int{"NCCL_UNIQUE_ID_BYTES": ncclIDBytes, "ncclFloat32": ncclFloat32, "ncclSum": ncclSum, "ncclUnhandledCudaError": 1,
		"ncclSystemError": 2, "ncclInternalError": 3, "ncclInvalidUsage": 5, "ncclRemoteError": 6} {
		m := regexp.MustCompile(`\b` + name + `[\s=]+(\d+)`).FindStringSubmatch(text)
		if m == nil || m[1] != strconv.Itoa(want) {
			t.Errorf("%s: %q, want %d", name, m, want)
		}
	}
	arguments(t, text, "ncclCommInitRank", 4)
	arguments(t, text, "ncclAllReduce", 7)
	arguments(t, text, "ncclCommAbort", 1)
	name, err := n.NewGroup(nowhere{})
	if err == nil && (len(name) != ncclIDBytes || slices.Max(name) == 0) {
		t.Errorf("a group's name %q", name)
	}
	t.Log(err)
	var refused *Error
	if r, err := n.Join(nowhere{}, make([]byte, ncclIDBytes), 3, 2); !errors.As(err, &refused) || refused.Call != "ncclCommInitRank" || refused.Name == "" {
		t.Errorf("rank 3 of 2 got %v, %v", r, err)
	} else {
		t.Log(err)
	}
}
