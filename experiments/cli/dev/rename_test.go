package dev

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/internal/repo"
)

// TestRewriterTouchesPathsAlone: imports, rules and texts that name the module or a package of it change;
// what begins alike and names none stays, such as the streams that all random numbers come from.
func TestRewriterTouchesPathsAlone(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"papers", "shared", "experiments", ".git"} {
		oktest.Nil(t, os.Mkdir(filepath.Join(dir, d), 0o755))
	}
	rewrite := oktest.Must(rewriter(dir, "old", "example.com/me/gs"))(t)
	for text, want := range map[string]string{
		"module old\n":                        "module example.com/me/gs\n",
		`"module old\n"`:                      `"module example.com/me/gs\n"`,
		`import "old/papers/dasp"`:            `import "example.com/me/gs/papers/dasp"`,
		`_ "old/shared"`:                      `_ "example.com/me/gs/shared"`,
		"    old/: no":                        "    example.com/me/gs/: no",
		"[$gostd, old/shared/a$, old/papers]": "[$gostd, example.com/me/gs/shared/a$, example.com/me/gs/papers]",
		`TrimPrefix(name, "old/")`:            `TrimPrefix(name, "example.com/me/gs/")`,
		"`go doc old/experiments/audit`":      "`go doc example.com/me/gs/experiments/audit`",
		"//go:generate go run old/papers/x .": "//go:generate go run example.com/me/gs/papers/x .",
		`[]byte("old/prng/1\x00")`:            `[]byte("old/prng/1\x00")`,
		`"./experiments/old"`:                 `"./experiments/old"`,
		`"bin/old/papers"`:                    `"bin/old/papers"`,
		"old/shared-things":                   "old/shared-things",
		"module old2\n":                       "module old2\n",
		"old run dasp":                        "old run dasp",
	} {
		if got := string(rewrite([]byte(text))); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestRenameRefuses: a path that no module can have changes nothing.
func TestRenameRefuses(t *testing.T) {
	dir := clone(t)
	for _, path := range []string{"/x/y", "../x", "a b", ""} {
		if _, _, err := call(renameModule(), path); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want one line", path, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || string(text) != "module gradsync\n" {
		t.Errorf("go.mod is %q, %v", text, err)
	}
}

// longTest skips a test that make test-long has.
func longTest(t *testing.T) string {
	t.Helper()
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("builds the program anew, minutes: GRADSYNC_LONG=1 runs it")
	}
	return oktest.Must(repo.Root())(t)
}

// TestRenamedModuleBuilds: a copy with another path builds, is vetted with its tests, keeps its random numbers and
// its import rules, and is itself again with the former path.
func TestRenamedModuleBuilds(t *testing.T) {
	root := longTest(t)
	dir := t.TempDir()
	oktest.Nil(t, copyClone(root, dir))
	t.Chdir(dir)
	before := texts(t, dir)
	if out, errOut, err := call(renameModule(), "github.com/you/gradsync"); err != nil {
		t.Fatalf("%v: %s%s", err, out, errOut)
	}
	for _, argv := range []string{
		"go vet ./experiments/... ./papers/... ./internal/...", "go run -modfile=.ci/tools.mod .ci/depguard/main.go ./...",
		"go test -short ./shared/cluster ./papers ./internal/gosource ./experiments/verify", "go test -short -run TestWorkByHand ./experiments/bench",
		"go run ./experiments/gradsync verify codedsgd --n 5 --r 2",
	} {
		c := exec.Command("go", strings.Fields(argv)[1:]...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", argv, err, out)
		}
	}
	if bad, err := repo.Unformatted(dir); err != nil || len(bad) > 0 {
		t.Errorf("not formatted: %v, %v", bad, err)
	}
	if out, errOut, err := call(renameModule(), "gradsync"); err != nil {
		t.Fatalf("%v: %s%s", err, out, errOut)
	}
	for name, text := range texts(t, dir) {
		if !bytes.Equal(text, before[name]) {
			t.Errorf("%s is another after two changes of the path", name)
		}
	}
}

// texts returns the files of a clone in which the module's path may stand.
func texts(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err != nil || d.IsDir() || !namesModule(filepath.ToSlash(rel)) {
			return err
		}
		out[rel], err = os.ReadFile(path)
		return err
	})
	if err != nil || len(out) < 100 {
		t.Fatalf("%d files, %v", len(out), err)
	}
	return out
}

// copyClone copies a clone without its history and what was made in it.
func copyClone(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case rel == ".git" || rel == "bin" || rel == "out" || rel == "data":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
}

// TestReleaseIsTheSameBytes: two copies in two folders make the same binary of this system, whose checksum is the
// one that is written.
func TestReleaseIsTheSameBytes(t *testing.T) {
	root := longTest(t)
	system := runtime.GOOS + "/" + runtime.GOARCH
	var sums []string
	for range 2 {
		dir := filepath.Join(t.TempDir(), "a clone")
		oktest.Nil(t, copyClone(root, dir))
		t.Chdir(dir)
		if out, errOut, err := call(release("1.2.3"), "--platforms", system, "--out", "made"); err != nil {
			t.Fatalf("%v: %s%s", err, out, errOut)
		}
		text := oktest.Must(os.ReadFile(filepath.Join(dir, "made", sumsFile)))(t)
		sum, name, _ := strings.Cut(strings.TrimSpace(string(text)), "  ")
		binary, err := os.ReadFile(filepath.Join(dir, "made", name))
		if err != nil || !strings.HasPrefix(name, "gradsync_1.2.3_"+runtime.GOOS+"_"+runtime.GOARCH) {
			t.Fatalf("%s: %v", name, err)
		}
		if bytes.Contains(binary, []byte(dir)) {
			t.Errorf("the folder %s is in the binary", dir)
		}
		c := exec.Command(filepath.Join(dir, "made", name), "--version")
		if out, err := c.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "gradsync ") {
			t.Errorf("%v: %s", err, out)
		}
		sums = append(sums, sum)
	}
	if sums[0] != sums[1] || len(sums[0]) != 64 {
		t.Errorf("two copies make %v", sums)
	}
}

// TestReleasesAreOfSixSystems: the steps build each, without the machine's folders and a C library, then sum.
func TestReleasesAreOfSixSystems(t *testing.T) {
	steps, err := released("there", "0.1.0", systems)
	if err != nil || len(steps) != len(systems)+1 || len(systems) != 6 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	for i, system := range systems {
		goos, arch, _ := strings.Cut(system, "/")
		want := "GOOS=" + goos + " GOARCH=" + arch + " CGO_ENABLED=0 go build -trimpath '-ldflags=-s -w' -o " +
			filepath.Join("there", "gradsync_0.1.0_"+goos+"_"+arch)
		if !strings.HasPrefix(steps[i].Command, want) || strings.Contains(steps[i].Command, ".exe ") != (goos == "windows") {
			t.Errorf("%s, want %s", steps[i].Command, want)
		}
	}
	dir := t.TempDir()
	oktest.Nil(t, os.WriteFile(filepath.Join(dir, "a"), []byte("abc"), 0o644))
	var out bytes.Buffer
	oktest.Nil(t, writeSums(dir, []string{"a"}, &out))
	text, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n"; err != nil || string(text) != want || out.String() != want {
		t.Errorf("%q, %v, want %q", text, err, want) // FIPS 180-2, appendix B.1
	}
	if _, err := released("there", "0.1.0", []string{"plan9/amd64"}); err == nil || !strings.Contains(err.Error(), "windows/arm64") {
		t.Errorf("plan9: %v", err)
	}
}
