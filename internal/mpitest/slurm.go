package mpitest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gradsync/internal/oktest"
)

// configuration is of a Slurm of one node that trusts whoever asks: on this machine and for a test.
const configuration = `ClusterName=one
SlurmctldHost=%[1]s(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
SlurmctldLogFile=%[2]s/slurmctld.log
SlurmdLogFile=%[2]s/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
ReturnToService=2
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=%[1]s Default=YES State=UP
`

// slurm starts a Slurm of this one machine, for root and where it is installed, and returns its two ways to start ranks.
func slurm(t *testing.T) []Launcher {
	t.Helper()
	debian := installed()
	all := []Launcher{{Name: "srun-pmix"}, {Name: "srun-pmi2"}}
	for i := range all {
		l := &all[i]
		l.Family, l.count, l.missing = debian[i].Family, "-n", debian[i].missing
	}
	srun, err := exec.LookPath("srun")
	if _, no := exec.LookPath("slurmctld"); err != nil || no != nil || os.Getuid() != 0 {
		for i := range all {
			all[i].missing = "no Slurm: tests of srun want root and slurmctld, slurmd and srun (Debian: slurm-wlm)"
		}
		return all
	}
	dir, host := t.TempDir(), hostname(t)
	for _, sub := range []string{"state", "spool"} {
		oktest.Nil(t, os.Mkdir(filepath.Join(dir, sub), 0o700))
	}
	file := filepath.Join(dir, "slurm.conf")
	oktest.Nil(t, os.WriteFile(file, fmt.Appendf(nil, configuration, host, dir, port(t), port(t)), 0o600))
	env := "SLURM_CONF=" + file
	for _, daemon := range []string{"slurmctld", "slurmd"} {
		cmd := exec.Command(daemon, "-D", "-f", file)
		cmd.Env = append(os.Environ(), env)
		oktest.Nil(t, cmd.Start())
		t.Cleanup(func() {
			_ = cmd.Process.Signal(os.Interrupt)
			_ = cmd.Wait()
		})
	}
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		cmd := exec.Command(srun, "--immediate=5", "-n", "1", "true")
		cmd.Env = append(os.Environ(), env)
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("Slurm does not come up: %v: %s", err, out)
		}
	}
	for i := range all {
		l := &all[i]
		l.words, l.env = []string{srun, "--quiet", "--mpi=" + strings.TrimPrefix(l.Name, "srun-")}, []string{env}
	}
	return all
}

func hostname(t *testing.T) string {
	t.Helper()
	name := oktest.Must(os.Hostname())(t)
	short, _, _ := strings.Cut(name, ".")
	return short
}

// port returns a port that is free now.
func port(t *testing.T) int {
	t.Helper()
	l := oktest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
