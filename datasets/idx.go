package datasets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// idxType is the IDX code of unsigned bytes, the only element type that the
// MNIST family uses.
const idxType = 0x08

// idxSpec holds what the manifest promises about one IDX file.
type idxSpec struct {
	count  int  // images or labels
	other  int  // the other split's count: a hint that train and test are swapped
	images bool // images (three dimensions) or labels (one)
	planes int  // of a colour image, a fourth dimension; 0: grey
	h, w   int
}

// dims lists the sizes the header must state.
func (s idxSpec) dims() []int {
	switch {
	case s.images && s.planes > 0:
		return []int{s.count, s.planes, s.h, s.w}
	case s.images:
		return []int{s.count, s.h, s.w}
	}
	return []int{s.count}
}

// size returns the length in bytes of the uncompressed file, header included.
func (s idxSpec) size() int64 {
	n := int64(4)
	body := int64(1)
	for _, d := range s.dims() {
		n += 4
		body *= int64(d)
	}
	return n + body
}

// readIDX reads the one file that spec describes and nothing else: header first,
// so that a wrong file is named for what it is before anything is allocated, then
// exactly the bytes of the manifest, then the end of the stream.
//
// The error does not name the file; the caller does.
func readIDX(r io.Reader, spec idxSpec) ([]byte, error) {
	var head [4]byte
	if err := readFull(r, head[:], "header"); err != nil {
		return nil, err
	}
	if err := checkIDXMagic(head, spec); err != nil {
		return nil, err
	}
	want := spec.dims()
	sizes := make([]byte, 4*len(want))
	if err := readFull(r, sizes, "header"); err != nil {
		return nil, err
	}
	for i, d := range want {
		got := binary.BigEndian.Uint32(sizes[4*i:])
		if int64(got) == int64(d) {
			continue
		}
		if i > 0 {
			return nil, fmt.Errorf("IDX dimension %d is %d, want %d", i, got, d)
		}
		hint := ""
		if int64(got) == int64(spec.other) {
			hint = " (train and test files swapped?)"
		}
		return nil, fmt.Errorf("IDX count is %d, want %d%s", got, d, hint)
	}
	body := make([]byte, spec.size()-4-int64(len(sizes)))
	if err := readFull(r, body, "body"); err != nil {
		return nil, err
	}
	return body, expectEnd(r, spec.size())
}

// checkIDXMagic compares the four magic bytes: two zeros, element type, number
// of dimensions.
func checkIDXMagic(head [4]byte, spec idxSpec) error {
	want := len(spec.dims())
	switch {
	case head[0] != 0 || head[1] != 0:
		return fmt.Errorf("not an IDX file: magic % x, want 00 00 08 %02x%s", head[:], want, looksLike(head[:]))
	case head[2] != idxType:
		return fmt.Errorf("IDX element type 0x%02x, want 0x%02x (unsigned byte)", head[2], idxType)
	case int(head[3]) == want:
		return nil
	case head[3] == 1 && spec.images:
		return errors.New("holds labels, want images (image and label files swapped?)")
	case head[3] == 3 && !spec.images:
		return errors.New("holds images, want labels (image and label files swapped?)")
	}
	return fmt.Errorf("IDX has %d dimensions, want %d", head[3], want)
}

// checkLabels returns an error at the first label outside 0…classes−1.
func checkLabels(labels []byte, classes int) error {
	for i, l := range labels {
		if int(l) >= classes {
			return fmt.Errorf("label %d at position %d, want 0 to %d", l, i, classes-1)
		}
	}
	return nil
}
