//go:build linux

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gradsync/experiments/cli/launch"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
)

// longRing is a job that lasts until somebody ends it.
const longRing = "train --sync ring --model mlp --raw-pixels --updates 1000000 --eval-every -1 --quiet"

// forbearance is more time than a busy machine can need: what takes longer hangs. In jobs it is the time-out of ranks whose
// silence is not what a test is about.
const forbearance = 2 * time.Minute

// giving gives ranks so long to end after one has failed, and after being told to.
func giving(t *testing.T, long time.Duration) {
	t.Helper()
	words, breath := launch.LastWords, launch.LastBreath
	t.Cleanup(func() { launch.LastWords, launch.LastBreath = words, breath })
	launch.LastWords, launch.LastBreath = long, long
}

// await waits until something is so.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for late := time.Now().Add(forbearance); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("not so after %v: %s", forbearance, what)
		}
	}
}

// launching starts a job in this process and returns what it printed, once it has ended.
type launching struct {
	job         string
	rc          int
	out, errOut bytes.Buffer
	ended       chan struct{}
}

func launchJob(t *testing.T, ctx context.Context, line string) *launching {
	t.Helper()
	t.Setenv(workerEnv, "1") // this test's binary is the program that launch starts
	l := &launching{job: launch.NewJob(), ended: make(chan struct{})}
	before, after, _ := strings.Cut(line, " -- ")
	words := append(fields(before), "--job", l.job, "--")
	go func() {
		defer close(l.ended)
		l.rc = run(ctx, append(words, fields(after)...), &l.out, &l.errOut)
	}()
	t.Cleanup(func() {
		<-l.ended
		for rank, pid := range l.ranks() {
			t.Errorf("process %d of rank %d is left", pid, rank)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return l
}

// ranks returns the job's processes that run, found by their environment; a process that has ended has none.
func (l *launching) ranks() map[int]int {
	found := map[int]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		env, err := os.ReadFile(f)
		m, ok, _ := launch.Place(environment(strings.Split(string(env), "\x00")))
		if pid, bad := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil && ok && bad == nil && m.Job == l.job {
			found[m.Rank] = pid
		}
	}
	return found
}

// running waits until n ranks run longRing, which they do once each has written more than they say to meet. Of a job that
// has ended it returns none.
func (l *launching) running(t *testing.T, n int) (found map[int]int) {
	t.Helper()
	await(t, fmt.Sprintf("%d ranks run", n), func() bool {
		select {
		case <-l.ended:
			found = nil
			return true
		default:
		}
		found = l.ranks()
		for _, pid := range found {
			if written(pid) < 1<<24 {
				return false
			}
		}
		return len(found) == n
	})
	return found
}

// signal sends a signal to a rank that runs.
func (l *launching) signal(t *testing.T, found map[int]int, rank int, what syscall.Signal) {
	t.Helper()
	if found == nil {
		t.Fatalf("the job has ended: %s", l.errOut.String())
	}
	oktest.Nil(t, syscall.Kill(found[rank], what))
}

// written returns how many bytes a process has written, to sockets too.
func written(pid int) (n int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	_, after, _ := strings.Cut(string(text), "wchar: ")
	_, _ = fmt.Sscan(after, &n)
	return n
}

// lockedBuffer may be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func byShell(command string) (string, error) {
	said, err := exec.Command("sh", "-c", command).CombinedOutput()
	return string(said), err
}

// A job that does well: rank 0's object and nothing else on standard output.
func TestLaunchRuns(t *testing.T) {
	for _, np := range []int{1, 2, 3} {
		l := launchJob(t, t.Context(), fmt.Sprintf("launch --json --np %d --timeout 2m -- train --sync ring --model lenet5 --updates 3 --eval-every -1 --quiet", np))
		<-l.ended
		var got train.Outcome
		if err := json.Unmarshal(l.out.Bytes(), &got); err != nil || l.rc != exitOK || got.Workers != np || got.Updates != 3 || l.errOut.Len() > 0 {
			t.Fatalf("%d processes: exit code %d, %v, %s\n%s", np, l.rc, err, l.errOut.String(), l.out.String())
		}
		// Three updates of 2(N−1)K, K of LeNet-5.
		if want := int64(3 * 2 * (np - 1) * 4 * 61706); got.BytesSent != want || np > 1 && got.KernelBytes < want {
			t.Errorf("%d processes sent %d bytes, %d as the kernel counts; want %d", np, got.BytesSent, got.KernelBytes, want)
		}
	}
}

// A rank that is killed ends the job: the survivors, who need no time-out for it, name it and its address, launch names it
// too, and no process is left.
func TestLaunchKilledRank(t *testing.T) {
	oktest.Slow(t)
	giving(t, forbearance)
	for _, test := range []struct{ np, victim int }{{2, 1}, {3, 0}, {3, 2}} {
		l := launchJob(t, t.Context(), fmt.Sprintf("launch --np %d --timeout 1h -- %s", test.np, longRing))
		l.signal(t, l.running(t, test.np), test.victim, syscall.SIGKILL)
		<-l.ended
		msg := l.errOut.String()
		last := fmt.Sprintf("gradsync: launch: rank %d at 127.0.0.1 was lost: signal: killed\n", test.victim)
		if l.rc != exitFailed || !strings.HasSuffix(msg, last) || l.out.Len() > 0 {
			t.Errorf("%v: exit code %d, %q, want %q", test, l.rc, msg, last)
		}
		for rank := range test.np {
			want := fmt.Sprintf("[%d] gradsync: train: ring on heterogeneous6: cluster: rank %d (127.0.0.1:", rank, test.victim)
			if rank != test.victim && !strings.Contains(msg, want) {
				t.Errorf("%v: no line %q in\n%s", test, want, msg)
			}
		}
	}
}

// A rank that is stopped is silent: the other says so after the time-out, and it is killed, however long it is given to
// end. Where the machine holds up a rank for that long the job fails before: then again, with twice the time-out.
func TestLaunchStoppedRank(t *testing.T) {
	oktest.Slow(t)
	giving(t, time.Millisecond)
	for timeout := 2 * time.Second; ; timeout *= 2 {
		l := launchJob(t, t.Context(), fmt.Sprintf("launch --np 2 --timeout %v --join 2m -- %s", timeout, longRing))
		victim := l.running(t, 2)[1]
		stopped := victim > 0 && syscall.Kill(victim, syscall.SIGSTOP) == nil
		<-l.ended
		msg := l.errOut.String()
		if (!stopped || strings.Contains(msg, "[1] ")) && timeout < forbearance {
			continue
		}
		if l.rc != exitFailed || !strings.Contains(msg, "[0] gradsync: train: ring on heterogeneous6: cluster: rank 1 (127.0.0.1:") ||
			!strings.Contains(msg, "silent") || !strings.HasSuffix(msg, "gradsync: launch: rank 0 at 127.0.0.1 ended with exit code 1; "+
			"killed, as it did not end when told to: rank 1 at 127.0.0.1\n") {
			t.Errorf("exit code %d, %q", l.rc, msg)
		}
		return
	}
}

// An interrupted launch ends its ranks and says so.
func TestLaunchInterrupted(t *testing.T) {
	oktest.Slow(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := launchJob(t, ctx, "launch --np 3 --timeout 2m -- "+longRing)
	giving(t, forbearance)
	l.running(t, 3)
	cancel()
	<-l.ended
	if msg := l.errOut.String(); l.rc != exitFailed || !strings.HasSuffix(msg, "gradsync: launch: interrupted\n") {
		t.Errorf("exit code %d, %q", l.rc, msg)
	}
}

// A usage error of the ranks is launch's.
func TestLaunchUsageOfARank(t *testing.T) {
	l := launchJob(t, t.Context(), "launch --np 2 --timeout 2m -- train --sync ring --image 7")
	<-l.ended
	if l.rc != exitUsage || !strings.Contains(l.errOut.String(), "images of 7×7") {
		t.Errorf("exit code %d, %q", l.rc, l.errOut.String())
	}
}

// sshByShell puts a script in ssh's place that hands the command for 127.0.0.2 to a shell, as sed changes it.
func sshByShell(t *testing.T, change string) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\n[ \"$1 $2 $3\" = '-o BatchMode=yes 127.0.0.2' ] && exec sh -c \"$(printf %s \"$4\" | sed '" + change + "')\"\n"
	oktest.Nil(t, os.WriteFile(filepath.Join(dir, "ssh"), []byte(script), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// Two hosts, which are two addresses of this machine: the command that is printed
// for the second one starts its part; and so it does by way of ssh, for which
// stands a script that hands the command to a shell, as a remote one would.
func TestLaunchSeveralHosts(t *testing.T) {
	oktest.Slow(t)
	const line = "launch --hosts 127.0.0.1:2,127.0.0.2:1 --timeout 2m%s -- train --sync ring --json --quiet --updates 2 --eval-every -1"
	sshByShell(t, "")
	check := func(l *launching) {
		t.Helper()
		<-l.ended
		var got train.Outcome
		if err := json.Unmarshal(l.out.Bytes(), &got); err != nil || l.rc != exitOK || got.Workers != 3 {
			t.Errorf("exit code %d, %v, %s\n%s", l.rc, err, l.errOut.String(), l.out.String())
		}
	}
	address, err := launch.FreeAddress("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	check(launchJob(t, t.Context(), fmt.Sprintf(line, " --ssh --rendezvous "+address)))

	if address, err = launch.FreeAddress("127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	var errOut lockedBuffer
	l := &launching{job: launch.NewJob(), ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		before, after, _ := strings.Cut(fmt.Sprintf(line, " --join 2m --rendezvous "+address), " -- ")
		words := append(append(fields(before), "--job", l.job, "--"), fields(after)...)
		l.rc = run(t.Context(), words, &l.out, &errOut)
	}()
	await(t, "a command is printed", func() bool { return strings.Contains(errOut.String(), "\n") })
	host, command, ok := strings.Cut(strings.TrimSpace(errOut.String()), ": ")
	if !ok || host != "on 127.0.0.2" {
		t.Fatalf("%q", errOut.String())
	}
	if said, err := byShell(command); err != nil || said != "" { // rank 0 is on the other host
		t.Errorf("%v: %s", err, said)
	}
	check(l)
}
