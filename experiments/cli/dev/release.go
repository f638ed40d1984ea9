package dev

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/internal/atomic"
)

// sumsFile lists the checksums of a release's binaries, as sha256sum -c reads them.
const sumsFile = "SHA256SUMS"

// release builds what is given to people who have no Go.
func release(version string) *cobra.Command {
	var platforms []string
	var out string
	cmd := &cobra.Command{
		Use: "release", Short: "Build the binaries of six systems with their checksums (as make release)",
		Long: "Build the binaries of a release, one for each system, and " + sumsFile + ", their checksums.\n\n" +
			"No folder of the machine is in them, and no C library: the same commit and the same Go make the same bytes wherever they are built.\n" +
			"What version prints of them is the release, the commit, and whether the clone had changes that are not committed.\n" +
			"Check them with sha256sum -c " + sumsFile + ".",
		Example: "  gradsync dev release\n  gradsync dev release --platforms linux/amd64 --out out/release", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := filepath.Abs(out) // the steps run in the root, the flag is the caller's
			if err != nil {
				return err
			}
			steps, err := released(dir, version, platforms)
			if err != nil {
				return err
			}
			return do(cmd, steps)
		},
	}
	cmd.Flags().StringSliceVar(&platforms, "platforms", systems, "GOOS/GOARCH, separated by commas")
	cmd.Flags().StringVar(&out, "out", filepath.Join("out", "release"), "folder of the binaries")
	return cmd
}

// released builds a binary for each of the platforms into dir, and writes their checksums.
func released(dir, version string, platforms []string) (steps []step, err error) {
	var names []string
	for _, p := range platforms {
		system, arch, ok := strings.Cut(p, "/")
		if !ok || !slices.Contains(systems, p) {
			return nil, usagef("release: no platform %q: known are %s", p, strings.Join(systems, ", "))
		}
		name := fmt.Sprintf("gradsync_%s_%s_%s", version, system, arch)
		if system == "windows" {
			name += ".exe"
		}
		names = append(names, name)
		build := program("go", "build", "-trimpath", stripped, "-o", filepath.Join(dir, name), "./experiments/gradsync")
		steps = append(steps, build.with("CGO_ENABLED=0").with("GOARCH="+arch).with("GOOS="+system))
	}
	return append(steps, step{Command: "write " + filepath.Join(dir, sumsFile), own: func(_ string, out io.Writer) error {
		return writeSums(dir, names, out)
	}}), nil
}

// writeSums writes the checksums of files in dir, in the order of their names, and prints them.
func writeSums(dir string, names []string, out io.Writer) error {
	var lines strings.Builder
	for _, name := range slices.Sorted(slices.Values(names)) {
		sum, err := sumOf(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sum, name)
	}
	fmt.Fprint(out, lines.String())
	return atomic.WriteFile(filepath.Join(dir, sumsFile), []byte(lines.String()))
}

// sumOf returns the SHA-256 of a file.
func sumOf(path string) (sum []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return h.Sum(nil), errors.Join(err, f.Close())
}
