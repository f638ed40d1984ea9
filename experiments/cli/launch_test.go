package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/cli/launch"
	"gradsync/internal/oktest"
	"gradsync/internal/shell"
	"gradsync/shared/cluster/tcp"
)

// environment looks variables up in "KEY=value" words.
func environment(words []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, w := range words {
			if key, value, _ := strings.Cut(w, "="); key == name {
				return value, true
			}
		}
		return "", false
	}
}

// The command of every process: what is absent is derived, what disagrees is refused with both numbers.
func TestChildWords(t *testing.T) {
	for line, want := range map[string]string{
		"2 train --sync ring":                      "train --sync ring --workers 2 --runtime tcp",
		"3 train --sync=bsp --updates 5":           "server train --sync=bsp --updates 5 --workers 2 --runtime tcp",
		"3 train":                                  "server train --workers 2 --runtime tcp", // dasp
		"4 train --sync naive --workers=4":         "train --sync naive --workers=4 --runtime tcp",
		"2 --json train --runtime tcp --sync ring": "--json train --runtime tcp --sync ring --workers 2",
		"3 train --sync bsp --workers 3":           "launch: --np 3 beside --workers 3: --sync bsp needs 4 processes, the last is the server",
		"3 train --sync ring --workers 2":          "launch: --np 3 beside --workers 2: --sync ring needs as many processes as workers",
		"1 train --sync asp":                       "launch: --np 1: --sync asp needs a server and 1 worker at least",
		"2 train --sync ring --runtime local":      "launch: --runtime local: processes that launch starts run tcp",
		"2 list":                                   `launch: "list" does not run over TCP`,
		"2 train --sync ring --no-such-flag":       "launch: train: unknown flag: --no-such-flag",
		"2 train --sync ring --runtime auto":       "train --sync ring --runtime auto --workers 2",
		"3 train --sync bsp --lease 1s":            "launch: --lease on tcp wants --elastic",
		"2 nonsense":                               `launch: "nonsense" does not run over TCP`,
		"2 launch --np 2 -- train":                 `launch: "launch" does not run over TCP`,
		"2 train --sync ring --workers two":        "launch: train: invalid argument",
		"2 train --sync ring --elastic":            "elastic train --sync ring --elastic --workers 2 --runtime tcp",
		"e2 train --sync ring":                     "elastic train --sync ring --workers 2 --runtime tcp",
		"e3 train --sync bsp --lease 1s":           "server elastic train --sync bsp --lease 1s --workers 2 --runtime tcp",
		"e4 train --sync hierarchical":             "launch: hierarchical does not go on without a rank",
		"e4 train --sync compressed":               "launch: compressed does not go on without a rank: of coded SGD's methods cssgd alone does",
		"4 train --sync ssgd-unicast --elastic":    "launch: ssgd-unicast does not go on without a rank",
		"e2 train --sync ring --collective engine": "launch: ring does not go on without a rank where its groups are fixed",
		"e2 train --sync ring --checkpoint x":      "launch: --checkpoint is not for --elastic",
		"e3 train --sync bsp --record x":           "launch: an elastic run follows no recorded order",
	} {
		np, words, _ := strings.Cut(line, " ")
		var n int
		np, asked := strings.CutPrefix(np, "e")
		fmt.Sscan(np, &n)
		got, server, elastic, err := childWords(fields(words), n, asked)
		text := strings.Join(got, " ")
		if elastic {
			text = "elastic " + text
		}
		if server {
			text = "server " + text
		}
		if err != nil {
			text = err.Error()
			if _, usage := err.(usageError); !usage {
				t.Errorf("%s: %v is no usage error", line, err)
			}
		}
		if text != want && !(err != nil && strings.HasPrefix(text, want)) {
			t.Errorf("%s:\n%s, want\n%s", line, text, want)
		}
	}
}

