//go:build nodl || !linux || !(amd64 || arm64)

package onednn

import (
	"slices"
	"strings"
	"testing"

	"gradsync/shared/tensor"
)

// TestAbsent: a build that cannot open the library says so in one line and
// registers nothing.
func TestAbsent(t *testing.T) {
	_, err := Status()
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("Status gives %v, want one line", err)
	}
	if e, err := New(); e != nil || err == nil {
		t.Errorf("New gives %v, %v", e, err)
	}
	if slices.Contains(tensor.Engines(), Name) {
		t.Error("the engine is registered")
	}
}
