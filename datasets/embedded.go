package datasets

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
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
	small.Train, small.Test = embedded.TrainCount, embedded.TestCount
	s := small.newSet("")
	s.Origin = OriginEmbedded
	for role, dst := range []*[]byte{&s.Train.Pixels, &s.Train.Labels, &s.Test.Pixels, &s.Test.Labels} {
		name := small.IDX[role] + ".gz"
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
	if s.Train.Index, err = readIndex(embedded.TrainIndex, small.Train); err != nil {
		return nil, err
	}
	if s.Test.Index, err = readIndex(embedded.TestIndex, small.Test); err != nil {
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

// SyntheticConfig sizes a synthetic set; zero values take the defaults.
type SyntheticConfig struct {
	Train, Test int    // images; 2,000 and 500
	Classes     int    // 10
	C, H, W     int    // 1×28×28
	Seed        uint64 // 0 is a seed like any other
}

// Synthetic returns a seeded set for tests: each class has a fixed pattern of
// random 4×4 tiles, each image its class's pattern shifted by up to one pixel and
// overlaid with noise. A linear model learns it, chance is 1/Classes, and the
// labels are balanced. The same configuration gives the same bytes everywhere.
func Synthetic(c SyntheticConfig) *Set {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&c.Train, 2000)
	def(&c.Test, 500)
	def(&c.Classes, 10)
	def(&c.C, 1)
	def(&c.H, 28)
	def(&c.W, 28)
	patterns := make([][]byte, c.Classes)
	r := rand.New(rand.NewPCG(c.Seed, 0x7061747465726e)) // "pattern"
	for i := range patterns {
		patterns[i] = tiles(r, c)
	}
	s := &Set{
		Name: synthetic, Classes: c.Classes, Origin: originSynthetic, Licence: "Apache-2.0",
		Note: fmt.Sprintf("synthetic images, seed %d: no real data", c.Seed),
	}
	s.Train = draw(rand.New(rand.NewPCG(c.Seed, 0x747261696e)), c, patterns, c.Train) // "train"
	s.Test = draw(rand.New(rand.NewPCG(c.Seed, 0x74657374)), c, patterns, c.Test)     // "test"
	return s.finish()
}

// tiles draws one class's pattern.
func tiles(r *rand.Rand, c SyntheticConfig) []byte {
	const side = 4
	img := make([]byte, c.C*c.H*c.W)
	for ch := range c.C {
		for y0 := 0; y0 < c.H; y0 += side {
			for x0 := 0; x0 < c.W; x0 += side {
				v := byte(r.IntN(2) * 160)
				for y := y0; y < min(y0+side, c.H); y++ {
					for x := x0; x < min(x0+side, c.W); x++ {
						img[(ch*c.H+y)*c.W+x] = v
					}
				}
			}
		}
	}
	return img
}

// draw makes n images, their classes in a shuffled balanced order.
func draw(r *rand.Rand, c SyntheticConfig, patterns [][]byte, n int) Split {
	s := Split{C: c.C, H: c.H, W: c.W, Pixels: make([]byte, n*c.C*c.H*c.W), Labels: make([]byte, n)}
	for i, k := range r.Perm(n) {
		s.Labels[i] = byte(k % c.Classes)
		img, pattern := s.image(i), patterns[s.Labels[i]]
		dy, dx := r.IntN(3)-1, r.IntN(3)-1
		for p := range img {
			ch, y, x := p/(c.H*c.W), p/c.W%c.H, p%c.W
			sy, sx := min(max(y+dy, 0), c.H-1), min(max(x+dx, 0), c.W-1)
			img[p] = pattern[(ch*c.H+sy)*c.W+sx] + byte(r.IntN(96))
		}
	}
	return s
}
