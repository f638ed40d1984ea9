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

	"gradsync/internal/oktest"
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

// forbearance is more time than a busy machine can need.
const forbearance = 2 * time.Minute

// patient sets for a test how long children have to end after one has failed and after being told to. Where nothing
// but the passing of that time brings the next step, as with a deaf child, it is short; where a child does something
// within it, it is forbearance.
func patient(t *testing.T, words, breath time.Duration) {
	t.Helper()
	w, b := LastWords, LastBreath
	t.Cleanup(func() { LastWords, LastBreath = w, b })
	LastWords, LastBreath = words, breath
}

// forever is a child that ends when it is told to.
const forever = "exec sleep 100"

// await is a script's line that waits for a file, which another child writes: no time decides who is first.
func await(file string) string { return fmt.Sprintf("until [ -e '%s' ]; do sleep 0.01; done; ", file) }

// The first that fails is the one that is told of, with its code or signal; the others end when they are told to, and one
// that does not is killed, and so is what it started.
func TestTendEndsAll(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		script, want string
		code         int
	}{
		"code":   {"exit 3", "rank 1 at h ended with exit code 3", 3},
		"signal": {"kill -9 $$", "rank 1 at h was lost: signal: killed", -1},
	} {
		t.Run(name, func(t *testing.T) {
			judge := func(err error, want string) {
				t.Helper()
				if failed := (*ChildError)(nil); !errors.As(err, &failed) || failed.Code != test.code || err.Error() != want {
					t.Errorf("%v, want %q", err, want)
				}
			}
			patient(t, 0, forbearance)
			judge(Tend(t.Context(), shells(forever, test.script, forever), &bytes.Buffer{}, &bytes.Buffer{}), test.want)

			patient(t, 0, time.Millisecond)
			pids := filepath.Join(dir, name)
			deaf := fmt.Sprintf(`trap '' TERM; sleep 600 & echo $$ $! >'%s.new'; mv '%[1]s.new' '%[1]s'; while :; do sleep 0.1; done`, pids)
			judge(Tend(t.Context(), shells("true", await(pids)+test.script, deaf), &bytes.Buffer{}, &bytes.Buffer{}),
				test.want+"; killed, as it did not end when told to: rank 2 at h")
			gone(t, pids)
		})
	}
}

// A child that a signal ended is the cause, though another one's complaint was
// heard first.
func TestTendNamesTheCause(t *testing.T) {
	patient(t, forbearance, forbearance)
	pid := filepath.Join(t.TempDir(), "pid")
	err := Tend(t.Context(), shells(fmt.Sprintf("echo $$ >'%s.new'; mv '%[1]s.new' '%[1]s'; exit 1", pid),
		await(pid)+fmt.Sprintf("while kill -0 $(cat '%s') 2>&-; do sleep 0.01; done; sleep 0.1; kill -9 $$", pid), "true"), &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || err.Error() != "rank 1 at h was lost: signal: killed" {
		t.Error(err)
	}
}

// gone checks that the processes listed in a file have ended.
func gone(t *testing.T, path string) {
	t.Helper()
	text := oktest.Must(os.ReadFile(path))(t)
	for _, word := range strings.Fields(string(text)) {
		pid := oktest.Must(strconv.Atoi(word))(t)
		for late := time.Now().Add(forbearance); alive(pid); time.Sleep(20 * time.Millisecond) {
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

// told checks that children ended because they were told to.
func told(t *testing.T, children []Child) {
	t.Helper()
	for _, c := range children {
		if how, ok := c.Cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || how.Signal() != syscall.SIGTERM {
			t.Errorf("%s: %v, want the end of who is told to", c.Name, c.Cmd.ProcessState)
		}
	}
}

// An interrupted launch ends its children at once, and says so rather than what
// became of them.
func TestTendInterrupted(t *testing.T) {
	patient(t, forbearance, forbearance)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	children := shells(forever, forever)
	if err := Tend(ctx, children, &bytes.Buffer{}, &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	told(t, children)
}

// A child that cannot start is a failure of its own, and the others end.
func TestTendCannotStart(t *testing.T) {
	patient(t, forbearance, forbearance)
	children := shells(forever, "true")
	children[1].Cmd = exec.Command(filepath.Join(t.TempDir(), "no-such-program"))
	err := Tend(t.Context(), children, &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "rank 1 at h was lost: ") || !strings.Contains(err.Error(), "no-such-program") {
		t.Error(err)
	}
	told(t, children[:1])
}
