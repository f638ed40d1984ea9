package dev

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"gradsync/internal/oktest"
)

// Files of soak, below the root.
const (
	soakScript = ".ci/soak/run"
	soakTests  = ".ci/soak/tests.csv"
	soakLedger = ".ci/soak/ledger.csv"
)

// soaked makes a clone that holds the script and lists one test, with a program `go` in front of the PATH that prints text.
func soaked(t *testing.T, text string) (dir string) {
	t.Helper()
	script := oktest.Must(os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(soakScript))))(t)
	for _, name := range []string{"bash", "git", "setpriv"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not on PATH: soak needs it", name)
		}
	}
	real := oktest.Must(exec.LookPath("go"))(t)
	bin, err := os.MkdirTemp("", "")
	if err == nil {
		err = os.Chmod(bin, 0o755) // a stranger calls the program in it
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(bin) })
	write(t, bin, "go", "#!/bin/sh\nif [ \"$1\" = env ]; then exec "+real+" \"$@\"; fi\n"+text)
	t.Setenv("HOME", bin)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	dir = clone(t)
	write(t, dir, soakScript, string(script))
	write(t, dir, soakTests, "package,test,hung on,now,pace\n./p,TestLucky,luck,nothing,\n./q,TestLucky,luck,nothing,\n")
	for _, p := range []string{"p", "q"} {
		write(t, dir, p+"/p_test.go", "package p\n\nfunc TestLucky(t *testing.T) {\n}\n")
	}
	write(t, dir, ".gitignore", "/out/\n")
	commit(t, "init", "-q")
	commit(t, "add", "-A")
	commit(t, "commit", "-qm", "one")
	return dir
}

func commit(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	oktest.Nil(t, os.MkdirAll(filepath.Dir(path), 0o755))
	oktest.Nil(t, os.WriteFile(path, []byte(text), 0o755))
	oktest.Nil(t, os.Chmod(path, 0o755))
}

func table(t *testing.T, path string) [][]string {
	t.Helper()
	f := oktest.Must(os.Open(path))(t)
	defer f.Close()
	return oktest.Must(csv.NewReader(f).ReadAll())(t)
}

// noted returns condition, part, folder, passes, passed, failed and skipped of the ledger's rows.
func noted(t *testing.T, dir string) (out string) {
	t.Helper()
	for _, r := range table(t, filepath.Join(dir, filepath.FromSlash(soakLedger)))[1:] {
		out += strings.Join([]string{r[0], r[1], r[2], r[3], r[7], r[8], r[9]}, " ") + "\n"
	}
	return out
}

// Both parts are counted, what is green is not run again, and a changed test voids it. What fails is said, stays in
// the ledger, and ends with an error.
func TestSoakGoesOnWhereItStopped(t *testing.T) {
	dir := soaked(t, `n=$(echo "$*" | sed 's/.*-count \([0-9]*\).*/\1/')
for p in $(echo "$*" | grep -oE '\./(p|q|\.\.\.)' | sed 's,.*/,,'); do
  for i in $(seq $n); do echo "--- PASS: a"; done
  if [ $p = ... ]; then echo "--- SKIP: c"; p=p; fi
  if grep -q return $p/p_test.go; then echo "FAIL	gradsync/$p	0.1s"; rc=1; else echo "ok  	gradsync/$p	0.1s"; fi
done
exit $rc
`)
	out, _, err := call(soak(), "procs-1", "--times", "3")
	got, want := noted(t, dir), "procs-1 suite ./... 1 1 0 1\nprocs-1 listed ./p 3 3 0 0\nprocs-1 listed ./q 3 3 0 0\n"
	if err != nil || got != want {
		t.Fatalf("ledger %q with error %v, want %q; printed\n%s", got, err, want, out)
	}
	out, _, err = call(soak(), "procs-1", "--times", "9")
	if got, want := noted(t, dir), strings.ReplaceAll(want, "3 3", "9 9"); err != nil || got != want {
		t.Errorf("ledger %q with error %v, want six passes more: %q; printed\n%s", got, err, want, out)
	}
	write(t, dir, "p/p_test.go", "package p\n\nfunc TestLucky(t *testing.T) {\n\treturn\n}\n")
	if _, errOut, err := call(soak(), "procs-1"); err == nil || !strings.Contains(errOut, "commit the changes, or --no-ledger") {
		t.Errorf("with a change it says %q with error %v", errOut, err)
	}
	commit(t, "commit", "-qam", "two")
	out, errOut, err := call(soak(), "procs-1", "--times", "2")
	// What is green and as it was keeps its passes. An end without a failed test is a failure, too.
	want = "procs-1 listed ./q 9 9 0 0\nprocs-1 suite ./... 1 1 1 1\nprocs-1 listed ./p 2 2 1 0\n"
	if got := noted(t, dir); err == nil || got != want || !strings.Contains(errOut, "failed under procs-1, suite: 1") ||
		!strings.Contains(out, "FAIL\tgradsync/p\t0.1s") {
		t.Errorf("of a test that fails it says %q with error %v, ledger %q, want %q; printed\n%s", errOut, err, got, want, out)
	}
	write(t, dir, "p/p.go", "package p\n")
	commit(t, "add", "p/p.go")
	commit(t, "commit", "-qm", "three")
	if _, _, err := call(soak(), "procs-1", "--times", "1", "--part", "listed"); err == nil || noted(t, dir) != want+"procs-1 listed ./p 1 1 1 0\n" {
		t.Errorf("another commit: error %v, ledger %q", err, noted(t, dir))
	}
}

