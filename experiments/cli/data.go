package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gradsync/datasets"
)

// dataRow is one data set as `data list` and `data verify` show it.
type dataRow struct {
	Name   string              `json:"name"`
	Found  bool                `json:"found"`
	Origin string              `json:"origin,omitempty"` // embedded, directory, cache, synthetic
	Path   string              `json:"path,omitempty"`
	Train  int                 `json:"train,omitempty"`
	Test   int                 `json:"test,omitempty"`
	SHA256 string              `json:"sha256,omitempty"`
	Note   string              `json:"note,omitempty"`
	Error  string              `json:"error,omitempty"`
	Files  []datasets.Download `json:"downloads,omitempty"`
}

func (a *app) dataCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "data list|verify|fetch",
		Short:   "List, verify and fetch data sets; nothing is downloaded unasked",
		Example: "  gradsync data list\n  gradsync data fetch mnist\n  gradsync data verify mnist --data-dir ~/sets",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, got []string) error {
			if len(got) > 0 {
				return usagef("data: no command %q: known are list, verify, fetch", got[0])
			}
			return cmd.Help()
		},
	}
	cmd.PersistentFlags().StringVar(&dir, "data-dir", "", "folder of data sets (default GRADSYNC_DATA, then the cache folder)")
	list := &cobra.Command{Use: "list", Short: "Say which sets are at hand and where", Example: "  gradsync data list --json",
		Args: args(0, 0, "none"), RunE: func(*cobra.Command, []string) error { return a.dataList(dir) }}
	verify := &cobra.Command{Use: "verify [NAME…]", Short: "Read sets completely and compare them with the official ones (exit code 3 if one differs)",
		Example: "  gradsync data verify mnist cifar-10", Args: args(0, -1, "names of sets"),
		RunE: func(_ *cobra.Command, names []string) error { return a.dataVerify(names, dir) }}
	fetch := &cobra.Command{Use: "fetch NAME…", Short: "Download sets, mirrors first; resumes where it was cut off",
		Example: "  gradsync data fetch mnist\n  gradsync data fetch cifar-10 --data-dir ~/sets", Args: args(1, -1, "names of sets"),
		RunE: func(cmd *cobra.Command, names []string) error { return a.dataFetch(cmd, names, dir) }}
	cmd.AddCommand(list, verify, fetch)
	return cmd
}

// lookAt opens one set. A set that is nowhere is no error of the look.
func lookAt(name, dir string) (row dataRow, broken error) {
	row = dataRow{Name: name}
	s, err := datasets.Open(name, datasets.Options{Dir: dir})
	var missing *datasets.NotFoundError
	switch {
	case errors.As(err, &missing):
		row.Note = err.Error()
		return row, nil
	case err != nil:
		row.Error = err.Error()
		return row, err
	}
	return dataRow{Name: name, Found: true, Origin: s.Origin, Path: s.Path, Train: s.Train.Len(), Test: s.Test.Len(),
		SHA256: s.SHA256, Note: s.Note}, nil
}

func checkNames(names []string) error {
	for _, n := range names {
		if !slices.Contains(datasets.Names(), n) {
			return usagef("data: no set %q: known are %s", n, strings.Join(datasets.Names(), ", "))
		}
	}
	return nil
}

func (a *app) dataList(dir string) error {
	var rows []dataRow
	for _, name := range datasets.Names() {
		row, _ := lookAt(name, dir) // its error stands in the row
		row.Files, _ = datasets.Downloads(name)
		rows = append(rows, row)
	}
	if a.json {
		return a.printJSON(map[string]any{"data": rows})
	}
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	for _, r := range rows {
		where := r.Origin + " " + r.Path
		if !r.Found {
			where = "not here"
		}
		fmt.Fprintf(w, "%s\t%s\t%d + %d\t%s\n", r.Name, where, r.Train, r.Test, r.Note+r.Error)
	}
	return w.Flush()
}

func (a *app) dataVerify(names []string, dir string) error {
	if err := checkNames(names); err != nil {
		return err
	}
	asked := len(names) > 0
	if !asked {
		names = datasets.Names()
	}
	rows := []dataRow{}
	differ := false
	for _, name := range names {
		row, err := lookAt(name, dir)
		official := row.Origin != datasets.OriginDirectory && row.Origin != datasets.OriginCache || row.Note == ""
		differ = differ || err != nil || !official || asked && !row.Found
		if !asked && err == nil && !row.Found {
			continue // nobody asked for a set that is nowhere
		}
		rows = append(rows, row)
		if !a.json {
			state := "ok"
			if err != nil || !official || !row.Found {
				state = "differs"
			}
			fmt.Fprintf(a.out, "%-8s %s  %s %s  %s\n", state, name, row.Origin, row.SHA256, row.Note+row.Error)
		}
	}
	if a.json {
		if err := a.printJSON(map[string]any{"data": rows}); err != nil {
			return err
		}
	}
	if differ {
		return errDiffer
	}
	return nil
}

func (a *app) dataFetch(cmd *cobra.Command, names []string, dir string) error {
	if err := checkNames(names); err != nil {
		return err
	}
	rows := []dataRow{}
	for _, name := range names {
		bar := a.newBar(name)
		folder, err := datasets.Fetch(cmd.Context(), name, datasets.FetchOptions{Dir: dir, Progress: func(p datasets.Progress) {
			bar.set(float64(p.Done), float64(p.Total), p.File)
		}})
		bar.finish()
		if err != nil {
			return err
		}
		rows = append(rows, dataRow{Name: name, Found: true, Path: folder})
		if !a.json {
			fmt.Fprintf(a.out, "%s is in %s\n", name, folder)
		}
	}
	if a.json {
		return a.printJSON(map[string]any{"data": rows})
	}
	return nil
}
