//go:build nodl || !linux || !(amd64 || arm64)

package driver

import "errors"

// Open returns an error: this build opens no library.
//
// Source: ours: one line on why there is no device
func Open(string, int) (Driver, error) { return nil, errAbsent }

// Describe returns the same error.
//
// Source: ours: as Open
func Describe(string, int) (Info, error) { return Info{}, errAbsent }

// List returns the same error.
//
// Source: ours: as Open
func List(string) ([]Listed, error) { return nil, errAbsent }

var errAbsent = errors.New("gpu: none (this program was built without it: it needs Linux on amd64 or arm64, and no tag nodl)")
