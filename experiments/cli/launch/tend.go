package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"time"

	"gradsync/shared/cluster/tcp"
)

// How long children have to end by themselves: after one has failed, so that the others
// print what they saw of it, and after being told to end. Tests, of a busy machine, give them more.
var (
	LastWords  = 2 * time.Second
	LastBreath = 2 * time.Second
)

// Tend starts all children and returns when all have ended: nil if all did well, or else
// a *ChildError on the first that failed. After a failure the others have LastWords to
// end, are told to, and are killed LastBreath later; once ctx is done they are told at
// once. A plain child's output goes to out as it is, all other output to errOut, line by
// line behind the child's label.
func Tend(ctx context.Context, children []Child, out, errOut io.Writer) error {
	t := newTending(ctx, children, errOut)
	t.start(out)
	t.loop()
	return t.error(ctx)
}

// Run serves or follows the run of an elastic job: tcp.Rendezvous or tcp.Watch.
type Run func(context.Context, tcp.Events) (tcp.Verdict, error)

// Outlive is Tend of an elastic job, which ends as its run does. A child whose ranks the run goes on without may fail:
// it is excused, and ended once the run has. If the run fails, Outlive returns why; if a child fails and none of the
// ranks is told of it within LastWords, as before all have met, Outlive ends the run. With tell it writes a line when
// all have met and for each loss.
func Outlive(ctx context.Context, children []Child, run Run, tell bool, out, errOut io.Writer) (tcp.Verdict, error) {
	t := newTending(ctx, children, errOut)
	t.tells = tell
	out = &serial{w: out} // any child may print
	life, quit := context.WithCancelCause(ctx)
	defer quit(nil)
	t.open, t.quit = true, quit
	here := make(chan struct{})
	t.begins, t.losses, t.verdicts = make(chan struct{}), make(chan tcp.Loss), make(chan verdict, 1)
	go func() {
		v, err := run(life, tcp.Events{Here: func() { close(here) }, Begun: func() { t.begins <- struct{}{} }, Lost: func(l tcp.Loss) { t.losses <- l }})
		t.verdicts <- verdict{v, err}
	}()
	select {
	case <-here:
		t.start(out)
	case v := <-t.verdicts:
		t.judge(v)
	}
	t.loop()
	return t.ending, t.error(ctx)
}

// verdict tells how the run of an elastic job ended.
type verdict struct {
	tcp.Verdict
	err error
}

// tending has what Tend and Outlive know of the children.
type tending struct {
	children         []Child
	words            *labelled
	ended            chan end
	alive            map[int]*exec.Cmd
	first            *ChildError // that failed and counts
	stop             <-chan struct{}
	tell, slay, bury <-chan time.Time

	// Of an elastic job:
	open     bool // its run has not ended
	begun    bool // all ranks have met
	tells    bool // of what happens
	begins   chan struct{}
	losses   chan tcp.Loss
	verdicts chan verdict
	lost     []int
	fallen   []end // that failed before the run ended, in order
	doubt    <-chan time.Time
	quit     context.CancelCauseFunc // ends the run
	gaveUp   error
	ending   tcp.Verdict
	failed   error // of the run
}

func newTending(ctx context.Context, children []Child, errOut io.Writer) *tending {
	return &tending{children: children, words: &labelled{w: errOut}, ended: make(chan end, len(children)), alive: map[int]*exec.Cmd{}, stop: ctx.Done()}
}

// start starts the children; one that cannot start ends all.
func (t *tending) start(out io.Writer) {
	for i, c := range t.children {
		if err := c.start(i, t.words, out, t.ended); err != nil {
			t.first, t.tell = &ChildError{name: c.Name, Code: -1, how: err}, time.After(0)
			if t.open {
				t.gaveUp = t.first
				t.quit(t.first)
			}
			return
		}
		t.alive[i] = c.Cmd
	}
}

