//go:build (amd64 || arm64) && !nodl

package lib

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// The loader keeps an error's text for the thread that asked, so both ask from one.

func dlopen(path string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func dlsym(handle uintptr, name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlsym(handle, name)
}

// invoke calls a function. What args point to must stay where it is.
func invoke(address uintptr, args []uintptr) uintptr {
	r, _, _ := purego.SyscallN(address, args...)
	return r
}

// cString reads a text of the library's.
func cString(r uintptr) string {
	at := *(*unsafe.Pointer)(unsafe.Pointer(&r))
	if at == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(at, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(at), n))
}
