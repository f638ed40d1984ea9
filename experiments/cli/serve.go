package cli

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"

	"github.com/spf13/cobra"

	source "gradsync"
	"gradsync/reports"
	"gradsync/reports/page"
	"gradsync/reports/serve"
)

func (a *app) serveCommand() *cobra.Command {
	var o serve.Options
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the pages on this machine until Ctrl-C; render them when results change",
		Long: `Serve the pages on this machine until Ctrl-C.

The results are rendered into the folder of the pages, at the start if those are
not theirs and then whenever a result changes; open pages load themselves again.
A result that cannot be rendered is said in one line, and the old pages stay.
Pages and data that serve made, and that no result makes any more, are removed;
what somebody else put there or changed is not. Ctrl-C waits until pages that are
being written are whole.
With --dir alone the pages in that folder are served as they are.`,
		Example: "  gradsync serve\n  gradsync serve --results experiments/results --dir out/serve --addr :8081\n  gradsync serve --dir reports/html",
		Args:    args(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, _, err := net.SplitHostPort(o.Addr); err != nil {
				return usagef("serve: --addr %q: want host:port, or :port", o.Addr)
			}
			if cmd.Flags().Changed("dir") && !cmd.Flags().Changed("results") {
				o.Results = ""
			}
			if o.Results != "" {
				pages := reports.Options{Results: o.Results, Out: o.Dir, Sources: source.Source,
					Command: fmt.Sprintf("gradsync report --results %s --out %s", filepath.ToSlash(o.Results), filepath.ToSlash(o.Dir))}
				o.Render = func() (page.Outputs, error) { return reports.Files(pages) }
			}
			var printed error
			o.Ready = func(addr string) {
				if a.json {
					printed = a.printJSON(map[string]any{"dir": o.Dir, "results": o.Results, "addr": addr, "url": "http://" + addr + "/"})
					return
				}
				fmt.Fprintf(a.out, "serving %s at http://%s/ (Ctrl-C ends it)\n", o.Dir, addr)
			}
			o.Say = func(line string) { fmt.Fprintln(a.err, line) }
			return errors.Join(serve.Serve(cmd.Context(), o), printed)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Results, "results", defaultOut, "folder of results to render; with --dir alone nothing is rendered")
	f.StringVar(&o.Dir, "dir", filepath.Join("out", "html"), "folder of the pages")
	f.StringVar(&o.Addr, "addr", ":8080", "address; without a host only this machine sees it")
	return cmd
}
