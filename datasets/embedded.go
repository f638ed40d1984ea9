package datasets

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"gradsync/datasets/embedded"
)

// openEmbedded returns the Fashion-MNIST subset that is compiled in. Its files go
// through the same readers as a user's.
func openEmbedded() (*Set, error) {
	e, err := lookup(fashionMNIST)
	if err != nil {
		return nil, err
	}
	small := *e
	small.train, small.test = embedded.TrainCount, embedded.TestCount
	s := small.newSet("")
	s.Origin = OriginEmbedded
	for role, dst := range []*[]byte{&s.Train.Pixels, &s.Train.Labels, &s.Test.Pixels, &s.Test.Labels} {
		name := small.idx[role] + ".gz"
		raw, err := embedded.Files.ReadFile(name)
		if err != nil {
			return nil, fileError("embedded "+name, err)
		}
		err = readGzip(bytes.NewReader(raw), func(r io.Reader) (err error) {
			*dst, err = readIDX(r, small.idxSpec(role))
			return err
		})
		if err != nil {
			return nil, fileError("embedded "+name, err)
		}
	}
	if s.Train.Index, err = readIndex(embedded.TrainIndex, small.train); err != nil {
		return nil, err
	}
	if s.Test.Index, err = readIndex(embedded.TestIndex, small.test); err != nil {
		return nil, err
	}
	return s.finish(), nil
}

// readIndex reads a list of original positions.
func readIndex(name string, count int) ([]int32, error) {
	raw, err := embedded.Files.ReadFile(name)
	if err != nil {
		return nil, fileError("embedded "+name, err)
	}
	var index []int32
	for sc := bufio.NewScanner(bytes.NewReader(raw)); sc.Scan(); {
		i, err := strconv.ParseInt(sc.Text(), 10, 32)
		if err != nil {
			return nil, fileError("embedded "+name, err)
		}
		index = append(index, int32(i))
	}
	if len(index) != count {
		return nil, fileError("embedded "+name, fmt.Errorf("%d positions, want %d", len(index), count))
	}
	return index, nil
}
