package datasets

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// sidecarFile is the file that makes a folder a set of own images.
const sidecarFile = "gradsync-data.json"

// sidecarSchema names this version of the sidecar.
const sidecarSchema = "gradsync.data/v1"

// The values of Sidecar.Split.
const (
	splitGiven = "given"  // the folder came with training and test images
	splitByKey = "by key" // by the rule of README.md
)

// Limits of a set of own images.
const (
	maxClasses = 256
	maxSide    = 256
	maxPixels  = 4 << 30 // bytes of all images together
	maxSidecar = 1 << 20 // bytes
)

// Sidecar holds what gradsync-data.json says of a set of own images; README.md describes the fields.
type Sidecar struct {
	Schema    string   `json:"schema"`
	Name      string   `json:"name"`
	Classes   []string `json:"classes"`
	Side      int      `json:"side"`
	Channels  int      `json:"channels"`
	Train     []int    `json:"train"` // images of each class
	Test      []int    `json:"test"`
	Split     string   `json:"split"`
	Seed      uint64   `json:"seed"`       // of splitByKey
	TestShare float64  `json:"test_share"` // of splitByKey; 0: the split was given
	InBoth    int      `json:"in_both"`    // test images that are training images too
	SHA256    string   `json:"sha256"`     // Set.SHA256
}

// UnknownError says that a name is neither a built-in set's nor that of a set of own images.
type UnknownError struct {
	Name string
	Own  []string // names of sets of own images in the places looked at
}

// Error lists the names that are known and the command that makes a set.
func (e *UnknownError) Error() string {
	known := append(Names(), e.Own...)
	return fmt.Sprintf("datasets: no data set %q: known are %s; `gradsync data import DIR --name NAME` makes one of your images, "+
		"and --data-dir DIR finds one that was made with --to DIR", e.Name, strings.Join(known, ", "))
}

// ownName matches the name of a set of own images.
var ownName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// CheckOwnName refuses a name that a set of own images cannot have.
func CheckOwnName(name string) error {
	switch {
	case slices.Contains(Names(), name):
		return fmt.Errorf("datasets: the name %q is a built-in set's: want another", name)
	case !ownName.MatchString(name):
		return fmt.Errorf("datasets: the name %q: want a small letter, then small letters, digits and -, 32 at most", name)
	}
	return nil
}

// ownPlace is a set of own images that lies somewhere, not read yet.
type ownPlace struct {
	folder string
	place  place
}

// findOwn returns where the set of own images called name lies, nil for nowhere.
func findOwn(name string, o Options) (*ownPlace, error) {
	if !ownName.MatchString(name) {
		return nil, nil
	}
	for _, p := range o.places() {
		if err := p.check(); err != nil {
			return nil, err
		}
		if folder := filepath.Join(p.dir, name); exists(filepath.Join(folder, sidecarFile)) {
			return &ownPlace{folder, p}, nil
		}
		if !exists(filepath.Join(p.dir, sidecarFile)) {
			continue
		}
		side, err := readSidecar(p.dir)
		if err != nil {
			return nil, err
		}
		if side.Name == name { // the place is the set's own folder
			return &ownPlace{p.dir, p}, nil
		}
	}
	return nil, nil
}

