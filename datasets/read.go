package datasets

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
