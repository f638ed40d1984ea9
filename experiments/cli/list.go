package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gradsync/experiments/codedsgd"
	"gradsync/experiments/compare"
	"gradsync/experiments/dasp"
	"gradsync/experiments/exp"
	"gradsync/experiments/paper"
	"gradsync/experiments/ring"
	"gradsync/experiments/ringsparse"
	"gradsync/experiments/scale"
	"gradsync/reports"
)

// sources are the packages of experiments, by document. A new paper is one line here.
var sources = map[string]func() []exp.Experiment{
	"dasp": dasp.Experiments, "ring": ring.Experiments, "ringsparse": ringsparse.Experiments, "codedsgd": codedsgd.Experiments,
	"compare": func() []exp.Experiment { return append(compare.Experiments(), scale.Experiments()...) },
}

// Experiments returns all experiments in the order of the documents.
func Experiments() []exp.Experiment {
	var out []exp.Experiment
	for _, p := range paper.All() {
		if sources[p.Key] == nil {
			continue
		}
		for _, e := range sources[p.Key]() {
			if e.Title == "" {
				e.Title = reports.Title(e.ID)
			}
			out = append(out, e)
		}
	}
	return out
}

// choose returns the experiments that args name, by an id ("dasp/table5"), a paper
// ("dasp") or "all", each once, in the order of args and, of one, in that of Experiments.
func choose(all []exp.Experiment, args []string) ([]exp.Experiment, error) {
	wanted := map[string]bool{}
	var out []exp.Experiment
	for _, a := range args {
		found := false
		for _, e := range all {
			if !named(e.ID, []string{a}) {
				continue
			}
			if found = true; !wanted[e.ID] {
				wanted[e.ID] = true
				out = append(out, e)
			}
		}
		if !found {
			return nil, usagef("run: no experiment %q: the nearest are %s; `gradsync list` has all", a, nearest(all, a))
		}
	}
	return out, nil
}

// named tells whether ids name an experiment; no ids name all.
func named(id string, ids []string) bool {
	return len(ids) == 0 || slices.ContainsFunc(ids, func(s string) bool { return s == "all" || s == id || strings.HasPrefix(id, s+"/") })
}

// fewNearest is the number of names that an unknown one is answered with.
const fewNearest = 3

// nearest returns the papers and ids that differ from name in the fewest letters.
func nearest(all []exp.Experiment, name string) string {
	var names []string
	for _, e := range all {
		paper, _, _ := strings.Cut(e.ID, "/")
		if !slices.Contains(names, paper) {
			names = append(names, paper)
		}
		names = append(names, e.ID)
	}
	return strings.Join(byLikeness(name, names)[:min(fewNearest, len(names))], ", ")
}

// profileOf checks that an experiment has a profile.
func profileOf(e exp.Experiment, profile string) error {
	for _, p := range e.Profiles {
		if p == profile {
			return nil
		}
	}
	return fmt.Errorf("%s has no profile %q, only %s", e.ID, profile, strings.Join(e.Profiles, ", "))
}

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

// plainColumns is the width of lines where no terminal says it.
const plainColumns = 100

// columns returns the width that the lines of a list may have.
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

// listLines writes the experiments in lines of at most columns columns. Ids are always
// whole; a title has the room it needs, but leaves its source a third.
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

// lacking names the profiles that an experiment does not have.
func lacking(has []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(exp.Profiles), func(p string) bool { return slices.Contains(has, p) }), ", ")
}

// cutTo cuts s to at most columns columns, with … for the rest.
func cutTo(s string, columns int) string {
	if utf8.RuneCountInString(s) <= columns {
		return s
	}
	if columns < 1 {
		return ""
	}
	return strings.TrimRight(string([]rune(s)[:columns-1]), " ,:;") + "…"
}
