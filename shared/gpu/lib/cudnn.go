package lib

import (
	"fmt"
	"strings"

	"gradsync/shared/gpu/driver"
)

// Functions of cuDNN: its legacy calls, which version 9 still has.
const (
	dnnVersionOf = iota
	dnnCUDA
	dnnName
	dnnLast
	dnnCreate
	dnnDestroy
	dnnStream
	dnnTensor
	dnnSetTensor
	dnnDestroyTensor
	dnnFilter
	dnnSetFilter
	dnnDestroyFilter
	dnnConv
	dnnSetConv
	dnnSetMath
	dnnDestroyConv
	dnnOutput
	dnnForwardList
	dnnDataList
	dnnFilterList
	dnnForwardRoom
	dnnDataRoom
	dnnFilterRoom
	dnnForward
	dnnData
	dnnFilterGradient
	dnnNormForward
	dnnNormBackward
)

var dnnSymbols = []string{
	dnnVersionOf: "cudnnGetVersion", dnnCUDA: "cudnnGetCudartVersion", dnnName: "cudnnGetErrorString", dnnLast: "?cudnnGetLastErrorString",
	dnnCreate: "cudnnCreate", dnnDestroy: "cudnnDestroy", dnnStream: "cudnnSetStream",
	dnnTensor: "cudnnCreateTensorDescriptor", dnnSetTensor: "cudnnSetTensor4dDescriptor", dnnDestroyTensor: "cudnnDestroyTensorDescriptor",
	dnnFilter: "cudnnCreateFilterDescriptor", dnnSetFilter: "cudnnSetFilter4dDescriptor", dnnDestroyFilter: "cudnnDestroyFilterDescriptor",
	dnnConv: "cudnnCreateConvolutionDescriptor", dnnSetConv: "cudnnSetConvolution2dDescriptor", dnnSetMath: "cudnnSetConvolutionMathType",
	dnnDestroyConv: "cudnnDestroyConvolutionDescriptor", dnnOutput: "cudnnGetConvolution2dForwardOutputDim",
	dnnForwardList: "cudnnGetConvolutionForwardAlgorithm_v7", dnnDataList: "cudnnGetConvolutionBackwardDataAlgorithm_v7",
	dnnFilterList: "cudnnGetConvolutionBackwardFilterAlgorithm_v7", dnnForwardRoom: "cudnnGetConvolutionForwardWorkspaceSize",
	dnnDataRoom: "cudnnGetConvolutionBackwardDataWorkspaceSize", dnnFilterRoom: "cudnnGetConvolutionBackwardFilterWorkspaceSize",
	dnnForward: "cudnnConvolutionForward", dnnData: "cudnnConvolutionBackwardData", dnnFilterGradient: "cudnnConvolutionBackwardFilter",
	dnnNormForward: "cudnnBatchNormalizationForwardTraining", dnnNormBackward: "cudnnBatchNormalizationBackward",
}

// dnnMajor is the one version that this package speaks.
const dnnMajor = 9

// DNN is cuDNN, opened.
//
// Source: ours: libcudnn of version 9
type DNN struct {
	*opened
	version version
	cuda    version // that it was built for
}

// openDNN opens cuDNN; other versions are opened only to name them in the error.
func openDNN(folders []string, cuda [2]int) (*DNN, error) {
	handle, path, err := open(folders, []string{"libcudnn.so.9", "libcudnn.so.10", "libcudnn.so.8", "libcudnn.so.7"})
	if err != nil {
		return nil, err
	}
	o, err := load(handle, path, dnnSymbols[:1])
	if err != nil {
		return nil, err
	}
	d := &DNN{opened: o, version: libraryVersion(int(invoke(o.address[dnnVersionOf], nil)))}
	if d.version.major != dnnMajor {
		return nil, fmt.Errorf("%s is cuDNN %d.%d; this program speaks cuDNN %d", path, d.version.major, d.version.minor, dnnMajor)
	}
	if d.opened, err = load(handle, path, dnnSymbols); err != nil {
		return nil, err
	}
	n := int(invoke(d.address[dnnCUDA], nil))
	d.cuda = version{n / 1000, n % 1000 / 10, 0}
	if cuda[0] != 0 && d.cuda.major > cuda[0] {
		return nil, fmt.Errorf("%s is built for CUDA %d; the driver speaks %d.%d", path, d.cuda.major, cuda[0], cuda[1])
	}
	// cuDNN opens these when it first needs them, of its own version, and knows no folder.
	for _, name := range []string{"libcublasLt.so", "libnvrtc.so"} {
		_, _, _ = open(folders, []string{fmt.Sprintf("%s.%d", name, d.cuda.major)}) // Working tells what is missing
	}
	return d, nil
}

