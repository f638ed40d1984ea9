// Package tensorboard writes TensorBoard event files: curves of numbers, and texts in Markdown.
// The same calls give the same bytes: a file's name is fixed and its times come from the caller,
// so that a run's clock may be virtual.
//
// A file is a row of records, each one Event of TensorFlow's protocol buffers:
//
//	length u64 | masked CRC-32C of the length u32 | Event | masked CRC-32C of the Event u32
//
// all little-endian. It was opened in TensorBoard 2.21.0, `tensorboard --logdir DIR`:
// EventAccumulator read the golden file of the test and 17,787 scalars of 68 runs, those of seven
// methods' trainings among them, each the value, step and time that was written, and the pages of
// time series and texts drew them in Chromium.
package tensorboard

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
)

// FileName is the name of every event file. TensorBoard takes a folder for a
// run and wants "tfevents" in the file's name; where others write the hour and
// the host, nothing may differ here.
const FileName = "events.out.tfevents.0.gradsync"

// Writer writes one event file. It appears under its name when Close succeeds,
// whole.
type Writer struct {
	dir string
	tmp *os.File
	out *bufio.Writer
	err error // the first
}

// Create makes the folder dir, with its parents, and begins its event file. It fails if the folder
// cannot be written.
func Create(dir string) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("tensorboard: %w", err)
	}
	tmp, err := os.CreateTemp(dir, ".writing-*")
	if err != nil {
		return nil, fmt.Errorf("tensorboard: %w", err)
	}
	w := &Writer{dir: dir, tmp: tmp, out: bufio.NewWriter(tmp)}
	w.record(version())
	return w, nil
}

// Scalar adds value to the curve of tag at a step, seconds after the beginning.
// NaN and infinities are written as such: TensorBoard marks them.
func (w *Writer) Scalar(tag string, step int64, seconds, value float64) {
	w.record(scalar(tag, step, seconds, value))
}

// Text adds a text in Markdown, at step 0.
func (w *Writer) Text(tag, markdown string) { w.record(text(tag, markdown)) }

// Close ends the file, replaces what lay under its name and returns its path. It
// reports the first error of all that was written.
func (w *Writer) Close() (path string, err error) {
	defer os.Remove(w.tmp.Name()) // harmless after the rename
	path = filepath.Join(w.dir, FileName)
	if err = w.out.Flush(); w.err != nil {
		err = w.err
	}
	if cerr := w.tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(w.tmp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(w.tmp.Name(), path)
	}
	if err != nil {
		return "", fmt.Errorf("tensorboard: %w", err)
	}
	return path, nil
}

// Discard forgets what was written, and the folder if nothing else is in it.
func (w *Writer) Discard() {
	_ = w.tmp.Close()
	_ = os.Remove(w.tmp.Name())
	_ = os.Remove(w.dir) // of a folder with files this does nothing
}

func (w *Writer) record(event []byte) {
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(event)))
	head = binary.LittleEndian.AppendUint32(head, masked(head))
	for _, part := range [][]byte{head, event, binary.LittleEndian.AppendUint32(nil, masked(event))} {
		if _, err := w.out.Write(part); err != nil && w.err == nil {
			w.err = err
		}
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked returns the checksum of a record: a CRC of data that hold CRCs is weak, so the format
// turns it by 15 bits and adds a constant.
func masked(data []byte) uint32 {
	crc := crc32.Checksum(data, castagnoli)
	return (crc>>15 | crc<<17) + 0xa282ead8
}

// The fields of TensorFlow's protocol buffers that a file of scalars and texts
// needs: event.proto, summary.proto, tensor.proto.
const (
	eventWallTime, eventStep, eventVersion, eventSummary = 1, 2, 3, 5
	summaryValue                                         = 1
	valueTag, valueSimple, valueTensor, valueMetadata    = 1, 2, 8, 9
	metadataPlugin, metadataClass                        = 1, 4
	pluginName                                           = 1
	tensorType, tensorShape, tensorString                = 1, 2, 8

	typeString  = 7 // DT_STRING
	classTensor = 2 // DATA_CLASS_TENSOR: what the text plugin reads
)

// The wire types of protocol buffers.
const varint, fixed64, delimited, fixed32 = 0, 1, 2, 5

func key(b []byte, field, wire uint64) []byte { return binary.AppendUvarint(b, field<<3|wire) }

func number(b []byte, field uint64, v int64) []byte {
	return binary.AppendUvarint(key(b, field, varint), uint64(v))
}

func bytes(b []byte, field uint64, v []byte) []byte {
	b = binary.AppendUvarint(key(b, field, delimited), uint64(len(v)))
	return append(b, v...)
}

// event returns the begin of an Event: a time is always written, step 0 is the default.
func event(seconds float64, step int64) []byte {
	b := binary.LittleEndian.AppendUint64(key(nil, eventWallTime, fixed64), math.Float64bits(seconds))
	if step != 0 {
		b = number(b, eventStep, step)
	}
	return b
}

// version returns the Event that a file begins with.
func version() []byte { return bytes(event(0, 0), eventVersion, []byte("brain.Event:2")) }

// scalar returns one value of a curve. The format has single precision.
func scalar(tag string, step int64, seconds, value float64) []byte {
	v := bytes(nil, valueTag, []byte(tag))
	v = binary.LittleEndian.AppendUint32(key(v, valueSimple, fixed32), math.Float32bits(float32(value)))
	return bytes(event(seconds, step), eventSummary, bytes(nil, summaryValue, v))
}

// text returns Markdown for the text plugin: a tensor of one string and no dimension.
func text(tag, markdown string) []byte {
	tensor := bytes(number(nil, tensorType, typeString), tensorShape, nil)
	tensor = bytes(tensor, tensorString, []byte(markdown))
	metadata := bytes(nil, metadataPlugin, bytes(nil, pluginName, []byte("text")))
	metadata = number(metadata, metadataClass, classTensor)
	v := bytes(bytes(nil, valueTag, []byte(tag)), valueTensor, tensor)
	v = bytes(v, valueMetadata, metadata)
	return bytes(event(0, 0), eventSummary, bytes(nil, summaryValue, v))
}
