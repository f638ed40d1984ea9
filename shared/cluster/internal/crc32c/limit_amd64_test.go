package crc32c

import (
	"os"
	"os/exec"
	"testing"

	"gradsync/shared/simd"
)

// The test runs itself again with each value of the variable.
func TestTheVariableLimitsTheFolding(t *testing.T) {
	if wide && !simd.AVX512() || narrow && !simd.AVX2() {
		t.Errorf("GRADSYNC_CPU=%s, and sums fold in 512 bits: %v, in 256: %v", os.Getenv("GRADSYNC_CPU"), wide, narrow)
	}
	if !simd.AVX512() {
		return
	}
	for _, value := range []string{"avx2", "portable"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestTheVariableLimitsTheFolding$")
		cmd.Env = append(os.Environ(), "GRADSYNC_CPU="+value)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
