package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/train"
	"gradsync/internal/mpitest"
	"gradsync/internal/oktest"
	"gradsync/shared/cluster/mpi"
)

// asMPIRank has the words of commands in a rank that a test started, with semicolons between them.
const asMPIRank = "GRADSYNC_CLI_MPI"

// TestAsMPIRank is one rank of the tests below.
func TestAsMPIRank(t *testing.T) {
	line := os.Getenv(asMPIRank)
	if line == "" {
		t.Skip("a rank of the other tests, which start it under a launcher")
	}
	code := exitOK
	for one := range strings.SplitSeq(line, ";") {
		if code = Main(fields(one), os.Stdout, os.Stderr); code != exitOK {
			break
		}
	}
	mpi.Exit(code)
}

// mpirun runs a command as ranks of a launcher.
func mpirun(t *testing.T, l mpitest.Launcher, ranks int, line string) (out, msg string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := l.Command(ctx, ranks, os.Args[0], "-test.run=^TestAsMPIRank$")
	cmd.Env = append(cmd.Env, asMPIRank+"="+line)
	var o, e strings.Builder
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil {
		if _, ok := err.(*exec.ExitError); !ok {
			t.Fatal(err)
		}
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// The methods whose order of summation is fixed end with the same bits on MPI as in virtual time.
func TestMPIGivesTheSameBits(t *testing.T) {
	oktest.Slow(t)
	const ranks = 3
	methods := []string{"--sync ring --workers 3", "--sync ringsparse --model mlp --workers 3", "--sync bsp --workers 2", "--sync cssgd --workers 3"}
	want, lines := make([]string, len(methods)), make([]string, len(methods))
	for i, words := range methods {
		rc, out, msg := gradsync(fields("train --updates 3 --json --quiet --runtime virtual " + words)...)
		var o train.Outcome
		if err := json.Unmarshal([]byte(out), &o); err != nil || rc != exitOK {
			t.Fatalf("%s: exit code %d, %v, %s", words, rc, err, msg)
		}
		want[i] = o.ParamsSHA256
		lines[i] = "train --updates 3 --json --runtime " + []string{"mpi ", "auto "}[i%2] + words
	}
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		out, msg, rc := mpirun(t, l, ranks, strings.Join(lines, ";"))
		d := json.NewDecoder(strings.NewReader(out))
		for i, words := range methods {
			var o train.Outcome
			if err := d.Decode(&o); err != nil || rc != exitOK || o.ParamsSHA256 != want[i] || o.Runtime != "mpi" {
				t.Fatalf("%s: exit code %d, %v, parameters %s, want %s\n%s%s", words, rc, err, o.ParamsSHA256, want[i], out, msg)
			}
		}
		if said := fmt.Sprintf(" %d ranks, GOMAXPROCS ", ranks); strings.Count(msg, "mpi: "+l.Family) != len(methods) || !strings.Contains(msg, said) {
			t.Errorf("nobody or everybody says what MPI it is: %s", msg)
		}
	})
}

// The job for Slurm trains, with either library.
func TestSlurmJob(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("starts a Slurm: set GRADSYNC_LONG=1")
	}
	job := oktest.Must(filepath.Abs("../../shared/cluster/mpi/jobs/slurm.sbatch"))(t)
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		kind, ok := strings.CutPrefix(l.Name, "srun-")
		if !ok {
			t.Skip("a job of Slurm starts its ranks by srun: TestMPIGivesTheSameBits has " + l.Name)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		out := filepath.Join(t.TempDir(), "out")
		cmd := exec.CommandContext(ctx, "sbatch", "--wait", "--ntasks", "2", "--output", out+".json", "--error", out+".log", job,
			"--sync", "ring", "--workers", "2", "--updates", "3")
		cmd.Env = append(l.Environment(), "MPI_TYPE="+kind, "GRADSYNC="+os.Args[0], workerEnv+"=1")
		said, err := cmd.CombinedOutput()
		text, _ := os.ReadFile(out + ".json")
		log, _ := os.ReadFile(out + ".log")
		var o train.Outcome
		if wrong := json.Unmarshal(text, &o); err != nil || wrong != nil || o.Runtime != "mpi" || o.Updates != 3 || !strings.Contains(string(log), "mpi: "+l.Family) {
			t.Errorf("%v, %v: %s%s%s", err, wrong, said, text, log)
		}
	})
}

// Another number of processes than ranks, a process of a launcher that would train alone, and a library that is not
// there end with one line that says what to do.
func TestMPIRefuses(t *testing.T) {
	oktest.Slow(t)
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		cases := []struct {
			line, want string
			ranks      int
		}{
			{"train --sync ring --workers 2 --runtime mpi", "train: ring with --workers 2: MPI has 3 processes, the run 2 ranks", 3},
			{"train --sync ring --workers 2", "started this process as one of several, and each would train alone: give --runtime mpi, or --runtime virtual if", 2},
			{"train --sync ring --workers 2 --runtime mpi --mpi-lib libnone.so", "mpi: no MPI library: tried libnone.so (Debian: openmpi-bin or mpich", 2},
		}
		if os.Getenv("GRADSYNC_LONG") == "" {
			cases = cases[:1] // the others are refused before MPI begins
		}
		for _, x := range cases {
			if out, msg, rc := mpirun(t, l, x.ranks, x.line); rc == exitOK || !strings.Contains(msg, x.want) {
				t.Errorf("%s: exit code %d, %s%s, want %q", x.line, rc, out, msg, x.want)
			}
		}
	})
}

// A process of a launcher trains with the others or not at all, and no library is named in vain.
func TestMPIOfALauncher(t *testing.T) {
	t.Setenv("OMPI_COMM_WORLD_RANK", "0")
	for line, want := range map[string]string{
		"":                             "Open MPI's mpirun started this process as one of several, and each would train alone: give --runtime mpi, or",
		" --runtime mpi --certs c":     "--certs is for --runtime tcp, not for mpi",
		" --runtime auto --certs c":    "--certs is for --runtime tcp, not for mpi",
		" --runtime mpi --insecure":    "--insecure is for --runtime tcp, not for mpi",
		" --runtime local --mpi-lib x": "--mpi-lib is for --runtime mpi, not for local",
	} {
		if rc, out, msg := gradsync(fields("train --sync ring --workers 2" + line)...); rc != exitUsage || !strings.Contains(msg, want) {
			t.Errorf("%q: exit code %d, %s%s, want %q", line, rc, out, msg, want)
		}
	}
	rc, _, msg := gradsync(fields("train --sync ring --workers 2 --updates 1 --quiet --runtime virtual")...)
	if rc != exitOK {
		t.Errorf("--runtime virtual is meant: exit code %d, %s", rc, msg)
	}
}
