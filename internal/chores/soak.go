package chores

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gradsync/experiments/bench"
	"gradsync/internal/atomic"
	"gradsync/internal/repo"
)

// Files of soak, below the root: the tests whose verdict could hang on luck, and what each condition came to.
const (
	soakTests  = ".ci/soak/tests.csv"
	soakLedger = ".ci/soak/ledger.csv"
)

// condition is a machine unlike this one, as far as one machine can be made so.
type condition struct {
	name, is string
	env      []string
	flags    []string // of go test
	busy     int      // processes that spin beside it
	stranger bool     // another user, folder and umask, without a home
}

var conditions = []condition{
	{name: "procs-1", is: "GOMAXPROCS=1", env: []string{"GOMAXPROCS=1"}},
	{name: "procs-16", is: "GOMAXPROCS=16", env: []string{"GOMAXPROCS=16"}},
	{name: "busy", is: "eight spinning processes beside it", busy: 8},
	{name: "race", is: "-race -shuffle=on", env: []string{"CGO_ENABLED=1"}, flags: []string{"-race", "-shuffle=on"}},
	{name: "stranger", is: "not root, umask 077, a folder with a space, HOME unset", stranger: true},
	{name: "avx2", is: "GRADSYNC_CPU=avx2", env: []string{"GRADSYNC_CPU=avx2"}},
	{name: "portable", is: "GRADSYNC_CPU=portable", env: []string{"GRADSYNC_CPU=portable"}},
}

// soaking is one call of soak.
type soaking struct {
	root    string
	out     io.Writer
	times   int
	ledger  string // "": none
	machine string
	commit  string
	digest  string // of the listed tests
	listed  map[string]bool
	rows    [][]string
}

// soakHead are the columns of the ledger.
var soakHead = strings.Split("condition,part,times,commit,tests,machine,passed,failed,skipped,minutes", ",")

func soak() *cobra.Command {
	s := &soaking{listed: map[string]bool{}}
	var parts []string
	var names []string
	for _, c := range conditions {
		names = append(names, c.name)
	}
	cmd := &cobra.Command{
		Use:   "soak [CONDITION …]",
		Short: "Run the tests on machines unlike this one: few and many processors, busy, raced, another user, older instructions",
		Long: "Runs the whole suite once, and the tests of " + soakTests + " many times, under each condition (" + strings.Join(names, ", ") +
			"), and writes what each came to into a ledger. What is green there for this machine and these tests is not run again.",
		Example: "  gradsync dev soak\n  gradsync dev soak race --part listed --times 10 --ledger ''",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, got []string) error {
			for _, name := range got {
				if !slices.Contains(names, name) {
					return usagef("unknown condition %q: known are %s", name, strings.Join(names, ", "))
				}
			}
			for _, part := range parts {
				if part != "suite" && part != "listed" {
					return usagef("--part %s: want suite or listed", part)
				}
			}
			if s.times < 1 {
				return usagef("--times %d: want 1 or more", s.times)
			}
			root, err := repo.Root()
			if err != nil {
				return fmt.Errorf("soak: run it inside a clone of gradsync: %w", err)
			}
			s.root, s.out = root, cmd.OutOrStdout()
			return s.run(cmd.Context(), got, parts)
		},
	}
	cmd.Flags().IntVar(&s.times, "times", 20, "how often each listed test runs")
	cmd.Flags().StringSliceVar(&parts, "part", []string{"suite", "listed"}, "suite, listed or both")
	cmd.Flags().StringVar(&s.ledger, "ledger", soakLedger, "the ledger, below the root; empty: none is read or written")
	return cmd
}

// run soaks by the conditions named, all if none is.
func (s *soaking) run(ctx context.Context, names, parts []string) error {
	if err := s.prepare(); err != nil {
		return fmt.Errorf("soak: %w", err)
	}
	var red []string
	for _, c := range conditions {
		if len(names) > 0 && !slices.Contains(names, c.name) {
			continue
		}
		for _, part := range parts {
			if s.done(c.name, part) {
				fmt.Fprintf(s.out, "%s, %s: green in %s\n", c.name, part, s.ledger)
				continue
			}
			failed, err := s.try(ctx, c, part)
			if err != nil {
				return fmt.Errorf("soak: %s, %s: %w", c.name, part, err)
			}
			if failed > 0 {
				red = append(red, fmt.Sprintf("%s, %s: %d", c.name, part, failed))
			}
		}
	}
	if len(red) > 0 {
		return fmt.Errorf("soak: failed tests under %s", strings.Join(red, "; "))
	}
	return nil
}

