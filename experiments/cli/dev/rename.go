package dev

import (
	"bytes"
	"context"
	"fmt"
	"go/format"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/internal/atomic"
	"gradsync/internal/repo"
)

// moduleFiles name the module in a line of their own.
var moduleFiles = []string{"go.mod", ".ci/tools.mod"}

// moduleLine matches it.
var moduleLine = regexp.MustCompile(`(?m)^module (\S+)$`)

// renameModule gives the module another path.
func renameModule() *cobra.Command {
	return &cobra.Command{
		Use: "rename-module PATH", Short: "Give the module another path: in go.mod, all imports, the import rules and texts in code",
		Long: "Give the module another path, such as that of your own copy: in go.mod and .ci/tools.mod, in all imports, in the import rules of\n" +
			".ci/depguard.yaml, and where code or a test names a package of the module in a text. Data, results and pages do not name it, and no\n" +
			"number depends on it. The same command with the former path undoes it.",
		Example: "  gradsync dev rename-module github.com/you/gradsync",
		Args: func(cmd *cobra.Command, got []string) error {
			if len(got) != 1 || got[0] == "" {
				return usagef("rename-module: %d paths, want the module's new one: gradsync dev rename-module github.com/you/gradsync", len(got))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, got []string) error {
			root, err := repo.Root()
			if err != nil {
				return fmt.Errorf("rename-module: run it inside a clone of gradsync: %w", err)
			}
			if err := goodPath(cmd.Context(), root, got[0]); err != nil {
				return usagef("rename-module: %w", err)
			}
			return do(cmd, []step{{Command: "rewrite the module's path to " + got[0], own: func(root string, out io.Writer) error {
				return renamed(root, got[0], out)
			}}, program("go", "build", "./...")})
		},
	}
}

// goodPath asks go whether a module may have a path; nothing is written.
func goodPath(ctx context.Context, root, path string) error {
	c := exec.CommandContext(ctx, "go", "mod", "edit", "-module="+path, "-print")
	c.Dir = root
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.TrimSpace(said.String()), err)
	}
	return nil
}

// renamed rewrites the files below root to another path of the module. Nothing is written unless all can
// be read.
func renamed(root, to string, out io.Writer) error {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	from := moduleLine.FindSubmatch(text)
	if from == nil {
		return fmt.Errorf("%s names no module", filepath.Join(root, "go.mod"))
	}
	rewrite, err := rewriter(root, string(from[1]), to)
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "out", "data"}, rel):
			return fs.SkipDir
		case !d.Type().IsRegular() || !namesModule(filepath.ToSlash(rel)):
			return nil
		}
		old, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if changed := rewrite(old); !bytes.Equal(old, changed) {
			if pretty, err := format.Source(changed); err == nil && filepath.Ext(path) == ".go" { // comments stand in columns
				changed = pretty
			}
			files[path] = changed
		}
		return nil
	})
	if err != nil {
		return err
	}
	for path, text := range files {
		if err := atomic.WriteFile(path, text); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%s is now %s, in %d files\n", from[1], to, len(files))
	return nil
}

// namesModule says whether a file may name the module's path.
func namesModule(rel string) bool {
	return filepath.Ext(rel) == ".go" || slices.Contains(moduleFiles, rel) || rel == ".ci/depguard.yaml"
}

// rewriter returns a function that replaces the module's path in a file's text: as the line of a module
// file, as all of a text that ends in a slash, and in front of one of the folders at the root. So a text that
// begins alike and names no package, as the name of the random streams does, stays.
func rewriter(root, from, to string) (func([]byte) []byte, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			folders = append(folders, regexp.QuoteMeta(e.Name()))
		}
	}
	quoted := regexp.QuoteMeta(from)
	line := regexp.MustCompile(`(?m)(^|")module ` + quoted + `($|\\n)`)
	front := regexp.MustCompile(`(^|[^\w./-])` + quoted + `/((?:` + strings.Join(folders, "|") + `)(?:[^\w-]|$)|["` + "`" + `:])`)
	return func(text []byte) []byte {
		text = line.ReplaceAll(text, []byte("${1}module "+strings.ReplaceAll(to, "$", "$$")+"${2}"))
		return front.ReplaceAll(text, []byte("${1}"+strings.ReplaceAll(to, "$", "$$")+"/${2}"))
	}, nil
}
