package cli

import (
	"net"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// A port that is taken is one line that says what to do.
func TestServeMistakes(t *testing.T) {
	busy := oktest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer busy.Close()
	rc, out, msg := gradsync("serve", "--dir", t.TempDir(), "--addr", busy.Addr().String())
	if rc != exitFailed || !strings.Contains(msg, "take another port with --addr") || strings.Count(msg, "\n") != 1 || out != "" {
		t.Errorf("exit code %d, %q, %q", rc, out, msg)
	}
}
