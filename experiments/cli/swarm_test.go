package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"gradsync/experiments/method"
	"gradsync/experiments/swarm"
	"gradsync/internal/oktest"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// greedy is ASP that forgets to answer worker 1's fifth gradient.
type greedy struct {
	dasp.Policy
	pushes int
}

func (g *greedy) Step(ev dasp.Event) []dasp.Action {
	actions := g.Policy.Step(ev)
	if ev.Worker == 1 && ev.Kind == dasp.EventPush {
		if g.pushes++; g.pushes == 5 {
			return actions[:1]
		}
	}
	return actions
}

// TestSwarmReplays: a method that forgets a worker is found, exit code 3, with one command that replays what was found,
// to the byte.
func TestSwarmReplays(t *testing.T) {
	oktest.Slow(t)
	t.Cleanup(method.Scratch())
	method.Register(method.Method{Name: "greedy", Family: method.Server})
	rivals.Register("greedy", func(o rivals.Options) (dasp.Policy, error) {
		p, err := rivals.NewASP(o)
		return &greedy{Policy: p}, err
	})
	rc, out, msg := gradsync("swarm", "--method", "asp,greedy", "--seeds", "100", "--quiet")
	if rc != exitDiffer || msg != "" || !strings.Contains(out, "\nmethod   greedy\n") || !strings.Contains(out, "\nbroken   ") {
		t.Fatalf("exit code %d, %q\n%s", rc, msg, out)
	}
	_, command, found := strings.Cut(out, "replay it by\n  ")
	command = strings.TrimSpace(command)
	if !found || !strings.HasPrefix(command, "gradsync swarm --method greedy --seed ") {
		t.Fatalf("no command that replays it:\n%s", out)
	}
	rc, again, _ := gradsync(fields(command)[1:]...)
	if rc != exitDiffer || !strings.Contains(out, again) || !strings.Contains(again, "neither ends nor names why") {
		t.Errorf("%s: exit code %d\n%s\nwant what it said\n%s", command, rc, again, out)
	}
	var s swarmed
	rc, out, _ = gradsync(append(fields(command)[1:], "--json")...)
	if err := json.Unmarshal([]byte(out), &s); err != nil || rc != exitDiffer || s.Failure == nil || s.Replay != command || len(s.Runs) != 1 {
		t.Errorf("exit code %d, %v, %+v", rc, err, s)
	}
}

// TestSwarmJSON: one object with all methods; its numbers are those of the package.
func TestSwarmJSON(t *testing.T) {
	rc, out, msg := gradsync("swarm", "--seeds", "20", "--seed", "32", "--method", "cssgd,bsp", "--json", "--quiet")
	var s swarmed
	if err := json.Unmarshal([]byte(out), &s); err != nil || rc != exitOK || msg != "" {
		t.Fatalf("exit code %d, %v, %q", rc, err, msg)
	}
	if s.Failure != nil || s.Replay != "" || len(s.Tallies) != 2 || s.Tallies[1].Method != "bsp" || s.Tallies[1].Seeds != 20 || s.Tallies[1].Twice != 2 {
		t.Errorf("%+v", s)
	}
	rc, out, _ = gradsync("swarm", "--method", "ssp", "--seed", "3")
	if want := swarm.Judge(t.Context(), "ssp", 3); rc != exitOK || !strings.Contains(out, "digest   "+want.Digest) || !strings.Contains(out, want.Cluster) {
		t.Errorf("exit code %d\n%s\nwant %+v", rc, out, want)
	}
}
