package dev

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gradsync/experiments/cli/memo"
	"gradsync/internal/atomic"
)

// partsFile lists the finished parts of profile ci: the hash of a part's name and that of its value,
// and in its first row the version of the bits. It is how a change of the numbers is noticed: kept
// parts of the same version would be taken for those of the changed program.
const partsFile = committed + "/parts.csv"

// readParts returns what partsFile lists, nothing where there is none yet.
func readParts(root string) (bits int, parts map[string]string, err error) {
	f, err := os.Open(filepath.Join(root, filepath.FromSlash(partsFile)))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, map[string]string{}, nil
	}
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) == 0 || len(rows[0]) != 2 || rows[0][0] != "bits" {
		return 0, nil, fmt.Errorf("%s: want rows of two cells, the first of them bits and its version (%v)", partsFile, err)
	}
	if bits, err = strconv.Atoi(rows[0][1]); err != nil {
		return 0, nil, fmt.Errorf("%s: %w", partsFile, err)
	}
	parts = map[string]string{}
	for _, r := range rows[1:] {
		parts[r[0]] = r[1]
	}
	return bits, parts, nil
}

// changed counts the parts of both lists whose values differ.
func changed(was, is map[string]string) (n int) {
	for name, value := range is {
		if old, ok := was[name]; ok && old != value {
			n++
		}
	}
	return n
}

// forgotten says that parts have other values than those listed under the same version of the bits.
func forgotten(n, bits int) error {
	return fmt.Errorf("%d finished parts have other values than in %s under the same version of the bits, %d: "+
		"raise Bits in experiments/kit/keep.go by one, and call ci-results again", n, partsFile, bits)
}

// writeParts renews partsFile from the parts in dir, made under a version of the bits. It fails if
// values changed and the version did not.
func writeParts(root, dir string, bits int, out io.Writer) error {
	listed, was, err := readParts(root)
	if err != nil {
		return err
	}
	is, err := memo.Values(dir)
	if err != nil {
		return err
	}
	if n := changed(was, is); n > 0 && listed == bits {
		return forgotten(n, bits)
	}
	fmt.Fprintf(out, "%d parts under version %d of the bits\n", len(is), bits)
	return atomic.Write(filepath.Join(root, filepath.FromSlash(partsFile)), func(w io.Writer) error {
		rows := [][]string{{"bits", strconv.Itoa(bits)}}
		for _, name := range slices.Sorted(maps.Keys(is)) {
			rows = append(rows, []string{name, is[name]})
		}
		return csv.NewWriter(w).WriteAll(rows)
	})
}

// checkParts fails unless the parts in dir, made under a version of the bits, are those listed, all of them or some.
func checkParts(root, dir string, bits int, all bool) error {
	listed, was, err := readParts(root)
	if err != nil {
		return err
	}
	is, err := memo.Values(dir)
	if !all {
		maps.DeleteFunc(was, func(name, _ string) bool { return is[name] == "" })
	}
	switch n := changed(was, is); {
	case err != nil:
		return err
	case listed == bits && n > 0:
		return forgotten(n, bits)
	case listed != bits || !maps.Equal(was, is):
		return fmt.Errorf("%s lists %d parts under version %d of the bits, and there are %d under version %d, %d of them with other values: "+
			"renew it by ci-results", partsFile, len(was), listed, len(is), bits, n)
	}
	return nil
}
