package lib

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// headers returns the texts of all C headers of a pattern that lie beside a library, or skips.
func headers(t *testing.T, library, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(library), "..", "include", pattern))
	if err != nil || len(files) == 0 {
		t.Skip("no headers beside ", library)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		must(t, err)
		all.Write(text)
	}
	return regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(all.String(), "")
}

// TestHeaders: numbers and counts of arguments are those of NVIDIA's headers.
func TestHeaders(t *testing.T) {
	s := real(t)
	dnn, blas := headers(t, s.DNN.Path(), "cu[bd]*.h"), headers(t, s.BLAS.Path(), "cu[bd]*.h")
	for _, c := range []struct {
		text, name string
		want       int
	}{
		{dnn, "CUDNN_TENSOR_NCHW", layoutNCHW}, {dnn, "CUDNN_DATA_FLOAT", typeFloat}, {dnn, "CUDNN_CROSS_CORRELATION", crossCorrelation},
		{dnn, "CUDNN_DETERMINISTIC", deterministic}, {dnn, "CUDNN_DEFAULT_MATH", mathDefault}, {dnn, "CUDNN_FMA_MATH", mathFull},
		{dnn, "CUDNN_BATCHNORM_SPATIAL", normSpatial}, {dnn, "CUDNN_STATUS_BAD_PARAM", 2000}, {dnn, "CUDNN_STATUS_NOT_SUPPORTED", 3000},
		{dnn, "CUDNN_STATUS_INTERNAL_ERROR", 4000}, {blas, "CUBLAS_OP_N", blasPlain}, {blas, "CUBLAS_OP_T", blasTransposed},
		{blas, "CUBLAS_DEFAULT_MATH", blasMathFull}, {blas, "CUBLAS_TF32_TENSOR_OP_MATH", blasMathTF32},
	} {
		m := regexp.MustCompile(`\b` + c.name + `\s*=\s*(\d+)`).FindStringSubmatch(c.text)
		if m == nil || m[1] != strconv.Itoa(c.want) {
			t.Errorf("%s: %q, want %d", c.name, m, c.want)
		}
	}
	for p, prefix := range map[pass]string{forward: "FWD", backwardData: "BWD_DATA", backwardFilter: "BWD_FILTER"} {
		for _, name := range []string{"FFT", "FFT_TILING", "WINOGRAD", "WINOGRAD_NONFUSED"} {
			m := regexp.MustCompile(`\bCUDNN_CONVOLUTION_` + prefix + `_ALGO_` + name + `\s*=\s*(\d+)`).FindStringSubmatch(dnn)
			if n, err := strconv.Atoi(strings.Join(m[min(1, len(m)):], "")); err != nil || !slices.Contains(transforms[p][:], int32(n)) {
				t.Errorf("pass %d, %s: %q is not in %v", p, name, m, transforms[p])
			}
		}
	}
	for name, want := range map[string]int{
		"cudnnConvolutionForward": 13, "cudnnConvolutionBackwardData": 13, "cudnnConvolutionBackwardFilter": 13,
		"cudnnGetConvolutionForwardAlgorithm_v7": 8, "cudnnGetConvolutionBackwardFilterWorkspaceSize": 7, "cudnnSetConvolution2dDescriptor": 9,
		"cudnnSetTensor4dDescriptor": 7, "cudnnSetFilter4dDescriptor": 7, "cudnnGetConvolution2dForwardOutputDim": 7,
		"cudnnBatchNormalizationForwardTraining": 17, "cudnnBatchNormalizationBackward": 19,
	} {
		arguments(t, dnn, name, want)
	}
	arguments(t, blas, "cublasSgemm_v2", 14)
	arguments(t, blas, "cublasSetWorkspace_v2", 3)
}

// arguments counts those of a prototype.
func arguments(t *testing.T, text, name string, want int) {
	t.Helper()
	m := regexp.MustCompile(`(?s)\b` + name + `\s*\(([^)]*)\)`).FindStringSubmatch(text)
	if m == nil || strings.Count(m[1], ",")+1 != want {
		t.Errorf("%s: arguments %q, want %d", name, m, want)
	}
}
