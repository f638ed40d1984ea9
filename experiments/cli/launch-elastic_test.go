//go:build linux

package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gradsync/experiments/cli/launch"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/shared/cluster"
)

// killing is a training of an elastic job and how many of its processes are killed.
type killing struct {
	sync  string
	np    int
	flags string
	kills int
	bits  bool // it ends with the parameters of the run that loses nobody
	ends  bool // the last kill ends it
}

const killedFlags = " --model mlp --width 0.125 --data synthetic --engine portable --batch 4 --eval-every -1 "

var killings = []killing{
	{sync: "bsp", np: 4, flags: "--updates 600", kills: 1},
	{sync: "ssp", np: 4, flags: "--updates 1500", kills: 1},
	{sync: "dasp", np: 4, flags: "--updates 1500", kills: 1},
	{sync: "ring", np: 4, flags: "--momentum 0.9 --updates 400", kills: 1},
	{sync: "ringsparse", np: 4, flags: "--updates 150", kills: 1},
	{sync: "cssgd", np: 5, flags: "--redundancy 3 --updates 60", kills: 1, bits: true},
	{sync: "cssgd", np: 5, flags: "--redundancy 3 --updates 60", kills: 2, bits: true},
	{sync: "cssgd", np: 5, flags: "--redundancy 3 --updates 60", kills: 3, ends: true},
}

// patience is the time-out of the killed jobs. A killed process ends its connections, so nobody waits for it so long,
// nor for anybody who waits for it; half of it is far above what any machine takes.
const patience = 4 * time.Minute

// killed is how an elastic job ended.
type killed struct {
	rc   int
	out  train.Outcome
	said string
	took time.Duration      // from when all ranks had met
	lost [][2]time.Duration // when ranks were, and how long the run was; 0: it failed
	wait time.Duration      // the longest of a survivor that ended after the first kill; 0: the run failed
}

// blow is a kill: of a rank, so long after all ranks have met.
type blow struct {
	rank  int
	after time.Duration
}

// run launches the job and strikes the blows, in order of time.
func (k killing) run(t *testing.T, blows []blow) (e killed) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace")
	e = k.runOn(t, "", func(pids map[int]int) {
		begin := time.Now()
		for _, b := range blows {
			time.Sleep(time.Until(begin.Add(b.after)))
			if pid := pids[b.rank]; pid > 0 { // else it has ended
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}, "--trace", path)
	if e.rc == exitOK && len(blows) > 0 {
		e.wait = longestWait(t, path, blows[0].after)
	}
	return e
}

// longestWait returns the longest wait in a Chrome trace that ended after an instant.
func longestWait(t *testing.T, path string, after time.Duration) (longest time.Duration) {
	t.Helper()
	var trace struct {
		TraceEvents []struct {
			Cat     string
			Ts, Dur float64 // µs
		}
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &trace)
	}
	oktest.Nil(t, err)
	for _, s := range trace.TraceEvents {
		if took := time.Duration(1000 * s.Dur); s.Cat == "wait" && time.Duration(1000*s.Ts)+took > after {
			longest = max(longest, took)
		}
	}
	return longest
}

// runOn launches the job on hosts and calls strike once all ranks have met; its training gets more flags.
func (k killing) runOn(t *testing.T, hosts string, strike func(pids map[int]int), more ...string) (e killed) {
	t.Helper()
	t.Setenv(workerEnv, "1")
	l := &launching{job: launch.NewJob()}
	words := append(fields(fmt.Sprintf("launch --elastic --json --np %d --oversubscribe --timeout %v --job %s %s "+
		"-- train --sync %s%s%s", k.np, patience, l.job, hosts, k.sync, killedFlags, k.flags)), more...)
	var out bytes.Buffer
	var errOut lockedBuffer
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.rc = run(t.Context(), words, &out, &errOut)
	}()
	await(t, "all ranks have met", func() bool { return strings.Contains(errOut.String(), "all ranks have met") })
	begin := time.Now()
	strike(l.ranks())
	<-ended
	e.took, e.said = time.Since(begin), errOut.String()
	for rank, pid := range l.ranks() {
		t.Errorf("process %d of rank %d is left", pid, rank)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err := json.Unmarshal(out.Bytes(), &e.out); err != nil && e.rc == exitOK {
		t.Errorf("%v: %s", err, out.String())
	}
	for _, m := range lastLine.FindAllStringSubmatch(e.said, -1) {
		at, _ := time.ParseDuration(m[2])
		all, _ := time.ParseDuration(m[3])
		e.lost = append(e.lost, [2]time.Duration{at, all})
	}
	return e
}

