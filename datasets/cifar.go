package datasets

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// cifar100Record is one image of a CIFAR-100 file: two labels and the pixels.
const cifar100Record = cifarRecord + 1

// batchStems lists the batch files of CIFAR-10 in order, the test batch last.
func (e *entry) batchStems() []string {
	var names []string
	for i := range e.Batches {
		names = append(names, fmt.Sprintf("data_batch_%d", i+1))
	}
	return append(names, "test_batch")
}

// batchSize returns the length of one batch in binary records.
func (e *entry) batchSize() int64 { return int64(e.Test) * cifarRecord }

// checkBatchLength reports what is wrong with a batch file of n bytes.
func (e *entry) checkBatchLength(n int64) error {
	switch want := e.batchSize(); {
	case n == want:
		return nil
	case n > 0 && n%cifar100Record == 0:
		return fmt.Errorf("%d bytes are records of %d bytes: a CIFAR-100 file? want CIFAR-10's records of %d", n, cifar100Record, cifarRecord)
	case n%cifarRecord != 0:
		return fmt.Errorf("%d bytes, no multiple of %d (truncated?); want %d", n, cifarRecord, want)
	default:
		return fmt.Errorf("%d records of %d bytes, want %d", n/cifarRecord, cifarRecord, e.Test)
	}
}

// readBatch reads one binary batch of size bytes, the size its container states.
func (e *entry) readBatch(r io.Reader, size int64) ([]byte, error) {
	if err := e.checkBatchLength(size); err != nil {
		return nil, err
	}
	b := make([]byte, e.batchSize())
	if err := readFull(r, b, "batch"); err != nil {
		return nil, err
	}
	return b, nil
}

// findBatches reports whether folder holds batch files with the extension
// (".bin" or, of the Python archive, none).
func findBatches(e *entry, folder, ext string) bool {
	for _, stem := range e.batchStems() {
		if exists(filepath.Join(folder, stem+ext)) {
			return true
		}
	}
	return false
}

// loadFolder reads unpacked batch files, one by one with decode.
func loadFolder(e *entry, folder, ext string, decode func(io.Reader, int64) ([]byte, error)) (*Set, error) {
	stems := e.batchStems()
	for _, stem := range stems {
		if !exists(filepath.Join(folder, stem+ext)) {
			return nil, fileError(folder, fmt.Errorf("%s is missing, other batches are there", stem+ext))
		}
	}
	name := func(i int) string { return filepath.Join(folder, stems[i]+ext) }
	batches := make([][]byte, len(stems))
	for i := range stems {
		f, size, err := openRegular(name(i))
		if err != nil {
			return nil, fileError(name(i), err)
		}
		batches[i], err = decode(f, size)
		f.Close()
		if err != nil {
			return nil, fileError(name(i), err)
		}
	}
	return loadBatches(e, folder, batches, name)
}

// pickleLimit bounds the size of a pickled batch: Python 2's text protocol writes
// up to four characters per byte; labels and file names take the rest.
func (e *entry) pickleLimit() int64 { return 4*e.batchSize() + 1<<20 }

// pickleOps bounds the opcodes of a pickled batch. Per image the most verbose
// protocol needs two for the label and three for the file name.
func (e *entry) pickleOps() int { return 8*e.Test + 4096 }

// readPickled reads one batch of the Python archive of size bytes, the size its
// container states, and returns it in binary records.
func (e *entry) readPickled(r io.Reader, size int64) (_ []byte, err error) {
	if size > e.pickleLimit() {
		return nil, fmt.Errorf("%d bytes, want at most %d for a pickled batch", size, e.pickleLimit())
	}
	if size == 0 {
		return nil, errors.New("is empty, want a pickled batch")
	}
	raw := make([]byte, size)
	if err := readFull(r, raw, "batch"); err != nil {
		return nil, err
	}
	if h := looksLike(raw[:min(16, len(raw))]); h != "" {
		return nil, errors.New("not a pickle" + h)
	}
	defer caught(&err)
	labels, data := batchParts(parsePickle(raw, e.pickleOps()))
	return e.toRecords(labels, data), nil
}

// batchParts takes the batch's dictionary apart.
func batchParts(v any) (labels, data any) {
	d, ok := v.(*pyDict)
	if !ok {
		refuse("holds a %s, want a dictionary", pyName(v))
	}
	for i, k := range d.keys {
		switch key := textBytes("dictionary key", k); string(key) {
		case "labels":
			labels = d.values[i]
		case "data":
			data = d.values[i]
		case "batch_label", "filenames":
		case "fine_labels", "coarse_labels":
			refuse("a CIFAR-100 file (it has fine_labels), want CIFAR-10")
		default:
			refuse("unknown key %.40q", key)
		}
	}
	if labels == nil || data == nil {
		refuse("no labels or no data")
	}
	return labels, data
}

