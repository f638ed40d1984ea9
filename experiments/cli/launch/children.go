package launch

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"gradsync/shared/cluster/tcp"
)

// Child is one process that Tend looks after.
type Child struct {
	Name  string // "rank 2 at 127.0.0.1", for the line on its failure
	Label string // before each of its lines
	Plain bool   // its standard output goes to Tend's out as it is
	Ranks []int  // that it is, or looks after
	Cmd   *exec.Cmd
}

// Rank makes the child that runs cmd as the rank at of a job, on a host. Plain is the one that prints: rank 0, of an
// elastic job any, since the first that is not lost does.
func Rank(at tcp.Config, host string, cmd *exec.Cmd) Child {
	cmd.Env = Environment(&at)
	return Child{Name: fmt.Sprintf("rank %d at %s", at.Rank, host), Label: fmt.Sprintf("[%d] ", at.Rank), Plain: at.Rank == 0 || at.Elastic,
		Ranks: []int{at.Rank}, Cmd: cmd}
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
	c.Cmd.WaitDelay = 10 * time.Second // for what it left behind, which may hold its output open
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

// serial has one writer at a time.
type serial struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *serial) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
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

// line writes a line of our own.
func (l *labelled) line(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.w, text)
}
