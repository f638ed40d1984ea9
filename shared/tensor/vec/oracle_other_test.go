//go:build !amd64

package vec

func unpackAddBlocks([]float32, []byte, []byte) (done, used int) { return 0, 0 }

func quantiseBlocks([]byte, []float32, float32, float32, int32, *[3][block]uint32) int {
	return 0
}
