package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groups are the parts of the help, in order. A reader needs the first; the last two
// are the Makefile's targets.
var groups = []struct {
	id, title string
	has       []string
}{
	{"begin", "Commands to begin with:", []string{"list", "run", "serve", "quiz"}},
	{"more", "More to study, compute and write:", []string{
		"train", "compare", "replay", "launch", "grad", "eval", "verify", "claims", "diff", "data", "report", "export", "devices", "bench", "lab", "calibrate"}},
	{"reproduce", "All experiments of a document, then its pages:", []string{
		"reproduce-ring", "reproduce-ringsparse", "reproduce-dasp", "reproduce-codedsgd", "reproduce-compare", "reproduce-all"}},
	{"maintain", "For whoever changes gradsync itself, in a clone of it:", []string{
		"build", "check", "test", "test-long", "lint", "race", "gpu-cu", "gpu-mutants", "cross", "gpu-bundle",
		"ci-check", "ci-results", "reports", "reports-check", "publish", "benchmarks", "clean"}},
}

// inGroups adds commands to root, each in its group of the help; help and version are in
// none.
func inGroups(root *cobra.Command, commands []*cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range commands {
			if slices.Contains(g.has, c.Name()) {
				c.GroupID = g.id
			}
		}
	}
	root.AddCommand(commands...)
}

// commandNames returns the names of the commands that the help shows.
func commandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// flagNames returns the names of the flags that cmd takes.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	for _, set := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.InheritedFlags()} {
		set.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
	}
	return names
}

// didYouMean returns " did you mean `X`?" with front before the name that is most like
// name, and nothing where none begins alike and differs in at most a third of its letters.
func didYouMean(name string, names []string, front string) string {
	name = shortened(name)
	names = slices.DeleteFunc(slices.Clone(names), func(s string) bool { return name == "" || s[0] != name[0] })
	like := byLikeness(name, names)
	if len(like) == 0 || edits(name, like[0]) > (utf8.RuneCountInString(like[0])+2)/3 {
		return ""
	}
	return fmt.Sprintf(" did you mean `%s%s`?", front, like[0])
}

// byLikeness returns names, those first that differ from name in the fewest letters.
func byLikeness(name string, names []string) []string {
	name = shortened(name)
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(edits(name, a), edits(name, b)) })
	return names
}

// shortened returns the part of name that is compared, in small letters.
func shortened(name string) string {
	return string([]rune(strings.ToLower(name))[:min(utf8.RuneCountInString(name), longName)])
}

// longName is the number of letters of a name that are compared: no id is longer.
const longName = 60

// edits counts the letters that must be put in, taken out or exchanged to make b of a.
func edits(a, b string) int {
	to := []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range []rune(a) {
		before := row[0]
		row[0] = i + 1
		for j, y := range to {
			change := before
			if x != y {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, before+1, row[j]+1)
		}
	}
	return row[len(to)]
}
