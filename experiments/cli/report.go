package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/reports"
)

func (a *app) reportCommand() *cobra.Command {
	o := reports.Options{Command: "gradsync " + strings.Join(os.Args[1:], " ")}
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

func (a *app) serveCommand() *cobra.Command {
	var dir, addr string
	cmd := &cobra.Command{
		Use:     "serve",
		Short:   "Serve the pages on this machine until Ctrl-C",
		Example: "  gradsync serve --dir out/html --addr :8080",
		Args:    args(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var printed error
			ready := func(addr string) {
				if a.json {
					printed = a.printJSON(map[string]any{"dir": dir, "addr": addr})
					return
				}
				fmt.Fprintf(a.out, "serving %s at http://%s (Ctrl-C ends it)\n", dir, addr)
			}
			return errors.Join(reports.Serve(cmd.Context(), dir, addr, ready), printed)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", filepath.Join("reports", "html"), "folder of the pages")
	cmd.Flags().StringVar(&addr, "addr", ":8080", "address; without a host only this machine sees it")
	return cmd
}
