//go:build linux && (amd64 || arm64) && !nodl

package onednn

import (
	"testing"

	"gradsync/shared/tensor/enginetest"
)

func TestConformance(t *testing.T) {
	e, err := New()
	if err != nil {
		t.Skipf("the conformance suite needs oneDNN: %v", err)
	}
	enginetest.Run(t, e)
}