// The other hosts' commands start the same job: same name, same meeting place,
// same words; and what they start are the processes that are left.
func TestPlanOfSeveralHosts(t *testing.T) {
	t.Setenv("GRADSYNC_LISTEN", "elsewhere") // of a job that this one is started in
	t.Setenv("GRADSYNC_RANK", "7")
	a := &app{json: true}
	f := &launchFlags{np: 4, hosts: "10.0.0.1:2,10.0.0.2:2", timeout: 3 * time.Second, insecure: true}
	given := func(flag string) bool { return flag == "np" }
	j := oktest.Must(a.planJob(f, fields("train --sync bsp --workers 3"), given))(t)
	if j.here != "10.0.0.1" || len(j.remotes) != 1 || j.remotes[0].host != "10.0.0.2" || j.place.Rendezvous != "10.0.0.2:29571" || j.place.Join != byHand {
		t.Fatalf("%+v", j)
	}
	words := j.remotes[0].words
	want := []string{j.self, "launch", "--np", "4", "--hosts", f.hosts, "--on", "10.0.0.2", "--rendezvous", "10.0.0.2:29571",
		"--timeout", "3s", "--join", "5m0s", "--insecure", "--", "--json", "train", "--sync", "bsp", "--workers", "3", "--runtime", "tcp"}
	if !reflect.DeepEqual(words, want) {
		t.Fatalf("%q, want\n%q", words, want)
	}
	// The command as the other host reads it.
	root := (&app{}).root()
	cmd, rest, err := root.Find(words[1:])
	if err != nil || cmd.ParseFlags(rest) != nil {
		t.Fatal(err)
	}
	there := &launchFlags{np: 4, hosts: f.hosts, on: "10.0.0.2", job: j.place.Job, rendezvous: j.place.Rendezvous, timeout: f.timeout, join: j.place.Join,
		insecure: true}
	other, err := (&app{}).planJob(there, cmd.Flags().Args(), func(flag string) bool { return true })
	if err != nil || !reflect.DeepEqual(other.place, j.place) || !reflect.DeepEqual(other.words, j.words) || other.here != "10.0.0.2" || len(other.remotes) != 0 {
		t.Fatalf("%+v, %v; want %+v", other, err, j)
	}
	var mine []string
	for _, plan := range []*job{j, other} {
		for _, p := range plan.processes {
			if p.Host == plan.here {
				c := plan.child(p, nil)
				m, ok, err := launch.Place(environment(c.Cmd.Env))
				mine = append(mine, fmt.Sprintf("%s plain=%v host=%v %s", c.Name, c.Plain, m.Host, m.Listen))
				if !ok || err != nil {
					t.Error(err)
				}
			}
		}
	}
	wantRanks := []string{"rank 1 at 10.0.0.1 plain=false host=false 10.0.0.1", "rank 2 at 10.0.0.1 plain=false host=false 10.0.0.1",
		"rank 3 at 10.0.0.2 plain=false host=false 10.0.0.2", "rank 0 at 10.0.0.2 plain=true host=true 10.0.0.2"}
	if !reflect.DeepEqual(mine, wantRanks) {
		t.Errorf("%q", mine)
	}
	if a, b := launch.NewJob(), launch.NewJob(); a == b || len(a) != 16 {
		t.Errorf("jobs %q and %q", a, b)
	}
}

// Of an elastic job the ranks meet in the first host's launch, whichever ranks that host has, and any may print.
func TestPlanOfAnElasticJob(t *testing.T) {
	f := &launchFlags{np: 4, hosts: "10.0.0.1:2,10.0.0.2:2", timeout: time.Second, elastic: true, insecure: true}
	j, err := (&app{}).planJob(f, fields("train --sync bsp --workers 3"), func(flag string) bool { return flag == "np" })
	if err != nil {
		t.Fatal(err)
	}
	if j.meeting != j.here || j.place.Rendezvous != "10.0.0.1:29571" || !strings.Contains(strings.Join(j.remotes[0].words, " "), " --elastic ") ||
		!reflect.DeepEqual(j.remotes[0].ranks, []int{3, 0}) {
		t.Errorf("%+v", j)
	}
	f.on, f.rendezvous = "10.0.0.2", j.place.Rendezvous
	other, err := (&app{}).planJob(f, fields("train --sync bsp --workers 3"), func(flag string) bool { return flag == "np" })
	if err != nil || other.meeting == other.here {
		t.Errorf("%+v, %v", other, err)
	}
	// So the first host has the rendezvous's certificate, although rank 0 is on another.
	j.place.Certs = t.TempDir()
	for _, name := range []string{"ca.pem", "rendezvous.pem", "rank-0.pem", "rank-1.pem", "rank-2.pem", "rank-3.pem"} {
		oktest.Nil(t, os.WriteFile(filepath.Join(j.place.Certs, name), nil, 0o600))
	}
	for host, files := range map[string]string{"10.0.0.1": "ca.pem rendezvous.pem rank-1.pem rank-2.pem", "10.0.0.2": "ca.pem rank-3.pem rank-0.pem"} {
		if line := j.copyLine(host); !strings.Contains(line, " has them: tar -C "+shell.Quoted(j.place.Certs)+" -cf - "+files+" | ssh "+host+" ") {
			t.Errorf("%s, want %s", line, files)
		}
	}
	j.place.Certs = ""
	for _, p := range j.processes {
		c := j.child(p, nil)
		if at, ok, err := launch.Place(environment(c.Cmd.Env)); !ok || err != nil || at.Host || !at.Elastic || !c.Plain {
			t.Errorf("%s: %+v, plain %v, %v", c.Name, at, c.Plain, err)
		}
	}
}

