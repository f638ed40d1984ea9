package datasets

import (
	"fmt"
	"io"
	"path/filepath"
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

// batchSize is the length of one batch in binary records.
func (e *entry) batchSize() int64 { return int64(e.test) * cifarRecord }

// checkBatchLength says what is wrong with a batch file of n bytes.
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
