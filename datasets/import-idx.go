package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// idxFiles holds the paths of a folder's IDX files by split and kind; "": not there.
type idxFiles struct {
	front  string // of all names: "emnist-balanced-"
	images map[string]string
	labels map[string]string
}

// idxFileName matches train-images-idx3-ubyte.gz and its relatives.
var idxFileName = regexp.MustCompile(`^(.*?)(?:(train|t10k|test)-)?(images|labels)[-.]idx([0-9])-ubyte(?:\.gz)?$`)

// ownIDX finds the IDX files among a folder's entries: nil for none.
func ownIDX(dir string, entries []os.DirEntry) (*idxFiles, error) {
	var found *idxFiles
	for _, e := range entries {
		m := idxFileName.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		path := filepath.Join(dir, e.Name())
		front, split, kind := m[1], m[2], m[3]
		if split == "test" {
			split = "t10k"
		}
		if found == nil {
			found = &idxFiles{front: front, images: map[string]string{}, labels: map[string]string{}}
		}
		of := map[string]map[string]string{"images": found.images, "labels": found.labels}[kind]
		switch {
		case front != found.front:
			return nil, fileError(path, fmt.Errorf("begins with %q, another IDX file with %q: want one data set", front, found.front))
		case of[split] != "":
			return nil, fileError(path, fmt.Errorf("and %s hold the same part, want one of them", filepath.Base(of[split])))
		}
		of[split] = path
	}
	return found, nil
}

// collect reads the files: train and t10k, or one pair without a split.
func (f *idxFiles) collect(dir string) (*collection, error) {
	splits := []string{"train", "t10k"}
	_, alone := f.images[""]
	if _, ok := f.labels[""]; ok || alone {
		splits = []string{""}
		if len(f.images)+len(f.labels) > 2 {
			return nil, fileError(dir, errors.New("IDX files with and without train- and t10k-, want one or the other"))
		}
	} else if f.images["t10k"] == "" && f.labels["t10k"] == "" {
		splits = []string{"train"} // split by the rule
	}
	c := &collection{given: len(splits) == 2, ordered: true}
	for _, split := range splits {
		to := &c.train
		if split == "t10k" {
			to = &c.test
		}
		front := f.front
		if split != "" {
			front += split + "-"
		}
		for _, role := range []struct {
			stem  string
			paths map[string]string
		}{{"images-idx3-ubyte", f.images}, {"labels-idx1-ubyte", f.labels}} {
			if role.paths[split] == "" {
				return nil, fileError(dir, fmt.Errorf("%s%s(.gz) is missing, other IDX files are there", front, role.stem))
			}
		}
		if err := c.readPair(f.images[split], f.labels[split], to); err != nil {
			return nil, err
		}
	}
	return c, c.nameLabels(dir)
}

// readPair reads images and their labels.
func (c *collection) readPair(images, labels string, to *[]picture) error {
	sizes, pixels, err := c.readAny(images, 3, 4)
	if err != nil {
		return err
	}
	counted, names, err := c.readAny(labels, 1)
	if err != nil {
		return err
	}
	if sizes[0] != counted[0] {
		return fileError(labels, fmt.Errorf("%d labels, want %d, the images of %s", counted[0], sizes[0], filepath.Base(images)))
	}
	if sizes[0] == 0 {
		return fileError(images, errors.New("0 images, want 1 at least"))
	}
	side, channels := sizes[len(sizes)-1], 1
	if len(sizes) == 4 {
		channels = sizes[1]
	}
	switch {
	case sizes[len(sizes)-2] != side:
		return fileError(images, fmt.Errorf("images of %d×%d pixels, want squares", sizes[len(sizes)-2], side))
	case channels != 1 && channels != 3:
		return fileError(images, fmt.Errorf("%d channels, want 1 or 3", channels))
	case c.side != 0 && c.side != side:
		return fileError(images, fmt.Errorf("images of %d×%[1]d pixels, want %d×%[2]d, as in the other split", side, c.side))
	}
	if err := checkSide(side); err != nil {
		return fileError(images, err)
	}
	c.side = side
	n, plane := channels*side*side, side*side
	for i, label := range names {
		p := pixels[i*n : (i+1)*n : (i+1)*n]
		if channels == 3 && bytes.Equal(p[:plane], p[plane:2*plane]) && bytes.Equal(p[:plane], p[2*plane:]) {
			p = p[:plane:plane]
		}
		*to = append(*to, picture{pixels: p, label: label})
	}
	return nil
}

