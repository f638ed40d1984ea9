package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	source "gradsync"
	"gradsync/reports"
)

func (a *app) reportCommand() *cobra.Command {
	o := reports.Options{Command: "gradsync " + strings.Join(os.Args[1:], " "), Sources: source.Source}
	cmd := &cobra.Command{
		Use:     "report",
		Short:   "Render the pages from the results on disk; trains nothing",
		Example: "  gradsync report --results out/results --out out/html\n  gradsync report --single-file --out out/hand-in",
		Args:    args(0, 0, "none"),
		RunE: func(*cobra.Command, []string) error {
			pages, err := reports.Render(o)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"pages": pages})
			}
			for _, p := range pages {
				fmt.Fprintln(a.out, p)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Results, "results", defaultOut, "folder of results")
	f.StringVar(&o.Out, "out", filepath.Join("out", "html"), "folder of the pages")
	f.BoolVar(&o.SingleFile, "single-file", false, "put everything into each page")
	return cmd
}
