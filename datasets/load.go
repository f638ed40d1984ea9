package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// idxNames lists the names under which an IDX file is met: gzipped as it is
// served, and as various tools unpack it.
func idxNames(stem string) []string {
	dotted := strings.Replace(stem, "-idx", ".idx", 1)
	return []string{stem + ".gz", stem, dotted + ".gz", dotted}
}

// findIDX returns the paths of the four files in folder by role, and whether any
// of them is there. A role without a file has the path "".
func findIDX(e *entry, folder string) (paths []string, any bool) {
	paths = make([]string, len(e.idx))
	for role, stem := range e.idx {
		for _, name := range idxNames(stem) {
			if p := filepath.Join(folder, name); exists(p) {
				paths[role], any = p, true
				break
			}
		}
	}
	return paths, any
}

// loadIDX reads a set of four IDX files.
func loadIDX(e *entry, folder string, paths []string) (*Set, error) {
	for role, p := range paths {
		if p == "" {
			return nil, fileError(folder, fmt.Errorf("%s(.gz) is missing, other files of %s are there", e.idx[role], e.title))
		}
	}
	body := make([][]byte, len(paths))
	for role, p := range paths {
		err := readStream(p, func(r io.Reader) (err error) {
			body[role], err = readIDX(r, e.idxSpec(role))
			if err == nil && !e.idxSpec(role).images {
				err = checkLabels(body[role], e.classes)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	s := e.newSet(folder)
	s.Train.Pixels, s.Train.Labels = body[trainImages], body[trainLabels]
	s.Test.Pixels, s.Test.Labels = body[testImages], body[testLabels]
	return s.finish(), nil
}

// newSet returns a set without images.
func (e *entry) newSet(path string) *Set {
	return &Set{
		Name: e.name, Classes: e.classes, Licence: e.licence, Path: path,
		Train: Split{C: e.c, H: e.h, W: e.w}, Test: Split{C: e.c, H: e.h, W: e.w},
	}
}

// loadBatches assembles CIFAR-10 from its batches in binary records; name says
// which file a batch came from.
func loadBatches(e *entry, path string, batches [][]byte, name func(int) string) (*Set, error) {
	seen := map[string]int{}
	s := e.newSet(path)
	s.Train.Pixels = make([]byte, 0, e.train*cifarPixels)
	s.Train.Labels = make([]byte, 0, e.train)
	for i, b := range batches {
		key := sha256Hex(b)
		if j, twice := seen[key]; twice {
			return nil, fileError(name(i), fmt.Errorf("same content as %s", filepath.Base(name(j))))
		}
		seen[key] = i
		test := i == e.batches
		if official := e.known[key]; official != "" && test != (official == "test_batch") {
			return nil, fileError(name(i), fmt.Errorf("holds the official %s (train and test files swapped?)", official))
		}
		split := &s.Train
		if test {
			split = &s.Test
		}
		if err := appendRecords(split, b, e.classes); err != nil {
			return nil, fileError(name(i), err)
		}
		batches[i] = nil // copied; CIFAR-10 twice in memory is enough to matter
	}
	return s.finish(), nil
}

// appendRecords takes the records of one batch apart.
func appendRecords(s *Split, batch []byte, classes int) error {
	if len(batch)%cifarRecord != 0 {
		return errors.New("batch is no multiple of a record")
	}
	for i := 0; i < len(batch); i += cifarRecord {
		if l := batch[i]; int(l) >= classes {
			return fmt.Errorf("label %d in record %d, want 0 to %d", l, i/cifarRecord, classes-1)
		}
		s.Labels = append(s.Labels, batch[i])
		s.Pixels = append(s.Pixels, batch[i+1:i+cifarRecord]...)
	}
	return nil
}

// sha256Hex is the sum of b in hexadecimal.
func sha256Hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
