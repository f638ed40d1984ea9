package datasets

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tinyIDX returns a manifest entry like MNIST's with 20 + 10 images.
func tinyIDX(t *testing.T) *entry {
	t.Helper()
	e := sure(lookup(mnist))(t)
	small := *e
	small.Train, small.Test = 20, 10
	return &small
}

// tinyCIFAR returns a manifest entry like CIFAR-10's with batches of n images.
func tinyCIFAR(t testing.TB, n int) *entry {
	t.Helper()
	e := sure(lookup(cifar10))(t)
	small := *e
	small.Train, small.Test = 5*n, n
	return &small
}

// idxBytes writes an IDX file; every byte depends on its position and on salt.
func idxBytes(typ byte, salt int, classes int, dims ...int) []byte {
	b, n := []byte{0, 0, typ, byte(len(dims))}, 1
	for _, d := range dims {
		b = binary.BigEndian.AppendUint32(b, uint32(d))
		n *= d
	}
	for i := range n {
		b = append(b, byte((i*7+i/256+salt)%classes))
	}
	return b
}

// gz compresses b into one gzip member.
func gz(b []byte) []byte {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	z.Write(b)
	z.Close()
	return buf.Bytes()
}

// tinyIDXFiles returns the four files of tinyIDX, gzipped.
func tinyIDXFiles() map[string][]byte {
	return map[string][]byte{
		"mnist/train-images-idx3-ubyte.gz": gz(idxBytes(8, 1, 256, 20, 28, 28)),
		"mnist/train-labels-idx1-ubyte.gz": gz(idxBytes(8, 2, 10, 20)),
		"mnist/t10k-images-idx3-ubyte.gz":  gz(idxBytes(8, 3, 256, 10, 28, 28)),
		"mnist/t10k-labels-idx1-ubyte.gz":  gz(idxBytes(8, 4, 10, 10)),
	}
}

// record returns CIFAR record k of batch i: label, then pixels that depend on both.
func record(i, k int) []byte {
	b := []byte{byte((3*i + k) % 10)}
	for j := range cifarPixels {
		b = append(b, byte(i*41+k*31+j*7+j/256))
	}
	return b
}

// batchBytes returns binary batch i of n images.
func batchBytes(i, n int) []byte {
	var b []byte
	for k := range n {
		b = append(b, record(i, k)...)
	}
	return b
}

// tinyBatches returns the six files of tinyCIFAR in folder.
func tinyBatches(folder, ext string, n int, form func(i, n int) []byte) map[string][]byte {
	files := map[string][]byte{}
	for i := range 5 {
		files[fmt.Sprintf("%s/data_batch_%d%s", folder, i+1, ext)] = form(i, n)
	}
	files[folder+"/test_batch"+ext] = form(5, n)
	return files
}

// python2Batch pickles batch i as Python 2's protocol 2 wrote the official files.
func python2Batch(i, n int) []byte {
	str := func(s string) string { return fmt.Sprintf("U%c%s", len(s), s) }
	num := func(v int) string { return "M" + string(binary.LittleEndian.AppendUint16(nil, uint16(v))) }
	var labels, names, data strings.Builder
	for k := range n {
		r := record(i, k)
		labels.WriteString("K" + string(r[:1]))
		names.WriteString(str(fmt.Sprintf("image_%d.png", k)) + "q\x20")
		data.Write(r[1:])
	}
	body := "T" + string(binary.LittleEndian.AppendUint32(nil, uint32(data.Len()))) + data.String()
	return []byte("\x80\x02}q\x01(" + str("batch_label") + "q\x02" + str(fmt.Sprintf("training batch %d of 5", i+1)) + "q\x03" +
		str("labels") + "q\x04]q\x05(" + labels.String() + "e" +
		str("data") + "q\x06cnumpy.core.multiarray\n_reconstruct\nq\x07cnumpy\nndarray\nq\x08K\x00\x85q\x09" + str("b") + "\x87q\x0aRq\x0b(K\x01" +
		num(n) + "M\x00\x0c\x86q\x0ccnumpy\ndtype\nq\x0d" + str("u1") + "K\x00K\x01\x87q\x0eRq\x0f(K\x03" + str("|") +
		"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tq\x10b\x89" + body + "tq\x11b" +
		str("filenames") + "q\x12]q\x13(" + names.String() + "eu.")
}

// tarGz packs entries in the order given.
func tarGz(entries ...*tar.Header) []byte {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, h := range entries {
		body := []byte(h.PAXRecords["body"])
		h.PAXRecords = nil
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		h.Mode, h.Size = 0o644, int64(len(body))
		if err := w.WriteHeader(h); err != nil {
			panic(err)
		}
		w.Write(body)
	}
	w.Close()
	return gz(buf.Bytes())
}

// entryOf returns a plain file for tarGz.
func entryOf(name string, body []byte) *tar.Header {
	return &tar.Header{Name: name, PAXRecords: map[string]string{"body": string(body)}}
}

// packed lists six batches as archive entries.
func packed(folder, ext string, n int, form func(i, n int) []byte) []*tar.Header {
	e := []*tar.Header{{Name: folder + "/", Typeflag: tar.TypeDir}, entryOf(folder+"/readme.html", []byte("<html>"))}
	for i := range 5 {
		e = append(e, entryOf(fmt.Sprintf("%s/data_batch_%d%s", folder, i+1, ext), form(i, n)))
	}
	return append(e, entryOf(folder+"/test_batch"+ext, form(5, n)))
}

// write lays files out below a new folder; a nil body makes a directory.
func write(t *testing.T, files map[string][]byte) string {
	t.Helper()
	// Not t.TempDir: its path holds the test's name, which might contain the very words that a test looks for in an error.
	dir, err := os.MkdirTemp("", "data")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	for name, body := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(p), 0o755))
		if body == nil {
			err = os.Mkdir(p, 0o755)
		} else {
			err = os.WriteFile(p, body, 0o644)
		}
		must(t, err)
	}
	return dir
}

// wantError checks for one line that names the file and says what is wrong.
func wantError(t *testing.T, err error, file, phrase string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one about %s: %s", file, phrase)
	}
	msg := err.Error()
	if !strings.Contains(msg, file) || !strings.Contains(msg, phrase) || strings.Contains(msg, "\n") || !strings.HasPrefix(msg, "datasets: ") {
		t.Errorf("error %q, want one line, from datasets, naming %q and saying %q", msg, file, phrase)
	}
}