// prepare reads list, ledger, machine and commit.
func (s *soaking) prepare() (err error) {
	list, err := readCSV(filepath.Join(s.root, soakTests))
	if err != nil {
		return err
	}
	sum := sha256.New()
	for _, row := range list[1:] {
		text, err := function(filepath.Join(s.root, row[0]), row[1])
		if err != nil {
			return err
		}
		s.listed[row[0]+" "+row[1]] = true
		fmt.Fprintln(sum, row[0], text)
	}
	s.digest = fmt.Sprintf("%x", sum.Sum(nil))[:12]
	s.machine = machine()
	if s.ledger == "" {
		return nil
	}
	changes, err := s.git("status", "--porcelain", "--", ".", ":(exclude)"+s.ledger)
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("%d changes are not committed, and the ledger names a commit: commit them, or --ledger ''", strings.Count(changes, "\n")+1)
	}
	if s.commit, err = s.git("rev-parse", "--short=8", "HEAD"); err != nil {
		return err
	}
	if s.rows, err = readCSV(filepath.Join(s.root, s.ledger)); errors.Is(err, os.ErrNotExist) {
		s.rows, err = [][]string{soakHead}, nil
	}
	return err
}

func (s *soaking) git(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", s.root}, args...)...).Output()
	return strings.TrimSpace(string(out)), err
}

// same reports whether a row of the ledger is of this machine's condition and part.
func (s *soaking) same(row []string, name, part string) bool {
	return row[0] == name && row[1] == part && row[5] == s.machine
}

// done reports whether the ledger has it green; it is void once a listed test has changed.
func (s *soaking) done(name, part string) bool {
	return slices.ContainsFunc(s.rows, func(row []string) bool {
		times, _ := strconv.Atoi(row[2])
		return s.same(row, name, part) && row[4] == s.digest && row[7] == "0" && (part == "suite" || times >= s.times)
	})
}

// try runs a part under c, notes what it came to and returns how many tests failed.
func (s *soaking) try(ctx context.Context, c condition, part string) (failed int, err error) {
	start := time.Now()
	cmd, clean, err := s.command(ctx, c, part)
	defer clean()
	if err != nil {
		return 0, err
	}
	for range c.busy { // each ends with this process
		spin := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf("while kill -0 %d 2>/dev/null; do :; done", os.Getpid()))
		if err := spin.Start(); err != nil {
			return 0, err
		}
		defer func() { _ = spin.Process.Kill(); _ = spin.Wait() }()
	}
	fmt.Fprintf(s.out, "== %s (%s), %s: %s\n", c.name, c.is, part, s.machine)
	counts, err := s.watch(cmd, part)
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if err != nil {
		return 0, err
	}
	took := time.Since(start).Minutes()
	fmt.Fprintf(s.out, "== %s, %s: %d passed, %d failed, %d skipped, %.1f min\n", c.name, part, counts[0], counts[1], counts[2], took)
	if s.ledger == "" {
		return counts[1], nil
	}
	times := 1
	if part == "listed" {
		times = s.times
	}
	s.rows = slices.DeleteFunc(s.rows, func(row []string) bool { return s.same(row, c.name, part) })
	s.rows = append(s.rows, strings.Split(fmt.Sprintf("%s,%s,%d,%s,%s,%s,%d,%d,%d,%.1f", c.name, part, times, s.commit, s.digest,
		s.machine, counts[0], counts[1], counts[2], took), ","))
	return counts[1], atomic.Write(filepath.Join(s.root, s.ledger), func(w io.Writer) error { return csv.NewWriter(w).WriteAll(s.rows) })
}

