package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"gradsync/shared/cluster"
)

// RankLost says that a rank cannot take part any more, and how that was found.
// It is the cause of the *cluster.AbortError that every survivor gets; the
// AbortError's Op is "lost" (its connection ended), "silent" (nothing came
// within the time-out) or "corrupt" (a frame was not what its checksum says).
//
// Source: ours: users of collectives ask first which rank is missing
type RankLost struct {
	Rank      int
	Addr      string // of its data listener
	NoticedBy int    // the rank that noticed; −1: the rendezvous
	Cause     string
}

func (e *RankLost) Error() string {
	if e.Rank < 0 {
		return fmt.Sprintf("tcp: the rendezvous at %s: %s", e.Addr, e.Cause)
	}
	by := "the rendezvous"
	if e.NoticedBy >= 0 {
		by = fmt.Sprint("rank ", e.NoticedBy)
	}
	return fmt.Sprintf("tcp: rank %d at %s, noticed by %s: %s", e.Rank, e.Addr, by, e.Cause)
}

// failure is an AbortError on its way between processes.
type failure struct {
	Rank    int
	Addr    string
	Op      string
	Text    string           `json:",omitempty"`
	Panic   bool             `json:",omitempty"`
	Stack   []byte           `json:",omitempty"`
	Waiters []cluster.Waiter `json:",omitempty"`
	Lost    *RankLost        `json:",omitempty"`
	Leaves  bool             `json:",omitempty"` // the rank was told to end: an elastic run goes on without it
	Origin  int              // the rank that reported it; −1: the rendezvous
}

// leftRun is the Op of a rank that was told to end and that the run goes on without.
const leftRun = "left the run"

// describe turns an error of this process into what can travel.
func describe(rank int, op string, err error) *failure {
	f := &failure{Rank: rank, Op: op, Text: err.Error()}
	var p *cluster.PanicError
	if errors.As(err, &p) {
		f.Panic, f.Stack, f.Text = true, p.Stack, fmt.Sprint(p.Value)
	}
	return f
}

// restore returns the failure as the error that it was, as far as it travels:
// within one process the very error, else its text.
func (f *failure) restore(local *siblings) *cluster.AbortError {
	a := &cluster.AbortError{Rank: f.Rank, Addr: f.Addr, Op: f.Op, Err: local.get(f.Origin)}
	if a.Err != nil {
		return a
	}
	switch {
	case f.Lost != nil:
		a.Err = f.Lost
	case f.Op == "deadlock":
		a.Err = &cluster.DeadlockError{Waiters: f.Waiters}
	case f.Panic:
		a.Err = &cluster.PanicError{Value: f.Text, Stack: f.Stack}
	case f.Text == cluster.ErrCrashed.Error():
		a.Err = cluster.ErrCrashed
	case f.Text == context.Canceled.Error():
		a.Err = context.Canceled
	case f.Text == context.DeadlineExceeded.Error():
		a.Err = context.DeadlineExceeded
	default:
		a.Err = errors.New(f.Text)
	}
	return a
}

// siblings holds one clock for the ranks of one process, and the first error that each of them reported, so that
// they see the very error and not its text. nil keeps none.
type siblings struct {
	mu    sync.Mutex
	began time.Time // when the first of them began
	errs  map[int]error
}

// begin returns the instant from which a rank that begins now counts.
func (o *siblings) begin() time.Time {
	if o == nil {
		return time.Now()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.began.IsZero() {
		o.began = time.Now()
	}
	return o.began
}

func (o *siblings) put(rank int, err error) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.errs == nil {
		o.errs = map[int]error{}
	}
	if o.errs[rank] == nil {
		o.errs[rank] = err
	}
}

func (o *siblings) get(rank int) error {
	if o == nil || rank < 0 {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.errs[rank]
}

// isCorrupt reports whether err means that a frame is not as it was sent.
func isCorrupt(err error) bool {
	var op *net.OpError // TLS found a record that nobody sent so, or was told of one
	altered := errors.As(err, &op) && (op.Op == "local error" || op.Op == "remote error")
	return altered || errors.Is(err, errFrame) || errors.Is(err, cluster.ErrHeader) || errors.Is(err, cluster.ErrVersion)
}
