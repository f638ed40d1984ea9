package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gradsync/experiments/result"
)

func (a *app) diffCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "diff A.json B.json",
		Short:   "Compare two result files value by value (exit code 3 if they differ)",
		Example: "  gradsync diff experiments/results/dasp/table5.json out/results/dasp/table5.json",
		Args:    args(2, 2, "two result files"),
		RunE: func(_ *cobra.Command, files []string) error {
			var raw [2][]byte
			for i, path := range files {
				if _, err := result.Read(path); err != nil { // what is no result is not compared
					return err
				}
				var err error
				if raw[i], err = os.ReadFile(path); err != nil {
					return fmt.Errorf("diff: %w", err)
				}
			}
			found, err := result.Diff(raw[0], raw[1])
			if err != nil {
				return err
			}
			if a.json {
				if found == nil {
					found = []result.Difference{}
				}
				err = a.printJSON(map[string]any{"a": files[0], "b": files[1], "equal": len(found) == 0, "differences": found})
			} else {
				for _, d := range found {
					fmt.Fprintf(a.out, "%s: %s | %s\n", d.Path, shown(d.A), shown(d.B))
				}
				fmt.Fprintf(a.out, "%d differences between %s and %s\n", len(found), files[0], files[1])
			}
			if err == nil && len(found) > 0 {
				err = errDiffer
			}
			return err
		},
	}
}

func shown(v any) string {
	if v == nil {
		return "(none)"
	}
	return fmt.Sprint(v)
}
