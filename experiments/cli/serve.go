package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"gradsync/reports"
)

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