// Version returns "9.28".
func (d *DNN) Version() string { return d.version.String() }

// Path returns the opened file.
func (d *DNN) Path() string { return d.path }

// failed makes an error of a code, with what cuDNN says about it.
func (d *DNN) failed(f, code int) *Error {
	name := d.name(dnnName, code)
	if d.address[dnnLast] != 0 {
		f := newFrame()
		f.call(d.address[dnnLast], f.set(address(&f.message), uintptr(len(f.message))))
		more, _, _ := strings.Cut(string(f.message[:]), "\x00")
		if more = strings.Join(strings.Fields(more), " "); more != "" {
			name += ": " + more
		}
	}
	return &Error{Library: "cuDNN " + d.Version(), Call: plain(dnnSymbols[f]), Code: code, Name: name}
}

// Layers does convolutions and batch norms on one stream.
//
// Source: ours: cudnnHandle_t and the descriptors of a network's shapes
type Layers struct {
	lib   *DNN
	host  driver.Host
	math  uintptr
	limit int
	made  []made // in this order
	convs map[convKey]*Conv
	norms map[normKey]*Norm
	*frame
	list [algorithms]algorithmInfo
	dims [4]int32
}

// made is a handle or a descriptor with the function that gives it back.
type made struct {
	destroy int
	at      uintptr
}

// Open makes a handle for a stream, whose convolutions may take limit bytes of memory
// beside their ends. With tf32 they may round factors to TF32. After an error nothing is
// open.
func (d *DNN) Open(h driver.Host, s driver.Stream, limit int, tf32 bool) (*Layers, error) {
	l := &Layers{lib: d, host: h, limit: limit, math: mathFull, convs: map[convKey]*Conv{}, norms: map[normKey]*Norm{}, frame: newFrame()}
	if tf32 {
		l.math = mathDefault
	}
	handle, err := l.create(dnnCreate, dnnDestroy)
	if err == nil {
		err = l.do(dnnStream, l.set(handle, uintptr(s)))
	}
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// do calls a function with the frame's first n arguments, in the device's context.
func (l *Layers) do(f, n int) error {
	if err := l.host.Enter(); err != nil {
		return err
	}
	defer l.host.Leave() // cuDNN keeps an error's text for the thread that asked
	if code := l.call(l.lib.address[f], n); code != 0 {
		return l.lib.failed(f, code)
	}
	return nil
}

// doubled calls a function with two doubles, in the order of its signature, and others.
func (l *Layers) doubled(f int, a, b float64, args ...uintptr) error {
	if err := l.host.Enter(); err != nil {
		return err
	}
	defer l.host.Leave()
	l.setDoubles(l.lib.address[f], a, b, args)
	code := int(int32(uint32(callDoubles(&l.doubles, &l.block))))
	if code != 0 {
		return l.lib.failed(f, code)
	}
	return nil
}

// handle returns cudnnHandle_t.
func (l *Layers) handle() uintptr { return l.made[0].at }

// create makes a handle or descriptor, which Close gives back.
func (l *Layers) create(f, destroy int) (uintptr, error) {
	l.out[0] = 0
	if err := l.do(f, l.set(address(&l.out))); err != nil {
		return 0, err
	}
	at := uintptr(l.out[0])
	l.made = append(l.made, made{destroy, at})
	return at, nil
}

// Close gives everything back; after an error it may be called again.
func (l *Layers) Close() error {
	clear(l.convs)
	clear(l.norms)
	for n := len(l.made) - 1; n >= 0; n-- {
		if err := l.do(l.made[n].destroy, l.set(l.made[n].at)); err != nil {
			return err
		}
		l.made = l.made[:n]
	}
	return nil
}

// tensor describes n images of c×h×w in order.
func (l *Layers) tensor(n, c, h, w int) (uintptr, error) {
	at, err := l.create(dnnTensor, dnnDestroyTensor)
	if err == nil {
		err = l.do(dnnSetTensor, l.set(at, layoutNCHW, typeFloat, uintptr(n), uintptr(c), uintptr(h), uintptr(w)))
	}
	return at, err
}

// Values of cudnn_graph.h and cudnn_cnn.h.
const (
	layoutNCHW       = 0 // CUDNN_TENSOR_NCHW
	typeFloat        = 0 // CUDNN_DATA_FLOAT
	crossCorrelation = 1 // CUDNN_CROSS_CORRELATION
	deterministic    = 1 // CUDNN_DETERMINISTIC
	// cuDNN's default takes TF32 where a card has it; FMA does not.
	mathDefault = 0 // CUDNN_DEFAULT_MATH
	mathFull    = 3 // CUDNN_FMA_MATH
	// A block per channel over images and pixels.
	normSpatial = 1 // CUDNN_BATCHNORM_SPATIAL
)