// readAny reads an IDX file of any sizes, with one of the numbers of dimensions. Memory
// grows with the bytes that are there, not with the sizes that the file states.
func (c *collection) readAny(path string, dims ...byte) (sizes []int, body []byte, err error) {
	err = readStream(path, func(r io.Reader) error {
		var head [4]byte
		if err := readFull(r, head[:], "header"); err != nil {
			return err
		}
		want := idxSpec{images: dims[0] == 3}
		if want.images && bytes.Equal(head[:], []byte{0, 0, idxType, 4}) {
			want.planes = 3
		}
		if err := checkIDXMagic(head, want); err != nil {
			return err
		}
		size := int64(1)
		for range head[3] {
			var d [4]byte
			if err := readFull(r, d[:], "header"); err != nil {
				return err
			}
			n := int64(binary.BigEndian.Uint32(d[:]))
			sizes = append(sizes, int(n))
			if size *= n; size > maxPixels {
				return errTooLarge
			}
		}
		if err := c.count(int(size)); err != nil {
			return err
		}
		var buf bytes.Buffer
		if n, err := io.CopyN(&buf, r, size); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return fmt.Errorf("truncated body: %d bytes, want %d", n, size)
			}
			return gzipCause(err)
		}
		body = buf.Bytes()
		if err := expectEnd(r, 4+4*int64(len(sizes))+size); err != nil {
			return errors.New(strings.Replace(err.Error(), "in the manifest", "that its header states", 1))
		}
		return nil
	})
	return sizes, body, err
}

// nameLabels makes classes of the labels, which begin with 0 or 1 and have no gap, and
// names them by classes.txt or by themselves.
func (c *collection) nameLabels(dir string) error {
	var has [256]bool
	least, most := 255, 0
	for _, split := range [][]picture{c.train, c.test} {
		for _, p := range split {
			has[p.label] = true
			least, most = min(least, int(p.label)), max(most, int(p.label))
		}
	}
	if least > 1 {
		return fileError(dir, fmt.Errorf("labels are %d to %d, want them from 0 or 1", least, most))
	}
	for l := least; l <= most; l++ {
		if !has[l] {
			return fileError(dir, fmt.Errorf("class %d has 0 images, want 1 at least: labels are %d to %d", l, least, most))
		}
		c.classes = append(c.classes, strconv.Itoa(l))
	}
	if len(c.classes) < 2 {
		return fileError(dir, fmt.Errorf("%d class, want 2 to %d", len(c.classes), maxClasses))
	}
	for _, split := range [][]picture{c.train, c.test} {
		for i := range split {
			split[i].label -= uint8(least)
		}
	}
	path := filepath.Join(dir, "classes.txt")
	if !exists(path) {
		return nil
	}
	f, size, err := openRegular(path)
	if err != nil {
		return fileError(path, err)
	}
	defer f.Close()
	if size > maxSidecar {
		return fileError(path, fmt.Errorf("%d bytes, want at most %d", size, maxSidecar))
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxSidecar))
	if err != nil {
		return fileError(path, err)
	}
	names := strings.Split(strings.TrimRight(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n"), "\n")
	if len(names) != len(c.classes) {
		return fileError(path, fmt.Errorf("%d names, want %d, one a line: labels are %d to %d", len(names), len(c.classes), least, most))
	}
	c.classes = names
	return nil
}
