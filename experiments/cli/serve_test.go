package cli

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// What cannot be served is one line that says what to do; an address that is none is a
// mistake in the command.
func TestServeMistakes(t *testing.T) {
	busy := oktest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer busy.Close()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--addr", "nonsense"}, exitUsage, `--addr "nonsense": want host:port`},
		{[]string{"extra"}, exitUsage, "serve: 1 arguments, want none"},
		{[]string{"--results", filepath.Join(t.TempDir(), "absent")}, exitFailed, "make some with `gradsync run dasp`"},
		{[]string{"--dir", filepath.Join(t.TempDir(), "absent")}, exitFailed, "`gradsync report` makes them"},
		{[]string{"--dir", t.TempDir(), "--addr", busy.Addr().String()}, exitFailed, "take another port with --addr"},
	} {
		rc, out, msg := gradsync(append([]string{"serve"}, c.args...)...)
		if rc != c.code || !strings.Contains(msg, c.want) || strings.Count(msg, "\n") != 1 || out != "" {
			t.Errorf("serve %v: exit code %d, %q, %q; want %d and %q", c.args, rc, out, msg, c.code, c.want)
		}
	}
}
