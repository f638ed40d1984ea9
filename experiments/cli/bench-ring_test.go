package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"gradsync/experiments/bench"
)

// The ring between real processes beside its limits: positive numbers in every
// row; without Open MPI a note says so, with it the ratios are there.
func TestBenchRing(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("compiles and starts Open MPI: set GRADSYNC_LONG=1")
	}
	rc, out, msg := gradsync(fields("bench ring --sizes 4KiB,64KiB --np 2,3 --rounds 2 --seconds 0.01 --quiet --json")...)
	var got struct {
		Rows  []bench.RingRow
		Facts []string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitOK || len(got.Rows) != 4 || msg != "" {
		t.Fatalf("exit code %d, %v, %s\n%s", rc, err, msg, out)
	}
	for i, r := range got.Rows {
		if r.Ranks != 2+i/2 || r.Bytes != []int{4096, 65536}[i%2] || r.Rounds != 2 {
			t.Errorf("%+v", r)
		}
		for _, name := range []string{bench.OurRing, bench.Stream, bench.Copy} {
			if s := r.Bandwidth[name]; !(s.Min > 0 && s.Min <= s.Median && s.Median <= s.Max && s.Max < 1e13) {
				t.Errorf("%s: %+v", name, s)
			}
		}
		_, there := r.Bandwidth[bench.MPIReduce]
		if there != (r.Ratio != nil) || there == strings.Contains(bench.RingText(got.Rows), "no Open MPI") {
			t.Errorf("Open MPI is there: %v; %+v", there, r)
		}
	}
	if facts := strings.Join(got.Facts, "\n"); !strings.Contains(facts, "gradsync: 1 connections per peer, GOMAXPROCS ") {
		t.Errorf("facts %q", facts)
	}
}

// Where Open MPI is not on PATH, a row says so plainly.
func TestBenchRingWithoutOpenMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	t.Setenv("PATH", t.TempDir())
	rc, out, msg := gradsync(fields("bench ring --sizes 4KiB --np 2 --rounds 1 --seconds 0.01 --tls --quiet")...)
	if rc != exitOK || strings.Count(out, "absent") != 3 || !strings.Contains(out, "\n2 processes, 4 KiB, with TLS 1.3: ") ||
		!strings.Contains(out, "\nopenmpi-allreduce: no Open MPI: no mpicc here (Debian: openmpi-bin libopenmpi-dev)\n") ||
		!strings.Contains(out, "\nmpich-allreduce: no MPICH: no mpicc here (Debian: mpich libmpich-dev)\n") || !strings.Contains(out, "\nLoad average ") {
		t.Errorf("exit code %d, %s\n%s", rc, msg, out)
	}
}

func TestBenchRingUsage(t *testing.T) {
	for command, want := range map[string]string{
		"--sizes 5": "--sizes 5: want a multiple of 64 bytes", "--sizes 1XiB": "multiple of 64", "--np 1": "--np 1: 2 to 64", "--rounds 0": "--rounds 0",
		"--segment -1": "--segment -1", "--short -1": "--short -1", "--sizes 9007199254740992KiB": "multiple of 64", "more": "want flags only",
	} {
		if rc, _, msg := gradsync(fields("bench ring " + command)...); rc != exitUsage || !strings.Contains(msg, want) || strings.Count(msg, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want %q", command, rc, msg, want)
		}
	}
	if rc, _, msg := gradsync("bench", "ring-worker"); rc != exitUsage || !strings.Contains(msg, "no rank of a job") {
		t.Errorf("exit code %d, %q", rc, msg)
	}
	if bench.MachineMemory() > 0 {
		if rc, _, msg := gradsync("bench", "ring", "--np", "64", "--sizes", "1000GiB"); rc != exitUsage || !strings.Contains(msg, "this machine has ") {
			t.Errorf("exit code %d, %q", rc, msg)
		}
	}
}

// Our ring over Open MPI beside three others, as ratios; without a compiler of MPI it says what is missing.
func TestBenchRingOnMPI(t *testing.T) {
	for line, want := range map[string]string{
		"bench ring --runtime pvm": "--runtime pvm: want tcp or mpi", "bench ring --runtime mpi --profile 1": "--profile is for --runtime tcp",
	} {
		if rc, _, msg := gradsync(fields(line)...); rc != exitUsage || !strings.Contains(msg, want) {
			t.Errorf("%s: exit code %d, %s", line, rc, msg)
		}
	}
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("compiles and starts Open MPI: set GRADSYNC_LONG=1")
	}
	rc, out, msg := gradsync(fields("bench ring --runtime mpi --sizes 4KiB,64KiB --np 2 --rounds 3 --seconds 0.01 --quiet --json")...)
	if rc == exitFailed && strings.Contains(msg, "no Open MPI: no mpicc here (Debian: openmpi-bin libopenmpi-dev)") {
		t.Skip(msg)
	}
	var got struct {
		Rows  []bench.OnMPIRow
		Facts []string
		Load  string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitOK || len(got.Rows) != 2 {
		t.Fatalf("exit code %d, %v, %s\n%s", rc, err, msg, out)
	}
	share := bench.RingThreads(2) // of either ring, and MPI's thread
	for _, want := range []string{fmt.Sprintf(", GOMAXPROCS %d a rank", share+1), fmt.Sprintf("gradsync: 1 connections per peer, GOMAXPROCS %d a rank", share)} {
		if facts := strings.Join(got.Facts, "\n"); !strings.Contains(facts, want) || !strings.Contains(got.Load, "Load average ") {
			t.Errorf("facts %q, load %q, want %q", facts, got.Load, want)
		}
	}
	for _, r := range got.Rows {
		if r.Rounds != 3 || len(r.Bandwidth) != 4 || r.TCP == nil || r.Ring == nil || r.AllReduce == nil || !(r.Ring.Median > 0) {
			t.Errorf("%+v", r)
		}
		t.Logf("%s: %.2f × over TCP, %.2f × the ring in C", bench.SizeText(r.Bytes), r.TCP.Median, r.Ring.Median)
	}
}
