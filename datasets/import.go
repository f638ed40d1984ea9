package datasets

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ImportOptions say how Import makes a set; README.md has the rules.
type ImportOptions struct {
	Name      string
	To        string  // folder in which the set's folder is made; "": the cache folder
	Channels  int     // 1 or 3; 0: 1 where every image is grey
	TestShare float64 // of each class, where the folder has no split; 0: DefaultTestShare
	Seed      uint64  // of the images' keys
	Replace   bool    // overwrite a set of own images of that name
}

// DefaultTestShare is the share of each class that becomes the test split.
const DefaultTestShare = 0.2

// Imported says what Import made.
type Imported struct {
	Folder string `json:"folder"`
	Same   bool   `json:"same"` // the set was there already, with the same images
	*Sidecar
}

// picture is one image that was read.
type picture struct {
	pixels []byte // planes of one or three channels
	label  uint8
	key    [sha256.Size]byte
}

// collection holds what a folder of images holds.
type collection struct {
	classes     []string
	side        int
	train, test []picture // test is empty where the folder has no split
	given       bool      // the folder has a split
	ordered     bool      // the order of the images is the folder's to decide
	bytes       int64
}

// Import makes a set of own images from the class folders or IDX files in dir. It reads
// everything before it writes; the set's folder appears whole or not at all. The same
// images and options give the same bytes.
//
// Errors name the first file, in order of names, that is wrong, with what it has and what
// is wanted.
func Import(dir string, o ImportOptions) (*Imported, error) {
	if err := CheckOwnName(o.Name); err != nil {
		return nil, err
	}
	if o.TestShare == 0 {
		o.TestShare = DefaultTestShare
	}
	if !(o.TestShare > 0 && o.TestShare < 1) {
		return nil, fmt.Errorf("datasets: test share %g, want a number above 0 and below 1", o.TestShare)
	}
	if o.Channels != 0 && o.Channels != 1 && o.Channels != 3 {
		return nil, fmt.Errorf("datasets: %d channels, want 1 or 3", o.Channels)
	}
	c, err := collect(dir)
	if err != nil {
		return nil, err
	}
	side := &Sidecar{Schema: sidecarSchema, Name: o.Name, Classes: c.classes, Side: c.side, Split: splitGiven,
		Channels: c.unify(o.Channels)}
	c.name(o.Seed)
	if !c.given {
		side.Split, side.Seed, side.TestShare = splitByKey, o.Seed, o.TestShare
		if err := c.split(o.TestShare); err != nil {
			return nil, fileError(dir, err)
		}
	}
	if !c.ordered {
		slices.SortStableFunc(c.train, byKey)
		slices.SortStableFunc(c.test, byKey)
	}
	side.Train, side.Test = c.counts(c.train), c.counts(c.test)
	for i, name := range c.classes {
		if side.Train[i] == 0 || side.Test[i] == 0 {
			return nil, fileError(dir, fmt.Errorf("class %q has %d training and %d test images, want 1 or more of each", name, side.Train[i], side.Test[i]))
		}
	}
	side.InBoth = c.inBoth()
	s := &Set{Train: c.joined(c.train, side), Test: c.joined(c.test, side)}
	side.SHA256 = s.finish().SHA256
	if err := side.check(); err != nil {
		return nil, fileError(dir, err)
	}
	return side.write(s, o)
}

// collect reads dir: IDX files where there are any, else class folders.
func collect(dir string) (*collection, error) {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return nil, fileError(dir, errors.Unwrap(err))
	case !info.IsDir():
		return nil, fileError(dir, errors.New("is a file, want a folder of class folders or IDX files"))
	}
	entries, err := visible(dir)
	if err != nil {
		return nil, err
	}
	if files, err := ownIDX(dir, entries); files != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return files.collect(dir)
	}
	return collectFolders(dir, entries)
}

// visible lists a folder without what systems leave in it, sorted by name.
func visible(dir string) ([]os.DirEntry, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fileError(dir, errors.Unwrap(err))
	}
	return slices.DeleteFunc(entries, func(e os.DirEntry) bool {
		return strings.HasPrefix(e.Name(), ".") || slices.Contains([]string{"Thumbs.db", "desktop.ini", "__MACOSX"}, e.Name())
	}), nil
}

// count adds an image's bytes to what was read.
func (c *collection) count(n int) error {
	if c.bytes += int64(n); c.bytes > maxPixels {
		return errTooLarge
	}
	return nil
}

// unify gives all images the same channels and returns how many: those asked for, or 1
// where every image is grey.
func (c *collection) unify(channels int) int {
	plane := c.side * c.side
	if channels == 0 {
		channels = 1
		for _, split := range [][]picture{c.train, c.test} {
			for i := range split {
				if len(split[i].pixels) > plane {
					channels = 3
				}
			}
		}
	}
	for _, split := range [][]picture{c.train, c.test} {
		for i := range split {
			p := &split[i]
			switch {
			case channels == 3 && len(p.pixels) == plane:
				p.pixels = bytes.Repeat(p.pixels, 3)
			case channels == 1 && len(p.pixels) > plane:
				p.pixels = luma(p.pixels, plane)
			}
		}
	}
	return channels
}

// luma returns the grey image of three planes, by the weights of Rec. 601 in 1/65,536.
func luma(planes []byte, plane int) []byte {
	out := make([]byte, plane)
	for i := range out {
		r, g, b := uint32(planes[i]), uint32(planes[plane+i]), uint32(planes[2*plane+i])
		out[i] = byte((19595*r + 38470*g + 7471*b + 1<<15) >> 16)
	}
	return out
}

