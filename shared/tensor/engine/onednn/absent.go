//go:build nodl || !linux || !(amd64 || arm64)

package onednn

import (
	"errors"

	"gradsync/shared/tensor"
)

var errAbsent = errors.New("onednn: this program was built without it: it needs Linux on amd64 or arm64, and no tag nodl")

// Status says that the library cannot be opened by this build.
//
// Source: ours: one line on why the engine is not there
func Status() (version string, err error) { return "", errAbsent }

// New returns an error: this build cannot open the library.
//
// Source: ours: one line on why the engine is not there
func New() (tensor.Engine, error) { return nil, errAbsent }
