package datasets

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// wantRecords checks that the set holds exactly the images of record(i, k).
func wantRecords(t *testing.T, s *Set, n int) {
	t.Helper()
	if s.Train.Len() != 5*n || s.Test.Len() != n || s.Train.C != 3 || s.Train.H != 32 {
		t.Fatalf("%d + %d images of %d×%d×%d, want %d + %d of 3×32×32", s.Train.Len(), s.Test.Len(), s.Train.C, s.Train.H, s.Train.W, 5*n, n)
	}
	for i := range 6 {
		for k := range n {
			split, at := &s.Train, i*n+k
			if i == 5 {
				split, at = &s.Test, k
			}
			if want := record(i, k); split.Labels[at] != want[0] || !bytes.Equal(split.image(at), want[1:]) {
				t.Fatalf("record %d of batch %d differs", k, i)
			}
		}
	}
}

func TestCIFARGoodLayouts(t *testing.T) {
	const n = 3
	sums := map[string]bool{}
	for name, files := range map[string]map[string][]byte{
		"binary folder":  tinyBatches("cifar-10-batches-bin", ".bin", n, batchBytes),
		"python folder":  tinyBatches("cifar-10-batches-py", "", n, python2Batch),
		"in place":       tinyBatches(".", ".bin", n, batchBytes),
		"binary archive": {cifarBinaryTar: tarGz(packed("cifar-10-batches-bin", ".bin", n, batchBytes)...)},
		"python archive": {"cifar-10/" + cifarPythonTar: tarGz(packed("cifar-10-batches-py", "", n, python2Batch)...)},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := openDir(tinyCIFAR(t, n), write(t, files))
			if err != nil || s == nil {
				t.Fatalf("set %v, error %v", s, err)
			}
			wantRecords(t, s, n)
			sums[s.SHA256] = true
		})
	}
	if len(sums) != 1 {
		t.Errorf("the same images in five containers have %d identities, want 1", len(sums))
	}
}

func TestCIFARBadBatches(t *testing.T) {
	const n = 3
	badLabel := batchBytes(1, n)
	badLabel[cifarRecord] = 10
	cases := []struct {
		name, file string
		body       []byte
		phrase     string
	}{
		{"no multiple of 3073", "data_batch_2.bin", batchBytes(1, n)[:5000], "no multiple of 3073"},
		{"empty", "data_batch_2.bin", []byte{}, "0 records of 3073 bytes, want 3"},
		{"too few records", "data_batch_2.bin", batchBytes(1, n-1), "2 records of 3073 bytes, want 3"},
		{"CIFAR-100", "data_batch_2.bin", make([]byte, 3074*n), "a CIFAR-100 file?"},
		{"same batch twice", "data_batch_2.bin", batchBytes(0, n), "same content as data_batch_1.bin"},
		{"training batch as test batch", "test_batch.bin", batchBytes(4, n), "same content as data_batch_5.bin"},
		{"label above 9", "data_batch_2.bin", badLabel, "label 10 in record 1, want 0 to 9"},
		{"directory", "data_batch_2.bin", nil, "is a directory"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			files := tinyBatches("cifar-10-batches-bin", ".bin", n, batchBytes)
			files["cifar-10-batches-bin/"+c.file] = c.body
			_, err := openDir(tinyCIFAR(t, n), write(t, files))
			wantError(t, err, c.file, c.phrase)
		})
	}
	t.Run("missing batch", func(t *testing.T) {
		files := tinyBatches("cifar-10-batches-bin", ".bin", n, batchBytes)
		delete(files, "cifar-10-batches-bin/data_batch_4.bin")
		_, err := openDir(tinyCIFAR(t, n), write(t, files))
		wantError(t, err, "cifar-10-batches-bin", "data_batch_4.bin is missing")
	})
	t.Run("official test batch as training batch", func(t *testing.T) {
		e, sum := tinyCIFAR(t, n), sha256Hex(batchBytes(2, n))
		e.Known = map[string]string{sum: "test_batch"}
		_, err := openDir(e, write(t, tinyBatches("cifar-10-batches-bin", ".bin", n, batchBytes)))
		wantError(t, err, "data_batch_3.bin", "train and test files swapped?")
	})
}

func TestCIFARBadArchives(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	const n = 2
	good := func() []*tar.Header { return packed("cifar-10-batches-bin", ".bin", n, batchBytes) }
	whole := tarGz(good()...)
	long := make([]byte, 40<<20)
	cases := []struct {
		name   string
		body   []byte
		phrase string
	}{
		{"not gzip", []byte("<html>404</html>"), "not gzip: starts with 3c 68 74 6d (an HTML"},
		{"gzip but no tar", gz(bytes.Repeat([]byte("not a tar header"), 100)), "tar: "},
		{"truncated", whole[:len(whole)/2], "truncated"},
		{"wrong CRC", append(bytes.Clone(whole[:len(whole)-8]), 1, 2, 3, 4, 5, 6, 7, 8), "wrong CRC"},
		{"bytes after the member", append(bytes.Clone(whole), 0), "bytes after the gzip member"},
		{"dot dot", tarGz(append(good(), entryOf("cifar-10-batches-bin/../../evil", nil))...), "leaves its folder"},
		{"absolute", tarGz(append(good(), entryOf("/etc/evil", nil))...), "leaves its folder"},
		{"backslashes", tarGz(append(good(), entryOf(`..\evil`, nil))...), "leaves its folder"},
		{"symbolic link", tarGz(append(good(), &tar.Header{Name: "a", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink})...), "no plain file or folder"},
		{"hard link", tarGz(append(good(), &tar.Header{Name: "a", Linkname: "cifar-10-batches-bin/test_batch.bin", Typeflag: tar.TypeLink})...),
			"no plain file or folder"},
		{"device", tarGz(append(good(), &tar.Header{Name: "a", Typeflag: tar.TypeChar})...), "no plain file or folder"},
		{"pipe", tarGz(append(good(), &tar.Header{Name: "a", Typeflag: tar.TypeFifo})...), "no plain file or folder"},
		{"batch twice under one name", tarGz(append(good(), good()[3])...), "is there twice"},
		{"missing batch", tarGz(good()[:6]...), "data_batch_5.bin is missing"},
		{"python archive under the binary name", tarGz(packed("cifar-10-batches-py", "", n, python2Batch)...), "data_batch_1.bin is missing"},
		{"CIFAR-100 records", tarGz(entryOf("x/data_batch_1.bin", make([]byte, 2*3074))), "a CIFAR-100 file?"},
		{"too many entries", tarGz(slices.Repeat([]*tar.Header{{Name: "d", Typeflag: tar.TypeDir}}, 65)...), "more than 64 entries"},
		{"bomb in an entry nobody wants", tarGz(append(good(), entryOf("readme", long))...), "unpacks to more than"},
		{"bomb behind the last entry", gz(append(unGz(whole), long...)), "unpacks to more than"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, map[string][]byte{cifarBinaryTar: c.body})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := openDir(tinyCIFAR(t, n), dir)
			runtime.ReadMemStats(&after)
			wantError(t, err, cifarBinaryTar, c.phrase)
			if a := after.TotalAlloc - before.TotalAlloc; a > 4<<20 {
				t.Errorf("allocated %d bytes, want at most 4 MiB", a)
			}
		})
	}
}

