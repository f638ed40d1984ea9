package driver

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a call that the driver refused, or work that failed on the device.
//
// Source: ours: CUresult, with a hint
type Error struct {
	Call   string // of CUDA's driver API
	Code   int    // CUresult
	Name   string // of the code
	Detail string // what was asked for; may be empty
	Hint   string // for the user; may be empty
	Err    error  // what a device that is emulated found; may be nil
}

func (e *Error) Error() string {
	s := fmt.Sprintf("gpu: %s: %s (%d)", e.Call, e.Name, e.Code)
	for _, more := range []string{e.Detail, e.Hint} {
		if more != "" {
			s += ": " + more
		}
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Lost says that the device is of no more use to this process: every later call fails.
func (e *Error) Lost() bool { return codes[e.Code].lost }

// Unsupported says that a driver cannot do such a thing at all.
func (e *Error) Unsupported() bool { return e.Code == codeUnsupported }

// Codes of CUresult that are named here.
const (
	codeInvalid       = 1
	codeMemory        = 2
	codeNotInit       = 3
	codeNoDevice      = 100
	codeInvalidDevice = 101
	codeInvalidPTX    = 218
	codeUnsupported   = 801
	codeHandle        = 400
	codeState         = 401
	codeNotFound      = 500
	codeAddress       = 700
	codeMisaligned    = 716
	codeLaunch        = 719
	codeUnknown       = 999
)

const lostHint = "the device is lost to this process; run again with --device cpu"

// codes has names, hints, and which results end the device.
var codes = map[int]struct {
	name, hint string
	lost       bool
}{
	codeInvalid:       {name: "CUDA_ERROR_INVALID_VALUE"},
	codeMemory:        {name: "CUDA_ERROR_OUT_OF_MEMORY", hint: "a smaller batch or fewer workspaces need less"},
	codeNotInit:       {name: "CUDA_ERROR_NOT_INITIALIZED"},
	46:                {name: "CUDA_ERROR_DEVICE_UNAVAILABLE", hint: "another process holds the device for itself"},
	codeNoDevice:      {name: "CUDA_ERROR_NO_DEVICE", hint: "the driver sees no NVIDIA device; CUDA_VISIBLE_DEVICES may hide it"},
	codeInvalidDevice: {name: "CUDA_ERROR_INVALID_DEVICE", hint: "no device has that number"},
	201:               {name: "CUDA_ERROR_INVALID_CONTEXT"},
	209:               {name: "CUDA_ERROR_NO_BINARY_FOR_GPU", hint: "the kernels need compute capability 7.5 or newer"},
	214:               {name: "CUDA_ERROR_ECC_UNCORRECTABLE", hint: lostHint, lost: true},
	codeInvalidPTX:    {name: "CUDA_ERROR_INVALID_PTX"},
	220:               {name: "CUDA_ERROR_NVLINK_UNCORRECTABLE", hint: lostHint, lost: true},
	222:               {name: "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", hint: "the driver is older than the kernels' PTX: CUDA 11.0 or newer is needed"},
	codeHandle:        {name: "CUDA_ERROR_INVALID_HANDLE"},
	codeState:         {name: "CUDA_ERROR_ILLEGAL_STATE"},
	codeNotFound:      {name: "CUDA_ERROR_NOT_FOUND"},
	600:               {name: "CUDA_ERROR_NOT_READY"},
	codeAddress:       {name: "CUDA_ERROR_ILLEGAL_ADDRESS", hint: lostHint, lost: true},
	701:               {name: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
	702:               {name: "CUDA_ERROR_LAUNCH_TIMEOUT", hint: lostHint, lost: true},
	709:               {name: "CUDA_ERROR_CONTEXT_IS_DESTROYED", hint: lostHint, lost: true},
	710:               {name: "CUDA_ERROR_ASSERT", hint: lostHint, lost: true},
	714:               {name: "CUDA_ERROR_HARDWARE_STACK_ERROR", hint: lostHint, lost: true},
	715:               {name: "CUDA_ERROR_ILLEGAL_INSTRUCTION", hint: lostHint, lost: true},
	codeMisaligned:    {name: "CUDA_ERROR_MISALIGNED_ADDRESS", hint: lostHint, lost: true},
	717:               {name: "CUDA_ERROR_INVALID_ADDRESS_SPACE", hint: lostHint, lost: true},
	718:               {name: "CUDA_ERROR_INVALID_PC", hint: lostHint, lost: true},
	codeLaunch:        {name: "CUDA_ERROR_LAUNCH_FAILED", hint: lostHint, lost: true},
	codeUnsupported:   {name: "CUDA_ERROR_NOT_SUPPORTED"},
	802:               {name: "CUDA_ERROR_SYSTEM_NOT_READY", hint: "the machine's GPU services are not up yet"},
	803:               {name: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", hint: "libcuda and the kernel module are of different versions: restart the machine"},
	804:               {name: "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
	900:               {name: "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
	901:               {name: "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
	codeUnknown:       {name: "CUDA_ERROR_UNKNOWN", hint: "the machine's system log may say more; run again with --device cpu"},
}

// noneError says that an error is why there is no device.
type noneError struct{ error }

func (e noneError) Error() string {
	return "gpu: none (" + strings.TrimPrefix(e.error.Error(), "gpu: ") + ")"
}

func (e noneError) Unwrap() error { return e.error }

// oldest is the first version of CUDA whose driver compiles the kernels' PTX.
var oldest = [2]int{11, 0}

// newEnough refuses a driver that cannot compile the kernels.
func newEnough(version [2]int) error {
	if version[0] > oldest[0] || version[0] == oldest[0] && version[1] >= oldest[1] {
		return nil
	}
	return fmt.Errorf("gpu: none (the driver speaks CUDA %d.%d; the kernels need %d.%d or newer)", version[0], version[1], oldest[0], oldest[1])
}

// wanted is the detail of an allocation that did not fit.
func wanted(bytes, free, total int) string {
	return fmt.Sprintf("%s wanted, %s free of %s", sizeText(bytes), sizeText(free), sizeText(total))
}

// withRoom adds to an allocation's error, if it was too large, what is free.
func withRoom(err error, bytes int, d Driver) error {
	var e *Error
	if errors.As(err, &e) && e.Code == codeMemory {
		if free, total, err := d.Memory(); err == nil {
			e.Detail = wanted(bytes, free, total)
		}
	}
	return err
}

// ofHost says of the error of pinned memory, if it was too much, that the host's is short.
func ofHost(err error, bytes int) error {
	var e *Error
	if errors.As(err, &e) && e.Code == codeMemory {
		e.Detail, e.Hint = sizeText(bytes)+" of the host's memory wanted", "the host has no more to pin; fewer workspaces need less"
	}
	return err
}

// Failed returns the error of a call.
//
// Source: ours: names and hints of CUresult stand here
func Failed(call string, code int, detail string) *Error {
	c := codes[code]
	if c.name == "" {
		c.name = "an error that this program does not know"
	}
	return &Error{Call: call, Code: code, Name: c.name, Detail: detail, Hint: c.hint}
}
