package datasets

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// EnvDir names the environment variable with the data directory.
const EnvDir = "GRADSYNC_DATA"

// Options say where to look.
type Options struct {
	Dir string // --data-dir; "" looks in $GRADSYNC_DATA and the cache only; Embedded: nowhere
}

// Embedded is the Dir of who wants the embedded sets, whatever lies on this machine.
const Embedded = "(embedded)"

// notFoundError says that a set that is not embedded lies in none of the places.
type notFoundError struct {
	Name   string
	Looked []string
}

// Error names the places and the command that gets the set.
func (e *notFoundError) Error() string {
	looked := strings.Join(e.Looked, ", ")
	if looked == "" {
		looked = "the program"
	}
	return fmt.Sprintf("datasets: %s not found in %s; `gradsync data fetch %s` downloads it", e.Name, looked, e.Name)
}

// place is one stop of the look-up.
type place struct {
	dir, label, origin string
	explicit           bool // named by the user: has to exist
}

// cacheDir returns the folder that Fetch writes to, which need not exist yet.
func cacheDir() (string, error) {
	d, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("datasets: no cache folder: %w", err)
	}
	return filepath.Join(d, "gradsync"), nil
}

// places lists where to look, in order.
func (o Options) places() []place {
	var p []place
	if o.Dir == Embedded {
		return nil
	}
	if o.Dir != "" {
		p = append(p, place{o.Dir, "--data-dir " + o.Dir, originDirectory, true})
	}
	if d := os.Getenv(EnvDir); d != "" {
		p = append(p, place{d, "$" + EnvDir + " " + d, originDirectory, true})
	}
	if d, err := cacheDir(); err == nil {
		p = append(p, place{d, "cache " + d, originCache, false})
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

// Open returns the data set of that name (see Names and Own) from the first place that
// holds it; the package comment lists places and layouts.
//
// Errors: *UnknownError; a named folder that does not exist; a set that is
// there but broken; *notFoundError where the set is nowhere and not embedded.
func Open(name string, o Options) (*Set, error) {
	if name == synthetic {
		return Synthetic(SyntheticConfig{}), nil
	}
	e, err := lookup(name)
	if err != nil {
		return openOwn(name, o)
	}
	s, looked, err := openPlaces(e, o)
	if err != nil || s != nil {
		return s, err
	}
	if name != fashionMNIST {
		return nil, &notFoundError{Name: name, Looked: looked}
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
		if s.SHA256 != e.Content {
			s.Note = fmt.Sprintf("the images are not those of the official %s (sha256 %.12s…, official %.12s…)", e.Title, s.SHA256, e.Content)
		}
		return s, looked, nil
	}
	return nil, looked, nil
}

// found is a set that lies somewhere, not read yet.
type found struct {
	sub  string // which of entry.folders; "" is the data directory itself
	path string
	load func() (*Set, error)
}

// findDir lists the layouts of a set that one data directory holds, in order.
func findDir(e *entry, dir string) []found {
	var all []found
	for _, sub := range e.Folders {
		if f, ok := findFolder(e, filepath.Join(dir, filepath.FromSlash(sub))); ok {
			f.sub = sub
			all = append(all, f)
		}
	}
	return all
}

// openDir reads the first layout in one data directory: nil without an error
// means that it holds no such set.
func openDir(e *entry, dir string) (*Set, error) {
	for _, f := range findDir(e, dir) {
		s, err := f.load()
		if err != nil {
			return nil, err
		}
		if other := otherSet(e, s.SHA256); other != nil {
			if f.sub == "" { // the files lie in dir itself: dir simply holds another set
				continue
			}
			return nil, fileError(f.path, fmt.Errorf("holds %s, want %s", other.Title, e.Title))
		}
		return s, nil
	}
	return nil, nil
}

// otherSet returns the set other than e whose official content has this sum.
func otherSet(e *entry, sum string) *entry {
	for _, o := range entries {
		if o != e && o.Content == sum {
			return o
		}
	}
	return nil
}

// findFolder looks for a set whose files lie in folder itself. A set of which
// only a part is there counts as found; reading it says what is missing.
func findFolder(e *entry, folder string) (found, bool) {
	if e.IDX != nil {
		paths, any := findIDX(e, folder)
		return found{path: folder, load: func() (*Set, error) { return loadIDX(e, folder, paths) }}, any
	}
	for _, form := range []struct {
		ext, archive string
		limit        int64
		decode       func(io.Reader, int64) ([]byte, error)
	}{
		{".bin", cifarBinaryTar, e.batchSize(), e.readBatch},
		{"", cifarPythonTar, e.pickleLimit(), e.readPickled},
	} {
		if findBatches(e, folder, form.ext) {
			return found{path: folder, load: func() (*Set, error) { return loadFolder(e, folder, form.ext, form.decode) }}, true
		}
		if p := filepath.Join(folder, form.archive); exists(p) {
			return found{path: p, load: func() (*Set, error) { return loadTar(e, p, form.ext, form.limit, form.decode) }}, true
		}
	}
	return found{}, false
}

// OpenFor returns the set that a paper trains on, or, where the look-up finds it
// nowhere, the embedded Fashion-MNIST subset with a Note that says in words what
// differs from the paper. A broken set is still an error. Notes name no folder, so
// that they may stand in results compared byte by byte.
func OpenFor(paper string, o Options) (*Set, error) {
	s, err := Open(paper, o)
	var missing *notFoundError
	if !errors.As(err, &missing) {
		return s, err
	}
	e, err := lookup(paper)
	if err != nil {
		return nil, err
	}
	if s, err = openEmbedded(); err != nil {
		return nil, err
	}
	note := fmt.Sprintf("the paper's %s was not found%s; in its place: %s", e.Title, passedNote(e, o), subsetNote(s))
	if how, err := s.Adaptation(e.C, e.H, e.W); err == nil && how != "" {
		note += ", " + how
	}
	s.Note = note + fmt.Sprintf(". `gradsync data fetch %s` gets %s", e.Name, e.Title)
	return s, nil
}

// subsetNote describes the embedded subset.
func subsetNote(s *Set) string {
	return fmt.Sprintf("embedded Fashion-MNIST, %s training and %s test images, balanced, of 60,000 and 10,000",
		thousands(s.Train.Len()), thousands(s.Test.Len()))
}

// passedNote reports which places named by the user hold no such set.
func passedNote(e *entry, o Options) string {
	var named []string
	if o.Dir == Embedded {
		return ""
	}
	if o.Dir != "" {
		named = append(named, "--data-dir")
	}
	if os.Getenv(EnvDir) != "" {
		named = append(named, "$"+EnvDir)
	}
	if len(named) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s: no %s there)", strings.Join(named, " and "), e.Title)
}

// thousands writes n with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
