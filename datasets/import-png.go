package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxPNG is the size in bytes of the largest PNG file that is read.
const maxPNG = 16 << 20

// collectFolders reads class folders with PNG images, or the folders train and test of
// class folders.
func collectFolders(dir string, entries []os.DirEntry) (*collection, error) {
	classes, err := classFolders(dir, entries)
	if err != nil {
		return nil, err
	}
	c := &collection{}
	switch {
	case len(classes) == 0:
		return nil, fileError(dir, errors.New("neither IDX files nor class folders, want one of them"))
	case slices.Equal(classes, []string{"test", "train"}):
		return c, c.readSplits(dir)
	}
	c.classes = classes
	return c, c.readClasses(dir, &c.train)
}

// readSplits reads the class folders in train and test, which must be the same.
func (c *collection) readSplits(dir string) error {
	c.given = true
	for _, split := range []struct {
		name string
		to   *[]picture
	}{{"train", &c.train}, {"test", &c.test}} {
		folder := filepath.Join(dir, split.name)
		entries, err := visible(folder)
		if err != nil {
			return err
		}
		classes, err := classFolders(folder, entries)
		if err != nil {
			return err
		}
		if c.classes == nil {
			c.classes = classes
		}
		if !slices.Equal(classes, c.classes) {
			return fileError(folder, fmt.Errorf("class folders %s, want those of train: %s", strings.Join(classes, ", "), strings.Join(c.classes, ", ")))
		}
		if err := c.readClasses(folder, split.to); err != nil {
			return err
		}
	}
	return nil
}

// classFolders returns the names of dir's folders in the order of classes. An image beside
// them belongs to no class; other files are not read.
func classFolders(dir string, entries []os.DirEntry) ([]string, error) {
	var names []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path) // follows links
		switch {
		case err != nil:
			return nil, fileError(path, errors.Unwrap(err))
		case info.IsDir():
			names = append(names, e.Name())
		case isPicture(e.Name()):
			return nil, fileError(path, errors.New("lies in no class folder, want DIR/CLASS/IMAGE.png"))
		}
	}
	inOrder(names)
	return names, nil
}

// isPicture reports whether a file's name ends as an image's does.
func isPicture(name string) bool {
	return slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff"}, strings.ToLower(filepath.Ext(name)))
}

// readClasses reads the class folders of one split.
func (c *collection) readClasses(dir string, to *[]picture) error {
	if n := len(c.classes); n < 2 || n > maxClasses {
		return fileError(dir, fmt.Errorf("%d class folders, want 2 to %d: a label is one byte", n, maxClasses))
	}
	for label, class := range c.classes {
		folder := filepath.Join(dir, class)
		entries, err := visible(folder)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			return fileError(folder, errors.New("a class with 0 images, want 1 at least"))
		}
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			if e.IsDir() {
				return fileError(path, errors.New("is a folder in a class folder, want PNG images there; a split has the folders train and test, and no other"))
			}
			if strings.ToLower(filepath.Ext(e.Name())) != ".png" {
				return fileError(path, errors.New("is no PNG, want PNG images alone in a class folder"))
			}
			pixels, err := c.readPNG(path)
			if err == nil {
				err = c.count(len(pixels))
			}
			if err != nil {
				return fileError(path, err)
			}
			*to = append(*to, picture{pixels: pixels, label: uint8(label)})
		}
	}
	return nil
}

// readPNG returns an image's planes: one where every pixel is grey, else three. The first
// image says which side all have.
func (c *collection) readPNG(path string) ([]byte, error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > maxPNG {
		return nil, fmt.Errorf("%d bytes, want at most %d", size, maxPNG)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxPNG))
	if err != nil {
		return nil, err
	}
	head, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("not a PNG that can be read: %s%s", strings.TrimPrefix(err.Error(), "png: "), looksLike(raw[:min(16, len(raw))]))
	}
	switch {
	case head.ColorModel == color.Gray16Model || head.ColorModel == color.RGBA64Model || head.ColorModel == color.NRGBA64Model:
		return nil, errors.New("16 bits per channel, want 8")
	case head.Width != head.Height:
		return nil, fmt.Errorf("%d×%d pixels, want a square", head.Width, head.Height)
	case c.side == 0:
		if err := checkSide(head.Width); err != nil {
			return nil, err
		}
		c.side = head.Width
	case head.Width != c.side:
		return nil, fmt.Errorf("%d×%[1]d pixels, want %d×%[2]d, as the first image", head.Width, c.side)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("not a PNG that can be read: %s", strings.TrimPrefix(err.Error(), "png: "))
	}
	return planes(img)
}

// planes returns the red, green and blue plane of an opaque image, or one plane where they
// are the same.
func planes(img image.Image) ([]byte, error) {
	b := img.Bounds()
	n := b.Dx() * b.Dy()
	if g, ok := img.(*image.Gray); ok && g.Stride == b.Dx() {
		return g.Pix, nil
	}
	out, grey := make([]byte, 3*n), true
	for y := range b.Dy() {
		for x := range b.Dx() {
			p := color.NRGBAModel.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA)
			if p.A != 255 {
				return nil, fmt.Errorf("pixel %d, %d has opacity %d, want 255: no transparency", x, y, p.A)
			}
			i := y*b.Dx() + x
			out[i], out[n+i], out[2*n+i] = p.R, p.G, p.B
			grey = grey && p.R == p.G && p.G == p.B
		}
	}
	if grey {
		return out[:n:n], nil
	}
	return out, nil
}
