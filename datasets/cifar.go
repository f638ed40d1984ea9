package datasets

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// cifar100Record is one image of a CIFAR-100 file: two labels and the pixels.
const cifar100Record = cifarRecord + 1

// batchStems lists the batch files of CIFAR-10 in order, the test batch last.
func (e *entry) batchStems() []string {
	var names []string
	for i := range e.batches {
		names = append(names, fmt.Sprintf("data_batch_%d", i+1))
	}
	return append(names, "test_batch")
}

// batchSize returns the length of one batch in binary records.
func (e *entry) batchSize() int64 { return int64(e.test) * cifarRecord }

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
		return fmt.Errorf("%d records of %d bytes, want %d", n/cifarRecord, cifarRecord, e.test)
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
func (e *entry) pickleOps() int { return 8*e.test + 4096 }

// readPickled reads one batch of the Python archive of size bytes, the size its
// container states, and returns it in binary records.
func (e *entry) readPickled(r io.Reader, size int64) ([]byte, error) {
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
	v, err := parsePickle(raw, e.pickleOps())
	if err != nil {
		return nil, err
	}
	labels, data, err := batchParts(v)
	if err != nil {
		return nil, err
	}
	return e.toRecords(labels, data)
}

// batchParts takes the batch's dictionary apart.
func batchParts(v any) (labels, data any, err error) {
	d, ok := v.(*pyDict)
	if !ok {
		return nil, nil, fmt.Errorf("pickle: holds a %s, want a dictionary", pyName(v))
	}
	for i, k := range d.keys {
		key, err := textBytes(k)
		if err != nil {
			return nil, nil, fmt.Errorf("pickle: dictionary key: %w", err)
		}
		switch string(key) {
		case "labels":
			labels = d.values[i]
		case "data":
			data = d.values[i]
		case "batch_label", "filenames":
		case "fine_labels", "coarse_labels":
			return nil, nil, errors.New("pickle: a CIFAR-100 file (it has fine_labels), want CIFAR-10")
		default:
			return nil, nil, fmt.Errorf("pickle: unknown key %.40q", key)
		}
	}
	if labels == nil || data == nil {
		return nil, nil, errors.New("pickle: no labels or no data")
	}
	return labels, data, nil
}

// toRecords checks labels and array and interleaves them as the binary form does.
func (e *entry) toRecords(labels, data any) ([]byte, error) {
	list, ok := labels.(*pyList)
	if !ok || len(list.items) != e.test {
		return nil, fmt.Errorf("pickle: labels are a %s, want a list of %d", pyName(labels), e.test)
	}
	pixels, err := e.arrayBytes(data)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, e.batchSize())
	for i, v := range list.items {
		l, ok := v.(pyInt)
		if !ok || l < 0 || int(l) >= e.classes {
			return nil, fmt.Errorf("label %s in record %d, want 0 to %d", pyName(v), i, e.classes-1)
		}
		out = append(out, byte(l))
		out = append(out, pixels[i*cifarPixels:(i+1)*cifarPixels]...)
	}
	return out, nil
}

// arrayBytes accepts the two forms in which numpy pickles an array, and of these
// only C-ordered unsigned bytes of the manifest's shape.
func (e *entry) arrayBytes(v any) ([]byte, error) {
	bad := func(what string) error { return fmt.Errorf("pickle: data: %s", what) }
	call, ok := v.(*pyCall)
	if !ok {
		return nil, bad("no numpy array")
	}
	var shape, dtype, body any
	switch {
	case strings.HasSuffix(string(call.fn), "._reconstruct"): // protocols 0 to 4
		st, ok := call.state.(pyTuple) // version, shape, dtype, is Fortran, bytes
		if !ok || len(st) != 5 {
			return nil, bad("no array state of five values")
		}
		if f, ok := st[3].(pyBool); !ok || bool(f) {
			if n, isInt := st[3].(pyInt); !isInt || n != 0 {
				return nil, bad("array is in Fortran order, want C order")
			}
		}
		shape, dtype, body = st[1], st[2], st[4]
	case strings.HasSuffix(string(call.fn), "._frombuffer"): // protocol 5
		if len(call.args) != 4 {
			return nil, bad("no four arguments of _frombuffer")
		}
		if order, _ := call.args[3].(pyText); string(order) != "C" {
			return nil, bad("array is not in C order")
		}
		body, dtype, shape = call.args[0], call.args[1], call.args[2]
	default:
		return nil, bad("no numpy array")
	}
	if t, ok := dtype.(*pyCall); !ok || t.fn != "numpy.dtype" || len(t.args) == 0 || !isText(t.args[0], "u1") {
		return nil, bad("array elements are not unsigned bytes")
	}
	sh, ok := shape.(pyTuple)
	if !ok || len(sh) != 2 || sh[0] != pyInt(e.test) || sh[1] != pyInt(cifarPixels) {
		return nil, bad(fmt.Sprintf("array shape %s, want (%d, %d)", pyName(shape), e.test, cifarPixels))
	}
	pixels, err := textBytes(body)
	if err != nil {
		return nil, bad(err.Error())
	}
	if len(pixels) != e.test*cifarPixels {
		return nil, bad(fmt.Sprintf("array holds %d bytes, want %d", len(pixels), e.test*cifarPixels))
	}
	return pixels, nil
}

// textBytes returns the bytes of a string, or of Python 3's way to write bytes in
// protocols 0 to 2: _codecs.encode(text, 'latin1').
func textBytes(v any) ([]byte, error) {
	switch t := v.(type) {
	case pyText:
		return t, nil
	case *pyCall:
		if t.fn != "_codecs.encode" || len(t.args) != 2 || !isText(t.args[1], "latin1") {
			break
		}
		text, ok := t.args[0].(pyText)
		if !ok {
			break
		}
		out := make([]byte, 0, len(text))
		for rest := []byte(text); len(rest) > 0; {
			r, n := utf8.DecodeRune(rest)
			if r > 0xff {
				return nil, errors.New("text is not Latin-1")
			}
			out, rest = append(out, byte(r)), rest[n:]
		}
		return out, nil
	}
	return nil, fmt.Errorf("a %s, want a string", pyName(v))
}

// isText reports whether v is the string want.
func isText(v any, want string) bool {
	t, ok := v.(pyText)
	return ok && string(t) == want
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
