//go:build unix

package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

// elastic makes children as shells does, rank i each.
func elastic(scripts ...string) []Child {
	children := shells(scripts...)
	for i := range children {
		children[i].Ranks = []int{i}
	}
	return children
}

// happens is a run that begins, loses ranks at instants and ends, or is told to end.
func happens(lasts time.Duration, err error, losses ...tcp.Loss) Run {
	return func(ctx context.Context, tell tcp.Events) (v tcp.Verdict, _ error) {
		begin := time.Now()
		tell.Here()
		tell.Begun()
		wait := func(until time.Duration) bool {
			select {
			case <-time.After(time.Until(begin.Add(until))):
				return true
			case <-ctx.Done():
				return false
			}
		}
		for _, l := range losses {
			if !wait(l.After) {
				return v, context.Cause(ctx)
			}
			v.Lost = append(v.Lost, l)
			tell.Lost(l)
		}
		if !wait(lasts) {
			return v, context.Cause(ctx)
		}
		return v, err
	}
}

// Children whose ranks a run goes on without may fail, before the loss is told or after, or hang: that is no failure,
// and none is left. The others have all the time they want.
func TestOutliveExcusesTheLost(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	t.Parallel()
	run := happens(600*time.Millisecond, nil, tcp.Loss{Rank: 1, After: 100 * time.Millisecond, Cause: "EOF"},
		tcp.Loss{Rank: 2, After: 200 * time.Millisecond, Cause: "silent"}, tcp.Loss{Rank: 3, After: 300 * time.Millisecond, Cause: "EOF"})
	children := elastic(`sleep 1; echo outcome`, `kill -9 $$`, `trap '' TERM; sleep 60`, `sleep 0.5; exit 1`)
	var out, errOut bytes.Buffer
	begin := time.Now()
	v, err := Outlive(t.Context(), children, run, true, &out, &errOut)
	if err != nil || fmt.Sprint(v.Ranks()) != "[1 2 3]" || out.String() != "outcome\n" {
		t.Errorf("%v, lost %v, %q", err, v.Ranks(), out.String())
	}
	if v.Lost[0].Cause != "signal: killed" || v.Lost[1].Cause != "silent" {
		t.Errorf("causes %q and %q", v.Lost[0].Cause, v.Lost[1].Cause)
	}
	if took := time.Since(begin); took < time.Second || took > lastBreath+5*time.Second {
		t.Errorf("ended after %v", took)
	}
	want := "gradsync: launch: all ranks have met; from now on the run goes on without those it loses\ngradsync: launch: rank 1 is lost after 100ms: EOF\n"
	if !strings.HasPrefix(errOut.String(), want) {
		t.Errorf("%q", errOut.String())
	}
}

// A child that fails and whom nobody misses ends the job with its code, as does one that fails after the run; a run that
// fails is the cause whatever its ranks say; ranks that leave before the run ends do not leave launch behind.
func TestOutliveFails(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	t.Parallel()
	lost := &cluster.AbortError{Rank: 1, Addr: "h", Op: "body", Err: errors.New("block 3 is lost")}
	for name, test := range map[string]struct {
		run     Run
		scripts []string
		want    string
		code    int
	}{
		"before": {happens(time.Minute, nil), []string{"sleep 60", "exit 2"}, "rank 1 at h ended with exit code 2", 2},
		"after":  {happens(0, nil), []string{"sleep 0.3; exit 3", "true"}, "rank 0 at h ended with exit code 3", 3},
		"outlived": {happens(0, nil), []string{"sleep 0.3; kill -9 $$", "true"},
			"rank 0 at h was lost: signal: killed, after the run had ended: what it had not printed or saved is lost", -1},
		"run":      {happens(200*time.Millisecond, lost, tcp.Loss{Rank: 1}), []string{"sleep 0.3; exit 1", "exit 1"}, lost.Error(), 0},
		"vanished": {happens(time.Minute, nil), []string{"true", "true"}, "all processes have ended, their run has not", 0},
		"alone": {func(context.Context, tcp.Events) (tcp.Verdict, error) { return tcp.Verdict{}, errors.New("no way") }, []string{"false"},
			"no way", 0},
		"early": {func(ctx context.Context, tell tcp.Events) (tcp.Verdict, error) {
			tell.Here()
			<-ctx.Done()
			return tcp.Verdict{}, ctx.Err()
		}, []string{"sleep 60", "sleep 0.1; kill -9 $$"}, early(errors.New("rank 1 at h was lost: signal: killed")).Error(), -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits for seconds
			_, err := Outlive(t.Context(), elastic(test.scripts...), test.run, false, &bytes.Buffer{}, &bytes.Buffer{})
			if err == nil || err.Error() != test.want {
				t.Errorf("%v, want %q", err, test.want)
			}
			if failed := (*ChildError)(nil); errors.As(err, &failed) != (test.code != 0) || failed != nil && failed.Code != test.code {
				t.Errorf("%#v, want code %d", err, test.code)
			}
		})
	}
}

// An interrupted launch ends children and run.
func TestOutliveInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	begin := time.Now()
	_, err := Outlive(ctx, elastic("sleep 60", "sleep 60"), happens(time.Minute, nil), false, &bytes.Buffer{}, &bytes.Buffer{})
	if took := time.Since(begin); !errors.Is(err, context.Canceled) || took > 5*time.Second {
		t.Errorf("%v after %v", err, took)
	}
}
