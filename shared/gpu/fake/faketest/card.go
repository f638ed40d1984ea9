package faketest

import (
	"os"
	"testing"

	"gradsync/shared/gpu/driver"
)

// Card opens this machine's first GPU, by the driver that GRADSYNC_CUDA_DRIVER names if it
// does. Without one the test skips with the line that says why,
// or fails if GRADSYNC_REQUIRE_GPU is 1.
//
// Source: ours: what runs on stand-ins runs on a card too
func Card(t *testing.T) driver.Driver {
	t.Helper()
	d, err := driver.Open(os.Getenv("GRADSYNC_CUDA_DRIVER"), 0)
	if err != nil && os.Getenv("GRADSYNC_REQUIRE_GPU") == "1" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
	return d
}
