package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/cli/lab"
)

// Where namespaces are permitted every method trains, the same in virtual time where order decides, times are of the
// links' order, and nothing is left, also of a lab that was interrupted. Where not, one line says why and the exit code
// is 0.
func TestLab(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("needs root and lays real networks, some 20 s: set GRADSYNC_LONG=1")
	}
	t.Setenv(workerEnv, "1")
	rc, out, msg := gradsync(fields("lab --sync ring,bsp,dasp --rates 100,50,50 --json")...)
	var got struct {
		Skipped string
		Rows    []lab.Row
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitOK {
		t.Fatalf("exit code %d, %v, %s\n%s", rc, err, msg, out)
	}
	if got.Skipped != "" {
		t.Skip(got.Skipped)
	}
	for i, r := range got.Rows {
		// A busy machine takes longer; a bucket of each link passes 10 ms at once, of an update's 300 and more.
		if r.Method != []string{"ring", "bsp", "dasp"}[i] || !reflect.DeepEqual(r.Mbit, []int{100, 50, 50}) || len(r.SHA256) != 64 ||
			r.Ratio < 0.5 || r.Virtual < 0.1 || r.TCP < r.Body || r.Body < 2_678_824 {
			t.Errorf("%+v", r)
		}
	}
	if len(got.Rows) != 3 {
		t.Errorf("%d rows", len(got.Rows))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	var outs, errs strings.Builder
	if rc := run(ctx, fields("lab --rates 2,2"), &outs, &errs); rc != exitFailed ||
		!strings.Contains(errs.String(), "lab: interrupted; its namespaces are removed") {
		t.Errorf("interrupted: exit code %d, %q", rc, errs.String())
	}
	if left, _ := filepath.Glob("/run/netns/" + fmt.Sprint("gradsync-lab-", os.Getpid(), "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
