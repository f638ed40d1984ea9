package walk

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/audit"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/papers/dasp"
)

// walked is the walk's run with what the training itself recorded of its policy.
func walked(t *testing.T) (*dasp.Log, []witnessed, string) {
	t.Helper()
	cfg := trainingConfig(setup.Load(setup.Heterogeneous), 0)
	cfg.Record = filepath.Join(t.TempDir(), "run.jsonl")
	out := oktest.Must(train.Run(context.Background(), cfg))(t)
	return out.Log, oktest.Must(witness(out.Log, setup.Options()))(t), cfg.Record
}

// The steps are the ones that the policy of the running server took: the same events and orders, one by one.
func TestTheWalkIsTheRun(t *testing.T) {
	_, steps, record := walked(t)
	recorded := oktest.Must(audit.Read(record))(t)
	if len(recorded.Events) != len(steps) {
		t.Fatalf("%d steps told of, %d recorded", len(steps), len(recorded.Events))
	}
	kinds := map[dasp.EventKind]string{dasp.EventPush: audit.EventPush, dasp.EventTimer: audit.EventTimer}
	for i, e := range recorded.Events {
		s := steps[i]
		var actions []dasp.Action
		for _, o := range e.Orders {
			actions = append(actions, o.Action())
		}
		if got, want := fmt.Sprint(kinds[s.Kind], s.Worker, s.Actions), fmt.Sprint(e.Event, e.Worker, actions); got != want {
			t.Errorf("step %d: %s, recorded %s", i, got, want)
		}
	}
}

// Every row agrees with the server's log and with the policy's own view, all three
// states occur, and whoever waits is answered later or waits at the end.
func TestTheWalkAgreesWithTheLog(t *testing.T) {
	l, steps, _ := walked(t)
	rows := eventRows(l, steps, shownPushes)
	latest, waits := make([]int, l.Workers), make([]bool, l.Workers)
	pushes, seen := 0, map[string]int{}
	for i, r := range rows {
		if i > 0 && r.At < rows[i-1].At {
			t.Errorf("row %d: time goes back", i+1)
		}
		if r.What == whatPush {
			latest[r.Worker] = pushes
			pushes++
		}
		p := l.Pushes[latest[r.Worker]]
		if p.Worker != r.Worker || p.State != r.State || p.Gap != r.Gap || p.Pulled != r.Held {
			t.Errorf("row %d: worker %d in %v, gap %d, of version %d; the log has worker %d in %v, gap %d, version %d",
				i+1, r.Worker, r.State, r.Gap, r.Held, p.Worker, p.State, p.Gap, p.Pulled)
		}
		if r.What == whatPush && r.Held-r.Min != r.Gap {
			t.Errorf("row %d: version %d, min %d, gap %d", i+1, r.Held, r.Min, r.Gap)
		}
		if r.Group > 0 && (r.Staleness != p.Applied-1-p.Pulled || r.Group != len(l.Updates[p.Applied-1].Workers)) {
			t.Errorf("row %d: staleness %d in a group of %d; the log has it in version %d by %v", i+1, r.Staleness, r.Group, p.Applied, l.Updates[p.Applied-1].Workers)
		}
		if r.Answered != (r.What == whatRelease || r.What == whatPush && r.State == dasp.QIS) || r.Answered && r.Sent != p.Replied {
			t.Errorf("row %d, %s in %v: answered %t at %v, the log has %v", i+1, r.What, r.State, r.Answered, r.Sent, p.Replied)
		}
		if (r.What == whatPush) == waits[r.Worker] {
			t.Errorf("row %d: %s of worker %d, which waited: %t", i+1, r.What, r.Worker, waits[r.Worker])
		}
		waits[r.Worker] = !r.Answered
		seen[r.What]++
		seen[r.State.String()]++
	}
	for _, want := range []string{"QIS", "WSS", "FSS", whatPush, whatTimer, whatUsed, whatRelease} {
		if seen[want] == 0 {
			t.Errorf("no row with %s: %v", want, seen)
		}
	}
	if pushes != shownPushes {
		t.Errorf("%d gradients, want %d", pushes, shownPushes)
	}
	checkViews(t, rows, steps)
}

// checkViews holds the versions after the last row of each instant against the policy's.
func checkViews(t *testing.T, rows []eventRow, steps []witnessed) {
	t.Helper()
	for i, r := range rows {
		if i+1 < len(rows) && rows[i+1].At == r.At {
			continue
		}
		at := -1
		for k, s := range steps {
			if s.At == r.At {
				at = k
			}
		}
		if at < 0 || !slices.Equal(steps[at].After.V, r.After) || steps[at].After.Newest != r.Newest {
			t.Errorf("row %d at %v: workers hold %v of %d, the policy's step %d has %v", i+1, r.At, r.After, r.Newest, at, steps[max(at, 0)].After)
		}
	}
}

// A log of another run has no walk.
func TestAForeignLogHasNoWalk(t *testing.T) {
	l, _, _ := walked(t)
	l.Pushes[20].Pulled--
	if _, err := witness(l, setup.Options()); err == nil {
		t.Error("a log with another version was walked")
	}
}

func TestTimelineNamesWaits(t *testing.T) {
	ms := time.Millisecond
	l := &dasp.Log{Workers: 1, Pushes: []dasp.Push{
		{Sent: 0, Received: 2 * ms, Replied: 3 * ms, State: dasp.WSS},
		{Sent: 3 * ms, Received: 5 * ms, Replied: 5 * ms, State: 0},
	}, End: 5 * ms}
	for method, want := range map[string]string{"dasp": "compute WSS compute", "ssp": "compute at-once compute"} {
		var got []string
		for _, s := range train.Stretches(method, l, train.ShownUntil(l)) {
			got = append(got, s.State)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", method, got, want)
		}
	}
}
