package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// How long children have to end by themselves: after the failure of one, so that
// the others say what they saw of it, and after being told to.
const (
	lastWords  = 2 * time.Second
	lastBreath = 2 * time.Second
)

// child is one process that launch looks after.
type child struct {
	name  string // "rank 2 at 127.0.0.1", for the line on its failure
	label string // before each of its lines
	plain bool   // its standard output is launch's own
	cmd   *exec.Cmd
}

// childError is how the first child that failed ended.
type childError struct {
	name string
	code int // −1: by a signal, or it did not start
	how  error
	deaf []string // the others that did not end when told to and were killed
}

func (e *childError) Error() string {
	text := fmt.Sprintf("%s was lost: %v", e.name, e.how)
	if e.code >= 0 {
		text = fmt.Sprintf("%s ended with exit code %d", e.name, e.code)
	}
	if len(e.deaf) > 0 {
		text += "; killed, as it did not end when told to: " + strings.Join(e.deaf, ", ")
	}
	return text
}

func (e *childError) Unwrap() error { return e.how }

// tend starts all children and returns when all have ended: nil if all did well,
// else how the first that failed ended, as a *childError. The others then have
// lastWords to end, are told to, and are killed lastBreath later; so too once ctx
// is done. A plain child's output goes to out as it is, all other output to
// errOut, line by line behind the child's label.
func tend(ctx context.Context, children []child, out, errOut io.Writer) error {
	words := &labelled{w: errOut}
	ended := make(chan ended, len(children))
	alive := map[int]*exec.Cmd{}
	var first *childError
	var tell, slay <-chan time.Time
	for i, c := range children {
		if err := c.start(i, words, out, ended); err != nil {
			first, tell = &childError{name: c.name, code: -1, how: err}, time.After(0)
			break
		}
		alive[i] = c.cmd
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
			case first.code >= 0 && e.err.code < 0 && tell != nil:
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
					first.deaf = append(first.deaf, children[i].name)
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

// ended says that a child has; err is nil if it did well.
type ended struct {
	index int
	err   *childError
}

// start starts the child number index and has its end reported.
func (c child) start(index int, words *labelled, out io.Writer, report chan<- ended) error {
	stdout, stderr := words.of(c.label), words.of(c.label)
	c.cmd.Stdout, c.cmd.Stderr = stdout, stderr
	if c.plain {
		c.cmd.Stdout = out
	}
	c.cmd.WaitDelay = lastBreath // for what it left behind, which may hold its output open
	apart(c.cmd)
	if err := c.cmd.Start(); err != nil {
		return err
	}
	go func() {
		err := c.cmd.Wait()
		stdout.flush()
		stderr.flush()
		report <- ended{index, c.ending(err)}
	}()
	return nil
}

// ending is nil if the child did well.
func (c child) ending(err error) *childError {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return &childError{name: c.name, code: exit.ExitCode(), how: err}
	}
	return &childError{name: c.name, code: -1, how: err}
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
