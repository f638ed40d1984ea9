package datasets

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxTarEntries bounds the entries of an archive; the official ones have 9.
const maxTarEntries = 64

// limitedReader fails, where io.LimitedReader would pretend an end, once more
// than left bytes were read: a bomb is told from a short file.
type limitedReader struct {
	r     io.Reader
	left  int64
	limit int64
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, fmt.Errorf("unpacks to more than %d bytes, the limit of the manifest", l.limit)
	}
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, fmt.Errorf("unpacks to more than %d bytes, the limit of the manifest", l.limit)
	}
	return n, err
}

// loadTar reads CIFAR-10 from an official archive without unpacking it anywhere.
// ext and decode are as in loadFolder; limit bounds one batch in the archive.
func loadTar(e *entry, archive, ext string, limit int64, decode func(io.Reader, int64) ([]byte, error)) (*Set, error) {
	stems := e.batchStems()
	batches := make([][]byte, len(stems))
	err := readStream(archive, func(r io.Reader) error {
		total := int64(len(stems))*limit + 1<<20
		lim := &limitedReader{r: r, left: total, limit: total}
		if err := eachTarFile(lim, func(h *tar.Header, body io.Reader) error {
			base := path.Base(h.Name)
			i := slices.Index(stems, strings.TrimSuffix(base, ext))
			if i < 0 || base != stems[i]+ext {
				return nil
			}
			if batches[i] != nil {
				return errors.New("is there twice")
			}
			var err error
			batches[i], err = decode(body, h.Size)
			return err
		}); err != nil {
			return err
		}
		return drain(lim)
	})
	if err != nil {
		return nil, err
	}
	for i, b := range batches {
		if b == nil {
			return nil, fileError(archive, fmt.Errorf("%s is missing in the archive", stems[i]+ext))
		}
	}
	name := func(i int) string { return archive + ": " + stems[i] + ext }
	return loadBatches(e, archive, batches, name)
}

// eachTarFile calls visit for every regular file of the archive and refuses
// anything but plain files and folders with plain names.
func eachTarFile(r io.Reader, visit func(*tar.Header, io.Reader) error) error {
	t := tar.NewReader(r)
	for n := 0; ; n++ {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("tar: %w", gzipCause(err))
		}
		if n >= maxTarEntries {
			return fmt.Errorf("tar: more than %d entries", maxTarEntries)
		}
		entry := func(err error) error { return fmt.Errorf("tar entry %.80q: %w", h.Name, err) }
		local := filepath.IsLocal(h.Name) && !strings.Contains(h.Name, `\`)
		if !local || slices.Contains(strings.Split(h.Name, "/"), "..") {
			return entry(errors.New("leaves its folder, refused"))
		}
		switch h.Typeflag {
		case tar.TypeDir:
		case tar.TypeReg:
			if err := visit(h, t); err != nil {
				return entry(err)
			}
		default:
			return entry(fmt.Errorf("is no plain file or folder (type %q), refused", h.Typeflag))
		}
	}
}

// drain reads the padding after the last entry, up to the end of the stream, so
// that the gzip trailer is checked.
func drain(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	if err != nil {
		return gzipCause(err)
	}
	return nil
}
