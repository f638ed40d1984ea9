package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/train"
	"gradsync/internal/oktest"
)

// kills is how often TestKilledRunsGoOn kills on each runtime, at least; killSeed gives the moments.
const kills, killSeed = 50, 23

// Whatever kills it, and whenever, the same command started again ends as the run that nobody disturbed: on virtual with the
// same outcome, parameters and trace to the byte, on a real clock with the same parameters. Processes get SIGKILL at
// random moments, some of them while they write a state.
func TestKilledRunsGoOn(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("kills processes for minutes: GRADSYNC_LONG=1 runs it")
	}
	synchronous := append([]string{"bsp"}, train.Serverless()...)
	for runtime, methods := range map[string][]string{"virtual": train.Methods(), "local": synchronous, "tcp": synchronous} {
		t.Run(runtime, func(t *testing.T) { killAll(t, runtime, methods) })
	}
}

func killAll(t *testing.T, rt string, methods []string) {
	if rt == "tcp" && runtime.GOOS != "linux" {
		t.Skip("launch's processes end with it on Linux alone")
	}
	rng := rand.New(rand.NewPCG(killSeed, uint64(len(rt))))
	each := (kills + len(methods) - 1) / len(methods)
	killed, writing := 0, 0
	for _, sync := range methods {
		v := &victim{t: t, rng: rng, dir: t.TempDir(), runtime: rt, sync: sync}
		killed, writing = killed+each, writing+v.killed(each)
	}
	t.Logf("%s: %d methods, %d kills, %d of them while a state was written, seed %d", rt, len(methods), killed, writing, killSeed)
	if writing == 0 {
		t.Error("no process was killed while it wrote a state: the test says nothing of it")
	}
}

// victim is a training that is killed.
type victim struct {
	t                  *testing.T
	rng                *rand.Rand
	dir, runtime, sync string
}

// command returns the training, whose files are in folder of its own, with states or without.
func (v *victim) command(folder string, states bool) *exec.Cmd {
	self := oktest.Must(os.Executable())(v.t)
	in := func(name string) string { return filepath.Join(v.dir, folder, name) }
	words := []string{"train", "--sync", v.sync, "--model", "mlp", "--data", "synthetic", "--workers", "4", "--batch", "2", "--seed", "5", "--engine", "portable",
		"--updates", "60", "--eval-images", "50", "--runtime", v.runtime, "--save", in("params"), "--json"}
	switch {
	case v.runtime == "virtual":
		words = append(words, "--trace", in("trace"))
	case v.runtime == "tcp" && v.sync == "bsp":
		words = append([]string{"launch", "--np", "5", "--oversubscribe", "--timeout", "2m", "--"}, words...)
	case v.runtime == "tcp":
		words = append([]string{"launch", "--np", "4", "--oversubscribe", "--timeout", "2m", "--"}, words...)
	}
	if v.sync == "hierarchical" {
		words = append(words, "--per-node", "2")
	}
	if states {
		words = append(words, "--checkpoint", in("states"), "--every", "2")
	}
	c := exec.Command(self, words...)
	c.Env = append(os.Environ(), workerEnv+"=1")
	return c
}

// taken reports whether a job did not begin because somebody else on this machine had taken its port since launch chose it.
func taken(said *bytes.Buffer) bool { return strings.Contains(said.String(), "address already in use") }

// end runs a command to its end and returns what a run that goes on must have in common with one that nobody disturbed.
func (v *victim) end(folder string, states bool) (what map[string]string, took time.Duration) {
	v.t.Helper()
	oktest.Nil(v.t, os.MkdirAll(filepath.Join(v.dir, folder), 0o755))
	var out, said bytes.Buffer
	for again := true; again; {
		out.Reset()
		said.Reset()
		c := v.command(folder, states)
		c.Stdout, c.Stderr = &out, &said
		began := time.Now()
		err := c.Run()
		took, again = time.Since(began), err != nil && taken(&said)
		if err != nil && !again {
			v.t.Fatalf("%s on %s: %v: %s", v.sync, v.runtime, err, said.String())
		}
	}
	what = map[string]string{}
	for _, name := range []string{"params", "trace"} {
		b, err := os.ReadFile(filepath.Join(v.dir, folder, name))
		if err != nil && !(os.IsNotExist(err) && name == "trace") {
			v.t.Fatal(err)
		}
		what[name] = string(b)
	}
	var outcome map[string]any
	oktest.Nil(v.t, json.Unmarshal(out.Bytes(), &outcome))
	what["parameters' hash"] = fmt.Sprint(outcome["params_sha256"])
	if v.runtime == "virtual" {
		delete(outcome, "wall_seconds")
		what["outcome"] = fmt.Sprint(outcome) // of maps by sorted keys
	}
	return what, took
}

// killed kills the run a number of times, compares every end that it comes to, and returns how often a state was being
// written.
func (v *victim) killed(times int) (writing int) {
	v.t.Helper()
	want, _ := v.end("undisturbed", false)
	check := func(got map[string]string) {
		for name := range want {
			if got[name] != want[name] {
				v.t.Errorf("%s on %s: another %s than the run that nobody disturbed: %.300s, want %.300s", v.sync, v.runtime, name, got[name], want[name])
			}
		}
	}
	got, took := v.end("states", true)
	check(got)
	folder, over := filepath.Join(v.dir, "states", "states"), true
	for n := 0; n < times; {
		if over {
			got, _ := v.end("states", true) // again, of the state of the end
			check(got)
			oktest.Nil(v.t, os.RemoveAll(folder))
		}
		over = false
		c := v.command("states", true)
		var said bytes.Buffer
		c.Stderr = &said
		oktest.Nil(v.t, c.Start())
		done := make(chan error, 1)
		go func() { done <- c.Wait() }()
		select {
		case err := <-done:
			if err != nil && taken(&said) {
				continue
			}
			if err != nil {
				v.t.Fatalf("%s on %s, after %d kills: %v: %s", v.sync, v.runtime, n, err, said.String())
			}
			over = true
			continue
		case <-time.After(time.Duration(v.rng.Int64N(int64(took)))):
		}
		if c.Process.Kill() == nil {
			n++
		}
		<-done
		if half, _ := filepath.Glob(filepath.Join(folder, ".checkpoint-writing-*")); len(half) > 0 {
			writing++
		}
	}
	got, _ = v.end("states", true)
	check(got)
	return writing
}
