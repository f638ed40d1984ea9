// Command gen rebuilds the embedded Fashion-MNIST subset from the official files.
//
//	go run ./datasets/embedded/gen -from /usr/share/datasets/fashion-mnist -to datasets/embedded
//
// It takes the first 1,000 training and the first 100 test images of each class
// and keeps them in their original order, so the choice needs no random numbers
// and the same input always gives the same images and indices. (The bytes of the
// .gz files also depend on the version of compress/flate.)
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const (
	classes = 10
	side    = 28
)

func main() {
	from := flag.String("from", "/usr/share/datasets/fashion-mnist", "folder with the four official IDX .gz files")
	to := flag.String("to", "datasets/embedded", "folder to write to")
	flag.Parse()
	for _, s := range []struct {
		name            string
		count, perClass int
	}{{"train", 60000, 1000}, {"t10k", 10000, 100}} {
		if err := subset(*from, *to, s.name, s.count, s.perClass); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

// subset writes images, labels and original positions of one split.
func subset(from, to, split string, count, perClass int) error {
	imageFile, labelFile := split+"-images-idx3-ubyte.gz", split+"-labels-idx1-ubyte.gz"
	imageHead, images, err := load(filepath.Join(from, imageFile), 16, count*side*side)
	if err != nil {
		return err
	}
	labelHead, labels, err := load(filepath.Join(from, labelFile), 8, count)
	if err != nil {
		return err
	}
	index := choose(labels, perClass)
	if len(index) != classes*perClass {
		return fmt.Errorf("%s: found %d images, want %d × %d", split, len(index), classes, perClass)
	}
	binary.BigEndian.PutUint32(imageHead[4:], uint32(len(index)))
	binary.BigEndian.PutUint32(labelHead[4:], uint32(len(index)))
	var list bytes.Buffer
	for _, i := range index {
		imageHead = append(imageHead, images[i*side*side:(i+1)*side*side]...)
		labelHead = append(labelHead, labels[i])
		fmt.Fprintln(&list, i)
	}
	if err := save(filepath.Join(to, imageFile), imageHead); err != nil {
		return err
	}
	if err := save(filepath.Join(to, labelFile), labelHead); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, split+"-index.txt"), list.Bytes(), 0o644)
}

// choose returns, in ascending order, the first perClass positions of each class.
func choose(labels []byte, perClass int) []int {
	var taken [classes]int
	var index []int
	for i, l := range labels {
		if int(l) < classes && taken[l] < perClass {
			taken[l]++
			index = append(index, i)
		}
	}
	return index
}

// load returns the header and the body of a gzipped IDX file of known size.
func load(path string, header, body int) (head, data []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	all, err := io.ReadAll(io.LimitReader(z, int64(header+body+1)))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(all) != header+body {
		return nil, nil, fmt.Errorf("%s: %d bytes, want %d", path, len(all), header+body)
	}
	return all[:header:header], all[header:], nil
}

// save writes data gzipped, without name or time in the header.
func save(path string, data []byte) error {
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, buf.Bytes(), 0o644)
}