// name computes the images' keys.
func (c *collection) name(seed uint64) {
	var front [8]byte
	binary.LittleEndian.PutUint64(front[:], seed)
	for _, split := range [][]picture{c.train, c.test} {
		for i := range split {
			h := sha256.New()
			h.Write(front[:])
			h.Write(split[i].pixels)
			h.Sum(split[i].key[:0])
		}
	}
}

// byKey orders images by key, equal ones by label.
func byKey(a, b picture) int {
	return cmp.Or(bytes.Compare(a.key[:], b.key[:]), cmp.Compare(a.label, b.label))
}

// split moves a share of each class from train to test, by the rule of README.md.
func (c *collection) split(share float64) error {
	all := c.train
	slices.SortStableFunc(all, byKey)
	c.train, c.test, c.ordered = nil, nil, false
	for label, name := range c.classes {
		var own []picture
		for _, p := range all {
			if int(p.label) == label {
				own = append(own, p)
			}
		}
		if len(own) < 2 {
			return fmt.Errorf("class %q has %d images, want 2 at least: one to train on and one for tests", name, len(own))
		}
		n := min(max(int(math.Round(float64(len(own))*share)), 1), len(own)-1)
		for n < len(own) && own[n].key == own[n-1].key {
			n++
		}
		if n == len(own) {
			return fmt.Errorf("class %q: %d images, so many of them equal that none is left to train on, want different ones", name, len(own))
		}
		c.test, c.train = append(c.test, own[:n]...), append(c.train, own[n:]...)
	}
	return nil
}

// counts returns how many images each class has.
func (c *collection) counts(images []picture) []int {
	n := make([]int, len(c.classes))
	for _, p := range images {
		n[p.label]++
	}
	return n
}

// inBoth counts the test images that are training images too.
func (c *collection) inBoth() (n int) {
	seen := map[[sha256.Size]byte]bool{}
	for _, p := range c.train {
		seen[p.key] = true
	}
	for _, p := range c.test {
		if seen[p.key] {
			n++
		}
	}
	return n
}

// joined returns images as a split.
func (c *collection) joined(images []picture, side *Sidecar) Split {
	s := Split{C: side.Channels, H: side.Side, W: side.Side, Labels: make([]uint8, len(images))}
	s.Pixels = make([]byte, 0, len(images)*side.Channels*side.Side*side.Side)
	for i, p := range images {
		s.Pixels, s.Labels[i] = append(s.Pixels, p.pixels...), p.label
	}
	return s
}

// write makes the set's folder, unless it is there already.
func (side *Sidecar) write(s *Set, o ImportOptions) (*Imported, error) {
	to := o.To
	if to == "" {
		var err error
		if to, err = cacheDir(); err != nil {
			return nil, err
		}
	}
	folder := filepath.Join(to, side.Name)
	out := &Imported{Folder: folder, Sidecar: side}
	text, err := json.MarshalIndent(side, "", "  ")
	if err != nil {
		return nil, fileError(folder, err)
	}
	text = append(text, '\n')
	if exists(folder) {
		var there []byte
		f, _, err := openRegular(filepath.Join(folder, sidecarFile))
		if err == nil {
			there, err = io.ReadAll(io.LimitReader(f, maxSidecar)) // a longer one is not this one
			_ = f.Close()
		}
		if err != nil {
			return nil, fileError(folder, fmt.Errorf("is there already and is no imported set: want another --name or --to"))
		}
		if bytes.Equal(there, text) {
			if _, _, err := (&ownPlace{folder: folder}).load(side.Name); err == nil {
				out.Same = true
				return out, nil
			}
		} else if !o.Replace {
			return nil, fileError(folder, fmt.Errorf("is there already with other images or another split: --replace overwrites it, --name gives another"))
		}
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return nil, fileError(to, errors.Unwrap(err))
	}
	tmp, err := os.MkdirTemp(to, ".import-")
	if err != nil {
		return nil, fileError(to, errors.Unwrap(err))
	}
	defer os.RemoveAll(tmp)
	if err := side.writeFiles(tmp, s, text); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(folder); err != nil {
		return nil, fileError(folder, errors.Unwrap(err))
	}
	if err := os.Rename(tmp, folder); err != nil {
		return nil, fileError(folder, errors.Unwrap(err))
	}
	return out, nil
}

// writeFiles writes the four IDX files and the sidecar.
func (side *Sidecar) writeFiles(folder string, s *Set, text []byte) error {
	if err := os.Chmod(folder, 0o755); err != nil { // MkdirTemp's is for the owner alone
		return fileError(folder, errors.Unwrap(err))
	}
	write := func(name string, parts ...[]byte) error {
		if err := os.WriteFile(filepath.Join(folder, name), bytes.Join(parts, nil), 0o644); err != nil {
			return fileError(name, errors.Unwrap(err))
		}
		return nil
	}
	for _, f := range side.files() {
		split, spec := &s.Train, idxSpec{images: f.images, h: side.Side, w: side.Side}
		if f.test {
			split = &s.Test
		}
		body := split.Labels
		if f.images {
			body = split.Pixels
			if side.Channels == 3 {
				spec.planes = 3
			}
		}
		spec.count = split.Len()
		head := []byte{0, 0, idxType, byte(len(spec.dims()))}
		for _, d := range spec.dims() {
			head = binary.BigEndian.AppendUint32(head, uint32(d))
		}
		if err := write(f.name, head, body); err != nil {
			return err
		}
	}
	return write(sidecarFile, text)
}

// inOrder sorts names of classes, by value where all are numbers.
func inOrder(names []string) {
	value := map[string]int{}
	for _, n := range names {
		v, err := strconv.Atoi(n)
		if err != nil {
			slices.Sort(names)
			return
		}
		value[n] = v
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(value[a], value[b]), cmp.Compare(a, b)) })
}
