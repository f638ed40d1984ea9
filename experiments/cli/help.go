package cli

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groups are the parts of the help, in order of who needs them.
var groups = []struct {
	id, title string
	has       []string
}{
	{"study", "To run, train, compare, work out and hand in:", []string{
		"list", "run", "report", "serve", "train", "compare", "verify", "eval", "quiz", "claims", "diff", "replay", "export"}},
	{"reproduce", "All experiments of a document, then its pages:", []string{
		"reproduce-ring", "reproduce-ringsparse", "reproduce-dasp", "reproduce-codedsgd", "reproduce-compare", "reproduce-all"}},
	{"cluster", "A cluster of your own:", []string{"platform", "launch", "certs", "lab", "calibrate", "bench", "devices", "swarm"}},
	{"data", "Data and gradients:", []string{"data", "grad"}},
	{otherGroup, "This program:", []string{"help", "completion", "version", "dev"}},
}

// otherGroup is where help and completion stand.
const otherGroup = "program"

// inGroups adds commands to root, each in its group of the help; those that the help hides are
// in none.
func inGroups(root *cobra.Command, commands []*cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range commands {
			if slices.Contains(g.has, c.Name()) && !c.Hidden {
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

// helpCommand is cobra's, but for a name that is no command's.
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about any command", Example: "  gradsync help train", GroupID: otherGroup,
		RunE: func(cmd *cobra.Command, got []string) error {
			of, rest, err := cmd.Root().Find(got)
			if err != nil || len(rest) > 0 && of.HasSubCommands() {
				name := strings.Join(got, " ")
				return usagef("help: unknown command %q:%s `gradsync --help` lists the commands", name, didYouMean(rest[0], commandNames(of), of.CommandPath()+" "))
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
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
	names = slices.DeleteFunc(slices.Clone(names), func(s string) bool { return name == "" || s == "" || strings.ToLower(s)[0] != name[0] })
	like := byLikeness(name, names)
	if len(like) == 0 || edits(name, strings.ToLower(like[0])) > (utf8.RuneCountInString(like[0])+2)/3 {
		return ""
	}
	return fmt.Sprintf(" did you mean `%s%s`?", front, like[0])
}

// choices matches the end of a message that says which names there are, after the one that was typed.
var choices = regexp.MustCompile(`"([^"]*)"([^"]*?)(: known (?:are|is)|, want(?: one of)?) ([^"]+)$`)

// nearestOf adds to a message that lists names the one that is most like the name that was typed. So every
// name that a list answers has it, wherever the message was made.
func nearestOf(text string) string {
	m := choices.FindStringSubmatchIndex(text)
	if m == nil || strings.Contains(text, "did you mean") {
		return text
	}
	like := didYouMean(text[m[2]:m[3]], listedNames(text[m[8]:m[9]]), "")
	if like == "" {
		return text
	}
	return text[:m[6]] + ":" + like + " " + strings.TrimLeft(text[m[6]:], ":, ")
}

// listedNames returns the names of a list such as "a, b, c", "a or b", "[a b]" and "x.a, .b"; what has several
// words is none.
func listedNames(list string) (names []string) {
	if inner, brackets := strings.CutPrefix(list, "["); brackets {
		list, _, _ = strings.Cut(inner, "]")
		list = strings.Join(strings.Fields(list), ", ")
	}
	list, _, _ = strings.Cut(list, ";")
	for _, part := range strings.Split(strings.NewReplacer(" or ", ", ", " and ", ", ").Replace(list), ", ") {
		part = strings.TrimRight(part, ".")
		if strings.HasPrefix(part, ".") && len(names) > 0 {
			group, _, _ := strings.Cut(names[0], ".")
			part = group + part
		}
		if part != "" && !strings.ContainsAny(part, " N") { // N stands for a number
			names = append(names, part)
		}
	}
	return names
}

// byLikeness returns names, those first that differ from name in the fewest letters.
func byLikeness(name string, names []string) []string {
	name = shortened(name)
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(edits(name, strings.ToLower(a)), edits(name, strings.ToLower(b)))
	})
	return names
}

// shortened returns the part of name that is compared, in small letters.
func shortened(name string) string {
	return string([]rune(strings.ToLower(name))[:min(utf8.RuneCountInString(name), longName)])
}

// longName is the number of letters of a name that are compared: no id is longer.
const longName = 60

// edits counts the letters that must be put in, taken out or exchanged, or be swapped with their neighbours, to make b
// of a.
func edits(a, b string) int {
	from, to := []rune(a), []rune(b)
	rows := [3][]int{make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)} // of the letter, of the one before, of that before it
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i, x := range from {
		rows[2], rows[1], rows[0] = rows[1], rows[0], rows[2]
		rows[0][0] = i + 1
		for j, y := range to {
			change := rows[1][j]
			if x != y {
				change++
			}
			if i > 0 && j > 0 && x == to[j-1] && from[i-1] == y {
				change = min(change, rows[2][j-1]+1)
			}
			rows[0][j+1] = min(change, rows[1][j+1]+1, rows[0][j]+1)
		}
	}
	return rows[0][len(to)]
}
