// Package repo holds what is true of the repository as a whole: its style, who
// imports whom, that the same stem names an experiment everywhere, and that the
// documents at the root agree with the code. Nearly all of it is tests.
package repo

import (
	"bytes"
	"errors"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Root returns the folder of go.mod above the current one.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("repo: no go.mod here or above")
		}
		dir = parent
	}
}

// Browsers are the names under which systems install Chromium.
var Browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// Chromium returns the path of the installed one, "" if there is none.
func Chromium() string {
	for _, name := range Browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// made lists what a build, a run or git leaves at the root: not ours to judge.
var made = []string{".git", "bin", "out", "data"}

// listFiles returns the repository's files, as slash-separated paths relative to
// root in sorted order, without those that a build or a run leaves behind.
func listFiles(root string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && slices.Contains(made, rel):
			return fs.SkipDir
		case d.Type().IsRegular() && rel != ".git": // in a worktree it is a file
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	return files, err
}

// Unformatted lists the Go files below root that gofmt would change, or that do
// not parse.
func Unformatted(root string) ([]string, error) {
	files, err := listFiles(root)
	if err != nil {
		return nil, err
	}
	var bad []string
	for _, file := range files {
		if filepath.Ext(file) != ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		if !isFormatted(text) {
			bad = append(bad, file)
		}
	}
	return bad, nil
}

func isFormatted(text []byte) bool {
	want, err := format.Source(text)
	return err == nil && bytes.Equal(want, normal(text))
}

// normal removes the carriage returns that a checkout on Windows may add.
func normal(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