// Own lists the names of the sets of own images in the places of o, sorted. A place that was
// named and does not exist is an error.
func Own(o Options) ([]string, error) {
	var names []string
	for _, p := range o.places() {
		if err := p.check(); err != nil {
			return nil, err
		}
		if exists(filepath.Join(p.dir, sidecarFile)) {
			if side, err := readSidecar(p.dir); err == nil { // a broken one has no name
				names = append(names, side.Name)
			}
		}
		entries, err := os.ReadDir(p.dir)
		if err != nil {
			continue // the cache need not exist
		}
		for _, e := range entries {
			if ownName.MatchString(e.Name()) && exists(filepath.Join(p.dir, e.Name(), sidecarFile)) {
				names = append(names, e.Name())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// openOwn opens a set of own images from the first place that holds it.
func openOwn(name string, o Options) (*Set, error) {
	at, err := findOwn(name, o)
	if err != nil {
		return nil, err
	}
	if at == nil {
		own, err := Own(o)
		if err != nil {
			return nil, err
		}
		return nil, &UnknownError{name, own}
	}
	s, _, err := at.load(name)
	return s, err
}

// load reads the set and compares it with its sidecar.
func (at *ownPlace) load(name string) (*Set, *Sidecar, error) {
	side, err := readSidecar(at.folder)
	if err != nil {
		return nil, nil, err
	}
	if side.Name != name {
		return nil, nil, fileError(filepath.Join(at.folder, sidecarFile),
			fmt.Errorf("name is %q, want %q, as the folder", side.Name, name))
	}
	e := &entry{Name: name, Title: name, Classes: len(side.Classes), C: side.Channels, H: side.Side, W: side.Side,
		Train: total(side.Train), Test: total(side.Test), Licence: "that of the images"}
	s := e.newSet(at.folder)
	s.Origin, s.Note = at.place.origin, side.note()
	for i, f := range side.files() {
		spec := idxSpec{images: f.images, h: side.Side, w: side.Side, count: e.Train}
		if f.test {
			spec.count = e.Test
		}
		if f.images && side.Channels == 3 {
			spec.planes = 3
		}
		path := filepath.Join(at.folder, f.name)
		file, size, err := openRegular(path)
		if err != nil {
			return nil, nil, fileError(path, err)
		}
		_ = file.Close()                       // readStream opens it again
		if want := spec.size(); size != want { // before anything is allocated
			return nil, nil, fileError(path, fmt.Errorf("%d bytes, want %d by %s", size, want, sidecarFile))
		}
		dst := []*[]byte{&s.Train.Pixels, &s.Train.Labels, &s.Test.Pixels, &s.Test.Labels}[i]
		err = readStream(path, func(r io.Reader) (err error) {
			*dst, err = readIDX(r, spec)
			if err == nil && !f.images {
				err = checkLabels(*dst, e.Classes)
			}
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	if s.finish(); s.SHA256 != side.SHA256 {
		return nil, nil, fileError(at.folder, fmt.Errorf("sha256 of the images is %.12s…, want %.12s… by %s: import the folder again",
			s.SHA256, side.SHA256, sidecarFile))
	}
	return s, side, nil
}

// ownFile is one of the four files of a set of own images.
type ownFile struct {
	name         string
	images, test bool
}

// files lists a set's files in the order of the roles.
func (side *Sidecar) files() []ownFile {
	dims := map[int]string{1: "idx3", 3: "idx4"}[side.Channels]
	return []ownFile{{"train-images-" + dims + "-ubyte", true, false}, {"train-labels-idx1-ubyte", false, false},
		{"t10k-images-" + dims + "-ubyte", true, true}, {"t10k-labels-idx1-ubyte", false, true}}
}

// note says in words what a reader has to know about the set.
func (side *Sidecar) note() string {
	note := "own images, split as they came"
	if side.Split == splitByKey {
		note = fmt.Sprintf("own images, %g of each class for tests by their keys, seed %d", side.TestShare, side.Seed)
	}
	if side.InBoth > 0 {
		note += fmt.Sprintf("; %d test images are training images too", side.InBoth)
	}
	return note
}

// total returns the sum of the counts of all classes.
func total(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// readSidecar reads and checks a folder's sidecar.
func readSidecar(folder string) (*Sidecar, error) {
	path := filepath.Join(folder, sidecarFile)
	f, size, err := openRegular(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	defer f.Close()
	if size > maxSidecar {
		return nil, fileError(path, fmt.Errorf("%d bytes, want at most %d", size, maxSidecar))
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxSidecar))
	if err != nil {
		return nil, fileError(path, err)
	}
	side := &Sidecar{}
	if err := strictly(raw, side); err != nil {
		return nil, fileError(path, fmt.Errorf("not a sidecar: %w", err))
	}
	if err := side.check(); err != nil {
		return nil, fileError(path, err)
	}
	return side, nil
}

// check returns an error that names the first field out of its domain.
func (side *Sidecar) check() error {
	k := len(side.Classes)
	switch {
	case side.Schema != sidecarSchema:
		return fmt.Errorf("schema %q, want %q", side.Schema, sidecarSchema)
	case k < 2 || k > maxClasses:
		return fmt.Errorf("%d classes, want 2 to %d", k, maxClasses)
	case len(side.Train) != k || len(side.Test) != k:
		return fmt.Errorf("counts of %d and %d classes, want %d", len(side.Train), len(side.Test), k)
	case side.Channels != 1 && side.Channels != 3:
		return fmt.Errorf("%d channels, want 1 or 3", side.Channels)
	case side.Split != splitGiven && side.Split != splitByKey:
		return fmt.Errorf("split %q, want %q or %q", side.Split, splitGiven, splitByKey)
	}
	if err := checkSide(side.Side); err != nil {
		return err
	}
	for i := range k {
		if side.Train[i] < 1 || side.Test[i] < 1 || side.Train[i] > maxPixels || side.Test[i] > maxPixels {
			return fmt.Errorf("class %q has %d training and %d test images, want 1 or more", side.Classes[i], side.Train[i], side.Test[i])
		}
	}
	if all := total(side.Train) + total(side.Test); all*side.Channels*side.Side*side.Side > maxPixels {
		return errTooLarge
	}
	return CheckOwnName(side.Name)
}

var errTooLarge = errors.New("more than 4 GiB of pixels")

// checkSide refuses a side that no network here takes.
func checkSide(side int) error {
	if side == 28 || side >= 16 && side <= maxSide && side%16 == 0 {
		return nil
	}
	return fmt.Errorf("%d×%[1]d, want a side that networks take: 28, or 16, 32, 48 … %d", side, maxSide)
}
