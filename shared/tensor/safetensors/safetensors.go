// Package safetensors reads and writes float32 tensors in the safetensors
// format, so that weights and gradients move between gradsync and PyTorch:
//
//	8 bytes     length n of the header, little-endian
//	n bytes     JSON {"name": {"dtype":"F32","shape":[…],"data_offsets":[from,to]}, …}
//	the rest    the tensors' data, little-endian, without gaps
//
// It is strict: what it accepts, every reader accepts. Only dtype F32 is known, and U8 for bytes that are
// no weights, which Encode and Decode take, and Read refuses.
package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// Tensor is one named tensor, row-major.
//
// Source: ours: PyTorch's names and layouts
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
	Bytes []byte // nil: the tensor is Data, of dtype F32; else it is these, of dtype U8, and Data is nil
}

// File is the content of one file: tensors in the order of their data, and
// free-form metadata (nil without).
//
// Source: ours: the safetensors format
type File struct {
	Tensors  []Tensor
	Metadata map[string]string
}

// metadataKey is the reserved header entry.
const metadataKey = "__metadata__"

// maxHeader is the format's own limit on the header's length.
const maxHeader = 100_000_000

// width is the size in bytes of an element by dtype.
var width = map[string]int64{"F32": 4, "U8": 1}

// entry is a tensor in the header.
type entry struct {
	Dtype   string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Offsets []int64 `json:"data_offsets"`
}

