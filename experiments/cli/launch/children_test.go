//go:build unix

package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shells makes children that run these scripts; the first one's output is plain.
func shells(scripts ...string) (out []Child) {
	for i, s := range scripts {
		out = append(out, Child{Name: fmt.Sprintf("rank %d at h", i), Label: fmt.Sprintf("[%d] ", i), Plain: i == 0, Cmd: exec.Command("sh", "-c", s)})
	}
	return out
}

func TestTendForwardsLines(t *testing.T) {
	var out, errOut bytes.Buffer
	err := Tend(t.Context(), shells(`printf '{"a":1}\n'; echo zero >&2`, `printf half; sleep 0.1; printf ' line\nlast' >&1`, `true`), &out, &errOut)
	if err != nil || out.String() != "{\"a\":1}\n" {
		t.Fatalf("%v, %q", err, out.String())
	}
	for _, want := range []string{"[0] zero\n", "[1] half line\n", "[1] last\n"} {
		if !strings.Contains(errOut.String(), want) {
			t.Errorf("%q lacks %q", errOut.String(), want)
		}
	}
}

// The first that fails is the one that is told of, with its code or signal; the
// others end, and so does what they started.
func TestTendEndsAll(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	t.Parallel()
	dir := t.TempDir()
	const deafness = "; killed, as it did not end when told to: rank 2 at h"
	for name, test := range map[string]struct {
		script, want string
		code         int
	}{
		"code":   {"sleep 0.2; exit 3", "rank 1 at h ended with exit code 3" + deafness, 3},
		"signal": {"sleep 0.2; kill -9 $$", "rank 1 at h was lost: signal: killed" + deafness, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // both wait for seconds
			pids := filepath.Join(dir, name)
			deaf := fmt.Sprintf(`trap '' TERM; sleep 60 & echo $$ $! >%s; while :; do sleep 1; done`, pids)
			begin := time.Now()
			err := Tend(t.Context(), shells("sleep 60", test.script, deaf), &bytes.Buffer{}, &bytes.Buffer{})
			var failed *ChildError
			if !errors.As(err, &failed) || failed.Code != test.code || err.Error() != test.want {
				t.Errorf("%v, want %q", err, test.want)
			}
			if took := time.Since(begin); took > lastWords+2*lastBreath+5*time.Second {
				t.Errorf("all ended after %v", took)
			}
			gone(t, pids)
		})
	}
}

// A child that a signal ended is the cause, though another one's complaint was
// heard first.
func TestTendNamesTheCause(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	t.Parallel()
	err := Tend(t.Context(), shells("sleep 0.1; exit 1", "sleep 0.5; kill -9 $$", "sleep 60"), &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || err.Error() != "rank 1 at h was lost: signal: killed" {
		t.Error(err)
	}
}

// gone checks that the processes listed in a file have ended.
func gone(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		for late := time.Now().Add(5 * time.Second); alive(pid); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(late) {
				t.Errorf("process %d is left", pid)
				_ = syscall.Kill(pid, syscall.SIGKILL)
				break
			}
		}
	}
}

// alive tells of a process that runs; one that has ended and waits for its
// parent, which may be a container's first process that never looks, does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) || !exists("/proc/self/stat")
	}
	return !strings.Contains(string(stat), ") Z ")
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// An interrupted launch ends its children at once, and says so rather than what
// became of them.
func TestTendInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	begin := time.Now()
	if err := Tend(ctx, shells("sleep 60", "sleep 60"), &bytes.Buffer{}, &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("ended after %v", took)
	}
}

// A child that cannot start is a failure of its own, and the others end.
func TestTendCannotStart(t *testing.T) {
	children := shells("sleep 60", "true")
	children[1].Cmd = exec.Command(filepath.Join(t.TempDir(), "no-such-program"))
	err := Tend(t.Context(), children, &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "rank 1 at h was lost: ") || !strings.Contains(err.Error(), "no-such-program") {
		t.Error(err)
	}
}
