package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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
	root, grouped := (&app{}).root(), map[string]int{}
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
	for _, line := range []string{"To run, train, compare, work out and hand in:\n  claims", "\n  verify ",
		"\n  reproduce-all", "A cluster of your own:", "\n  launch", "\n  data", "This program:", "\n  dev "} {
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