// lastLine finds what launch says of a loss at the end; without a length the run failed.
var lastLine = regexp.MustCompile(`(?m)^gradsync: launch: rank (\d+) at 127\.0\.0\.1 was lost after ([0-9.ms]+)(?: of ([0-9.ms]+))?: signal: killed$`)

// afterEnd finds what launch says of a process that was killed once the run had ended, and had not yet itself.
var afterEnd = regexp.MustCompile(`(?m)^gradsync: launch: rank (\d+) at 127\.0\.0\.1 was lost: signal: killed, after the run had ended: `)

// check says what is wrong with how a job ended that some ranks were killed in, and whether the training was over before
// the last of them was: then its process had ended, or had nothing left that others needed.
func (k killing) check(e killed, whole train.Outcome, ranks []int) (wrong string, over bool) {
	slices.Sort(ranks)
	killed := func(rank string) bool {
		return slices.ContainsFunc(ranks, func(r int) bool { return rank == fmt.Sprint(r) })
	}
	if m := afterEnd.FindStringSubmatch(e.said); m != nil && e.rc == exitFailed && killed(m[1]) {
		return "", true
	}
	lost := slices.Sorted(slices.Values(e.out.Lost))
	if (len(lost) < len(ranks) || k.ends) && e.rc == exitOK && !slices.ContainsFunc(lost, func(rank int) bool { return !slices.Contains(ranks, rank) }) {
		ranks, over, k.ends, k.bits = lost, true, false, k.bits || k.ends
	}
	return k.judge(e, whole, lost, ranks), over
}

// TestALateBlowIsNoVerdict: a process that is killed when the run has ended is one of the blows, or it is wrong.
func TestALateBlowIsNoVerdict(t *testing.T) {
	e := killed{rc: exitFailed, said: "x\ngradsync: launch: rank 1 at 127.0.0.1 was lost: signal: killed, after the run had ended: what it had\n"}
	for _, c := range []struct {
		ranks []int
		over  bool
	}{{[]int{3, 1}, true}, {[]int{3, 2}, false}} {
		if wrong, over := (killing{}).check(e, train.Outcome{}, c.ranks); over != c.over || (wrong == "") != c.over {
			t.Errorf("ranks %v were killed: %q, %v", c.ranks, wrong, over)
		}
	}
}

func (k killing) judge(e killed, whole train.Outcome, lost, ranks []int) string {
	switch {
	case k.ends:
		want := regexp.MustCompile(`(?m)^gradsync: launch: .*block \d+ is lost with all nodes that compute it, ` + regexp.QuoteMeta(fmt.Sprint(ranks)))
		if e.rc != exitFailed || e.out.Updates > 0 || !want.MatchString(e.said) {
			return fmt.Sprintf("exit code %d, want the block of %v to be lost", e.rc, ranks)
		}
	case e.rc != exitOK:
		return fmt.Sprint("exit code ", e.rc)
	case !slices.Equal(lost, ranks) || e.out.Updates != whole.Updates:
		return fmt.Sprintf("lost %v, %d updates; want %v and %d", lost, e.out.Updates, ranks, whole.Updates)
	case k.bits && e.out.ParamsSHA256 != whole.ParamsSHA256:
		return fmt.Sprintf("parameters %.12s, of the undisturbed run %.12s", e.out.ParamsSHA256, whole.ParamsSHA256)
	}
	return ""
}

// undisturbed is the run that nobody is killed in.
func (k killing) undisturbed(t *testing.T) killed {
	t.Helper()
	e := k.run(t, nil)
	if e.rc != exitOK || e.out.Lost != nil {
		t.Fatalf("undisturbed: exit code %d, lost %v: %s", e.rc, e.out.Lost, e.said)
	}
	return e
}

// early is the share of the undisturbed run's time in which the blows of as many are struck: with fewer processes the
// rest goes faster.
var early = [4]float64{0, 0.8, 0.6, 0.5}

