package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// behaviour makes this test binary a worker, a good one or a bad one.
const behaviour = "GRADSYNC_BENCH_TEST_WORKER"

func TestMain(m *testing.M) {
	switch os.Getenv(behaviour) {
	case "":
		os.Exit(m.Run())
	case "serve":
		if err := Serve(os.Stdin, os.Stdout, Open); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "die":
		fmt.Fprintln(os.Stderr, "first words\nkilled for memory")
		os.Exit(3)
	case "panic": // below as many goroutines as a dump needs to be long
		for range 100 {
			go func() { select {} }()
		}
		debug.SetTraceback("all")
		_ = make([]float32, len(os.Args)<<60)
	case "kill": // as the system does for want of memory
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		fmt.Fprintln(os.Stderr, err)
		time.Sleep(time.Minute)
	case "vanish": // after the first answer
		fmt.Println(`{"step_seconds":1}`)
		fmt.Fprintln(os.Stderr, "fatal error: concurrent map writes\nlast words")
		os.Exit(4)
	case "linger": // when all has been answered
		fmt.Println(`{"step_seconds":1}`)
		fmt.Println(`{"peak_bytes":7}`)
		time.Sleep(time.Minute)
	}
}

func process(how string, j Job) *Process {
	return &Process{Job: j, Command: func(ctx context.Context) *exec.Cmd {
		return WithEnvironment(exec.CommandContext(ctx, os.Args[0]), behaviour+"="+how)
	}}
}

// graceOf sets how long a process has to end.
func graceOf(t *testing.T, d time.Duration) {
	before := grace
	t.Cleanup(func() { grace = before })
	grace = d
}

// A real process opens, runs the steps it is told to, and says its memory.
func TestProcess(t *testing.T) {
	p := process("serve", Job{Kind: KindGemm, Contender: Gonum, Threads: 1, M: 32, N: 32, K: 32})
	hello, err := p.Open(t.Context())
	if err != nil || hello.Class != Gonum || hello.StepSeconds <= 0 {
		t.Fatalf("%+v, %v", hello, err)
	}
	s, err := p.Round(t.Context(), 2000)
	if err != nil || s.Steps != 2000 || s.Seconds <= 0 {
		t.Errorf("%+v, %v", s, err)
	}
	peak, err := p.Close()
	if err != nil || runtime.GOOS == "linux" && peak < 1<<20 {
		t.Errorf("a peak of %d, %v", peak, err)
	}
}

// A job nobody can do is Unable; a process that dies is an error with its last
// words; one whose context ends is gone.
func TestProcessesThatFail(t *testing.T) {
	graceOf(t, 2*time.Minute)
	var unable *Unable
	if _, err := process("serve", Job{Kind: KindGemm, Contender: "abacus", Threads: 1, M: 1, N: 1, K: 1}).Open(t.Context()); !errors.As(err,
		&unable) || !strings.Contains(unable.Why, "abacus") {
		t.Errorf("an unknown contender: %v", err)
	}
	if _, err := process("die", Job{}).Open(t.Context()); err == nil || errors.As(err, &unable) || !strings.Contains(err.Error(), "killed for memory") {
		t.Errorf("a dying process: %v", err)
	}
	for how, want := range map[string]string{
		"panic": "exit status 2): panic: runtime error: makeslice: len out of range",
		"die":   "exit status 3): killed for memory",
		"kill":  map[bool]string{true: "(exit status 1)", false: "(signal: killed)"}[runtime.GOOS == "windows"],
	} {
		if _, err := process(how, Job{}).Open(t.Context()); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", how, err, want)
		}
	}
	gone := process("vanish", Job{})
	if _, err := gone.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := gone.Round(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "(exit status 4): fatal error: concurrent map writes") {
		t.Errorf("a process that vanished: %v", err)
	}
	if _, err := gone.Close(); err == nil {
		t.Error("a process that vanished closed well")
	}
	ctx, cancel := context.WithCancel(t.Context())
	p := process("serve", Job{Kind: KindVec, Contender: Copy, Threads: 1, Bytes: 64})
	if _, err := p.Open(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := p.Round(t.Context(), 1e9); err == nil {
		t.Error("a cancelled process went on")
	}
	if _, err := p.Close(); err == nil {
		t.Error("a cancelled process closed well")
	}
}

// A process that has answered all and does not end, as MPICH's may in MPI_Finalize, is ended; its answers count.
func TestAProcessThatDoesNotEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGTERM on Windows")
	}
	graceOf(t, 10*time.Millisecond) // nothing but its passing brings the end
	p := process("linger", Job{})
	if _, err := p.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := p.Close(); n != 7 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
