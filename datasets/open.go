package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// EnvDir names the environment variable with the data directory.
const EnvDir = "GRADSYNC_DATA"

// Options say where to look.
type Options struct {
	Dir string // --data-dir; "" looks in $GRADSYNC_DATA and the cache only
}

// NotFoundError says that a set that is not embedded lies in none of the places.
type NotFoundError struct {
	Name   string
	Looked []string
}

// Error names the places and the command that gets the set.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("datasets: %s not found in %s; `gradsync data fetch %s` downloads it",
		e.Name, strings.Join(e.Looked, ", "), e.Name)
}

// place is one stop of the look-up.
type place struct {
	dir, label, origin string
	explicit           bool // named by the user: has to exist
}

// CacheDir returns the folder that Fetch writes to, which need not exist yet.
func CacheDir() (string, error) {
	d, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("datasets: no cache folder: %w", err)
	}
	return filepath.Join(d, "gradsync"), nil
}

// places lists where to look, in order.
func (o Options) places() []place {
	var p []place
	if o.Dir != "" {
		p = append(p, place{o.Dir, "--data-dir " + o.Dir, OriginDirectory, true})
	}
	if d := os.Getenv(EnvDir); d != "" {
		p = append(p, place{d, "$" + EnvDir + " " + d, OriginDirectory, true})
	}
	if d, err := CacheDir(); err == nil {
		p = append(p, place{d, "cache " + d, OriginCache, false})
	}
	return p
}

// check reports a place that was named and is no readable folder.
func (p place) check() error {
	info, err := os.Stat(p.dir)
	switch {
	case err == nil && !info.IsDir():
		return fmt.Errorf("datasets: %s: is a file, want a folder", p.label)
	case err == nil:
		return nil
	case !p.explicit && errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("datasets: %s: no such folder", p.label)
	}
	return fmt.Errorf("datasets: %s: %w", p.label, errors.Unwrap(err))
}

// Open returns the data set of that name (see Names) from the first place that
// holds it; the package comment lists places and layouts.
//
// Errors: an unknown name; a named folder that does not exist; a set that is
// there but broken; *NotFoundError where the set is nowhere and not embedded.
func Open(name string, o Options) (*Set, error) {
	if name == synthetic {
		return Synthetic(SyntheticConfig{}), nil
	}
	e, err := lookup(name)
	if err != nil {
		return nil, err
	}
	s, looked, err := openPlaces(e, o)
	if err != nil || s != nil {
		return s, err
	}
	if name != fashionMNIST {
		return nil, &NotFoundError{Name: name, Looked: looked}
	}
	s, err = openEmbedded()
	if err != nil {
		return nil, err
	}
	s.Note = subsetNote(s) + passedNote(e, o) + ". `gradsync data fetch fashion-mnist` gets the whole set"
	return s, nil
}

// openPlaces returns the set from the first place that holds it, nil for none.
func openPlaces(e *entry, o Options) (*Set, []string, error) {
	looked := []string{}
	for _, p := range o.places() {
		if err := p.check(); err != nil {
			return nil, nil, err
		}
		s, err := openDir(e, p.dir)
		if err != nil {
			return nil, nil, err
		}
		if s == nil {
			looked = append(looked, p.label)
			continue
		}
		s.Origin = p.origin
		if s.SHA256 != e.content {
			s.Note = fmt.Sprintf("the images are not those of the official %s (sha256 %.12s…, official %.12s…)", e.title, s.SHA256, e.content)
		}
		return s, looked, nil
	}
	return nil, looked, nil
}

// openDir tries the layouts of a set in one data directory: nil without an error
// means that it holds no such set.
func openDir(e *entry, dir string) (*Set, error) {
	for _, sub := range e.folders {
		folder := filepath.Join(dir, filepath.FromSlash(sub))
		s, err := openFolder(e, folder)
		if err != nil {
			return nil, err
		}
		if s == nil {
			continue
		}
		if other := otherSet(e, s.SHA256); other != nil {
			if sub == "" { // the files lie in dir itself: dir simply holds another set
				continue
			}
			return nil, fileError(folder, fmt.Errorf("holds %s, want %s", other.title, e.title))
		}
		return s, nil
	}
	return nil, nil
}

// otherSet returns the set other than e whose official content has this sum.
func otherSet(e *entry, sum string) *entry {
	for _, o := range entries {
		if o != e && o.content == sum {
			return o
		}
	}
	return nil
}

// openFolder reads the set whose files lie in folder itself, nil for none.
func openFolder(e *entry, folder string) (*Set, error) {
	if e.idx != nil {
		if paths, any := findIDX(e, folder); any {
			return loadIDX(e, folder, paths)
		}
		return nil, nil
	}
	if findBatches(e, folder, ".bin") {
		return loadFolder(e, folder, ".bin", e.readBatch)
	}
	if findBatches(e, folder, "") {
		return loadFolder(e, folder, "", e.readPickled)
	}
	if p := filepath.Join(folder, cifarBinaryTar); exists(p) {
		return loadTar(e, p, ".bin", e.batchSize(), e.readBatch)
	}
	if p := filepath.Join(folder, cifarPythonTar); exists(p) {
		return loadTar(e, p, "", e.pickleLimit(), e.readPickled)
	}
	return nil, nil
}