// TestKilled: kill −9 at seeded moments, of which the i-th run has one in the i-th part of the time and the others
// anywhere, of any rank but a server. Server methods make all updates; rings end on the others, which all have one sha256 or the first of them
// refuses; cssgd with r = 3 has the bits of the undisturbed run after one kill and after two, and a third is refused by
// the name of the block. No survivor waits for half the time-out. With GRADSYNC_LONG each 28 times,
// which are 308 kills, else cssgd once.
func TestKilled(t *testing.T) {
	oktest.Slow(t)
	times, all := 28, killings
	if os.Getenv("GRADSYNC_LONG") == "" {
		times, all = 1, []killing{{sync: "cssgd", np: 4, flags: "--redundancy 3 --updates 40", kills: 2, bits: true}}
	}
	for _, k := range all {
		t.Run(fmt.Sprintf("%s-%d", k.sync, k.kills), func(t *testing.T) {
			whole := k.undisturbed(t)
			r := cluster.Stream(23, k.kills, k.sync, "kills")
			var tenths [10]int
			good, late, longest, hurry := 0, 0, time.Duration(0), 1.0
			for i := 0; i < times; {
				ranks := r.Perm(k.np)
				if k.sync == "bsp" || k.sync == "ssp" || k.sync == "dasp" {
					ranks = slices.DeleteFunc(ranks, func(rank int) bool { return rank == 0 })
				}
				ranks = ranks[:k.kills]
				var blows []blow
				for j, rank := range ranks { // one of them in the i-th part of the time, the others anywhere
					share := r.Float64()
					if j == 0 {
						share = (float64(i) + share) / float64(times)
					}
					blows = append(blows, blow{rank, time.Duration(early[k.kills] * hurry * share * float64(whole.took))})
				}
				slices.SortFunc(blows, func(a, b blow) int { return int(a.after - b.after) })
				e := k.run(t, blows)
				wrong, over := k.check(e, whole.out, ranks)
				if longest = max(longest, e.wait); max(e.wait, e.took-whole.took) > patience/2 {
					t.Errorf("%d: blows %v: took %v, undisturbed %v, with a wait of %v; the time-out is %v",
						i, blows, e.took, whole.took, e.wait, patience)
				}
				if over && wrong == "" { // the machine is faster than it was: strike sooner, in the end at once
					if late++; late > max(times, 20) {
						t.Errorf("%d runs ended before their last blow", late)
						break
					}
					hurry /= 2
					continue
				}
				i, hurry = i+1, 1
				if wrong != "" {
					t.Errorf("%d: blows %v: %s\n%s", i, blows, wrong, e.said)
					continue
				}
				good++
				for _, l := range e.lost {
					share := float64(l[0]) / float64(cmp.Or(l[1], whole.took))
					tenths[min(int(10*share), 9)]++
				}
			}
			if longest == 0 && !k.ends {
				t.Error("no trace has a wait after the first blow")
			}
			t.Logf("%d of %d good, of %d kills each; %d more ended before the last blow; losses by tenths of the run: %v; "+
				"undisturbed %.2f s; longest wait of a survivor after a kill %.3f s, time-out %v",
				good, times, k.kills, late, tenths, whole.took.Seconds(), longest.Seconds(), patience)
		})
	}
}

// TestAHostIsLost: of two hosts, which are two addresses of this machine, the second dies with its launch and all its
// processes. The ring goes on on the first, whose last lines say so. Each host has the certificates that launch's line
// copies there, and no others: the first's launch has the rendezvous's, the second's shows one of its ranks'.
// With GRADSYNC_LONG in the clear, too.
func TestAHostIsLost(t *testing.T) {
	oktest.Slow(t)
	here, there := filepath.Join(t.TempDir(), "here"), filepath.Join(t.TempDir(), "there")
	if rc, _, msg := gradsync("certs", here, "--ranks", "3"); rc != exitOK {
		t.Fatal(msg)
	}
	oktest.Nil(t, os.Mkdir(there, 0o700))
	for _, name := range []string{"rank-1.pem", "rank-2.pem"} {
		oktest.Nil(t, os.Rename(filepath.Join(here, name), filepath.Join(there, name)))
	}
	oktest.Nil(t, os.Link(filepath.Join(here, "ca.pem"), filepath.Join(there, "ca.pem")))
	sshByShell(t, "s|"+here+"|"+there+"|")
	flags := []string{" --certs " + here}
	if os.Getenv("GRADSYNC_LONG") != "" {
		flags = append(flags, "")
	}
	for _, certs := range flags {
		address := oktest.Must(launch.FreeAddress("127.0.0.1"))(t)
		k := killing{np: 3, sync: "ring", flags: "--updates 400", kills: 1}
		e := k.runOn(t, "--ssh --hosts 127.0.0.1:1,127.0.0.2:2 --rendezvous "+address+certs, func(pids map[int]int) {
			_ = syscall.Kill(parent(t, pids[2]), syscall.SIGKILL)
		})
		if lost := slices.Sorted(slices.Values(e.out.Lost)); e.rc != exitOK || e.out.Updates != 400 || !slices.Equal(lost, []int{1, 2}) ||
			!strings.Contains(e.said, "rank 1 at 127.0.0.2 was lost after ") || !strings.Contains(e.said, "rank 2 at 127.0.0.2 was lost after ") {
			t.Errorf("%q: exit code %d, lost %v, %d updates: %s", certs, e.rc, e.out.Lost, e.out.Updates, e.said)
		}
	}
}

