//go:build linux

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"gradsync/experiments/train"
	"gradsync/internal/oktest"
)

// Trainings in processes that launch started give the bits of virtual time; the last
// process is the server where there is one.
func TestLaunchedTrainingsHaveTheBitsOfVirtualTime(t *testing.T) {
	oktest.Slow(t)
	for sync, np := range map[string]int{"ring": 3, "naive": 3, "ringsparse": 3, "bsp": 4} {
		flags := fmt.Sprintf("train --sync %s --workers 3 --updates 3 --data synthetic --engine portable --batch 4 --eval-every -1", sync)
		var out, errOut bytes.Buffer
		if rc := run(t.Context(), append(fields(flags), "--json"), &out, &errOut); rc != exitOK {
			t.Fatalf("%s: exit %d: %s", flags, rc, errOut.String())
		}
		var want, got train.Outcome
		oktest.Nil(t, json.Unmarshal(out.Bytes(), &want))
		l := launchJob(t, t.Context(), fmt.Sprintf("launch --json --np %d --timeout 2m -- %s", np, flags))
		<-l.ended
		if err := json.Unmarshal(l.out.Bytes(), &got); err != nil || l.rc != exitOK {
			t.Fatalf("%s: exit %d, %v: %s%s", sync, l.rc, err, l.out.String(), l.errOut.String())
		}
		if got.ParamsSHA256 != want.ParamsSHA256 || got.Runtime != "tcp" || got.Updates != 3 || sync != "ringsparse" && got.BytesSent != want.BytesSent {
			t.Errorf("%s: %s to %.12s in %d bytes, in virtual time %.12s in %d", sync, got.Runtime, got.ParamsSHA256, got.BytesSent, want.ParamsSHA256, want.BytesSent)
		}
	}
}

// A training in processes that launch started leaves one audit trail, and it checks.
func TestLaunchedTrainingsLeaveATrail(t *testing.T) {
	oktest.Slow(t)
	file := filepath.Join(t.TempDir(), "run.jsonl")
	const flags = "train --sync dasp --workers 3 --pushes 30 --data synthetic --engine portable --batch 2 --eval-every -1 --record "
	l := launchJob(t, t.Context(), "launch --json --np 4 --timeout 2m -- "+flags+file)
	if <-l.ended; l.rc != exitOK {
		t.Fatalf("exit %d: %s%s", l.rc, l.out.String(), l.errOut.String())
	}
	rc, out, msg := gradsync("replay", "--check", file, "--json")
	var got checked
	err := json.Unmarshal([]byte(out), &got)
	if err != nil || rc != exitOK || got.Runtime != "tcp" || got.Pushes < 30 || got.Batches != got.Pushes || got.Decisions != got.Pushes {
		t.Errorf("exit %d, %v: %s%s", rc, err, out, msg)
	}
}
