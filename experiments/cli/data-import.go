package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/datasets"
	"gradsync/experiments/train"
)

const importHelp = `Make a data set of your own images, which train and grad find by --data NAME. DIR
holds class folders with PNG images, DIR/CLASS/IMAGE.png, or DIR/train/CLASS/… and
DIR/test/CLASS/…; or IDX files as MNIST has them, of any count. All images are
squares of one side, 28 or a multiple of 16 up to 256, with 8 bits a channel.

Classes follow from the folders' names or from the labels, and with them the
network's logits. Where there are no test images, a fifth of each class becomes the
test split: those with the smallest SHA-256 of seed and pixels, so that neither names
nor order decide and the same images give the same bytes. datasets/README.md has the
whole rule, the sidecar's fields, and which network takes which images.

The set lies in the cache folder; with --to DIR in DIR/NAME, for --data-dir DIR.`

// dataImportCommand makes data import.
func (a *app) dataImportCommand() *cobra.Command {
	var o datasets.ImportOptions
	cmd := &cobra.Command{
		Use: "import DIR --name NAME", Short: "Make a data set of a folder of PNG images or IDX files", Long: importHelp,
		Example: "  gradsync data import datasets/testdata/shapes --name shapes\n" +
			"  gradsync data import datasets/testdata/shapes --name shapes --test-share 0.5 --to out/sets\n" +
			"  gradsync train --data shapes --model lenet5 --batch 8 --updates 200",
		Args: args(1, 1, "one folder of images"),
		RunE: func(cmd *cobra.Command, got []string) error { return a.dataImport(got[0], o, cmd.Flags().Changed) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Name, "name", "", "name of the set, for --data: small letters, digits and -")
	f.StringVar(&o.To, "to", "", "folder that gets the set's folder (default the cache folder)")
	f.IntVar(&o.Channels, "channels", 0, "1: grey, 3: colour (default 1 where every image is grey)")
	f.Float64Var(&o.TestShare, "test-share", datasets.DefaultTestShare, "share of each class for tests, where DIR has no test images")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the split")
	f.BoolVar(&o.Replace, "replace", false, "overwrite a set of that name")
	return cmd
}

// trainOn returns a command that trains on a set as it is, with the default's six workers.
func trainOn(set *datasets.Set, dir string, models []string) string {
	words := []string{"gradsync train --data", set.Name}
	if dir != "" {
		words = append(words, "--data-dir", dir)
	}
	model := models[0]
	if slices.Contains(models, "lenet5") {
		model = "lenet5"
	}
	words = append(words, "--model", model)
	if share := set.Train.Len() / 6; share < 6 {
		words = append(words, "--workers 1 --batch 1")
	} else if share < 16 {
		words = append(words, "--batch", fmt.Sprint(share))
	}
	return strings.Join(words, " ")
}

// dataImport imports a folder and says what became of it.
func (a *app) dataImport(dir string, o datasets.ImportOptions, given func(string) bool) error {
	switch {
	case given("data-dir"):
		return usagef("data: import: --data-dir is where sets are read: --to is the folder to write in")
	case o.Name == "":
		return usagef("data: import: --name is missing: what --data will call the set")
	case given("channels") && o.Channels != 1 && o.Channels != 3:
		return usagef("data: import: --channels %d: 1 or 3", o.Channels)
	case !(o.TestShare > 0 && o.TestShare < 1):
		return usagef("data: import: --test-share %g: a share above 0 and below 1", o.TestShare)
	}
	if err := datasets.CheckOwnName(o.Name); err != nil {
		return usageError{err}
	}
	made, err := datasets.Import(dir, o)
	if err != nil {
		return err
	}
	set, err := datasets.Open(o.Name, datasets.Options{Dir: o.To})
	if err != nil {
		return err
	}
	if at := filepath.Clean(set.Path); at != filepath.Clean(made.Folder) {
		return fmt.Errorf("data: import: %s is in %s, but --data %[1]s finds %s first: take another --name, or --to that folder", o.Name, made.Folder, at)
	}
	models := train.Fitting(set)
	if a.json {
		return a.printJSON(struct {
			*datasets.Imported
			Models []string `json:"models"`
		}{made, models})
	}
	verb := "is in"
	if made.Same {
		verb = "was already in"
	}
	colour := map[int]string{1: "grey", 3: "colour"}[made.Channels]
	fmt.Fprintf(a.out, "%s %s %s\n  images     %d to train on, %d for tests; %d×%[6]d, %s\n", o.Name, verb, made.Folder,
		set.Train.Len(), set.Test.Len(), made.Side, colour)
	for i, class := range made.Classes {
		fmt.Fprintf(a.out, "  class %-4d %s: %d and %d\n", i, class, made.Train[i], made.Test[i])
	}
	fmt.Fprintf(a.out, "  split      %s\n  sha256     %s\n  networks   %s\n", set.Note, made.SHA256, strings.Join(models, ", "))
	if len(models) > 0 {
		fmt.Fprintln(a.out, a.asCalled("`"+trainOn(set, o.To, models)+"` trains on it"))
	}
	return nil
}
