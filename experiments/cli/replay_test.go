package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/internal/oktest"
)

// A recorded training checks; a change of one decision is named at its push; what is no record is said in one line.
// Each has its exit code.
func TestReplayChecks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.jsonl")
	if rc, _, msg := gradsync(fields("train --sync dasp --model lenet5 --timing-only --pushes 60 --quiet --record " + file)...); rc != exitOK {
		t.Fatal(msg)
	}
	rc, out, msg := gradsync("replay", "--check", file)
	for _, want := range []string{"equal", "dasp on virtual, 6 workers", " decisions", " updates", " answers", "Algorithms 1 and 2"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	if rc != exitOK || msg != "" {
		t.Errorf("exit code %d, %s", rc, msg)
	}
	raw := oktest.Must(os.ReadFile(file))(t)
	changed := strings.Replace(string(raw), `"state":"WSS","wait":`, `"state":"FSS","wait":`, 1)
	at := 1 + strings.Count(changed[:strings.Index(changed, `"state":"FSS","wait":`)], "\n")
	oktest.Nil(t, os.WriteFile(file, []byte(changed), 0o644))
	rc, out, _ = gradsync("replay", "--check", file, "--json")
	var got checked
	if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitDiffer || got.File != file || got.Pushes == 0 {
		t.Fatalf("exit code %d, %v: %s", rc, err, out)
	}
	if d := got.Difference; d == nil || d.Line != at || d.What != "the state" || d.Recorded != "FSS" || d.Rule != "WSS" {
		t.Errorf("line %d, state FSS: named as %v", at, got.Difference)
	}
	want := fmt.Sprintf("(line %d of the file): the state is recorded as FSS; by Algorithms 1 and 2 it is WSS", at)
	if rc, out, _ = gradsync("replay", "--check", file); rc != exitDiffer || !strings.Contains(out, want) {
		t.Errorf("exit code %d: %s", rc, out)
	}
	oktest.Nil(t, os.WriteFile(file, []byte(changed[:len(changed)/2]), 0o644))
	rc, out, msg = gradsync("replay", "--check", file)
	if rc != exitFailed || out != "" || strings.Count(msg, "\n") != 1 || !strings.Contains(msg, file) {
		t.Errorf("half a record: exit code %d, %q, %q", rc, out, msg)
	}
}
