package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
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
		Use:     "list",
		Short:   "List the experiments: one per table or figure of a paper",
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
			w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
			for _, e := range out {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.ID, e.Source, e.Title, strings.Join(e.Profiles, " "))
			}
			return w.Flush()
		},
	}
}