// Each condition is what its name says.
func TestSoaksConditions(t *testing.T) {
	soaked(t, `echo "--- PASS: $(pwd | grep -cE '/grad sync [^/]*/gradsync$') $(umask) ${HOME-none} $(id -u) ${GOMAXPROCS-} $CGO_ENABLED ${GRADSYNC_CPU-} $*"
echo "ok  	gradsync/p	0.1s"
test ! "${HOME-}" || exit 0
test -w "$GOCACHE" && test -w "$GOPATH" && touch made && echo "--- PASS: writes"
`)
	t.Setenv("GRADSYNC_CPU", "")
	user := max(os.Getuid(), 1)
	if os.Getuid() == 0 {
		user = 65534
	}
	for name, want := range map[string]string{
		"procs-1": "1 0  test", "procs-16": "16 0  test", "race": " 1  test .* -race -shuffle=on", "busy": " 0  test",
		"stranger": fmt.Sprintf("^--- PASS: 1 0077 none %d  0  test", user), "avx2": " 0 avx2 test", "portable": " 0 portable test",
	} {
		out, errOut, err := call(soak(), "--part", "suite", "--no-ledger", name)
		text, _ := os.ReadFile(filepath.Join("out", "soak", name+"-suite.txt"))
		if err != nil || !regexp.MustCompile("(?m)"+want).Match(text) || strings.Contains(string(text), "writes") != (name == "stranger") {
			t.Errorf("%s: %v\n%s%s\n%s", name, err, out, errOut, text)
		}
	}
}

// A signal ends the script, its tests and what spins beside them.
func TestSoakEnds(t *testing.T) {
	dir := soaked(t, `echo $$ > started; exec sleep 600`)
	cmd := exec.Command("bash", soakScript, "busy", "--no-ledger")
	oktest.Nil(t, cmd.Start())
	until := func(done func() bool) {
		t.Helper()
		for range 600 { // a minute guards against hangs
			if done() {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Error("after a minute it is not so")
	}
	var pid []byte
	until(func() bool {
		pid, _ = os.ReadFile(filepath.Join(dir, "started"))
		return len(pid) > 0
	})
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("it ends with %v", err)
	}
	until(func() bool { return exec.Command("kill", "-0", strings.TrimSpace(string(pid))).Run() != nil })
}

// Wrong words are one line.
func TestSoakWrong(t *testing.T) {
	soaked(t, "")
	for args, want := range map[string]string{
		"slow":       "soak: unknown condition \"slow\": known are procs-1 procs-16 busy race stranger avx2 portable\n",
		"--part all": "soak: --part all: want suite, listed or quick\n",
		"--times 0":  "soak: --times 0: want a number from 1\n",
	} {
		if _, errOut, err := call(soak(), strings.Fields(args)...); !errors.As(err, new(*UsageError)) || errOut != want {
			t.Errorf("soak %s: %q with error %v, want %q", args, errOut, err, want)
		}
	}
}

// Every listed test is there, once, with what its verdict hung on and what it is now.
func TestSoakedTestsAreThere(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range table(t, filepath.Join("..", "..", "..", filepath.FromSlash(soakTests)))[1:] {
		if id := row[0] + " " + row[1]; seen[id] || row[2] == "" || row[3] == "" || row[4] != "" && row[4] != "slow" {
			t.Errorf("%v is listed twice, or lacks a word", row)
		} else {
			seen[id] = true
		}
		files, _ := filepath.Glob(filepath.Join("..", "..", "..", row[0], "*_test.go"))
		found := false
		for _, f := range files {
			text := oktest.Must(os.ReadFile(f))(t)
			found = found || strings.Contains(string(text), "\nfunc "+row[1]+"(")
		}
		if !found {
			t.Errorf("%s lists %s of %s, which is not there", soakTests, row[1], row[0])
		}
	}
}
