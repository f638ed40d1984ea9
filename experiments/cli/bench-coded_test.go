package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"gradsync/experiments/bench"
)

// Two sizes, all steps: positive numbers in every row, the ratio of each to copy().
func TestBenchCoded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	rc, out, msg := gradsync(fields("bench coded --sizes 64KiB --rounds 2 --seconds 0.001 --quiet --json")...)
	var got struct {
		Peer  string
		Cases []struct {
			Bytes   int
			Engines []struct {
				Engine string
				In     float64 `json:"gb_per_second"`
				Out    float64 `json:"produced_gb_per_second"`
				Ratio  *struct{ Min, Median, Max float64 }
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitOK || msg != "" || got.Peer != bench.Copy || len(got.Cases) != 1 {
		t.Fatalf("exit code %d, %v, %s\n%s", rc, err, msg, out)
	}
	for _, c := range got.Cases {
		if c.Bytes != 64<<10 || len(c.Engines) != len(bench.CodedKernels()) {
			t.Errorf("%+v", c)
		}
		for _, e := range c.Engines {
			if !(e.In > 0 && e.In < 1e4 && e.Out > 0) || (e.Ratio == nil) != (e.Engine == bench.Copy) {
				t.Errorf("%+v", e)
			}
			if r := e.Ratio; r != nil && !(0 < r.Min && r.Min <= r.Median && r.Median <= r.Max) {
				t.Errorf("%s: %+v", e.Engine, r)
			}
		}
	}
	rc, out, _ = gradsync(fields("bench coded --sizes 64KiB --rounds 1 --seconds 0.001 --engine copy,decode-2")...)
	if rc != exitOK || !strings.HasPrefix(out, "64 KiB of a layer, coded\ncopy ") || strings.Count(out, "\n") != 3 || !strings.Contains(out, "GB/s out") {
		t.Errorf("exit code %d\n%s", rc, out)
	}
}

func TestBenchCodedUsage(t *testing.T) {
	for command, want := range map[string]string{
		"--sizes 5": "--sizes 5: want a multiple of 64 bytes", "--engine encode-4": "known are copy, encode-2", "--rounds 0": "--rounds 0", "more": "want flags only",
	} {
		if rc, _, msg := gradsync(fields("bench coded " + command)...); rc != exitUsage || !strings.Contains(msg, want) || strings.Count(msg, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want %q", command, rc, msg, want)
		}
	}
	if bench.MachineMemory() > 0 {
		if rc, _, msg := gradsync("bench", "coded", "--sizes", "100000GiB"); rc != exitUsage || !strings.Contains(msg, "this machine has ") {
			t.Errorf("exit code %d, %q", rc, msg)
		}
	}
}
