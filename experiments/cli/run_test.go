package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/cli/memo"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// An interrupted run leaves an incomplete result; the same command goes on from
// the finished parts, and the next one computes everything again.
func TestInterruptionAndResumption(t *testing.T) {
	dir := t.TempDir()
	var ran []string
	ctx, cancel := context.WithCancel(context.Background())
	with(t, fake("dasp/table5", 3, &ran, func(p int) error {
		if p == 2 {
			cancel()
		}
		return ctx.Err()
	}))
	var out, msg bytes.Buffer
	command := []string{"run", "dasp", "--quiet", "--out", dir}
	if rc := run(ctx, command, &out, &msg); rc != exitFailed ||
		!strings.Contains(msg.String(), "2 finished parts are in "+filepath.Join(dir, ".memo")+": repeat the same command") {
		t.Fatalf("interrupted run: exit code %d, %q", rc, msg.String())
	}
	path := filepath.Join(dir, "dasp", "table5.json")
	if r, err := result.Read(path); err != nil || r.Status != result.Incomplete {
		t.Fatalf("after the interruption the result is %+v, %v; want it incomplete", r, err)
	}
	with(t, fake("dasp/table5", 3, &ran, never))
	if rc, _, m := gradsync(command...); rc != exitOK {
		t.Fatalf("resumed run: %d, %s", rc, m)
	}
	if got := strings.Join(ran, ","); got != "dasp/table5 part 0,dasp/table5 part 1,dasp/table5 part 2" {
		t.Errorf("parts computed before and after the interruption: %s; want each once", got)
	}
	if r, err := result.Read(path); err != nil || r.Status != result.Complete {
		t.Errorf("after the resumption the result is %+v, %v; want it complete", r, err)
	}
	ran = nil
	if rc, _, m := gradsync(command...); rc != exitOK || len(ran) != 3 {
		t.Errorf("a new run after a complete one computed %v (%d, %s), want all three parts", ran, rc, m)
	}
}

// A complete result outlives a run of the same experiment that fails or is
// interrupted; one line says so and counts the finished parts.
func TestCompleteResultsSurvive(t *testing.T) {
	dir := t.TempDir()
	var ran []string
	path := filepath.Join(dir, "dasp", "table5.json")
	command := []string{"run", "dasp", "--quiet", "--out", dir}
	files := func() (all string) {
		for _, f := range []string{path, filepath.Join(dir, "dasp", "table5.run.json")} {
			raw, _ := os.ReadFile(f)
			all += string(raw)
		}
		return all
	}
	with(t, fake("dasp/table5", 3, &ran, func(int) error { return errors.New("no memory") }))
	if rc, out, msg := gradsync(command...); rc != exitFailed || msg != "gradsync: run: dasp/table5: no memory\n" || out != "" || files() != "" {
		t.Errorf("a failed run: exit code %d, %q, %q, and wrote %q; want one line of error and no file", rc, msg, out, files())
	}
	with(t, fake("dasp/table5", 3, &ran, never))
	if rc, _, msg := gradsync(command...); rc != exitOK {
		t.Fatalf("run: %d, %s", rc, msg)
	}
	before := files()
	with(t, fake("dasp/table5", 3, &ran, func(int) error { return errors.New("no memory") }))
	if rc, _, _ := gradsync(command...); rc != exitFailed || files() != before {
		t.Errorf("a failed run: exit code %d, and it changed the complete result", rc)
	}
	ctx, cancel := context.WithCancel(context.Background())
	with(t, fake("dasp/table5", 3, &ran, func(p int) error {
		if p == 1 {
			cancel()
		}
		return ctx.Err()
	}))
	var out, msg bytes.Buffer
	want := "kept the complete result " + path + "; 1 finished part is in " + filepath.Join(dir, ".memo")
	if rc := run(ctx, command, &out, &msg); rc != exitFailed || files() != before || !strings.Contains(msg.String(), want) ||
		strings.Count(msg.String(), "\n") != 1 {
		t.Errorf("an interrupted run: exit code %d, %q, result changed: %v; want it kept and one line with %q", rc, msg.String(), files() != before, want)
	}
}

func TestSidecarNamesTheEngine(t *testing.T) {
	for _, test := range []struct{ engine, kind, want string }{
		{"portable (bit class a)", result.Trained, "portable (bit class a)"}, {"", result.TimingOnly, "none (timing-only)"},
		{"", result.Modelled, "none"},
	} {
		var ran []string
		e := fake("dasp/table5", 1, &ran, never)
		inner := e.Run
		e.Run = func(ctx context.Context, env exp.Env) (*result.Result, error) {
			r, err := inner(ctx, env)
			r.Engine, r.Kind = test.engine, test.kind
			return r, err
		}
		with(t, e)
		dir := t.TempDir()
		if rc, _, msg := gradsync("run", "dasp", "--out", dir); rc != exitOK {
			t.Fatal(msg)
		}
		if side, err := result.ReadRun(filepath.Join(dir, "dasp", "table5.json")); err != nil || side.Engine != test.want {
			t.Errorf("kind %s, engine %q: the sidecar says %+v (%v), want %q", test.kind, test.engine, side, err, test.want)
		}
	}
}