// Encode returns the file's bytes: the same file, the same bytes. It fails on
// empty, reserved and repeated names and on shapes that do not fit the data.
func Encode(f File) ([]byte, error) {
	var header bytes.Buffer
	header.WriteByte('{')
	if len(f.Metadata) > 0 {
		if err := field(&header, metadataKey, f.Metadata); err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{metadataKey: true, "": true}
	at := int64(0)
	for _, t := range f.Tensors {
		if seen[t.Name] {
			return nil, fmt.Errorf("safetensors: tensor name %q is empty, reserved or used twice", t.Name)
		}
		seen[t.Name] = true
		shape := make([]int64, len(t.Shape))
		for i, d := range t.Shape {
			shape[i] = int64(d)
		}
		n, err := elements(shape)
		if err != nil || n != int64(len(t.Data)+len(t.Bytes)) || t.Bytes != nil && t.Data != nil {
			return nil, fmt.Errorf("safetensors: tensor %q: shape %v does not fit %d values and %d bytes", t.Name, t.Shape, len(t.Data), len(t.Bytes))
		}
		dtype := "F32"
		if t.Bytes != nil {
			dtype = "U8"
		}
		to := at + n*width[dtype]
		if err := field(&header, t.Name, entry{dtype, shape, []int64{at, to}}); err != nil {
			return nil, err
		}
		at = to
	}
	header.WriteByte('}')
	for header.Len()%8 != 0 { // the format asks for aligned data
		header.WriteByte(' ')
	}
	if header.Len() > maxHeader {
		return nil, fmt.Errorf("safetensors: header of %d bytes, the format allows %d", header.Len(), maxHeader)
	}
	out := make([]byte, 0, 8+int64(header.Len())+at)
	out = binary.LittleEndian.AppendUint64(out, uint64(header.Len()))
	out = append(out, header.Bytes()...)
	for _, t := range f.Tensors {
		out = append(out, t.Bytes...)
		for _, v := range t.Data {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
	}
	return out, nil
}

// field appends one "key":value pair.
func field(b *bytes.Buffer, key string, value any) error {
	if b.Len() > 1 {
		b.WriteByte(',')
	}
	k, err := json.Marshal(key)
	if err != nil {
		return err
	}
	v, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("safetensors: header entry %q: %w", key, err)
	}
	b.Write(k)
	b.WriteByte(':')
	b.Write(v)
	return nil
}

// Decode parses a file's bytes. It never allocates more than a small multiple
// of len(data).
func Decode(data []byte) (File, error) {
	if len(data) < 8 {
		return File{}, fmt.Errorf("safetensors: %d bytes are too few for a header", len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > maxHeader || n > uint64(len(data)-8) {
		return File{}, fmt.Errorf("safetensors: header length %d exceeds the file (%d bytes) or the limit (%d)", n, len(data), maxHeader)
	}
	entries, metadata, err := parseHeader(data[8 : 8+n])
	if err != nil {
		return File{}, err
	}
	body := data[8+n:]
	f := File{Metadata: metadata, Tensors: make([]Tensor, 0, len(entries))}
	at := int64(0)
	for _, e := range entries {
		t, err := e.tensor(body, at)
		if err != nil {
			return File{}, err
		}
		at = e.Offsets[1]
		f.Tensors = append(f.Tensors, t)
	}
	if at != int64(len(body)) {
		return File{}, fmt.Errorf("safetensors: %d bytes of data belong to no tensor", int64(len(body))-at)
	}
	return f, nil
}

// tensor cuts a header entry's data out of the body; it must begin at at.
func (e named) tensor(body []byte, at int64) (Tensor, error) {
	from, to := e.Offsets[0], e.Offsets[1]
	n, err := elements(e.Shape)
	if err != nil {
		return Tensor{}, fmt.Errorf("safetensors: tensor %q: %w", e.name, err)
	}
	size := n * width[e.Dtype]
	if from != at || to < from || to > int64(len(body)) || to-from != size {
		return Tensor{}, fmt.Errorf("safetensors: tensor %q of shape %v at [%d, %d): want %d bytes from %d of a body of %d",
			e.name, e.Shape, from, to, size, at, len(body))
	}
	t := Tensor{Name: e.name, Shape: make([]int, len(e.Shape))}
	for i, d := range e.Shape {
		t.Shape[i] = int(d)
	}
	if e.Dtype == "U8" {
		t.Bytes = append([]byte{}, body[from:to]...)
		return t, nil
	}
	t.Data = make([]float32, n)
	for i := range t.Data {
		t.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[from+4*int64(i):]))
	}
	return t, nil
}

// elements multiplies a shape out; the error guards against overflow.
func elements(shape []int64) (int64, error) {
	n := int64(1)
	for _, d := range shape {
		if d < 0 || d > math.MaxInt32 || n*d > math.MaxInt32 { // both factors < 2³¹
			return 0, fmt.Errorf("shape %v is not within 2³¹ elements", shape)
		}
		n *= d
	}
	return n, nil
}

// Write writes the file through a temporary one beside it and a rename, so that
// path never holds half a file, not even after a power cut. A link is followed. An
// error names path, not the file beside it.
func Write(path string, f File) error {
	data, err := Encode(f)
	if err != nil {
		return err
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	if err := replace(path, data); err != nil {
		var at *fs.PathError
		var renamed *os.LinkError
		switch {
		case errors.As(err, &at):
			err = at.Err
		case errors.As(err, &renamed):
			err = renamed.Err
		}
		return fmt.Errorf("safetensors: write %s: %w", path, err)
	}
	return nil
}

func replace(path string, data []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	if _, err = tmp.Write(data); err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil { // a power cut after the rename must not find an empty file
		err = tmp.Sync()
	}
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return err
	}
	if d, err := os.Open(filepath.Dir(path)); err == nil { // the new name; not every system can
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

// maxFile is the size in bytes of the largest file that is read.
const maxFile = 16 << 30

// Read reads a whole file of F32, of at most 16 GiB. What is no file, as a device, is refused: it
// has no end to trust in.
func Read(path string) (File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return File{}, fmt.Errorf("safetensors: read: %w", err)
	}
	switch {
	case !info.Mode().IsRegular():
		return File{}, fmt.Errorf("safetensors: read: %s is no file: want one of parameters", path)
	case info.Size() > maxFile:
		return File{}, fmt.Errorf("safetensors: read: %s has %d bytes, and at most %d are read (16 GiB): is it the right file?", path, info.Size(), int64(maxFile))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return File{}, fmt.Errorf("safetensors: read: %w", err)
	}
	f, err := Decode(data)
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	for _, t := range f.Tensors {
		if t.Bytes != nil {
			return File{}, fmt.Errorf("%s: safetensors: tensor %q has dtype U8, want F32", path, t.Name)
		}
	}
	return f, nil
}
