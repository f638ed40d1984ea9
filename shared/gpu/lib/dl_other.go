//go:build nodl || !linux || !(amd64 || arm64)

package lib

import "errors"

var errNone = errors.New("this program was built without it: it needs Linux on amd64 or arm64, and no tag nodl")

func dlopen(string) (uintptr, error) { return 0, errNone }

func dlsym(uintptr, string) (uintptr, error) { return 0, errNone }

func invoke(uintptr, []uintptr) uintptr { panic(errNone) }

func cString(uintptr) string { return "" }
