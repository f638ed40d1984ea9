package codedsgd

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// realWays are the exchanges that papers/codedsgd makes, each with the accounting that
// its bytes are, counted once, and once per receiver.
var realWays = []struct{ Method, Once, Each string }{
	{codedsgd.CSSGD, "coded", "coded-unicast"},
	{codedsgd.SSGDMulticast, "uncoded", "uncoded-unicast"},
	{codedsgd.SSGDUnicast, "uncoded-unicast", "uncoded-unicast"},
	{codedsgd.Compressed, "compressed", ""},
}

// exchanged is one real exchange: the gradients that its bytes are.
type exchanged struct {
	N, R, Way  int
	Packets    int64
	Once, Each *big.Rat
	Same       bool // as the accountings say
}

// patterned is a task whose gradients are numbers that depend on sample and place.
type patterned struct{ params []float32 }

func (t *patterned) Layers() []cluster.Layer {
	return []cluster.Layer{{Name: "only", Length: len(t.params)}}
}
func (t *patterned) Params() []float32 { return t.params }

func (t *patterned) BlockGrad(step int64, lo, hi int, grads []float32, done func(int)) (float64, error) {
	for i := range grads {
		grads[i] = float32((hi-lo)*((7*i+13*lo+int(step))%31-15)) / 1024
	}
	done(0)
	return 0, nil
}

// exchangeOnce makes one real exchange of whole gradients.
func exchangeOnce(ctx context.Context, n, r, elements int, method string) (t codedsgd.Totals, err error) {
	host := cluster.Host{Name: "n", FLOPS: 1e9, Bandwidth: 1e8, Latency: time.Microsecond}
	logs, _, err := cluster.Run(ctx, virtual.New(cluster.Uniform(n, host, nil), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
		task := &patterned{make([]float32, elements)}
		return codedsgd.Run(p, codedsgd.Job{Task: task, Layers: task.Layers(), Batch: 60, Rate: 0.1, Steps: 1,
			Options: codedsgd.Options{Method: method, Redundancy: r}})
	})
	if err != nil {
		return t, fmt.Errorf("codedsgd: exchange of %s, n = %d, r = %d: %w", method, n, r, err)
	}
	for _, l := range logs {
		t.Merge(l.Totals)
	}
	return t, nil
}

// exchangeSizes makes real exchanges of every way and small size, and compares their
// bytes with the accountings.
func exchangeSizes(ctx context.Context, plan accountingPlan) (all []exchanged, err error) {
	for n := plan.Least; n <= plan.Exchanged; n++ {
		for r := 1; r <= n; r++ {
			s, err := countSize(n, r)
			if err != nil {
				return nil, err
			}
			for w, way := range realWays {
				t, err := exchangeOnce(ctx, n, r, plan.Elements, way.Method)
				if err != nil {
					return nil, err
				}
				unit := int64(4 * plan.Elements)
				x := exchanged{N: n, R: r, Way: w, Packets: t.Packets, Once: big.NewRat(t.Bytes, unit), Each: big.NewRat(t.Delivered, unit)}
				x.Same = x.Once.Cmp(s.at(way.Once)) == 0 && (way.Each == "" || x.Each.Cmp(s.at(way.Each)) == 0)
				all = append(all, x)
			}
		}
	}
	return all, nil
}

// sameExchanges counts the exchanges whose bytes are the accountings'.
func sameExchanges(all []exchanged) (same int) {
	for i := range all {
		if all[i].Same {
			same++
		}
	}
	return same
}
