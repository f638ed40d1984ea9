package datasets

import (
	"flag"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var writeShapes = flag.Bool("write-shapes", false, "write testdata/shapes")

const shapesOfClass = 30

// shape draws image i of a class of testdata/shapes: its place, size, brightness and noise
// are drawn from a stream of its own.
func shape(class string, i int) *image.Gray {
	const side = 28
	r := rand.New(rand.NewPCG(uint64(i), uint64(class[0])))
	img := image.NewGray(image.Rect(0, 0, side, side))
	x0, y0, size, light := 12+r.IntN(5), 12+r.IntN(5), 6+r.IntN(4), 150+r.IntN(80)
	for y := range side {
		for x := range side {
			dx, dy := x-x0, y-y0
			in := map[string]bool{
				"circle": dx*dx+dy*dy <= size*size, "square": max(dx, -dx, dy, -dy) <= size-1,
				"triangle": dy >= -size && dy <= size && 2*max(dx, -dx) <= dy+size,
			}[class]
			v := r.IntN(25)
			if in {
				v += light
			}
			img.Pix[y*side+x] = byte(v)
		}
	}
	return img
}

// testdata/shapes, with which examples of data import work, is what shape draws.
func TestShapes(t *testing.T) {
	for _, class := range []string{"circle", "square", "triangle"} {
		for i := range shapesOfClass {
			path := filepath.Join("testdata", "shapes", class, fmt.Sprintf("%02d.png", i))
			if *writeShapes {
				put(t, encoded(t, shape(class, i)), path)
			}
			f, err := os.Open(path)
			must(t, err)
			img, err := png.Decode(f)
			_ = f.Close()
			if got, ok := img.(*image.Gray); err != nil || !ok || !slices.Equal(got.Pix, shape(class, i).Pix) {
				t.Fatalf("%s is not what shape draws: %v", path, err)
			}
		}
	}
}
