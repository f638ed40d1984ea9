package dev

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// gpuBundle builds what a machine with a GPU and without Go needs.
func gpuBundle() *cobra.Command {
	var out, arch string
	cmd := &cobra.Command{
		Use: "gpu-bundle", Short: "Build the folder to take to a machine with a GPU: program and script (as make gpu-bundle)",
		Long: "Build the folder to take to a machine that has a GPU and no Go: the program, whose devices --check judges\n" +
			"the card, and experiments/gpu/run.sh, which says how to go on. It runs on Linux with glibc and needs NVIDIA's\n" +
			"driver there.",
		Example: "  gradsync dev gpu-bundle --out out/gpu", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := filepath.Abs(out) // the steps run in the root, the flag is the caller's
			if err != nil {
				return err
			}
			return do(cmd, bundle(dir, arch))
		},
	}
	cmd.Flags().StringVar(&out, "out", filepath.Join("out", "gpu"), "folder to build")
	cmd.Flags().StringVar(&arch, "arch", "amd64", "processor there: amd64, arm64")
	return cmd
}

func bundle(dir, arch string) []step {
	build := program("go", "build", stripped, "-o", filepath.Join(dir, "gradsync"), "./experiments/gradsync")
	steps := []step{build.with("CGO_ENABLED=0").with("GOARCH=" + arch).with("GOOS=linux")}
	script := filepath.Join("experiments", "gpu", "run.sh")
	return append(steps, step{Command: fmt.Sprintf("copy %s to %s", script, dir), own: func(root string, _ io.Writer) error {
		text, err := os.ReadFile(filepath.Join(root, script))
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "run.sh"), text, 0o755)
	}})
}
