package cli

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gradsync/datasets"
)

// dataRow describes one data set for `data list` and `data verify`.
type dataRow struct {
	Name    string              `json:"name"`
	Verdict string              `json:"verdict"`
	Own     bool                `json:"own,omitempty"`    // made by import
	Found   bool                `json:"found"`            // and readable
	Origin  string              `json:"origin,omitempty"` // embedded, directory, cache, synthetic
	Path    string              `json:"path,omitempty"`
	Train   int                 `json:"train,omitempty"`
	Test    int                 `json:"test,omitempty"`
	SHA256  string              `json:"sha256,omitempty"`
	Note    string              `json:"note,omitempty"`
	Error   string              `json:"error,omitempty"`
	Files   []datasets.Download `json:"downloads,omitempty"`
}

// Verdicts of a data set.
const (
	dataOK      = "ok"      // the official images, the embedded subset, the synthetic set, or own images as imported
	dataDiffers = "differs" // readable, but other images than the official ones
	dataBroken  = "broken"  // lies there and cannot be read
	dataMissing = "missing" // nowhere
)

var verdictOf = map[string]string{datasets.StateReady: dataOK, datasets.StateBuiltIn: dataOK, datasets.StateOwn: dataOK,
	datasets.StateUnofficial: dataDiffers, datasets.StateBroken: dataBroken, datasets.StateAbsent: dataMissing}

func (a *app) dataCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "data list|verify|fetch|import",
		Short: "List, verify, fetch and import data sets; nothing is downloaded unasked",
		Long: "List, verify and fetch data sets, and make one of your own images. `gradsync data import --help`\n" +
			"says what a folder of images may hold; datasets/README.md has the whole.",
		Example: "  gradsync data list\n  gradsync data fetch mnist\n  gradsync data verify mnist --data-dir ~/sets\n" +
			"  gradsync data import datasets/testdata/shapes --name shapes",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, got []string) error {
			if len(got) > 0 {
				return usagef("data: no command %q: known are list, verify, fetch, import", got[0])
			}
			return cmd.Help()
		},
	}
	cmd.PersistentFlags().StringVar(&dir, "data-dir", "", "folder of data sets (default GRADSYNC_DATA, then the cache folder)")
	list := &cobra.Command{Use: "list", Short: "Say which sets are at hand and where", Example: "  gradsync data list --json",
		Args: args(0, 0, "none"), RunE: func(*cobra.Command, []string) error { return a.dataList(dir) }}
	verify := &cobra.Command{Use: "verify [NAME…]",
		Short:   "Read sets completely and compare them with the official ones (exit code 3 if one differs, 1 if one is missing or broken)",
		Example: "  gradsync data verify mnist cifar-10", Args: args(0, -1, "names of sets"),
		RunE: func(_ *cobra.Command, names []string) error { return a.dataVerify(names, dir) }}
	fetch := &cobra.Command{Use: "fetch NAME…", Short: "Download sets, mirrors first; resumes where it was cut off",
		Example: "  gradsync data fetch mnist\n  gradsync data fetch cifar-10 --data-dir ~/sets", Args: args(1, -1, "names of sets"),
		RunE: func(cmd *cobra.Command, names []string) error { return a.dataFetch(cmd, names, dir) }}
	cmd.AddCommand(list, verify, fetch, a.dataImportCommand())
	return cmd
}

// lookAt reads one set. A set that is broken or missing is a verdict; a folder that was
// named and does not exist is an error.
func lookAt(name, dir string) (dataRow, error) {
	st, err := datasets.Verify(name, datasets.Options{Dir: dir})
	if err != nil {
		return dataRow{}, err
	}
	row := dataRow{Name: name, Own: st.State == datasets.StateOwn, Verdict: verdictOf[st.State], Origin: st.Origin, Path: st.Path, SHA256: st.SHA256}
	switch row.Verdict {
	case dataBroken:
		row.Error = st.Detail
	case dataMissing:
		row.Note = st.Detail
	default:
		row.Found, row.Train, row.Test, row.Note = true, st.Train, st.Test, st.Detail
	}
	return row, nil
}

// setNames returns the names of all sets, those of own images last.
func setNames(dir string) ([]string, error) {
	own, err := datasets.Own(datasets.Options{Dir: dir})
	return append(datasets.Names(), own...), err
}

// checkNames refuses names that are not known.
func checkNames(names, known []string) error {
	for _, n := range names {
		if !slices.Contains(known, n) {
			return usagef("data: no set %q: known are %s", n, strings.Join(known, ", "))
		}
	}
	return nil
}

// dataList says of each set whether it is at hand and where.
func (a *app) dataList(dir string) error {
	var rows []dataRow
	names, err := setNames(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		row, err := lookAt(name, dir)
		if err != nil {
			return err
		}
		row.Files, _ = datasets.Downloads(name) // none: nothing to fetch
		rows = append(rows, row)
	}
	if a.json {
		return a.printJSON(map[string]any{"data": rows})
	}
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	for _, r := range rows {
		images := "–"
		if r.Found {
			images = fmt.Sprintf("%d + %d", r.Train, r.Test)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.Name, r.Verdict, strings.TrimSpace(r.Origin+" "+r.Path), images, r.Note+r.Error)
	}
	return w.Flush()
}

// dataVerify reads the named sets, or all that are at hand. A set that is missing or
// broken is a failure; other images than the official ones are a difference.
func (a *app) dataVerify(names []string, dir string) error {
	all, err := setNames(dir)
	if err != nil {
		return err
	}
	if err := checkNames(names, all); err != nil {
		return err
	}
	asked := len(names) > 0
	if !asked {
		names = all
	}
	rows := []dataRow{}
	var unusable []string
	differ := false
	for _, name := range names {
		row, err := lookAt(name, dir)
		if err != nil {
			return err
		}
		switch row.Verdict {
		case dataMissing:
			if !asked { // nobody asked for a set that is nowhere
				continue
			}
			fallthrough
		case dataBroken:
			unusable = append(unusable, name+" is "+row.Verdict)
		case dataDiffers:
			differ = true
		}
		rows = append(rows, row)
		if !a.json {
			fmt.Fprintf(a.out, "%-8s %s  %s %s  %s\n", row.Verdict, name, row.Origin, row.SHA256, row.Note+row.Error)
		}
	}
	if a.json {
		if err := a.printJSON(map[string]any{"data": rows}); err != nil {
			return err
		}
	}
	switch {
	case unusable != nil:
		return fmt.Errorf("data: %s", strings.Join(unusable, ", "))
	case differ:
		return errDiffer
	}
	return nil
}

// dataFetch downloads the named sets.
func (a *app) dataFetch(cmd *cobra.Command, names []string, dir string) error {
	if err := checkNames(names, datasets.Names()); err != nil {
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
