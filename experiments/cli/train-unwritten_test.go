package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// remover takes a folder away as soon as a training prints what it is about to do: after the look
// whether its files can be written, before they are.
type remover struct {
	bytes.Buffer
	folder string
}

func (r *remover) Write(p []byte) (int, error) {
	_ = os.RemoveAll(r.folder)
	return r.Buffer.Write(p)
}

// A training whose files cannot be written any more prints its outcome all the same, names the
// files that were asked for, and fails.
func TestTheOutcomeIsPrintedThoughNothingCanBeWritten(t *testing.T) {
	oktest.Slow(t)
	for _, flag := range []string{"--save", "--trace", "--record"} {
		msg := &remover{folder: filepath.Join(t.TempDir(), "gone")}
		oktest.Nil(t, os.Mkdir(msg.folder, 0o755))
		path := filepath.Join(msg.folder, "file")
		var out bytes.Buffer
		line := "train --sync bsp --model mlp --workers 2 --updates 2 --data synthetic --engine portable --eval-every -1 --json " + flag
		rc := run(t.Context(), append(fields(line), path), &out, msg)
		if rc != exitFailed || !strings.Contains(out.String(), `"params_sha256"`) || !strings.Contains(msg.String(), flag+": ") ||
			!strings.Contains(msg.String(), path) || strings.Contains(msg.String(), ".writing") {
			t.Errorf("%s: exit code %d, %s\n%s", flag, rc, out.String(), msg.String())
		}
	}
}
