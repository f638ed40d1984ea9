package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"gradsync/internal/oktest"
	"gradsync/internal/repo"
)

// notRun lists the examples, by how they begin, that the test does not run, and why; their flags and
// arguments are parsed. Those of slow run in make test-long.
var notRun = []struct{ begins, why string }{
	{"gradsync bench ", "measures for minutes, or needs a GPU or Open MPI"},
	{"gradsync calibrate", "measures for half a minute"},
	{"gradsync data fetch", "downloads"},
	{"gradsync data verify", "needs data that are downloaded"},
	{"gradsync grad ", "needs MNIST, which is downloaded"},
	{"gradsync train --device cuda:0", "needs a GPU"},
	{"gradsync train --runtime mpi ", "needs mpirun around it: TestMPIGivesTheSameBits"},
	{"gradsync lab ", "needs root and network namespaces"},
	{"gradsync launch ", "starts processes of a built program, some on other hosts"},
	{"gradsync quiz ring --seed 7$", "asks at a terminal"},
	{"gradsync quiz dasp --questions 10", "asks at a terminal"},
	{"gradsync report --results out/results --figures", "draws every figure as an image, for a minute or more: reports tests it"},
	{"gradsync swarm --method dasp --for 1m", "runs for a minute: experiments/swarm tests it"},
	{"gradsync serve", "serves until Ctrl-C"},
	{"gradsync dev ", "builds, tests or changes the clone: experiments/cli/dev tests it"},
	{"gradsync reproduce-", "starts this program, which is the test here"},
}

// slow are the examples that run in make test-long alone.
var slow = []string{
	"gradsync report ", "gradsync train --sync ssp", "gradsync train --sync dasp --model resnet18 --width", "gradsync train --sync dasp --model lenet5",
	"gradsync replay", "gradsync verify", "gradsync run dasp/table5", "gradsync compare ", "gradsync swarm --seeds 50",
	"gradsync train --sync dasp --model mlp --updates 600",
}

// fast are the examples that a prefix of slow names and that take no time.
var fast = []string{
	"gradsync compare --sync dasp,ssp", "gradsync compare --sync ring,bsp",
	"gradsync verify ring ", "gradsync verify codedsgd --n 9", "gradsync verify ringsparse",
}

// begins reports whether a command begins like one of a list; "$" stands for its end.
func begins(command string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return strings.HasPrefix(command+"$", p) })
}

// shellLine matches the part of an indented line that calls the program.
var shellLine = regexp.MustCompile(`^  .*?\b(gradsync .*?)(?: \|| && |$)`)

// examplesOf collects the commands of all help texts, each once: the examples, and the indented lines of the texts.
func examplesOf(cmd *cobra.Command) (out []string) {
	for _, line := range strings.Split(cmd.Long+"\n"+cmd.Example, "\n") {
		if m := shellLine.FindStringSubmatch(line); m != nil && !strings.Contains(line, "gradsync run ID") {
			out = append(out, m[1])
		}
	}
	for _, c := range cmd.Commands() {
		out = append(out, examplesOf(c)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// words cuts a command as a shell does: blanks part, quotes hold together.
func words(command string) (out []string) {
	var word strings.Builder
	var quote rune
	open := false
	for _, r := range command + " " {
		switch {
		case quote == 0 && (r == '"' || r == '\''):
			quote, open = r, true
		case r == quote:
			quote = 0
		case quote == 0 && r == ' ':
			if open || word.Len() > 0 {
				out = append(out, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
		}
	}
	return out
}

// parsed finds an example's command and has it take the flags and arguments, without running it.
func parsed(args []string) error {
	root := (&app{}).root()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		return err
	}
	return cmd.ValidateRequiredFlags()
}

// TestExamplesRun: every command that a help text shows runs, in a folder that has the committed results
// as its own; what cannot is in notRun, and takes its flags at least.
func TestExamplesRun(t *testing.T) {
	oktest.Slow(t)
	root := oktest.Must(repo.Root())(t)
	dir := t.TempDir()
	for _, to := range []string{"experiments/results", "out/results", "experiments/platforms", "datasets/testdata/shapes"} {
		from := strings.Replace(to, "out/", "experiments/", 1)
		oktest.Nil(t, copyTree(filepath.Join(root, filepath.FromSlash(from)), filepath.Join(dir, filepath.FromSlash(to))))
	}
	t.Chdir(dir)
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // where sets of one's own come
	used := map[string]bool{}
	ran := 0
	commands := examplesOf((&app{}).root())
	slices.SortStableFunc(commands, func(a, b string) int { // a record is checked after it was made
		return cmp.Compare(strings.Count(a, "replay --check"), strings.Count(b, "replay --check"))
	})
	for _, command := range commands {
		args := words(command)[1:]
		if err := parsed(args); err != nil {
			t.Errorf("%s: %v", command, err)
		}
		at := slices.IndexFunc(notRun, func(n struct{ begins, why string }) bool { return begins(command, []string{n.begins}) })
		if at >= 0 {
			used[notRun[at].begins] = true
			continue
		}
		if begins(command, slow) && !begins(command, fast) && os.Getenv("GRADSYNC_LONG") == "" {
			continue
		}
		if args[0] == "run" && !slices.Contains(args, "--dry-run") {
			args = append(args, "--dry-run")
		}
		start := time.Now()
		if rc, out, msg := gradsync(args...); rc != exitOK || out == "" {
			t.Errorf("%s: exit code %d, %q", command, rc, msg)
		}
		t.Logf("%5.2f s  %s", time.Since(start).Seconds(), command)
		ran++
	}
	for _, n := range notRun {
		if !used[n.begins] {
			t.Errorf("notRun names %q, which no example begins with", n.begins)
		}
	}
	if ran < 60 {
		t.Errorf("%d examples ran, want all: the formulas alone are 52", ran)
	}
}

// copyTree copies a folder's files.
func copyTree(from, to string) error { return os.CopyFS(to, os.DirFS(from)) }
