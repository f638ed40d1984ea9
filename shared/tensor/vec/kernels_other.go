//go:build !amd64

package vec

// active: there are no kernels for this CPU, so Go does everything.
var active = portable

func supports(set isa) bool { return set == portable }

func addBlocks([]float32, []byte) int                      { return 0 }
func addToBlocks([]float32, []byte) int                    { return 0 }
func scaleBlocks([]float32, float32) int                   { return 0 }
func axpyBlocks([]float32, float32, []float32) int         { return 0 }
func addIntBlocks([]int32, []byte) int                     { return 0 }
func subIntBlocks([]int32, []byte) int                     { return 0 }
func countBlocks([]float32) (done, count int)              { return 0, 0 }
func packBlocks(_, _ []byte, _ []float32) (done, used int) { return 0, 0 }
func unpackBlocks([]float32, []byte, []byte) (done, used int) {
	return 0, 0
}

func transposeBlocks([]float32, int, []float32, int, int, int) bool { return false }

func fixBlocks([]int32, []float32, float64, float32) int { return 0 }
func addWideBlocks([]int64, []int32) int                 { return 0 }
