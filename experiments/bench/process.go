package bench

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// grace is how long a process has to end once its standard input is closed. Tests give a busy machine more.
var grace = 5 * time.Second

// Process is a contender in a process of its own.
type Process struct {
	Job     Job
	Command func(ctx context.Context) *exec.Cmd // not yet started

	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	words *tail
	ended bool
}

var _ Contender = (*Process)(nil)

// Name returns the job's contender.
func (p *Process) Name() string { return p.Job.Contender }

// Open starts the process and sends the job. A process that answers with an
// error is Unable.
func (p *Process) Open(ctx context.Context) (Reply, error) {
	p.cmd, p.words = p.Command(ctx), &tail{}
	p.cmd.Stderr = p.words
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return Reply{}, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return Reply{}, err
	}
	if err := p.cmd.Start(); err != nil {
		return Reply{}, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	hello, err := p.ask(p.Job)
	switch {
	case err != nil:
		err = p.died(err)
	case hello.Error != "":
		err = &Unable{hello.Error}
		p.in.Close()
		p.cmd.Process.Kill()
		p.cmd.Wait()
		p.ended = true
	}
	return hello, err
}

// died ends a process that did not answer, and adds to the error how it ended,
// unless it had to be killed here, and what it complained of.
func (p *Process) died(err error) error {
	p.in.Close()
	late := time.AfterFunc(grace, func() { p.cmd.Process.Kill() })
	how := p.cmd.Wait() // also for the last of its words
	p.ended = true
	if late.Stop() && how != nil {
		return fmt.Errorf("%w (%v)%s", err, how, p.words.said())
	}
	return fmt.Errorf("%w%s", err, p.words.said())
}

// ask sends one line and reads one.
func (p *Process) ask(v any) (Reply, error) {
	line, err := json.Marshal(v)
	if err != nil {
		return Reply{}, err
	}
	_, err = p.in.Write(append(line, '\n'))
	var r Reply
	if err == nil {
		line, err = p.out.ReadBytes('\n')
	}
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err != nil {
		return r, fmt.Errorf("its process: %w", err)
	}
	return r, nil
}

func (p *Process) order(o order) (Reply, error) {
	r, err := p.ask(o)
	switch {
	case err != nil:
		err = p.died(err)
	case r.Error != "":
		err = errors.New(r.Error)
	}
	return r, err
}

// Round orders steps.
func (p *Process) Round(_ context.Context, steps int) (Sample, error) {
	r, err := p.order(order{Steps: steps})
	return r.Sample, err
}

// Profile orders a profile.
func (p *Process) Profile(_ context.Context, seconds float64) ([]Function, error) {
	r, err := p.order(order{ProfileSeconds: seconds})
	return r.Functions, err
}

// Close asks for the peak memory and ends the process; one that has answered and does not end is ended.
func (p *Process) Close() (int64, error) {
	if p.ended {
		return 0, errors.New("its process has ended")
	}
	r, err := p.order(order{Stop: true})
	if p.ended {
		return 0, err
	}
	p.in.Close()
	if err != nil {
		p.cmd.Process.Kill()
	}
	// MPICH over UCX may wait in MPI_Finalize for ever; all that was asked has been answered. An mpirun that is told
	// to end takes its ranks with it.
	told := time.AfterFunc(grace, func() { p.cmd.Process.Signal(syscall.SIGTERM) })
	late := time.AfterFunc(2*grace, func() { p.cmd.Process.Kill() })
	waiting := p.cmd.Wait()
	late.Stop()
	if told.Stop() && err == nil && waiting != nil {
		err = fmt.Errorf("its process: %w%s", waiting, p.words.said())
	}
	return r.PeakBytes, err
}

// tail keeps the last of what a process complained of, and the first line in
// which a Go runtime says why it ends: a long list of goroutines follows that.
type tail struct {
	sync.Mutex
	text   []byte
	reason string
}

func (t *tail) Write(p []byte) (int, error) {
	t.Lock()
	defer t.Unlock()
	t.text = append(t.text, p...)
	for line := range strings.Lines(string(t.text)) {
		if t.reason == "" && strings.HasSuffix(line, "\n") && fatal(line) {
			t.reason = strings.TrimSpace(line)
		}
	}
	if n := len(t.text); n > 2000 {
		t.text = append(t.text[:0], t.text[n-2000:]...)
	}
	return len(p), nil
}

// fatal reports whether a Go runtime ends with this line.
func fatal(line string) bool {
	for _, prefix := range []string{"panic:", "fatal error:", "runtime:"} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

// said returns the reason, or else the last line; ": " before it, "" if none.
func (t *tail) said() string {
	t.Lock()
	defer t.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	if last := cmp.Or(t.reason, strings.TrimSpace(lines[len(lines)-1])); last != "" {
		return ": " + last
	}
	return ""
}
