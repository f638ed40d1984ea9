package datasets

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestIDXGoodLayouts(t *testing.T) {
	e, official := tinyIDX(t), tinyIDXFiles()
	raw := func(stem string) []byte {
		switch stem {
		case "train-images":
			return idxBytes(8, 1, 256, 20, 28, 28)
		case "train-labels":
			return idxBytes(8, 2, 10, 20)
		case "t10k-images":
			return idxBytes(8, 3, 256, 10, 28, 28)
		}
		return idxBytes(8, 4, 10, 10)
	}
	layouts := map[string]map[string][]byte{"official": official, "in place": {}, "torchvision": {}, "dotted": {}}
	for _, stem := range []string{"train-images", "t10k-images"} {
		layouts["in place"][stem+"-idx3-ubyte"] = raw(stem)
		layouts["torchvision"]["MNIST/raw/"+stem+"-idx3-ubyte"] = raw(stem)
		layouts["dotted"]["mnist/"+stem+".idx3-ubyte"] = raw(stem)
	}
	for _, stem := range []string{"train-labels", "t10k-labels"} {
		layouts["in place"][stem+"-idx1-ubyte"] = raw(stem)
		layouts["torchvision"]["MNIST/raw/"+stem+"-idx1-ubyte"] = raw(stem)
		layouts["dotted"]["mnist/"+stem+".idx1-ubyte"] = raw(stem)
	}
	for name, files := range layouts {
		t.Run(name, func(t *testing.T) {
			s, err := openDir(e, write(t, files))
			if err != nil || s == nil {
				t.Fatalf("set %v, error %v", s, err)
			}
			if !bytes.Equal(s.Train.Pixels, raw("train-images")[16:]) || !bytes.Equal(s.Test.Pixels, raw("t10k-images")[16:]) {
				t.Error("pixels differ from the files'")
			}
			if !bytes.Equal(s.Train.Labels, raw("train-labels")[8:]) || !bytes.Equal(s.Test.Labels, raw("t10k-labels")[8:]) {
				t.Error("labels differ from the files'")
			}
		})
	}
}

