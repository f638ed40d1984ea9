package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/internal/gosource"
	"gradsync/reports"
)

func (a *app) reportCommand() *cobra.Command {
	o := reports.Options{Command: "gradsync " + strings.Join(os.Args[1:], " "), Sources: gosource.All}
	var figures string
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Render the pages, or the figures, from the results on disk; trains nothing",
		Example: "  gradsync report --results out/results --out out/html\n  gradsync report --single-file --out out/hand-in\n" +
			"  gradsync report --results out/results --figures out/figures",
		Long: `Render the pages, or the figures, from the results on disk; trains nothing.

Files are written or replaced, and none is removed: a page whose results are gone
stays until somebody deletes it, or until another folder is named.
A figure with a letter that the fonts of the images lack is written without its
PNG, which is said.`,
		Args: args(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("figures") {
				if figures == "" {
					return usagef(`report: --figures "": want a folder`)
				}
				if cmd.Flags().Changed("out") || o.SingleFile {
					return usagef("report: --figures writes figures only; leave out --out and --single-file")
				}
				return a.exportFigures(o, figures)
			}
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
	f.StringVar(&figures, "figures", "", "write every figure as SVG, PNG and CSV to this `folder` instead of the pages")
	return cmd
}

// exportFigures writes the figures to dir and says which files there are.
func (a *app) exportFigures(o reports.Options, dir string) error {
	bar := a.newBar("figures")
	done, err := reports.Export(o, dir, func(done, total int, name string) {
		bar.set(float64(done), float64(total), name)
	})
	bar.finish()
	if err != nil {
		return err
	}
	for _, n := range done.NoImage {
		fmt.Fprintln(a.err, n)
	}
	if a.json {
		return a.printJSON(done)
	}
	for _, f := range done.Files {
		fmt.Fprintln(a.out, f)
	}
	if n := len(done.NoImage); n > 0 {
		fmt.Fprintf(a.err, "%d figures, %d of them without a PNG\n", done.Figures, n)
	}
	return nil
}
