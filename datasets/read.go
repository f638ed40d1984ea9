package datasets

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// fileError names the file in every error of this package's readers.
func fileError(path string, err error) error {
	return fmt.Errorf("datasets: %s: %w", path, err)
}

// openRegular opens path for reading if it is a regular file (a link to one
// counts). Anything else in its place, a folder or a pipe, is named.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, errors.Unwrap(err)
	}
	if info.IsDir() {
		return nil, 0, errors.New("is a directory, want a file")
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("is not a regular file: mode %s", info.Mode().Type())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, errors.Unwrap(err)
	}
	return f, info.Size(), nil
}

// readStream opens path, undoes gzip where the name ends in .gz, and hands the
// bytes to read, which has to reach the end of the stream (expectEnd). Gzip must
// be one member with nothing after it. The error names the file.
func readStream(path string, read func(io.Reader) error) error {
	f, _, err := openRegular(path)
	if err != nil {
		return fileError(path, err)
	}
	defer f.Close()
	if !strings.HasSuffix(path, ".gz") {
		err = read(bufio.NewReaderSize(f, 1<<16))
	} else {
		err = readGzip(f, read)
	}
	if err != nil {
		return fileError(path, err)
	}
	return nil
}

// readGzip runs read over the single gzip member in src.
func readGzip(src io.Reader, read func(io.Reader) error) error {
	buf := bufio.NewReaderSize(src, 1<<16)
	head, err := buf.Peek(16)
	if len(head) == 0 {
		if err == io.EOF {
			return errors.New("is empty, want gzip")
		}
		return err
	}
	if head[0] != 0x1f || (len(head) > 1 && head[1] != 0x8b) {
		return fmt.Errorf("not gzip: starts with % x%s", head[:min(4, len(head))], looksLike(head))
	}
	z, err := gzip.NewReader(buf)
	if err != nil {
		return fmt.Errorf("gzip header: %w", gzipCause(err))
	}
	z.Multistream(false)
	if err := read(z); err != nil {
		return err
	}
	if _, err := buf.ReadByte(); err != io.EOF {
		if err == nil {
			err = errors.New("bytes after the gzip member")
		}
		return err
	}
	return nil
}

// gzipCause puts compress/gzip's errors into words.
func gzipCause(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("truncated")
	case errors.Is(err, gzip.ErrChecksum):
		return errors.New("wrong CRC or length in the gzip trailer")
	}
	return err
}

// readFull fills buf or says which part of the file is cut off.
func readFull(r io.Reader, buf []byte, part string) error {
	n, err := io.ReadFull(r, buf)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("truncated %s: %d of %d bytes", part, n, len(buf))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", part, gzipCause(err))
	}
	return nil
}

// expectEnd checks that the stream ends after the size bytes already read. On a
// gzip stream this is also what checks the trailer. It reads one byte: a bomb is
// not unpacked to see how large it is.
func expectEnd(r io.Reader, size int64) error {
	var one [1]byte
	switch n, err := io.ReadFull(r, one[:]); {
	case n == 1:
		return fmt.Errorf("longer than %d bytes, the size in the manifest", size)
	case err == io.EOF:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("truncated gzip trailer")
	default:
		return gzipCause(err)
	}
}

// looksLike names a frequent impostor for an error message: a mirror's HTML page.
func looksLike(head []byte) string {
	t := strings.ToLower(string(bytes.TrimLeft(head, " \t\r\n\ufeff")))
	if strings.HasPrefix(t, "<") {
		return " (an HTML or XML page saved in its place?)"
	}
	return ""
}

// exists reports whether anything at all, also a directory or a broken link, is
// at path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}

// idxNames lists the names under which an IDX file is met: gzipped as it is
// served, and as various tools unpack it.
func idxNames(stem string) []string {
	dotted := strings.Replace(stem, "-idx", ".idx", 1)
	return []string{stem + ".gz", stem, dotted + ".gz", dotted}
}

// findIDX returns the paths of the four files in folder by role, and whether any
// of them is there. A role without a file has the path "".
func findIDX(e *entry, folder string) (paths []string, any bool) {
	paths = make([]string, len(e.IDX))
	for role, stem := range e.IDX {
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
			return nil, fileError(folder, fmt.Errorf("%s(.gz) is missing, other files of %s are there", e.IDX[role], e.Title))
		}
	}
	body := make([][]byte, len(paths))
	for role, p := range paths {
		err := readStream(p, func(r io.Reader) (err error) {
			body[role], err = readIDX(r, e.idxSpec(role))
			if err == nil && !e.idxSpec(role).images {
				err = checkLabels(body[role], e.Classes)
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
		Name: e.Name, Classes: e.Classes, Licence: e.Licence, Path: path,
		Train: Split{C: e.C, H: e.H, W: e.W}, Test: Split{C: e.C, H: e.H, W: e.W},
	}
}

// loadBatches assembles CIFAR-10 from its batches in binary records; name says
// which file a batch came from.
func loadBatches(e *entry, path string, batches [][]byte, name func(int) string) (*Set, error) {
	seen := map[string]int{}
	s := e.newSet(path)
	s.Train.Pixels = make([]byte, 0, e.Train*cifarPixels)
	s.Train.Labels = make([]byte, 0, e.Train)
	for i, b := range batches {
		key := sha256Hex(b)
		if j, twice := seen[key]; twice {
			return nil, fileError(name(i), fmt.Errorf("same content as %s", filepath.Base(name(j))))
		}
		seen[key] = i
		test := i == e.Batches
		if official := e.Known[key]; official != "" && test != (official == "test_batch") {
			return nil, fileError(name(i), fmt.Errorf("holds the official %s (train and test files swapped?)", official))
		}
		split := &s.Train
		if test {
			split = &s.Test
		}
		if err := appendRecords(split, b, e.Classes); err != nil {
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

// sha256Hex returns the sum of b in hexadecimal.
func sha256Hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
