package datasets

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// The fuzz tests run their seeds with every `go test`; to search, e.g.
//
//	go test ./datasets -run '^$' -fuzz FuzzPickle -fuzztime 60s -fuzzminimizetime 10x

func FuzzIDX(f *testing.F) {
	spec, good := idxSpec{count: 3, other: 2, images: true, h: 4, w: 5}, idxBytes(8, 1, 256, 3, 4, 5)
	for _, seed := range [][]byte{good, gz(good), good[:10], idxBytes(8, 1, 10, 3), gz(append(good, 0)), append(gz(good), 0), nil} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		// The one input that is accepted is the file the manifest describes.
		if body, err := readIDX(bytes.NewReader(in), spec); err == nil && !bytes.Equal(append(good[:16:16], body...), in) {
			t.Errorf("accepted % x", in)
		}
		var unpacked []byte
		err := readGzip(bytes.NewReader(in), func(r io.Reader) (err error) {
			unpacked, err = readIDX(r, spec)
			return err
		})
		if err == nil && len(unpacked) != 60 {
			t.Errorf("accepted %d bytes of images, want 60", len(unpacked))
		}
	})
}

func FuzzCIFARBatch(f *testing.F) {
	e := tinyCIFAR(f, 1)
	f.Add(batchBytes(0, 1))
	f.Add(batchBytes(0, 1)[:100])
	f.Add(append(batchBytes(0, 1), 7))
	f.Add(batchBytes(0, 2))
	f.Fuzz(func(t *testing.T, in []byte) {
		b, err := e.readBatch(bytes.NewReader(in), int64(len(in)))
		if (err == nil) != (len(in) == cifarRecord) {
			t.Fatalf("%d bytes: error %v", len(in), err)
		}
		if err != nil {
			return
		}
		var s Split
		if err := appendRecords(&s, b, 10); (err == nil) != (in[0] < 10) {
			t.Errorf("label %d: error %v", in[0], err)
		}
	})
}

func FuzzPickle(f *testing.F) {
	e := tinyCIFAR(f, 2)
	f.Add(python2Batch(0, 2))
	f.Add([]byte("cos\nsystem\n(S'true'\ntR."))
	for _, p := range []string{"p0", "p2", "p4", "p5"} {
		f.Add(sure(os.ReadFile(filepath.Join("testdata", "pickle", p+".pickle")))(f))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := e.readPickled(bytes.NewReader(in), int64(len(in)))
		if err == nil && (len(got) != 2*cifarRecord || got[0] > 9 || got[cifarRecord] > 9) {
			t.Errorf("accepted a batch of %d bytes, labels %d, %d", len(got), got[0], got[cifarRecord])
		}
	})
}

func FuzzTar(f *testing.F) {
	f.Add(unGz(tarGz(entryOf("a/data_batch_1.bin", []byte("x")), &tar.Header{Name: "l", Linkname: "x", Typeflag: tar.TypeSymlink})))
	f.Add(unGz(tarGz(entryOf("../up", nil))))
	f.Add(make([]byte, 1024))
	f.Fuzz(func(t *testing.T, in []byte) {
		// Any error will do; what counts is that nothing hostile is visited.
		lim := &limitedReader{r: bytes.NewReader(in), left: 1 << 16, limit: 1 << 16}
		_ = eachTarFile(lim, func(h *tar.Header, body io.Reader) error {
			if !filepath.IsLocal(h.Name) || h.Typeflag != tar.TypeReg {
				t.Errorf("visited %q of type %q", h.Name, h.Typeflag)
			}
			_, err := io.Copy(io.Discard, io.LimitReader(body, 1<<20))
			return err
		})
	})
}
