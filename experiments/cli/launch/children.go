package launch

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"gradsync/shared/cluster/tcp"
)

// How long children have to end by themselves: after one has failed, so that the others
// print what they saw of it, and after being told to end.
const (
	lastWords  = 2 * time.Second
	lastBreath = 2 * time.Second
)

// Child is one process that Tend looks after.
type Child struct {
	Name  string // "rank 2 at 127.0.0.1", for the line on its failure
	Label string // before each of its lines
	Plain bool   // its standard output goes to Tend's out as it is
	Cmd   *exec.Cmd
}

// Rank makes the child that runs cmd as the rank at of a job, on a host. Rank 0 is plain.
func Rank(at tcp.Config, host string, cmd *exec.Cmd) Child {
	cmd.Env = Environment(&at)
	return Child{Name: fmt.Sprintf("rank %d at %s", at.Rank, host), Label: fmt.Sprintf("[%d] ", at.Rank), Plain: at.Rank == 0, Cmd: cmd}
}

// NewJob returns a name that no other job has.
func NewJob() string { return rand.Text()[:16] }

// ChildError tells how the first child that failed ended.
type ChildError struct {
	name string
	Code int // −1: by a signal, or it did not start
	how  error
	deaf []string // the others that did not end when told to and were killed
}

func (e *ChildError) Error() string {
	text := fmt.Sprintf("%s was lost: %v", e.name, e.how)
	if e.Code >= 0 {
		text = fmt.Sprintf("%s ended with exit code %d", e.name, e.Code)
	}
	if len(e.deaf) > 0 {
		text += "; killed, as it did not end when told to: " + strings.Join(e.deaf, ", ")
	}
	return text
}

func (e *ChildError) Unwrap() error { return e.how }

// Tend starts all children and returns when all have ended: nil if all did well, or else
// a *ChildError on the first that failed. After a failure the others have lastWords to
// end, are told to, and are killed lastBreath later; once ctx is done they are told at
// once. A plain child's output goes to out as it is, all other output to errOut, line by
// line behind the child's label.
func Tend(ctx context.Context, children []Child, out, errOut io.Writer) error {
	words := &labelled{w: errOut}
	ended := make(chan end, len(children))
	alive := map[int]*exec.Cmd{}
	var first *ChildError
	var tell, slay <-chan time.Time
	for i, c := range children {
		if err := c.start(i, words, out, ended); err != nil {
			first, tell = &ChildError{name: c.Name, Code: -1, how: err}, time.After(0)
			break
		}
		alive[i] = c.Cmd
	}
	stop := ctx.Done()
	for len(alive) > 0 {
		select {
		case e := <-ended:
			delete(alive, e.index)
			switch {
			case e.err == nil:
			case first == nil:
				first, tell = e.err, time.After(lastWords)
			case first.Code >= 0 && e.err.Code < 0 && tell != nil:
				first = e.err // a signal, and not ours: those that complained first were its survivors
			}
		case <-stop:
			stop, tell = nil, time.After(0)
		case <-tell:
			tell, slay = nil, time.After(lastBreath)
			for _, cmd := range alive {
				interrupt(cmd)
			}
		case <-slay:
			for i, cmd := range alive {
				kill(cmd)
				if first != nil {
					first.deaf = append(first.deaf, children[i].Name)
				}
			}
		}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case first != nil:
		slices.Sort(first.deaf)
		return first
	}
	return nil
}

// end reports that a child has ended; err is nil if it did well.
type end struct {
	index int
	err   *ChildError
}

// start starts child number index and has its end reported.
func (c Child) start(index int, words *labelled, out io.Writer, report chan<- end) error {
	stdout, stderr := words.of(c.Label), words.of(c.Label)
	c.Cmd.Stdout, c.Cmd.Stderr = stdout, stderr
	if c.Plain {
		c.Cmd.Stdout = out
	}
	c.Cmd.WaitDelay = lastBreath // for what it left behind, which may hold its output open
	apart(c.Cmd)
	if err := c.Cmd.Start(); err != nil {
		return err
	}
	go func() {
		err := c.Cmd.Wait()
		stdout.flush()
		stderr.flush()
		report <- end{index, c.ending(err)}
	}()
	return nil
}

// ending returns how the child failed, nil if it did well.
func (c Child) ending(err error) *ChildError {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return &ChildError{name: c.Name, Code: exit.ExitCode(), how: err}
	}
	return &ChildError{name: c.Name, Code: -1, how: err}
}

// labelled writes whole lines of several writers, each behind its label.
type labelled struct {
	mu sync.Mutex
	w  io.Writer
}

type labelledWriter struct {
	all   *labelled
	label string
	line  []byte // begun, not ended
}

func (l *labelled) of(label string) *labelledWriter { return &labelledWriter{all: l, label: label} }

func (w *labelledWriter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		at := bytes.IndexByte(p, '\n')
		if at < 0 {
			w.line = append(w.line, p...)
			return n, nil
		}
		w.line = append(w.line, p[:at]...)
		p = p[at+1:]
		w.end()
	}
}

// flush ends a last line that has no end of its own.
func (w *labelledWriter) flush() {
	if len(w.line) > 0 {
		w.end()
	}
}

// end writes the line. Nobody is left to be told if that fails.
func (w *labelledWriter) end() {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	fmt.Fprintf(w.all.w, "%s%s\n", w.label, w.line)
	w.line = w.line[:0]
}