// TestIDXBadInput has one case per way in which a file of the MNIST family can be wrong.
func TestIDXBadInput(t *testing.T) {
	const images, labels = "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"
	good := tinyIDXFiles()
	goodImages, goodLabels := good["mnist/"+images], good["mnist/"+labels]
	flip := func(b []byte, at int) []byte {
		c := bytes.Clone(b)
		c[at] ^= 0xff
		return c
	}
	badLabel := idxBytes(8, 2, 10, 20)
	badLabel[8+13] = 10
	cases := []struct {
		name, file string
		body       []byte
		phrase     string
	}{
		{"empty file", images, []byte{}, "is empty"},
		{"not gzip", images, []byte("these are not the bytes you are looking for"), "not gzip"},
		{"HTML page saved as gz", images, []byte("<!DOCTYPE html><html>403 Forbidden</html>"), "HTML"},
		{"truncated gzip header", images, goodImages[:5], "gzip header: truncated"},
		{"truncated IDX header", images, gz(idxBytes(8, 1, 256, 20, 28, 28)[:9]), "truncated header"},
		{"truncated magic", labels, gz([]byte{0, 0}), "truncated header"},
		{"truncated gzip body", images, goodImages[:len(goodImages)/2], "truncated body"},
		{"truncated IDX body", images, gz(idxBytes(8, 1, 256, 20, 28, 28)[:5000]), "truncated body: 4984 of 15680 bytes"},
		{"truncated trailer", images, goodImages[:len(goodImages)-3], "truncated gzip trailer"},
		{"wrong CRC", images, flip(goodImages, len(goodImages)-8), "wrong CRC"},
		{"wrong length in trailer", images, flip(goodImages, len(goodImages)-1), "wrong CRC or length"},
		{"bytes after the member", images, append(bytes.Clone(goodImages), 'x'), "bytes after the gzip member"},
		{"second member", labels, append(bytes.Clone(goodLabels), goodLabels...), "bytes after the gzip member"},
		{"body longer than stated", labels, gz(append(idxBytes(8, 2, 10, 20), 1)), "longer than 28 bytes"},
		{"magic", images, gz(append([]byte{1, 0, 8, 3}, idxBytes(8, 1, 256, 20, 28, 28)[4:]...)), "not an IDX file: magic 01 00 08 03"},
		{"element type", images, gz(idxBytes(0x0d, 1, 256, 20, 28, 28)), "element type 0x0d"},
		{"number of dimensions", images, gz(idxBytes(8, 1, 256, 20, 784)), "2 dimensions, want 3"},
		{"dimension", images, gz(idxBytes(8, 1, 256, 20, 27, 28)), "dimension 1 is 27, want 28"},
		{"count", images, gz(idxBytes(8, 1, 256, 19, 28, 28)), "count is 19, want 20"},
		{"count of 2^32 - 1", labels, gz([]byte{0, 0, 8, 1, 0xff, 0xff, 0xff, 0xff}), "count is 4294967295, want 20"},
		{"labels in place of images", images, goodLabels, "holds labels, want images"},
		{"images in place of labels", labels, goodImages, "holds images, want labels"},
		{"test images in place of training images", images, good["mnist/t10k-images-idx3-ubyte.gz"], "train and test files swapped?"},
		{"test labels in place of training labels", labels, good["mnist/t10k-labels-idx1-ubyte.gz"], "train and test files swapped?"},
		{"label above 9", labels, gz(badLabel), "label 10 at position 13, want 0 to 9"},
		{"directory in the file's place", labels, nil, "is a directory"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			files := tinyIDXFiles()
			files["mnist/"+c.file] = c.body
			_, err := openDir(tinyIDX(t), write(t, files))
			wantError(t, err, c.file, c.phrase)
		})
	}
}

func TestIDXMissingFile(t *testing.T) {
	files := tinyIDXFiles()
	delete(files, "mnist/t10k-labels-idx1-ubyte.gz")
	_, err := openDir(tinyIDX(t), write(t, files))
	wantError(t, err, "t10k-labels-idx1-ubyte", "is missing")
}

func TestIDXBrokenLinkIsNotPassedOver(t *testing.T) {
	dir := write(t, map[string][]byte{"mnist/readme": {1}})
	if err := os.Symlink("nowhere", filepath.Join(dir, "mnist", "train-images-idx3-ubyte")); err != nil {
		t.Skip("needs symbolic links: ", err)
	}
	if _, err := openDir(tinyIDX(t), dir); err == nil {
		t.Error("a broken link was passed over in silence")
	}
}

// TestIDXBombIsNotUnpacked gives a member of 64 MiB of zeros behind a good
// header: the reader may allocate what the manifest promises and no more.
func TestIDXBombIsNotUnpacked(t *testing.T) {
	files := tinyIDXFiles()
	files["mnist/train-images-idx3-ubyte.gz"] = gz(append(idxBytes(8, 1, 256, 20, 28, 28), make([]byte, 64<<20)...))
	dir := write(t, files)
	e := tinyIDX(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := openDir(e, dir)
	runtime.ReadMemStats(&after)
	wantError(t, err, "train-images-idx3-ubyte.gz", "longer than 15696 bytes, the size in the manifest")
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("allocated %d bytes on a bomb, want at most 1 MiB", n)
	}
}

func TestIDXHeaderSizesAreNotBelieved(t *testing.T) {
	// 2³² − 1 images of 28×28 in a file of 16 bytes.
	head := []byte{0, 0, 8, 3, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 28, 0, 0, 0, 28}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := readIDX(bytes.NewReader(head), tinyIDX(t).idxSpec(trainImages))
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Fatal("no error")
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<16 {
		t.Errorf("allocated %d bytes for a header of 16", n)
	}
}