// command returns go test as c and part have it, and what removes what it needed.
func (s *soaking) command(ctx context.Context, c condition, part string) (*exec.Cmd, func(), error) {
	args := append([]string{"go", "test", "-json", "-vet=off", "-timeout", "3h", "-p", packages(2)}, c.flags...)
	if part == "suite" {
		args = append(args, "-count=1", "./...")
	} else {
		var dirs, tests []string
		for id := range s.listed {
			dir, test, _ := strings.Cut(id, " ")
			dirs, tests = append(dirs, dir), append(tests, test)
		}
		slices.Sort(dirs)
		slices.Sort(tests)
		args = append(args, "-count", strconv.Itoa(s.times), "-run", "^("+strings.Join(slices.Compact(tests), "|")+")$")
		args = append(args, slices.Compact(dirs)...)
	}
	dir, env, clean := s.root, append(os.Environ(), "CGO_ENABLED=0"), func() {}
	if c.stranger {
		var err error
		if dir, env, clean, err = s.stranger(); err != nil {
			return nil, clean, err
		}
		args = append([]string{"sh", "-c", `umask 077; exec "$@"`, "sh"}, args...)
		if os.Getuid() == 0 {
			args = append([]string{"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"}, args...)
		}
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go test ends its tests
	cmd.WaitDelay = time.Minute
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(env, c.env...), s.out
	return cmd, clean, nil
}

// stranger makes a clone in a folder with a space that belongs to nobody, and an environment without a home.
func (s *soaking) stranger() (dir string, env []string, clean func(), err error) {
	top, err := os.MkdirTemp("", "grad sync ")
	if err != nil {
		return "", nil, func() {}, err
	}
	clean = func() { _ = os.RemoveAll(top) }
	dir = filepath.Join(top, "gradsync")
	if _, err = s.git("clone", "--quiet", s.root, dir); err != nil {
		return dir, nil, clean, err
	}
	if shared, err := filepath.EvalSymlinks(filepath.Join(s.root, "..", "shared")); err == nil {
		if err := os.Symlink(shared, filepath.Join(top, "shared")); err != nil {
			return dir, nil, clean, err
		}
	}
	said, err := exec.Command("go", "env", "-json", "GOPROXY", "GOSUMDB", "GOFLAGS", "GOTOOLCHAIN").Output()
	if err != nil {
		return dir, nil, clean, err
	}
	settings := map[string]string{}
	if err = json.Unmarshal(said, &settings); err != nil {
		return dir, nil, clean, err
	}
	env = []string{"PATH=" + os.Getenv("PATH"), "CGO_ENABLED=0"}
	for k, v := range settings {
		env = append(env, k+"="+v)
	}
	for _, k := range []string{"GOPATH", "GOCACHE", "TMPDIR"} {
		sub := filepath.Join(top, strings.ToLower(k))
		if err = os.Mkdir(sub, 0o700); err != nil {
			return dir, nil, clean, err
		}
		env = append(env, k+"="+sub)
	}
	if os.Getuid() == 0 {
		err = exec.Command("chown", "-R", "--no-dereference", "65534:65534", top).Run()
	}
	return dir, env, clean, err
}

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// watch runs go test, says which packages are through and what failed, and counts tests passed, failed and skipped; of the part
// listed those that are.
func (s *soaking) watch(cmd *exec.Cmd, part string) (counts [3]int, err error) {
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return counts, err
	}
	if err := cmd.Start(); err != nil {
		return counts, err
	}
	outputs, failed := map[string][]byte{}, map[string]bool{}
	lines := bufio.NewScanner(pipe)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(s.out, lines.Text())
			continue
		}
		top, _, sub := strings.Cut(e.Test, "/")
		id := e.Package + " " + top
		which := slices.Index([]string{"pass", "fail", "skip"}, e.Action)
		switch {
		case e.Output != "":
			outputs[id] = append(outputs[id], e.Output...)
		case which < 0 || sub:
		case e.Test != "":
			if part == "suite" || s.listed["."+strings.TrimPrefix(id, "gradsync")] || which == 1 {
				counts[which]++
			}
			if which == 1 {
				fmt.Fprintf(s.out, "FAIL %s\n%s", id, outputs[id])
				failed[e.Package] = true
			}
			delete(outputs, id)
		case which == 1 && !failed[e.Package]: // it was not built, or ended by itself
			counts[1]++
			fmt.Fprintf(s.out, "FAIL %s\n%s", e.Package, outputs[id])
		default:
			fmt.Fprintf(s.out, "%s %s %.1f s\n", e.Action, e.Package, e.Elapsed)
		}
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); counts[1] == 0 {
		return counts, err // else the failures say it
	}
	return counts, nil
}

// machine names processor, its family, cores and system, without commas.
func machine() string {
	said := map[string]string{}
	for _, pair := range bench.Machine() {
		said[pair[0]] = strings.ReplaceAll(pair[1], ", ", "-")
	}
	return fmt.Sprintf("%s %s; %s cores; %s", said["processor"], said["family, model, stepping"], said["cores"], said["system"])
}

// function returns the text of a test of a folder.
func function(dir, name string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return "", err
	}
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, src, 0)
		if err != nil {
			return "", err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == name {
				return string(src[set.Position(fn.Pos()).Offset:set.Position(fn.End()).Offset]), nil
			}
		}
	}
	return "", fmt.Errorf("%s lists %s of %s, which is not there", soakTests, name, dir)
}

func readCSV(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return csv.NewReader(f).ReadAll()
}
