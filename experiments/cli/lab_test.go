package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/cli/lab"
)

func TestLabUsage(t *testing.T) {
	for command, want := range map[string]string{
		"lab star": `no lab "star": known is ring`, "lab ring --rates 5": "1 links, want 2 to 64", "lab ring --rates 5,0": "--rates 0: 1 to 100000",
		"lab ring --bytes 6": "multiple of 4", "lab ring --steps 0": "--steps 0", "lab ring --density 2": "--density 2", "lab ring more": "want flags only",
	} {
		if rc, out, msg := gradsync(fields(command)...); rc != exitUsage || out != "" || !strings.Contains(msg, want) || strings.Count(msg, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want %q", command, rc, msg, want)
		}
	}
}

// Where namespaces are permitted: both exchanges run, sums are right (each rank
// checks), times are of the links' order, and nothing is left, also of a lab that
// was interrupted. Where not, one line says why and the exit code is 0.
func TestLabRing(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("needs root and lays real networks, some 10 s: set GRADSYNC_LONG=1")
	}
	probe := lab.Probe(t.Context())
	t.Setenv(workerEnv, "1")
	command := "lab ring --rates 100,50 --bytes 262144 --steps 2 --quiet"
	var impossible *lab.Impossible
	if errors.As(probe, &impossible) {
		rc, out, msg := gradsync(fields(command)...)
		if rc != exitOK || msg != "" || out != "lab ring: skipped: "+impossible.Why+"\n" {
			t.Errorf("exit code %d, %q, %q", rc, out, msg)
		}
		t.Skip(impossible.Why)
	}
	rc, out, msg := gradsync(fields(command + " --json")...)
	var got struct{ Rows []lab.Row }
	if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitOK || len(got.Rows) < 2 {
		t.Fatalf("exit code %d, %v, %s\n%s", rc, err, msg, out)
	}
	for ; len(got.Rows) > 2; got.Rows = got.Rows[1:] { // trainings, which have compared their parameters
		if r := got.Rows[0]; !strings.HasPrefix(r.Exchange, "train ring") || len(r.ParamsSHA256) != 64 || r.Ratio < 0.5 || r.TCP < r.Body {
			t.Errorf("%+v", r)
		}
	}
	for i, r := range got.Rows {
		// 2 chunks of 128 KiB at 6.25 MB/s are 42 ms, of which the bucket may save its part; a busy machine takes longer.
		if r.Exchange != []string{"ring", "ringsparse"}[i] || !reflect.DeepEqual(r.Mbit, []int{100, 50}) || r.Real.Min < 0.9*(r.Virtual-0.01) || r.TCP < r.Body {
			t.Errorf("%+v", r)
		}
	}
	if v := got.Rows[0].Virtual; math.Abs(v/0.0421-1) > 0.02 {
		t.Errorf("virtual time %v s", v)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	var outs, errs strings.Builder
	if rc := run(ctx, fields("lab ring --rates 2,2 --steps 50"), &outs, &errs); rc != exitFailed ||
		!strings.Contains(errs.String(), "lab: interrupted; its namespaces are removed") {
		t.Errorf("interrupted: exit code %d, %q", rc, errs.String())
	}
	if left, _ := filepath.Glob("/run/netns/" + fmt.Sprint("gradsync-lab-", os.Getpid(), "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
