package cli

import (
	"slices"
	"strings"
	"testing"
)

// TestMistypedNames: a command or a flag that comes near to one is answered with it, and
// one that resembles none is not.
func TestMistypedNames(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"repot"}, "unknown command \"repot\": did you mean `gradsync report`? `gradsync --help` lists the commands\n"},
		{[]string{"QUIZZ"}, "did you mean `gradsync quiz`?"},
		{[]string{"xyzzy"}, "unknown command \"xyzzy\": `gradsync --help`"},
		{[]string{"completio"}, "unknown command \"completio\": `gradsync --help`"},
		{[]string{"report", "--figure", "x"}, "report: unknown flag: --figure: did you mean `--figures`? (see `gradsync report --help`)"},
		{[]string{"run", "--quite"}, "did you mean `--quiet`?"},
		{[]string{"run", "--moon"}, "run: unknown flag: --moon (see"},
		{[]string{"launch", "--np", "2", "--", "train", "--synk", "ring"}, "unknown flag: --synk: did you mean `--sync`?"},
	} {
		rc, out, msg := gradsync(c.args...)
		if rc != exitUsage || out != "" || !strings.Contains(msg, c.want) || strings.Count(msg, "\n") != 1 {
			t.Errorf("%v: exit %d, %q, %q, want %q", c.args, rc, out, msg, c.want)
		}
	}
}

// TestHelpSortsTheCommands: each command stands in one group of the help, what a group names
// exists, and a reader meets the commands to begin with before those of a maintainer.
func TestHelpSortsTheCommands(t *testing.T) {
	all := (&app{}).commands()
	grouped := map[string]int{}
	for _, g := range groups {
		for _, name := range g.has {
			grouped[name]++
		}
	}
	for _, c := range all {
		if name := c.Name(); grouped[name] != 1 && name != "version" {
			t.Errorf("%s is in %d groups", name, grouped[name])
		}
		delete(grouped, c.Name())
	}
	if len(grouped) > 0 {
		t.Errorf("groups name what is no command: %v", grouped)
	}
	_, help, _ := gradsync("--help")
	var order []int
	for _, line := range []string{"Commands to begin with:\n  list", "\n  quiz", "\nMore to study", "\n  train", "\n  reproduce-all",
		"\n  ci-check", "Additional Commands:"} {
		order = append(order, strings.Index(help, line))
	}
	if order[0] < 0 || !slices.IsSorted(order) {
		t.Errorf("the help has its groups at %v:\n%s", order, help)
	}
}
