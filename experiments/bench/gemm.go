package bench

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"gradsync/shared/tensor"
)

// openGemm opens one product of an engine, of gonum or of OpenBLAS.
func openGemm(j Job) (*Task, error) {
	r := rand.New(rand.NewPCG(3, 4))
	a, b, out := normal(r, j.M*j.K), normal(r, j.K*j.N), make([]float32, j.M*j.N)
	t := &Task{Class: j.Contender}
	once := func() {}
	switch j.Contender {
	case Gonum:
		x, y, z := matrix(j.M, j.K, a), matrix(j.K, j.N, b), matrix(j.M, j.N, out)
		once = func() { blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, x, y, 0, z) }
	case OpenBLAS:
		sgemm, facts, err := openBLAS(j.Threads)
		if err != nil {
			return nil, err
		}
		t.Facts = facts
		once = func() { sgemm(j.M, j.N, j.K, a, b, out) }
	default:
		e, err := tensor.Lookup(j.Contender)
		if err != nil {
			return nil, err
		}
		call, g := &tensor.Call{Threads: j.Threads}, tensor.Gemm{M: j.M, N: j.N, K: j.K}
		t.Class = e.Class()
		once = func() { e.Gemm(call, g, a, b, out) }
	}
	t.Run = func(steps int) error {
		for range steps {
			once()
		}
		return nil
	}
	return t, nil
}

func matrix(rows, cols int, data []float32) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}
