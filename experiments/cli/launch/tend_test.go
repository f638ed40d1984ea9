//go:build unix

package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// happens is a run that begins, loses ranks and ends when told over, or is told to end; a nil over never comes.
func happens(over <-chan struct{}, err error, losses ...tcp.Loss) Run {
	return func(ctx context.Context, tell tcp.Events) (v tcp.Verdict, _ error) {
		tell.Here()
		tell.Begun()
		for _, l := range losses {
			v.Lost = append(v.Lost, l)
			tell.Lost(l)
		}
		select {
		case <-over:
			return v, err
		case <-ctx.Done():
			return v, context.Cause(ctx)
		}
	}
}

// Children whose ranks a run goes on without may fail, before the loss is told or after, or hang: that is no failure,
// and none is left. The others have all the time they want.
func TestOutliveExcusesTheLost(t *testing.T) {
	patient(t, forbearance, time.Millisecond)
	dir := t.TempDir()
	told, ended := filepath.Join(dir, "told"), filepath.Join(dir, "ended")
	losses := []tcp.Loss{{Rank: 1, After: 100 * time.Millisecond, Cause: "EOF"}, {Rank: 2, After: 200 * time.Millisecond, Cause: "silent"},
		{Rank: 3, After: 300 * time.Millisecond, Cause: "EOF"}}
	over := make(chan struct{})
	close(over)
	run := func(ctx context.Context, tell tcp.Events) (tcp.Verdict, error) {
		v, err := happens(over, nil, losses...)(ctx, tell)
		if wrong := os.WriteFile(told, nil, 0o600); wrong != nil {
			t.Error(wrong)
		}
		for !exists(ended) {
			time.Sleep(time.Millisecond)
		}
		return v, err
	}
	children := elastic(await(ended)+`sleep 0.1; echo outcome`, `kill -9 $$`, `trap '' TERM; while :; do sleep 0.1; done`,
		await(told)+fmt.Sprintf("echo >'%s'; exit 1", ended))
	var out, errOut bytes.Buffer
	v, err := Outlive(t.Context(), children, run, true, &out, &errOut)
	if err != nil || fmt.Sprint(v.Ranks()) != "[1 2 3]" || out.String() != "outcome\n" || v.Lost[1].Cause != "silent" {
		t.Errorf("%v, lost %v, %q", err, v.Lost, out.String())
	}
	want := "gradsync: launch: all ranks have met; from now on the run goes on without those it loses\ngradsync: launch: rank 1 is lost after 100ms: EOF\n"
	if !strings.HasPrefix(errOut.String(), want) {
		t.Errorf("%q", errOut.String())
	}
}

// A child that fails and whom nobody misses ends the job with its code, as does one that fails after the run; a run that
// fails is the cause whatever its ranks say; ranks that leave before the run ends do not leave launch behind.
func TestOutliveFails(t *testing.T) {
	over := make(chan struct{})
	close(over)
	lost := &cluster.AbortError{Rank: 1, Addr: "h", Op: "body", Err: errors.New("block 3 is lost")}
	for name, test := range map[string]struct {
		run     Run
		words   time.Duration // forbearance where the run ends by itself, however late
		scripts []string
		want    string
		code    int
	}{
		"before": {happens(nil, nil), 0, []string{forever, "exit 2"}, "rank 1 at h ended with exit code 2", 2},
		"after":  {happens(over, nil), forbearance, []string{"sleep 0.1; exit 3", "true"}, "rank 0 at h ended with exit code 3", 3},
		"outlived": {happens(over, nil), forbearance, []string{"sleep 0.1; kill -9 $$", "true"},
			"rank 0 at h was lost: signal: killed, after the run had ended: what it had not printed or saved is lost", -1},
		"run":      {happens(over, lost, tcp.Loss{Rank: 1}), forbearance, []string{"sleep 0.1; exit 1", "exit 1"}, lost.Error(), 0},
		"vanished": {happens(nil, nil), 0, []string{"true", "true"}, "all processes have ended, their run has not", 0},
		"alone": {func(context.Context, tcp.Events) (tcp.Verdict, error) { return tcp.Verdict{}, errors.New("no way") }, 0, []string{"false"},
			"no way", 0},
		"early": {func(ctx context.Context, tell tcp.Events) (tcp.Verdict, error) {
			tell.Here()
			<-ctx.Done()
			return tcp.Verdict{}, ctx.Err()
		}, 0, []string{forever, "sleep 0.1; kill -9 $$"}, early(errors.New("rank 1 at h was lost: signal: killed")).Error(), -1},
	} {
		t.Run(name, func(t *testing.T) {
			patient(t, test.words, forbearance)
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
	patient(t, forbearance, forbearance)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	children := elastic(forever, forever)
	if _, err := Outlive(ctx, children, happens(nil, nil), false, &bytes.Buffer{}, &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	told(t, children)
}

// Of a rank that ended before the run did its parent says why, in place of its peers' guess; of others the peers do.
func TestTheParentKnowsWhyAChildEnded(t *testing.T) {
	tended := newTending(t.Context(), elastic("", "", "", ""), &bytes.Buffer{})
	tended.open, tended.begun, tended.lost = true, true, []int{1, 2}
	tended.fell(end{1, &ChildError{name: "rank 1 at h", Code: -1, how: errors.New("signal: killed")}})
	tended.fell(end{3, &ChildError{name: "rank 3 at h", Code: 1, how: errors.New("exit status 1")}})
	tended.lost = append(tended.lost, 3)
	tended.judge(verdict{Verdict: tcp.Verdict{Lost: []tcp.Loss{{Rank: 1, Cause: "EOF"}, {Rank: 2, Cause: "silent"}, {Rank: 3, Cause: "reset"}}}})
	var causes []string
	for _, l := range tended.ending.Lost {
		causes = append(causes, l.Cause)
	}
	if got := strings.Join(causes, ", "); got != "signal: killed, silent, reset" || tended.error(t.Context()) != nil {
		t.Errorf("causes %s, error %v", got, tended.error(t.Context()))
	}
}
