//go:build nodl || !linux || !amd64

package fake

const supported = false

func lock(string) (unlock func(), err error) { return nil, ErrMissing }

// Options varies the device.
//
// Source: ours: for tests of bad machines
type Options struct {
	Lazy       bool
	Memory     int
	Version    int
	NoDevices  bool
	Devices    int
	Capability int
	Broken     int
}

// Library cannot be had here.
//
// Source: ours: see the package
type Library struct{ Path string }

// New returns ErrMissing.
//
// Source: ours: see Library
func New(string, string, Options) (*Library, error) { return nil, ErrMissing }

// Linked returns ErrMissing.
//
// Source: ours: see Library
func Linked(Options) (*Library, error) { return nil, ErrMissing }

// FailAt returns ErrMissing.
func (*Library) FailAt(int, int) error { return ErrMissing }

// Count returns ErrMissing.
func (*Library) Count(string) (int, error) { return 0, ErrMissing }

// Libraries returns ErrMissing.
func (*Library) Libraries(string, string, int) (blas, dnn *Library, err error) {
	return nil, nil, ErrMissing
}

// NCCL returns ErrMissing.
func (*Library) NCCL(string) (*Library, error) { return nil, ErrMissing }

// Set returns ErrMissing.
func (*Library) Set(string, int) error { return ErrMissing }
