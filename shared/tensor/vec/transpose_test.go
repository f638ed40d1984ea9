package vec

import "testing"

// TestTranspose: every element goes where its indices say, and the elements between dst's rows stay.
func TestTranspose(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for rows := range 35 {
			for _, columns := range []int{0, 1, 7, 8, 9, 16, 25, 64} {
				from, to := columns+2, rows+3
				src, dst := make([]float32, rows*from), make([]float32, columns*to)
				for i := range src {
					src[i] = float32(i + 1)
				}
				for i := range dst {
					dst[i] = -1
				}
				Transpose(dst, to, src, from, rows, columns)
				for i, got := range dst {
					want := float32(-1)
					if r, c := i%to, i/to; r < rows {
						want = src[r*from+c]
					}
					if got != want {
						t.Fatalf("%d × %d: element %d of row %d is %g, want %g", rows, columns, i%to, i/to, got, want)
					}
				}
			}
		}
	})
}

func TestTransposePanicsOnShortBuffers(t *testing.T) {
	for name, f := range map[string]func(x []float32){
		"dst":            func(x []float32) { Transpose(x[:11], 3, x, 4, 3, 4) },
		"src":            func(x []float32) { Transpose(x, 3, x[:11], 4, 3, 4) },
		"strides of dst": func(x []float32) { Transpose(x, 2, x, 4, 3, 4) },
		"strides of src": func(x []float32) { Transpose(x, 3, x, 3, 3, 4) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f(make([]float32, 12))
		}()
	}
}
