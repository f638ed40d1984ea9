//go:build linux

package cli

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/shared/gpu"
	fakegpu "gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
)

// withNCCL lets fake devices with a fake NCCL be this machine's, and its processes'.
func withNCCL(t *testing.T, devices string) (cuda, nccl *fakegpu.Library) {
	t.Helper()
	t.Setenv("FAKE_CUDA_DEVICES", devices)
	l := faketest.Machine(t, fakegpu.Options{})
	built, err := fakegpu.BuildNCCL()
	if err == nil {
		nccl, err = l.NCCL(built)
	}
	oktest.Nil(t, err)
	t.Setenv(gpu.EnvLibraries, filepath.Dir(l.Path))
	return l, nccl
}

// summed is a training of a moment by two ranks.
const summed = "train --sync naive --model mlp --width 0.0625 --classes 3 --workers 2 --updates 3 --batch 2 --data synthetic --eval-every -1 "

// trained returns a training's outcome and what it said.
func trained(t *testing.T, line string) (o train.Outcome, said string) {
	t.Helper()
	rc, out, msg := gradsync(append(fields(line), "--json")...)
	if err := json.Unmarshal([]byte(out), &o); rc != exitOK || err != nil {
		t.Fatalf("%s: exit %d, %v: %s", line, rc, err, msg)
	}
	return o, msg
}

// TestCollective: ranks in one process and in several sum on a device each, say so, and end with
// the same bits, which are messages' but for roundings; all is given back.
func TestCollective(t *testing.T) {
	oktest.Slow(t)
	cuda, nccl := withNCCL(t, "2")
	own, _ := trained(t, summed+"--runtime local --device cuda --collective own")
	sums, said := trained(t, summed+"--runtime local --collective engine")
	const line = "gpu: fake GPU on the CPU, 8 GiB, compute capability 9.0, CUDA 12.9, NCCL 2.28.3; engine cuda on 2 devices, one for each rank\n"
	if !strings.Contains(said, line) || sums.Collective != "NCCL 2.28.3" || sums.Engine != "cuda (bit class cuda/nccl 2.28.3)" {
		t.Errorf("%s on %s: %s", sums.Collective, sums.Engine, said)
	}
	for _, l := range []*fakegpu.Library{cuda, nccl} {
		if n, err := l.Count("open"); n != 0 || err != nil {
			t.Errorf("%d things were not given back, %v", n, err)
		}
	}
	l := launchJob(t, t.Context(), "launch --json --np 2 --timeout 2m -- "+summed+"--collective engine")
	<-l.ended
	var tcp train.Outcome
	if err := json.Unmarshal(l.out.Bytes(), &tcp); err != nil || l.rc != exitOK {
		t.Fatalf("exit %d, %v: %s%s", l.rc, err, l.out.String(), l.errOut.String())
	}
	if tcp.Runtime != "tcp" || tcp.Engine != sums.Engine || tcp.Collective != sums.Collective || tcp.ParamsSHA256 != sums.ParamsSHA256 ||
		tcp.BytesSent != sums.BytesSent || tcp.Updates != 3 {
		t.Errorf("%s by %s on %s to %.12s in %d bytes, in one process to %.12s in %d", tcp.Runtime, tcp.Collective, tcp.Engine, tcp.ParamsSHA256, tcp.BytesSent,
			sums.ParamsSHA256, sums.BytesSent)
	}
	if own.TestAccuracy == nil || sums.TestAccuracy == nil || !(math.Abs(*own.TestAccuracy-*sums.TestAccuracy) < 0.01) || own.Collective != "" {
		t.Errorf("with messages %+v, without %+v", own.TestAccuracy, sums.TestAccuracy)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(cuda.Path), "nccl-*")); len(left) > 0 || err != nil {
		t.Errorf("%q are left, %v", left, err)
	}
}

// TestCollectiveRefused: what this machine's devices cannot is one line, before anything is computed.
func TestCollectiveRefused(t *testing.T) {
	oktest.Slow(t)
	const engine = summed + "--collective engine --json "
	refused := func(line, says string) {
		t.Helper()
		if got, _, msg := gradsync(fields(line)...); got != exitFailed || !strings.Contains(msg, says) || strings.Count(msg, "\n") != 1 {
			t.Errorf("%s: exit %d, want %s: %s", line, got, says, msg)
		}
	}
	withNCCL(t, "1")
	refused(engine+"--runtime local", "sums over devices need one for each rank: 2 ranks, 1 device")
	l := launchJob(t, t.Context(), "launch --json --np 2 --timeout 2m -- "+summed+"--collective engine")
	if <-l.ended; l.rc != exitFailed || !strings.Contains(l.errOut.String(), "ncclCommInitRank: a result of the fake NCCL") ||
		!strings.Contains(l.errOut.String(), "each rank needs a device of its own") {
		t.Errorf("two processes on one device: exit %d: %s", l.rc, l.errOut.String())
	}
	t.Setenv(gpu.EnvLibraries, "none")
	refused(engine+"--runtime local --workers 1", "gpu: NCCL: none (GRADSYNC_CUDA_LIBS=none)")
}