// toRecords checks labels and array and interleaves them as the binary form does.
func (e *entry) toRecords(labels, data any) []byte {
	list, ok := labels.(*pyList)
	if !ok || len(list.items) != e.Test {
		refuse("labels are a %s, want a list of %d", pyName(labels), e.Test)
	}
	pixels := e.arrayBytes(data)
	out := make([]byte, 0, e.batchSize())
	for i, v := range list.items {
		l, ok := v.(pyInt)
		if !ok || l < 0 || int(l) >= e.Classes {
			refuse("label %s in record %d, want 0 to %d", pyName(v), i, e.Classes-1)
		}
		out = append(out, byte(l))
		out = append(out, pixels[i*cifarPixels:(i+1)*cifarPixels]...)
	}
	return out
}

// arrayBytes accepts the two forms in which numpy pickles an array, and of these
// only C-ordered unsigned bytes of the manifest's shape.
func (e *entry) arrayBytes(v any) []byte {
	call, ok := v.(*pyCall)
	if !ok {
		refuse("data: no numpy array")
	}
	var shape, dtype, body any
	switch {
	case strings.HasSuffix(string(call.fn), "._reconstruct"): // protocols 0 to 4
		st, ok := call.state.(pyTuple) // version, shape, dtype, is Fortran, bytes
		if !ok || len(st) != 5 {
			refuse("data: no array state of five values")
		}
		if st[3] != pyBool(false) && st[3] != pyInt(0) {
			refuse("data: array is in Fortran order, want C order")
		}
		shape, dtype, body = st[1], st[2], st[4]
	case strings.HasSuffix(string(call.fn), "._frombuffer"): // protocol 5
		if len(call.args) != 4 {
			refuse("data: no four arguments of _frombuffer")
		}
		if !isText(call.args[3], "C") {
			refuse("data: array is not in C order")
		}
		body, dtype, shape = call.args[0], call.args[1], call.args[2]
	default:
		refuse("data: no numpy array")
	}
	if t, ok := dtype.(*pyCall); !ok || t.fn != "numpy.dtype" || len(t.args) == 0 || !isText(t.args[0], "u1") {
		refuse("data: array elements are not unsigned bytes")
	}
	sh, ok := shape.(pyTuple)
	if !ok || len(sh) != 2 || sh[0] != pyInt(e.Test) || sh[1] != pyInt(cifarPixels) {
		refuse("data: array shape %s, want (%d, %d)", pyName(shape), e.Test, cifarPixels)
	}
	pixels := textBytes("data", body)
	if len(pixels) != e.Test*cifarPixels {
		refuse("data: array holds %d bytes, want %d", len(pixels), e.Test*cifarPixels)
	}
	return pixels
}

// textBytes returns the bytes of a string, or of Python 3's way to write bytes in
// protocols 0 to 2: _codecs.encode(text, 'latin1'). what is refused where it is neither.
func textBytes(what string, v any) []byte {
	if t, ok := v.(pyText); ok {
		return t
	}
	call, ok := v.(*pyCall)
	if !ok || call.fn != "_codecs.encode" || len(call.args) != 2 || !isText(call.args[1], "latin1") || !isText(call.args[0]) {
		refuse("%s: a %s, want a string", what, pyName(v))
	}
	text := call.args[0].(pyText)
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		if r > 0xff {
			refuse("%s: text is not Latin-1", what)
		}
		out = append(out, byte(r))
	}
	return out
}

// isText reports whether v is a string, and one of these if there are any.
func isText(v any, want ...string) bool {
	t, ok := v.(pyText)
	return ok && (len(want) == 0 || slices.Contains(want, string(t)))
}

// pyName describes a value for an error message, never at length.
func pyName(v any) string {
	switch t := v.(type) {
	case pyText:
		return fmt.Sprintf("string of %d bytes", len(t))
	case pyInt:
		return fmt.Sprint(int64(t))
	case pyTuple:
		if len(t) == 2 {
			a, okA := t[0].(pyInt)
			b, okB := t[1].(pyInt)
			if okA && okB {
				return fmt.Sprintf("(%d, %d)", a, b)
			}
		}
		return fmt.Sprintf("tuple of %d", len(t))
	case *pyList:
		return fmt.Sprintf("list of %d", len(t.items))
	case *pyDict:
		return fmt.Sprintf("dictionary of %d", len(t.keys))
	case *pyCall:
		return "call of " + string(t.fn)
	case pyGlobal:
		return "global " + string(t)
	case pyBool, pyNone:
		return fmt.Sprintf("%T", v)
	}
	return "nothing"
}
