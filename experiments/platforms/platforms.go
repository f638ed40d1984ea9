// Package platforms holds the clusters that the experiments run on, each value
// with its reason and how sure we are of it, and the sweep over plausible ones.
//
// The documents name hardly any device. What a platform assumes is therefore a
// part of every result that ran on it: the claims are judged on the reference
// (homogeneous6, heterogeneous6) and the range over Sweep stands beside them.
package platforms

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"

	"gradsync/shared/cluster"
)

//go:embed *.json
var files embed.FS

// Names lists the embedded platforms, sorted.
func Names() []string {
	paths, err := fs.Glob(files, "*.json")
	if err != nil {
		panic(err) // the pattern is well formed
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = strings.TrimSuffix(path.Base(p), ".json")
	}
	sort.Strings(names)
	return names
}

// Load returns the embedded platform of a name, or reads a file in the format
// of cluster.Parse. A name without "." or "/" is never a file.
func Load(nameOrPath string) (*cluster.Platform, error) {
	raw, err := files.ReadFile(nameOrPath + ".json")
	if err == nil {
		return cluster.Parse(raw)
	}
	if !strings.ContainsAny(nameOrPath, `./\`) {
		return nil, fmt.Errorf("platforms: no platform %q: known are %s, or give a file", nameOrPath, strings.Join(Names(), ", "))
	}
	raw, err = os.ReadFile(nameOrPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("platforms: no file %s", nameOrPath)
	}
	if err != nil {
		return nil, fmt.Errorf("platforms: %w", err)
	}
	p, err := cluster.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("platforms: %s: %w", nameOrPath, err)
	}
	return p, nil
}

// Homogeneous returns n workers like those of homogeneous6, and its server.
func Homogeneous(n int) (*cluster.Platform, error) {
	base, err := Load("homogeneous6")
	if err != nil {
		return nil, err
	}
	if n < 1 || n > 1<<16 {
		return nil, fmt.Errorf("platforms: %d workers, want 1 to 65,536", n)
	}
	worker := base.Workers[0]
	worker.Name = "p100-"
	p := cluster.Uniform(n, worker, base.Server)
	p.Name, p.Decision, p.Assumed = fmt.Sprintf("homogeneous%d", n), base.Decision, base.Assumed
	p.Note = fmt.Sprintf("%d workers like those of homogeneous6.", n)
	return p, nil
}
