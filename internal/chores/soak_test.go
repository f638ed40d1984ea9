package chores

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// soaked makes a clone with one package of two tests, the first of them listed, and a commit.
func soaked(t *testing.T, body string) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on PATH: install it")
	}
	dir = clone(t)
	tested(t, dir, body)
	write(t, dir, soakTests, "package,test,hung on,now\n./p,TestLucky,nothing,it is a test's test\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

// tested writes the package; body is that of the test listed.
func tested(t *testing.T, dir, body string) {
	t.Helper()
	write(t, dir, "p/p_test.go", "package p\nimport (\n\"os\"\n\"runtime\"\n\"testing\"\n)\nvar _, _ = os.Getenv, runtime.GOMAXPROCS\n"+
		"func TestLucky(t *testing.T) { "+body+" }\nfunc TestSkipped(t *testing.T) { t.Skip(\"it may\") }\n")
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// ledger returns condition, part, times, passed, failed and skipped of each row.
func ledger(t *testing.T, dir string) (out string) {
	t.Helper()
	rows, err := readCSV(filepath.Join(dir, soakLedger))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows[1:] {
		out += strings.Join([]string{r[0], r[1], r[2], r[6], r[7], r[8]}, " ") + "\n"
	}
	return out
}

// A condition is what its name says, both parts are counted, what is green is not run again, and a changed test voids it.
func TestSoakGoesOnWhereItStopped(t *testing.T) {
	dir := soaked(t, `if runtime.GOMAXPROCS(0) != 1 { t.Error("not alone") }`)
	out, _, err := call(soak(), "procs-1", "--times", "3")
	if got, want := ledger(t, dir), "procs-1 suite 1 1 0 1\nprocs-1 listed 3 3 0 0\n"; err != nil || got != want {
		t.Fatalf("ledger %q with error %v, want %q; printed\n%s", got, err, want, out)
	}
	out, _, err = call(soak(), "procs-1", "--times", "3")
	if err != nil || strings.Count(out, "green in "+soakLedger) != 2 {
		t.Errorf("green once, it printed %q with error %v", out, err)
	}
	tested(t, dir, `t.Error("never")`)
	if _, _, err = call(soak(), "procs-1", "--times", "3"); err == nil || !strings.Contains(err.Error(), "1 changes are not committed") {
		t.Errorf("with a change the error is %v", err)
	}
	if err := exec.Command("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "two").Run(); err != nil {
		t.Fatal(err)
	}
	out, _, err = call(soak(), "procs-1", "--times", "3")
	if err == nil || err.Error() != "soak: failed tests under procs-1, suite: 1; procs-1, listed: 3" {
		t.Errorf("of a test that fails the error is %v; printed\n%s", err, out)
	}
	if got, want := ledger(t, dir), "procs-1 suite 1 0 1 1\nprocs-1 listed 3 0 3 0\n"; got != want {
		t.Errorf("ledger %q, want %q", got, want)
	}
}

// A stranger has another folder, user and umask, no home, and caches of its own.
func TestSoakAsAStranger(t *testing.T) {
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Skip("setpriv is not on PATH (Debian: util-linux): nobody else's processes can be started")
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	bin, err := os.MkdirTemp("", "")
	if err == nil {
		err = os.Chmod(bin, 0o755) // the stranger calls the program in it
	}
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(bin)
	soaked(t, "")
	program := "#!/bin/sh\nif [ \"$1\" = env ]; then exec " + real + ` "$@"; fi
said="$(pwd | grep -c '/grad sync [0-9]*/gradsync$') $(umask) ${HOME-none} $(id -u) $(test -w "$GOCACHE" && test -w "$GOPATH" && echo caches)"
echo "{\"Action\":\"output\",\"Package\":\"gradsync/p\",\"Output\":\"$said\"}"
echo '{"Action":"fail","Package":"gradsync/p"}'
`
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(bin, "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	user := os.Getuid()
	if user == 0 {
		user = 65534
	}
	out, _, err := call(soak(), "stranger", "--part", "suite", "--ledger", "")
	if want := fmt.Sprintf("FAIL gradsync/p\n1 0077 none %d caches", user); err == nil || !strings.Contains(out, want) {
		t.Errorf("printed %q with error %v, want %q in it", out, err, want)
	}
}

// Wrong words are one line.
func TestSoakWrong(t *testing.T) {
	clone(t)
	for args, want := range map[string]string{
		"slow":              `unknown condition "slow": known are procs-1, procs-16, busy, race, stranger, avx2, portable`,
		"--part all":        "--part all: want suite or listed",
		"--times 0":         "--times 0: want 1 or more",
		"busy":              "soak: open " + filepath.FromSlash(soakTests) + ": no such file or directory",
		"--ledger= procs-1": "soak: open " + filepath.FromSlash(soakTests) + ": no such file or directory",
	} {
		_, _, err := call(soak(), strings.Fields(args)...)
		if err == nil || strings.ReplaceAll(err.Error(), mustGetwd(t)+string(filepath.Separator), "") != want {
			t.Errorf("soak %s: %v, want %s", args, err, want)
		}
	}
}

func mustGetwd(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Every listed test is there, once, with what it hung on and what it is now; the ledger's columns are what soak writes.
func TestSoakedTestsAreThere(t *testing.T) {
	root := filepath.Join("..", "..")
	rows, err := readCSV(filepath.Join(root, soakTests))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		if seen[row[0]+row[1]] || row[2] == "" || row[3] == "" {
			t.Errorf("%v is listed twice, or lacks a word", row)
		}
		seen[row[0]+row[1]] = true
		if _, err := function(filepath.Join(root, row[0]), row[1]); err != nil {
			t.Error(err)
		}
	}
	got, err := readCSV(filepath.Join(root, soakLedger))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(got[0], ",") != strings.Join(soakHead, ",") {
		t.Errorf("the ledger's columns are %v, want %v", got[0], soakHead)
	}
}
