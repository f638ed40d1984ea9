package audit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/audit"
	"gradsync/internal/oktest"
)

// What is no whole trail of this version is refused in one line that names the file and says why.
func TestReadRefuses(t *testing.T) {
	trail, _ := recorded(t, timing("dasp", 12))
	path := filepath.Join(t.TempDir(), "run.jsonl")
	oktest.Nil(t, trail.Write(path))
	raw := oktest.Must(os.ReadFile(path))(t)
	whole := string(raw)
	lines := strings.SplitAfter(whole, "\n")
	swap := func(line int, old, with string) string {
		changed := strings.Replace(lines[line], old, with, 1)
		if changed == lines[line] {
			t.Fatalf("line %d has no %q: %s", line+1, old, lines[line])
		}
		return strings.Join(lines[:line], "") + changed + strings.Join(lines[line+1:], "")
	}
	for name, c := range map[string]struct{ content, want string }{
		"nothing":             {"", "is no audit trail"},
		"another format":      {`{"format":"x"}`, `format "x"`},
		"an earlier version":  {`{"method":"asp","model":"lenet5","workers":3,"seed":0,"max_pushes":6,"max_updates":0,"events":[]}`, "format \"\", want"},
		"a later version":     {swap(0, `"version":2`, `"version":3`), "version 3, this program reads version 2"},
		"an unknown option":   {swap(0, `"Smin"`, `"Smen"`), `unknown field "Smen"`},
		"no workers":          {swap(0, `"workers":6`, `"workers":0`), "0 workers"},
		"too many images":     {swap(0, `"data":null`, `"data":{"name":"x","images":10000000000000,"sha256":""}`), "want at most 67108864"},
		"cut off":             {strings.Join(lines[:7], ""), "cut off after line 7"},
		"half a line":         {whole[:len(whole)-20], "line"},
		"two ends":            {whole + lines[len(lines)-2], "ended in the line before"},
		"an unknown event":    {swap(3, `"event":"push"`, `"event":"pull"`), `line 4: event "pull"`},
		"a push of no number": {swap(3, `"push":3,`, ``), "line 4: a push has a number"},
		"an unknown worker":   {swap(3, `"worker":0`, `"worker":6`), "line 4: worker 6 of 6"},
		"an unknown order":    {swap(3, `"order":"update"`, `"order":"undo"`), `line 4: order "undo"`},
	} {
		oktest.Nil(t, os.WriteFile(path, []byte(c.content), 0o644))
		if _, err := audit.Read(path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", name, err, c.want)
		}
	}
	if _, err := audit.Read(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there was read")
	}
}
