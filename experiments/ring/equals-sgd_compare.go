package ring

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"

	"gradsync/experiments/exp"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/tensor/vec"
)

// ways are the two exchanges, each with the order of its sums.
var ways = []struct {
	name      string
	allReduce func(p cluster.Proc, g []float32) error
	order     func(into []float32, pieces [][]float32)
}{
	{"ring", func(p cluster.Proc, g []float32) error { return collective.RingAllReduce(p, 0, g) }, inRingOrder},
	{"naive", func(p cluster.Proc, g []float32) error { return collective.NaiveExchange(p, 0, 0, g) }, inRankOrder},
}

// compare trains in every way on one seed.
func (l *lab) compare(ctx context.Context, seed uint64, b *exp.Bar) ([]likeness, error) {
	batches := l.batches(seed)
	one, err := l.alone(l.start(seed), batches)
	if err != nil {
		return nil, err
	}
	b.Step(l.net.Title + ", one worker")
	other, err := l.alone(l.start(seed), l.batches(seed+1))
	if err != nil {
		return nil, err
	}
	b.Step(l.net.Title + ", other images")
	out := []likeness{{Net: l.net, How: otherBatch, Workers: 1, Seed: seed, Distance: distances(other, one), Largest: largest(other, one)}}
	for _, n := range l.plan.Workers {
		for _, way := range ways {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			got, err := l.together(ctx, l.start(seed), batches, n, way.allReduce)
			if err != nil {
				return nil, err
			}
			same, err := l.piecewise(l.start(seed), batches, n, way.order)
			if err != nil {
				return nil, err
			}
			out = append(out, likeness{Net: l.net, How: way.name, Workers: n, Seed: seed,
				SameBits: string(hash(same)) == string(hash(got[len(got)-1])), Distance: distances(got, one), Largest: largest(got, one)})
		}
		b.Done++ // one part for the pieces
		b.Step(fmt.Sprintf("%s, %d workers", l.net.Title, n))
	}
	return out, nil
}

func hash(w []float32) []byte {
	sum := sha256.Sum256(vec.AppendBytes(nil, w))
	return sum[:]
}

// distances is ‖a_s − b_s‖ / ‖b_s − b_0‖ after every step s.
func distances(a, b path) []float64 {
	out := make([]float64, 0, len(a)-1)
	for s := 1; s < len(a); s++ {
		out = append(out, apart(a[s], b[s])/apart(b[s], b[0]))
	}
	return out
}

// apart is the Euclidean distance.
func apart(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}

// largest is the largest difference of one parameter at the end.
func largest(a, b path) (most float64) {
	x, y := a[len(a)-1], b[len(b)-1]
	for i := range x {
		most = math.Max(most, math.Abs(float64(x[i])-float64(y[i])))
	}
	return most
}
