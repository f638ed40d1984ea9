//go:build !nodl && (linux || darwin) && (amd64 || arm64)

package bench

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

// CBLAS's numbers.
const (
	rowMajor = 101
	noTrans  = 111
)

// openBLAS opens the installed OpenBLAS and returns its row-major out[m][n] = a[m][k]·b[k][n] on
// the given threads. Call it through no other thread pool. The error says what was looked for.
func openBLAS(threads int) (sgemm func(m, n, k int, a, b, out []float32), facts []string, err error) {
	names := []string{"libopenblas.so.0"}
	if runtime.GOOS == "darwin" {
		names = []string{"/opt/homebrew/opt/openblas/lib/libopenblas.dylib", "/usr/local/opt/openblas/lib/libopenblas.dylib"}
	}
	var lib uintptr
	for _, name := range names {
		if lib, err = purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL); err == nil {
			break
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("no OpenBLAS: %s is not installed", strings.Join(names, " nor "))
	}
	for _, symbol := range []string{"cblas_sgemm", "openblas_set_num_threads", "openblas_get_config", "openblas_get_corename"} {
		if _, err := purego.Dlsym(lib, symbol); err != nil {
			return nil, nil, fmt.Errorf("OpenBLAS has no %s", symbol)
		}
	}
	var product func(order, transA, transB, m, n, k int32, alpha float32, a *float32, lda int32, b *float32, ldb int32, beta float32, c *float32, ldc int32)
	var setThreads func(int32)
	var config, core func() string
	purego.RegisterLibFunc(&product, lib, "cblas_sgemm")
	purego.RegisterLibFunc(&setThreads, lib, "openblas_set_num_threads")
	purego.RegisterLibFunc(&config, lib, "openblas_get_config")
	purego.RegisterLibFunc(&core, lib, "openblas_get_corename")
	setThreads(int32(threads))
	return func(m, n, k int, a, b, out []float32) {
		product(rowMajor, noTrans, noTrans, int32(m), int32(n), int32(k), 1, &a[0], int32(k), &b[0], int32(n), 0, &out[0], int32(n))
	}, []string{fmt.Sprintf("%s, kernels of %s, %s=%s", version(config()), core(), coreType, os.Getenv(coreType))}, nil
}

// version returns the first two words of the configuration: "OpenBLAS 0.3.21". What follows names
// the build, not what runs.
func version(config string) string {
	words := strings.Fields(config)
	return strings.Join(words[:min(2, len(words))], " ")
}