// loop returns when all children and the run have ended.
func (t *tending) loop() {
	for len(t.alive) > 0 || t.open {
		select {
		case e := <-t.ended:
			delete(t.alive, e.index)
			t.fell(e)
		case <-t.begins:
			t.begun = true
			t.say("all ranks have met; from now on the run goes on without those it loses")
		case l := <-t.losses:
			t.lost = append(t.lost, l.Rank)
			t.say(fmt.Sprintf("rank %d is lost after %v: %s", l.Rank, l.After.Round(time.Millisecond), l.Cause))
		case v := <-t.verdicts:
			t.judge(v)
		case <-t.doubt:
			t.giveUp()
		case <-t.stop:
			t.stop, t.tell = nil, time.After(0)
		case <-t.tell:
			t.tell, t.slay = nil, time.After(LastBreath)
			for _, cmd := range t.alive {
				interrupt(cmd)
			}
		case <-t.slay:
			for i, cmd := range t.alive {
				kill(cmd)
				if t.first != nil {
					t.first.deaf = append(t.first.deaf, t.children[i].Name)
				}
			}
		case <-t.bury:
			for i, cmd := range t.alive {
				if t.excused(i) {
					kill(cmd)
				}
			}
		}
	}
}

// say writes a line, if anybody asked.
func (t *tending) say(text string) {
	if t.tells {
		t.words.line("gradsync: launch: " + text)
	}
}

// fell notes how a child ended.
func (t *tending) fell(e end) {
	switch {
	case t.open:
		if e.err != nil {
			t.fallen = append(t.fallen, e)
		}
		if !t.excused(e.index) && (e.err != nil || len(t.alive) == 0) {
			t.doubt = time.After(LastWords) // it is lost any moment, or the run ends
		}
	case !t.excused(e.index):
		t.blame(e.err)
	}
}

// excused reports whether the run goes on without all ranks of a child.
func (t *tending) excused(index int) bool {
	ranks := t.children[index].Ranks
	return len(t.lost) > 0 && len(ranks) > 0 && !slices.ContainsFunc(ranks, func(r int) bool { return !slices.Contains(t.lost, r) })
}

// blame keeps the first failure. A signal that is not ours comes before the complaints of its survivors.
func (t *tending) blame(err *ChildError) {
	switch {
	case err == nil:
	case t.first == nil:
		t.first, t.tell = err, time.After(LastWords)
	case t.first.Code >= 0 && err.Code < 0 && t.tell != nil:
		t.first = err
	}
}

// giveUp ends a run that will not end by itself: a child has failed and nobody misses its ranks, or none is left.
func (t *tending) giveUp() {
	t.doubt = nil
	for _, e := range t.fallen {
		if !t.excused(e.index) {
			t.blame(e.err)
		}
	}
	switch {
	case t.first != nil && !t.begun && t.first.Code < 0:
		t.gaveUp = early(t.first)
	case t.first != nil:
		t.gaveUp = t.first
	case len(t.alive) == 0:
		t.gaveUp = errors.New("all processes have ended, their run has not")
	default:
		return
	}
	t.quit(t.gaveUp)
}

// early says why a loss ended an elastic run.
func early(err error) error {
	return fmt.Errorf("%w; that was before all ranks had met, and an elastic run goes on from then on", err)
}

// judge takes the run's end.
func (t *tending) judge(v verdict) {
	t.open, t.losses, t.doubt = false, nil, nil
	t.ending, t.failed = v.Verdict, v.err
	if lost := (*tcp.RankLost)(nil); !t.begun && errors.As(v.err, &lost) {
		t.failed = early(v.err)
	}
	for _, e := range t.fallen {
		if !t.excused(e.index) {
			t.blame(e.err)
		} else if ranks := t.children[e.index].Ranks; len(ranks) == 1 && e.err.Code < 0 { // its parent knows better than its peers
			i := slices.IndexFunc(t.ending.Lost, func(l tcp.Loss) bool { return l.Rank == ranks[0] })
			t.ending.Lost[i].Cause = e.err.how.Error()
		}
	}
	if t.failed != nil && t.tell == nil && t.slay == nil {
		t.tell = time.After(LastWords)
		return
	}
	for i, cmd := range t.alive {
		if t.excused(i) {
			interrupt(cmd)
			t.bury = time.After(LastBreath)
		}
	}
}

// error returns why the job failed, nil if it ended well.
func (t *tending) error(ctx context.Context) error {
	if t.first != nil {
		slices.Sort(t.first.deaf)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case t.gaveUp != nil:
		return t.gaveUp
	case t.failed != nil:
		return t.failed
	case t.first != nil && t.quit != nil && t.first.Code < 0:
		return fmt.Errorf("%w, after the run had ended: what it had not printed or saved is lost", t.first)
	case t.first != nil:
		return t.first
	}
	return nil
}
