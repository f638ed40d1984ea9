package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gradsync/experiments/exp"
)

// listed is an experiment as scripts see it.
type listed struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Source   string   `json:"source"`
	Profiles []string `json:"profiles"`
}

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the experiments: one per table or figure of a paper",
		Long: `List the experiments: one per table or figure of a paper, with its title and what
of the source it is of. Lines are as wide as the terminal, 100 columns elsewhere:
what is too long ends in "…", and --json has it whole, with the profiles.`,
		Example: "  gradsync list\n  gradsync list --json | jq -r '.experiments[].id'",
		Args:    args(0, 0, "none"),
		RunE: func(*cobra.Command, []string) error {
			out := []listed{}
			for _, e := range Experiments() {
				out = append(out, listed{e.ID, e.Title, e.Source, e.Profiles})
			}
			if a.json {
				return a.printJSON(map[string]any{"experiments": out})
			}
			for _, line := range listLines(out, a.columns()) {
				fmt.Fprintln(a.out, line)
			}
			return nil
		},
	}
}

// plainColumns is how wide lines are where no terminal says it.
const plainColumns = 100

// columns is the width of the lines that a list may have.
func (a *app) columns() int {
	if w, ok := a.out.(*checkedWriter); ok {
		if f, ok := w.Writer.(*os.File); ok {
			if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
				return width
			}
		}
	}
	return plainColumns
}

// listLines are the experiments in lines of at most so many columns, ids always
// whole: a title has what it needs, but leaves its source a third.
func listLines(all []listed, columns int) []string {
	const gap = 2
	all = slices.Clone(all)
	id, title, source := 0, 0, 0
	for i, e := range all {
		if lacks := lacking(e.Profiles); lacks != "" {
			all[i].Title += " (not in " + lacks + ")"
		}
		id = max(id, utf8.RuneCountInString(e.ID))
		title, source = max(title, utf8.RuneCountInString(all[i].Title)), max(source, utf8.RuneCountInString(e.Source))
	}
	room := max(columns-id-2*gap, 0)
	title = min(title, max(room-source, 2*room/3))
	source = room - title
	var out []string
	for _, e := range all {
		line := fmt.Sprintf("%-*s  %-*s  %s", id, e.ID, title, cutTo(e.Title, title), cutTo(e.Source, source))
		out = append(out, strings.TrimRight(line, " "))
	}
	return out
}

// lacking are the profiles that an experiment does not have.
func lacking(has []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(exp.Profiles), func(p string) bool { return slices.Contains(has, p) }), ", ")
}

// cutTo is s in at most so many columns, with … for what is left out.
func cutTo(s string, columns int) string {
	if utf8.RuneCountInString(s) <= columns {
		return s
	}
	if columns < 1 {
		return ""
	}
	return strings.TrimRight(string([]rune(s)[:columns-1]), " ,:;") + "…"
}
