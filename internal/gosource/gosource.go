// Package gosource gathers the Go files that pages show beside algorithms and
// formulas. Each paper embeds its own, so that a program shows the lines that it
// was compiled from, whatever its working tree says by then, and needs no tree.
package gosource

import (
	"io/fs"
	"strings"

	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/papers/dasp"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
)

// All holds the Go of the packages that pages quote, by path from the module's root.
var All = Tree{
	"experiments/train": train.Cited,
	"papers/codedsgd":   codedsgd.Cited,
	"papers/dasp":       dasp.Cited,
	"papers/ringsparse": ringsparse.Cited,
	"shared/cluster":    cluster.Cited,
}

// Tree is a file system that is put together from the files of folders. What is
// above these folders cannot be listed.
type Tree map[string]fs.FS

// Open implements fs.FS.
func (t Tree) Open(name string) (fs.File, error) {
	for folder, files := range t {
		if name == folder {
			return files.Open(".")
		}
		if below, ok := strings.CutPrefix(name, folder+"/"); ok {
			return files.Open(below)
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