// unGz undoes gz.
func unGz(b []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		panic(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		panic(err)
	}
	return out
}

// TestPickleProtocols reads what CPython wrote (testdata/pickle/make.py).
func TestPickleProtocols(t *testing.T) {
	for _, p := range []int{0, 2, 3, 4, 5} {
		t.Run(fmt.Sprint("protocol ", p), func(t *testing.T) {
			raw := sure(os.ReadFile(filepath.Join("testdata", "pickle", fmt.Sprintf("p%d.pickle", p))))(t)
			got := sure(tinyCIFAR(t, 2).readPickled(bytes.NewReader(raw), int64(len(raw))))(t)
			var want []byte
			for i, label := range []byte{3, 9} { // make.py's formula
				want = append(want, label)
				for j := range cifarPixels {
					want = append(want, byte(31*i+7*j+j/256))
				}
			}
			if !bytes.Equal(got, want) {
				t.Error("records differ from what was pickled")
			}
		})
	}
}

func TestPickleBadInput(t *testing.T) {
	const n = 2
	good := string(python2Batch(0, n))
	swap := func(old, with string) string {
		i := bytes.Index([]byte(good), []byte(old))
		if i < 0 {
			t.Fatalf("fixture has no %q", old)
		}
		return good[:i] + with + good[i+len(old):]
	}
	cases := []struct{ name, body, phrase string }{
		{"empty", "", "is empty"},
		{"HTML page", "<!DOCTYPE html><html></html>", "HTML"},
		{"truncated", good[:len(good)-1], "truncated"},
		{"bytes after the end", good + "x", "1 bytes after its end"},
		{"a call of os.system", "cos\nsystem\n(S'echo pwned'\ntR.", `global "os.system" refused`},
		{"a call of builtins.eval", "\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R.", `global "builtins.eval" refused`},
		{"an instance opcode", "(ios\nsystem\n.", "no CIFAR-10 batch needs"},
		{"a persistent id", "Pid\n.", "no CIFAR-10 batch needs"},
		{"a string length beyond the file", "\x80\x02T\xff\xff\xff\x7f.", "truncated"},
		{"a string length of 2^63", "\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f.", "length"},
		{"a memo never put", "\x80\x02h\x07.", "memo 7 was never put"},
		{"an empty stack", "R.", "empty stack"},
		{"append to a number", "K\x01K\x02a.", "items added to a"},
		{"no mark", "]K\x01e.", "no mark"},
		{"endless opcodes", "\x80\x02" + string(bytes.Repeat([]byte("N"), 1<<16)) + ".", "opcodes"},
		{"a list", "].", "want a dictionary"},
		{"no data", "}.", "no labels or no data"},
		{"CIFAR-100", swap("U\x06labels", "U\x0bfine_labels"), "a CIFAR-100 file"},
		{"unknown key", swap("U\x06labels", "U\x06lobels"), `unknown key "lobels"`},
		{"labels too few", swap("]q\x05(K\x00K\x01e", "]q\x05(K\x01e"), "want a list of 2"},
		{"label above 9", swap("]q\x05(K\x00K\x01e", "]q\x05(K\x00K\x0ae"), "label 10 in record 1"},
		{"Fortran order", swap("tq\x10b\x89", "tq\x10b\x88"), "Fortran order"},
		{"floats", swap("U\x02u1", "U\x02f8"), "not unsigned bytes"},
		{"wrong shape", swap("M\x02\x00M\x00\x0c", "M\x03\x00M\x00\x0c"), "array shape (3, 3072), want (2, 3072)"},
		{"bytes too few", swap("T\x00\x18\x00\x00", "T\xff\x17\x00\x00"), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			files := tinyBatches("cifar-10-batches-py", "", n, python2Batch)
			files["cifar-10-batches-py/data_batch_3"] = []byte(c.body)
			_, err := openDir(tinyCIFAR(t, n), write(t, files))
			wantError(t, err, "data_batch_3", c.phrase)
		})
	}
	t.Run("larger than the manifest allows", func(t *testing.T) {
		e := tinyCIFAR(t, n)
		if _, err := e.readPickled(bytes.NewReader(nil), e.pickleLimit()+1); err == nil {
			t.Error("no error")
		}
	})
}
