//go:build nodl || !(linux || darwin) || !(amd64 || arm64)

package bench

import "errors"

func openBLAS(int) (func(m, n, k int, a, b, out []float32), []string, error) {
	return nil, nil, errors.New("no OpenBLAS: this build opens no libraries")
}