// TestToldToEnd: TERM of a rank, and of the second host's launch, is a loss as their death is: the ring goes on without
// their ranks, and the last lines say who left.
func TestToldToEnd(t *testing.T) {
	sshByShell(t, "")
	address := oktest.Must(launch.FreeAddress("127.0.0.1"))(t)
	k := killing{np: 4, sync: "ring", flags: "--updates 800"}
	e := k.runOn(t, "--ssh --hosts 127.0.0.1:2,127.0.0.2:2 --rendezvous "+address, func(pids map[int]int) {
		_ = syscall.Kill(pids[1], syscall.SIGTERM)
		_ = syscall.Kill(parent(t, pids[2]), syscall.SIGTERM)
	})
	left := regexp.MustCompile(`(?m)^gradsync: launch: rank [123] at 127\.0\.0\.[12] was lost after \S+ of \S+: left the run: terminated signal received$`)
	if e.rc != exitOK || e.out.Updates != 800 || len(e.out.Lost) != 3 || slices.Contains(e.out.Lost, 0) || len(left.FindAllString(e.said, -1)) != 3 ||
		!regexp.MustCompile(`(?m)^\[1\] gradsync: .*: rank 1 \(127.*: left the run: terminated signal received$`).MatchString(e.said) ||
		!strings.Contains(e.said, "\ngradsync: launch: interrupted on 127.0.0.2\n") {
		t.Errorf("exit code %d, lost %v, %d updates: %s", e.rc, e.out.Lost, e.out.Updates, e.said)
	}
}

// TestElasticInterrupted: Ctrl-C ends all of an elastic job at once where the ranks meet, also if the terminal tells the
// ranks as well as launch, and first.
func TestElasticInterrupted(t *testing.T) {
	l := &launching{job: launch.NewJob()}
	line := "launch --elastic --np 3 --oversubscribe --timeout 2m --job " + l.job + " -- train --sync ring" + killedFlags + "--updates 1000000"
	cmd := exec.Command(os.Args[0], fields(line)...)
	cmd.Env = append(os.Environ(), workerEnv+"=1")
	var errOut lockedBuffer
	cmd.Stderr = &errOut
	oktest.Nil(t, cmd.Start())
	await(t, "all ranks have met", func() bool { return strings.Contains(errOut.String(), "all ranks have met") })
	_ = cmd.Process.Signal(syscall.SIGSTOP) // however late this test is, launch is not: it hears of both when it goes on
	for _, pid := range l.ranks() {
		_ = syscall.Kill(pid, syscall.SIGINT)
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Process.Signal(syscall.SIGCONT)
	err := cmd.Wait()
	if rc := cmd.ProcessState.ExitCode(); rc != exitFailed || !strings.HasSuffix(errOut.String(), "\ngradsync: launch: interrupted\n") {
		t.Errorf("%v: %s", err, errOut.String())
	}
	for rank, pid := range l.ranks() {
		t.Errorf("process %d of rank %d is left", pid, rank)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// parent returns a process's parent.
func parent(t *testing.T, pid int) (of int) {
	t.Helper()
	stat := oktest.Must(os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)))(t)
	_, after, _ := strings.Cut(string(stat), ") ")
	if _, err := fmt.Sscanf(after, "%s %d", new(string), &of); err != nil || of < 2 {
		t.Fatalf("parent of %d: %d, %v", pid, of, err)
	}
	return of
}
