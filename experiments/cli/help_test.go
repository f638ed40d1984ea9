package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
		{[]string{"completio"}, "unknown command \"completio\": did you mean `gradsync completion`?"},
		{[]string{"help", "trian"}, "help: unknown command \"trian\": did you mean `gradsync train`?"},
		{[]string{"dev", "chekc"}, "unknown command \"chekc\" of dev: did you mean `check`?"},
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

// TestMistypedValues: a name that a flag or an argument does not know is answered with the nearest,
// whichever package says so; one that resembles none is not.
func TestMistypedValues(t *testing.T) {
	for args, want := range map[string]string{
		"train --sync dapp":                               `no method "dapp": did you mean ` + "`dasp`? known are bsp",
		"train --model lenet":                             "`lenet5`?",
		"train --platform heterogenous6":                  "`heterogeneous6`?",
		"train --data fashon-mnist --pushes 1":            "`fashion-mnist`?",
		"train --runtime virtul":                          "`virtual`?",
		"train --host fixd":                               "`fixed`?",
		"train --backend nativ":                           "`native`?",
		"train --device cud":                              "`cuda`?",
		"train --engine asn":                              "`asm`?",
		"train --sync ringsparse --kinds gradient":        "`gradients`? want one of both",
		"train --sync ringsparse --codec bitmp":           "`bitmap`?",
		"train --sync dasp --wait differnce":              "`difference`? want one of",
		"train --sync dasp --gap pots":                    "`post`? want pre or post",
		"train --sync cssgd --split colums":               "`columns`?",
		"run dasp --profile quik":                         "`quick`?",
		"run dasp/tabel5":                                 "the nearest are dasp/table5",
		"eval ring.byte":                                  "`ring.bytes`?",
		"eval codedsgd.load --n 4 --r 2 --accounting x":   `--accounting "x", want coded`,
		"eval codedsgd.load --n 4 --r 2 --accounting rng": "`ring`? want coded",
		"quiz rng":                              "`ring`?",
		"data verify mnst":                      "`mnist`?",
		"data lits":                             "`list`?",
		"bench messags":                         "`messages`?",
		"claims dapp":                           "`DASP`?",
		"verify rng":                            "`gradsync verify ring`?",
		"verify codedsgd --n 4 --r 2 --model x": `no network "x": known are cnn`,
		"dev release --platforms linux/amd65":   "`linux/amd64`?",
	} {
		rc, out, msg := gradsync(fields(args)...)
		if rc != exitUsage || out != "" || !strings.Contains(msg, want) || strings.Count(msg, "\n") != 1 ||
			strings.Contains(want, "`") != strings.Contains(msg, "did you mean") && !strings.Contains(msg, "nearest") {
			t.Errorf("%s: exit %d, %q, %q, want %q", args, rc, out, msg, want)
		}
	}
}

// A boolean flag has no argument: pflag would show what stands in backquotes as one.
func TestNoBooleanFlagQuotes(t *testing.T) {
	flags := 0
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "bool" {
				return
			}
			if flags++; strings.Contains(f.Usage, "`") {
				t.Errorf("%s --%s: %s", c.CommandPath(), f.Name, f.Usage)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	if visit((&app{}).root()); flags < 20 {
		t.Errorf("%d flags were seen", flags)
	}
}

// TestHelpSortsTheCommands: each command stands in one group of the help, what a group names
// exists, a student's commands come first, and a maintainer's are behind dev.
func TestHelpSortsTheCommands(t *testing.T) {
	root := (&app{}).root()
	grouped := map[string]int{}
	for _, g := range groups {
		for _, name := range g.has {
			grouped[name]++
		}
	}
	for _, c := range root.Commands() {
		if name := c.Name(); grouped[name] != 1 && !c.Hidden {
			t.Errorf("%s is in %d groups", name, grouped[name])
		}
		delete(grouped, c.Name())
	}
	delete(grouped, "help") // made when it is asked for
	if len(grouped) > 0 {
		t.Errorf("groups name what is no command: %v", grouped)
	}
	_, help, _ := gradsync("--help")
	var order []int
	for _, line := range []string{"To run, train, compare, work out and hand in:\n  claims", "\n  verify ", "\n  reproduce-all",
		"A cluster of your own:", "\n  launch",
		"\n  data", "This program:", "\n  dev "} {
		order = append(order, strings.Index(help, line))
	}
	if order[0] < 0 || !slices.IsSorted(order) {
		t.Errorf("the help has its groups at %v:\n%s", order, help)
	}
	if _, dev, _ := gradsync("dev", "--help"); strings.Contains(help, "ci-check") || strings.Contains(help, "Additional") || !strings.Contains(dev,
		"\n  ci-check ") {
		t.Errorf("the help shows what is a maintainer's, or dev does not:\n%s\n%s", help, dev)
	}
}