// --for ends a run as Ctrl-C does, and the same command goes on; the state of a
// part under way goes with the parts when the run is through.
func TestRunForAWhile(t *testing.T) {
	var ran []string
	e, slow := fake("dasp/table5", 2, &ran, never), true
	run := e.Run
	e.Run = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		state := env.Memo.State("a part")
		if slow {
			if err := os.WriteFile(state, []byte("half"), 0o644); err != nil {
				return nil, err
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if raw, err := os.ReadFile(state); err != nil || string(raw) != "half" {
			t.Errorf("the state is %q, %v", raw, err)
		}
		return run(ctx, env)
	}
	with(t, e)
	dir := t.TempDir()
	if rc, _, msg := gradsync("run", "dasp", "--out", dir, "--for", "5ms"); rc != exitFailed ||
		!strings.Contains(msg, "0 finished parts and the checkpoint of one under way are in") {
		t.Errorf("exit code %d, %q", rc, msg)
	}
	slow = false
	if rc, _, msg := gradsync("run", "dasp", "--out", dir, "--for", "1h"); rc != exitOK {
		t.Errorf("exit code %d, %q", rc, msg)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".memo", "*", "*")); len(left) > 0 {
		t.Errorf("a finished run leaves %v", left)
	}
	if rc, _, _ := gradsync("run", "dasp", "--out", dir, "--for", "-1s"); rc != exitUsage {
		t.Errorf("a negative time: exit code %d", rc)
	}
}

// A command that is through forgets its own parts and no other command's; parts of another build are left and named.
func TestACommandForgetsItsOwnParts(t *testing.T) {
	dir := t.TempDir()
	var ran []string
	long, short := fake("dasp/long", 3, &ran, func(p int) error {
		if p == 2 {
			return errors.New("no memory")
		}
		return nil
	}), fake("dasp/short", 1, &ran, never)
	with(t, long, short)
	if rc, _, _ := gradsync("run", "dasp/long", "--out", dir); rc != exitFailed {
		t.Fatalf("exit code %d, want a failure after two parts", rc)
	}
	stranger := filepath.Join(dir, ".memo", "0123456789abcdef", "x.json")
	oktest.Nil(t, os.MkdirAll(filepath.Dir(stranger), 0o755))
	oktest.Nil(t, os.WriteFile(stranger, []byte("1"), 0o644))
	rc, _, msg := gradsync("run", "dasp/short", "--out", dir)
	if rc != exitOK || !strings.Contains(msg, "2 finished parts of an interrupted run") || !strings.Contains(msg, "lie 1 parts in") {
		t.Errorf("exit code %d, %q", rc, msg)
	}
	ran = nil
	with(t, fake("dasp/long", 3, &ran, never))
	if rc, _, msg := gradsync("run", "dasp/long", "--out", dir); rc != exitOK || len(ran) != 1 {
		t.Errorf("exit code %d, ran %v, want the last part alone: %s", rc, ran, msg)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".memo", "*", "*")); len(left) != 1 || left[0] != stranger {
		t.Errorf("left: %v, want the other build's part alone", left)
	}
}

func TestRunRefusesASecondWriter(t *testing.T) {
	dir := t.TempDir()
	m := oktest.Must(memo.Open(dir, nil, func(string) {}))(t)
	defer m.Close()
	var ran []string
	with(t, fake("dasp/table5", 1, &ran, never))
	if rc, _, msg := gradsync("run", "dasp", "--out", dir); rc != exitFailed || !strings.Contains(msg, "another gradsync run") {
		t.Errorf("a second run on one folder: exit code %d, %q", rc, msg)
	}
}

// full is a writer that takes left bytes.
type full struct{ left int }

func (w *full) Write(p []byte) (int, error) {
	if n := w.left; n < len(p) {
		w.left = 0
		return n, errors.New("no space left")
	}
	w.left -= len(p)
	return len(p), nil
}

func TestCommandLineNamesNoFolderOfThisMachine(t *testing.T) {
	root := t.TempDir()
	folders := filepath.Join(root, "all") + "," + filepath.Join(root, "monday")
	got := commandLine([]string{"run", "dasp", "--kept", folders, "--out=" + filepath.Join(root, "results"), "--data-dir", "sets/mnist"})
	if want := "gradsync run dasp --kept all,monday --out=results --data-dir sets/mnist"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// More seeds than an experiment's own go on where these end, in a reproduction too, and stand beside no others.
func TestMoreSeeds(t *testing.T) {
	rc, out, msg := gradsync("run", "dasp/table1", "dasp/fig3", "--more-seeds", "2", "--dry-run")
	for _, want := range []string{"dasp/table1          about 0s, seeds [0 1 2 3 4]\n", "seeds [0 1 2 3 4 5 6 7 8 9 10 11]\n"} {
		if rc != exitOK || !strings.Contains(out, want) {
			t.Errorf("%d, %s%s: want %q", rc, out, msg, want)
		}
	}
	for _, flags := range [][]string{{"--more-seeds", "2", "--seeds", "0"}, {"--more-seeds", "-1"}} {
		if rc, _, msg := gradsync(append([]string{"run", "dasp/table1", "--dry-run"}, flags...)...); rc != exitUsage {
			t.Errorf("%v: %d, %s", flags, rc, msg)
		}
	}
}
