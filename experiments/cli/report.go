package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/cli/export"
	"gradsync/experiments/exp"
	"gradsync/experiments/own"
	"gradsync/internal/gosource"
	"gradsync/reports"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/serve"
)

func (a *app) reportCommand() *cobra.Command {
	o := reports.Options{Command: "gradsync " + strings.Join(os.Args[1:], " "), Sources: gosource.All}
	var figures, lang string
	var ipynb bool
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Render the pages, or the figures, from the results on disk; trains nothing",
		Example: "  gradsync report --results experiments/results --out out/html\n  gradsync report --results out/results --single-file --out out/hand-in\n" +
			"  gradsync report --results out/results --figures out/figures\n" +
			"  gradsync report --results experiments/results --experiment dasp/table7 --ipynb --out out/notebook",
		Long: `Render the pages, or the figures, from the results on disk; trains nothing.

Files are written or replaced, and none is removed: a page whose results are gone
stays until somebody deletes it, or until another folder is named.
Results are those of out/results, which the command run writes; those of the
repository lie in experiments/results.
A figure with a letter that the fonts of the images lack is written without its
PNG, which is said.

--experiment takes one experiment, or a comparison that compare made, own/mine. Its
page stands alone, and with --single-file is one file to hand in. --ipynb writes its
notebook for Jupyter in place of the page, DIR/dasp/table7.ipynb: the text with its
LaTeX, tables and figures as outputs, and the commands as cells, which need gradsync
on the PATH; in Chinese with --lang zh, DIR/dasp/table7.zh.ipynb. Without --results
own/mine is looked for in out/results and in out/mine.`,
		Args: args(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.chosen(&o, lang, ipynb, cmd.Flags().Changed); err != nil {
				return err
			}
			if ipynb {
				return a.writeJupyter(o)
			}
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
	f.StringVar(&o.Address, "address", "", "`URL` below which the pages will lie; citations name it")
	f.StringVar(&o.Experiment, "experiment", "", "show this one `ID` alone, such as dasp/table7")
	f.BoolVar(&ipynb, "ipynb", false, "write the experiment's notebook for Jupyter instead of the pages")
	f.StringVar(&lang, "lang", "en", "language of --ipynb and --figures: en or zh; a page has both")
	f.StringVar(&figures, "figures", "", "write every figure as SVG, PNG and CSV to this `folder` instead of the pages")
	return cmd
}

// chosen reads the experiment and the language of a report, and refuses what does not go together.
func (a *app) chosen(o *reports.Options, lang string, ipynb bool, given func(flag string) bool) error {
	switch {
	case ipynb && o.Experiment == "":
		return usagef("report: --ipynb is of one experiment: add --experiment ID, such as --experiment dasp/table7")
	case ipynb && (o.SingleFile || given("figures")):
		return usagef("report: --ipynb writes a notebook only; leave out --figures and --single-file")
	case given("lang") && !ipynb && !given("figures"):
		return usagef("report: --lang is of --ipynb and --figures; a page has both languages")
	}
	if o.Lang = slices.Index(notebook.Languages[:], lang); o.Lang < 0 {
		return usagef("report: --lang %q: want en or zh", lang)
	}
	if isOwn(o.Experiment) && !given("results") {
		o.Results = ownFolder(o.Experiment)
		if _, err := os.Stat(o.Results); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("report: no results of %s: `gradsync compare … --out out/%s` makes some, and --results DIR names their folder", o.Experiment,
				strings.TrimPrefix(o.Experiment, own.Document+"/"))
		}
	}
	all := Experiments()
	known := o.Experiment == "" || isOwn(o.Experiment) || slices.ContainsFunc(all, func(e exp.Experiment) bool { return e.ID == o.Experiment })
	if !known {
		return usagef("report: no experiment %q: the nearest are %s; `gradsync list` has all", o.Experiment, nearest(all, o.Experiment))
	}
	return nil
}

// isOwn reports whether an id is of a comparison that gradsync compare made.
func isOwn(id string) bool {
	name, ok := strings.CutPrefix(id, own.Document+"/")
	return ok && name != ""
}

// ownFolder returns the folder of results that has a comparison: the one that run and compare write to, or the one that
// bears its name beside that, out/mine of own/mine.
func ownFolder(id string) string {
	name := strings.TrimPrefix(id, own.Document+"/")
	for _, dir := range []string{defaultOut, filepath.Join(filepath.Dir(defaultOut), name)} {
		if _, err := os.Stat(filepath.Join(dir, own.Document, name+".json")); err == nil {
			return dir
		}
	}
	return defaultOut
}

// writeJupyter writes the notebook of an experiment and says where it is.
func (a *app) writeJupyter(o reports.Options) error {
	path, err := reports.Jupyter(o)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"notebook": path})
	}
	fmt.Fprintln(a.out, path)
	return nil
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
				pages := reports.Options{Results: o.Results, Out: o.Dir, Sources: gosource.All,
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

func (a *app) exportCommand() *cobra.Command {
	var results, out string
	cmd := &cobra.Command{
		Use:     "export [ID...]",
		Short:   "Write the numbers of results as CSV files, every digit of them",
		Example: "  gradsync export dasp/table6 --results experiments/results --out out/csv",
		Long: `Write the numbers of results as CSV files, every digit of them: of all results in
a folder, of a paper's or of one.

Each result gets a folder, dasp/table6 or, of another profile, dasp/ci/table6. In it
are a file for every frame, facts.csv, claims.csv, parts.csv (what qualitative claims
rest on) and columns.csv, which names the units. Values seed by seed are a column per
seed. Files are written or replaced, and none is removed. A comparison of one's own,
own/mine, is looked for as by report.`,
		RunE: func(cmd *cobra.Command, ids []string) error {
			all := Experiments()
			for _, id := range ids {
				if id != own.Document && !isOwn(id) && !slices.ContainsFunc(all, func(e exp.Experiment) bool { return named(e.ID, []string{id}) }) {
					return usagef("export: no experiment %q: the nearest are %s; `gradsync list` has all", id, nearest(all, id))
				}
			}
			if out == "" || results == "" {
				return usagef("export: --results and --out want a folder each")
			}
			if len(ids) == 1 && isOwn(ids[0]) && !cmd.Flags().Changed("results") {
				results = ownFolder(ids[0])
			}
			files, err := export.CSV(results, out, func(id string) bool { return named(id, ids) })
			if err == nil && len(files) == 0 {
				err = fmt.Errorf("no results of %s in %s", strings.Join(append(ids, "any experiment")[:max(1, len(ids))], ", "), results)
			}
			if err != nil {
				return fmt.Errorf("export: %w", err)
			}
			if a.json {
				return a.printJSON(map[string]any{"files": files})
			}
			for _, f := range files {
				fmt.Fprintln(a.out, f)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&results, "results", defaultOut, "folder of results")
	cmd.Flags().StringVar(&out, "out", filepath.Join("out", "csv"), "folder of the CSV files")
	return cmd
}