// The name of a job is in no command that launch starts, nor in what it asks ssh to run;
// ssh's other end reads it from standard input into the environment.
func TestTheJobsNameIsInNoProcessList(t *testing.T) {
	t.Setenv("GRADSYNC_JOB", "secret-of-41001")
	f := &launchFlags{np: 2, hosts: "10.0.0.1:1,10.0.0.2:1", timeout: time.Second, ssh: true, insecure: true}
	j, err := (&app{}).planJob(f, fields("train --sync ring"), func(flag string) bool { return flag == "np" })
	if err != nil || j.place.Job != "secret-of-41001" {
		t.Fatalf("job %q, %v", j.place.Job, err)
	}
	for _, p := range j.processes {
		if args := j.child(p, nil).Cmd.Args; strings.Contains(strings.Join(args, " "), j.place.Job) {
			t.Errorf("%q names the job", args)
		}
	}
	words := j.sshWords(j.remotes[0])
	if strings.Contains(strings.Join(words, " "), j.place.Job) {
		t.Errorf("%q names the job", words)
	}
	words = j.sshWords(remote{host: "10.0.0.2", words: []string{"sh", "-c", `echo "it's $GRADSYNC_JOB"`}})
	cmd := exec.Command("sh", "-c", words[len(words)-1]) // as the other host's shell reads it
	cmd.Stdin, cmd.Env = strings.NewReader("told by stdin\n"), launch.Environment(nil)
	if out, err := cmd.Output(); err != nil || string(out) != "it's told by stdin\n" {
		t.Errorf("%q, %v", out, err)
	}
	t.Setenv("GRADSYNC_RANK", "0") // launch within a job has another one
	if name := launch.JobOf(os.LookupEnv); len(name) != 16 {
		t.Errorf("job %q", name)
	}
}

// More processes than four a core are started only where that is asked for, and never more than a frame can name.
func TestLaunchIsBounded(t *testing.T) {
	most := 4 * runtime.NumCPU()
	for _, c := range []struct {
		np    int
		crowd bool
		want  string
	}{{most, false, ""}, {most + 1, false, "want --oversubscribe"}, {most + 1, true, ""}, {1<<16 + 1, true, "--np 65537: at most 65536"}} {
		f := &launchFlags{np: c.np, crowd: c.crowd, timeout: time.Second}
		_, err := (&app{}).planJob(f, fields("train --sync ring"), func(flag string) bool { return flag == "np" })
		if _, usage := err.(usageError); (err == nil) != (c.want == "") || err != nil && (!usage || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// The last lines name who was lost before the run's end, by the longest time that a living rank took; of a run that
// failed, which has no such time, all.
func TestLossesAfterTheEndAreNone(t *testing.T) {
	j := &job{processes: []launch.Process{{Rank: 1, Host: "b"}, {Rank: 2, Host: "a"}, {Rank: 3, Host: "a"}}}
	v := tcp.Verdict{Elapsed: 4010 * time.Millisecond, Lost: []tcp.Loss{
		{Rank: 1, After: 2 * time.Second, Cause: "signal: killed"},
		{Rank: 2, After: 4010 * time.Millisecond, Cause: "EOF"}, {Rank: 3, After: 4016 * time.Millisecond, Cause: "EOF"}}}
	const (
		one   = "gradsync: launch: rank 1 at b was lost after 2s%s: signal: killed\n"
		two   = "gradsync: launch: rank 2 at a was lost after 4.01s%s: EOF\n"
		three = "gradsync: launch: rank 3 at a was lost after 4.016s%s: EOF\n"
	)
	var ended, failed strings.Builder
	j.tellLosses(&ended, &v)
	v.Elapsed = 0
	j.tellLosses(&failed, &v)
	if want := strings.ReplaceAll(one+two, "%s", " of 4.01s"); ended.String() != want {
		t.Errorf("%q, want %q", ended.String(), want)
	}
	if want := strings.ReplaceAll(one+two+three, "%s", ""); failed.String() != want {
		t.Errorf("of a run that failed: %q, want %q", failed.String(), want)
	}
}
